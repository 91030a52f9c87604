"""The privacy region: known points, equivalences, geometry."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.theory import PrivacyRegion, delta_at, epsilon_at, implied_epsilons

rates = st.integers(0, 1024).map(lambda k: k / 1024)  # 1 - rate is exact
epsilons = st.floats(0, 8)
deltas = st.one_of(st.just(0.0), st.floats(1e-9, 0.9))
CLAIMS = [(0, 0), (0, 0.2), (1, 0), (1, 1e-5), (2.5, 0.3), (6, 1e-3), (800, 0.2), (math.inf, 0)]
CLAIMS = [*CLAIMS, (1, 1), (1e-9, 0)]


def test_the_three_printed_inequalities_are_not_enough() -> None:
    # FNR + e FPR, FPR + e FNR and 1 - FNR <= e FPR hold at (.8, .7); FNR <= e (1 - FPR) does not.
    region = PrivacyRegion(epsilon=1, delta=0)
    assert not region.contains(fpr=0.8, fnr=0.7)
    assert (region.margins(fpr=0.8, fnr=0.7) >= 0).tolist() == [True, True, False, True]
    assert not region.contains(fpr=0.2, fnr=0.3)  # the same attack, its answers flipped
    assert epsilon_at(fpr=0.8, fnr=0.7, delta=0) == pytest.approx(math.log(0.7 / 0.2), rel=1e-14)


def test_right_for_ninety_wrong_for_ten_percent() -> None:
    e = implied_epsilons(fpr=0.1, fnr=0.1, delta=1e-4)
    np.testing.assert_allclose(np.exp(e[:2]), 8.999, rtol=1e-12)
    assert e[2] == e[3] == pytest.approx(math.log((0.1 - 1e-4) / 0.9), rel=1e-12)
    assert PrivacyRegion(epsilon=2.5, delta=1e-4).contains(fpr=0.1, fnr=0.1)
    assert not PrivacyRegion(epsilon=2.0, delta=1e-4).contains(fpr=0.1, fnr=0.1)


@given(fpr=rates, fnr=rates, epsilon=epsilons, delta=deltas)
def test_inside_is_small_epsilon_is_small_delta(
    fpr: float, fnr: float, epsilon: float, delta: float
) -> None:
    needed_epsilon = epsilon_at(fpr=fpr, fnr=fnr, delta=delta)
    needed_delta = delta_at(fpr=fpr, fnr=fnr, epsilon=epsilon)
    assert 0 <= needed_delta <= 1
    assume(abs(needed_epsilon - epsilon) > 1e-8)
    assume(abs(needed_delta - delta) > 1e-8)
    inside = PrivacyRegion(epsilon=epsilon, delta=delta).contains(fpr=fpr, fnr=fnr)
    assert inside == (needed_epsilon <= epsilon) == (needed_delta <= delta)


@given(fpr=rates, fnr=rates, epsilon=epsilons, delta=deltas)
def test_flipped_answers_are_as_telling(
    fpr: float, fnr: float, epsilon: float, delta: float
) -> None:
    region = PrivacyRegion(epsilon=epsilon, delta=delta)
    flipped = {"fpr": 1 - fpr, "fnr": 1 - fnr}
    swap = [2, 3, 0, 1]  # K1 <-> K3, K2 <-> K4
    np.testing.assert_allclose(
        region.distances(fpr=fpr, fnr=fnr), region.distances(**flipped)[swap], rtol=0, atol=1e-15
    )
    assert region.contains(fpr=fpr, fnr=fnr) == region.contains(**flipped)
    assert epsilon_at(fpr=fpr, fnr=fnr, delta=delta) == epsilon_at(**flipped, delta=delta)


@pytest.mark.parametrize("epsilon", [20.0, 40.0, 800.0])
@pytest.mark.parametrize(("fpr", "fnr"), [(0.0, 0.0), (0.0, 0.5), (0.5, 0.0), (1.0, 0.5)])
def test_no_finite_epsilon_admits_an_attack_with_a_rate_of_zero(
    epsilon: float, fpr: float, fnr: float
) -> None:
    # e1..e4 divide by that rate: the attack is right for some and never wrong.
    assert epsilon_at(fpr=fpr, fnr=fnr, delta=0) == math.inf
    assert not PrivacyRegion(epsilon=epsilon, delta=0).contains(fpr=fpr, fnr=fnr)


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_area_is_that_of_the_polygon(epsilon: float, delta: float) -> None:
    region = PrivacyRegion(epsilon=epsilon, delta=delta)
    x, y = region.vertices.T
    shoelace = 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    assert region.area == pytest.approx(shoelace, rel=0, abs=1e-15)


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_corners_are_distinct_inside_and_convex(epsilon: float, delta: float) -> None:
    region = PrivacyRegion(epsilon=epsilon, delta=delta)
    corners = region.vertices
    assert len(np.unique(corners, axis=0)) == len(corners)
    if epsilon < 745:  # beyond, a kink rounds to (0, 0) and (1, 1), just outside
        assert np.all(region.contains(fpr=corners[:, 0], fnr=corners[:, 1]))
    sides = np.roll(corners, -1, axis=0) - corners
    turns = [a[0] * b[1] - a[1] * b[0] for a, b in itertools.pairwise([*sides, sides[0]])]
    assert min(turns) >= -1e-15  # counter-clockwise


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.1), (2.5, 0.3), (6, 1e-3)])
def test_distance_is_the_distance_to_the_line_through_the_edge(
    epsilon: float, delta: float
) -> None:
    region = PrivacyRegion(epsilon=epsilon, delta=delta)
    corners = region.vertices
    assert len(corners) == 8
    for fpr, fnr in [(0.05, 0.4), (0.9, 0.8), (0.5, 0.5), (0.0, 0.0)]:
        expected = []
        for start in (0, 1, 4, 5):  # the edges of K1, K2, K3, K4
            along = corners[start + 1] - corners[start]
            to_point = np.array([fpr, fnr]) - corners[start]
            expected.append((along[0] * to_point[1] - along[1] * to_point[0]) / np.hypot(*along))
        np.testing.assert_allclose(region.distances(fpr=fpr, fnr=fnr), expected, atol=1e-14)


@given(fpr=rates, fnr=rates, delta=deltas)
def test_complements_given_are_complements_used(fpr: float, fnr: float, delta: float) -> None:
    plain = implied_epsilons(fpr=fpr, fnr=fnr, delta=delta)
    told = implied_epsilons(fpr=fpr, fnr=fnr, tpr=1 - fnr, tnr=1 - fpr, delta=delta)
    np.testing.assert_array_equal(plain, told)


def test_complements_keep_the_digits_of_rates_near_one() -> None:
    e = implied_epsilons(fpr=1e-30, fnr=1.0, tpr=1e-25, tnr=1.0, delta=0)
    assert e[0] == pytest.approx(math.log(1e5), rel=1e-14)


@pytest.mark.parametrize(("fpr", "fnr"), [(0.0, 1.0), (1.0, 0.0)])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 1.0])
def test_saying_the_same_to_everyone_reveals_nothing(fpr: float, fnr: float, delta: float) -> None:
    assert epsilon_at(fpr=fpr, fnr=fnr, delta=delta) == 0
    assert delta_at(fpr=fpr, fnr=fnr, epsilon=0.0) == 0


def test_no_guarantee_admits_everything() -> None:
    for region in (PrivacyRegion(epsilon=math.inf, delta=0), PrivacyRegion(epsilon=0, delta=1)):
        assert region.contains(fpr=0, fnr=0)
        assert region.area == 1
    assert delta_at(fpr=0, fnr=0, epsilon=math.inf) == 0
    assert delta_at(fpr=0, fnr=0, epsilon=800.0) == 1
    assert epsilon_at(fpr=0, fnr=0, delta=1) == 0


def test_arrays_of_points_give_arrays() -> None:
    fpr, fnr = np.array([[0.1, 0.8]]), np.array([[0.2], [0.7]])
    assert implied_epsilons(fpr=fpr, fnr=fnr, delta=0).shape == (2, 2, 4)
    answers = PrivacyRegion(epsilon=1, delta=0).contains(fpr=fpr, fnr=fnr)
    assert answers.tolist() == [[False, True], [False, False]]
    assert type(epsilon_at(fpr=0.1, fnr=0.2, delta=0)) is float
    assert type(PrivacyRegion(epsilon=1, delta=0).contains(fpr=0.1, fnr=0.2)) is bool


def test_without_an_epsilon_no_pair_is_near_a_line() -> None:
    region = PrivacyRegion(epsilon=math.inf, delta=0.1)
    for fpr, fnr in itertools.product((0.0, 0.3, 1.0), repeat=2):
        assert set(region.margins(fpr=fpr, fnr=fnr).tolist()) == {math.inf}
        assert set(region.distances(fpr=fpr, fnr=fnr).tolist()) == {math.inf}
        assert region.contains(fpr=fpr, fnr=fnr)
