"""Advantage and PPV against counting people, and the cliff that delta makes."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpviz.theory import ApproximateDP, PureDP, TradeoffFunction, risk

THREE = ApproximateDP(epsilon=math.log(3), delta=0.04)  # e^epsilon = 3, kink at 0.24
STORY = ApproximateDP(epsilon=1.0, delta=1e-5)


def largest_tpr(fpr: Fraction) -> Fraction:
    """The largest TPR under THREE, from the two lines of the region in exact fractions."""
    flat = 1 - Fraction(4, 100)
    return 1 - max(Fraction(0), flat - 3 * fpr, (flat - fpr) / 3)


@pytest.mark.parametrize(
    "fpr", [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(97, 100)]
)
@pytest.mark.parametrize("prior", [Fraction(1, 1000), Fraction(1, 5), Fraction(4, 5)])
def test_ppv_is_a_count_of_accused_people(fpr: Fraction, prior: Fraction) -> None:
    # FPR and FNR differ (.1 and .66, say), so exchanging them would show.
    people = 3_000_000
    members = people * prior
    accused_members = members * largest_tpr(fpr)
    accused_others = (people - members) * fpr
    assert accused_members.denominator == accused_others.denominator == 1
    expected = accused_members / (accused_members + accused_others)
    found = risk.ppv(THREE, fpr=float(fpr), prior=float(prior))
    assert found == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("fpr", [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_advantage_is_tpr_less_fpr(fpr: Fraction) -> None:
    expected = float(largest_tpr(fpr) - fpr)
    assert risk.advantage(THREE, fpr=float(fpr)) == pytest.approx(expected, rel=1e-14, abs=1e-16)


def test_largest_advantage_is_that_of_the_best_fpr() -> None:
    grid = [Fraction(k, 10_000) for k in range(10_001)]
    best = max(largest_tpr(a) - a for a in grid)  # the kink 0.24 is on the grid
    assert risk.advantage(THREE) == pytest.approx(float(best), rel=1e-14)


def test_the_cliff_of_delta() -> None:
    found = risk.ppv(STORY, fpr=np.array([1e-2, 1e-6, 0.0]), prior=0.01)
    np.testing.assert_allclose(found, [0.0267, 0.1138, 1.0], rtol=0, atol=5e-5)
    assert risk.ppv_limit(STORY, prior=0.01) == 1.0


def test_without_delta_there_is_no_cliff() -> None:
    pure = PureDP(epsilon=1.0)
    limit = 1 / (1 + 99 * math.exp(-1))
    assert risk.ppv_limit(pure, prior=0.01) == pytest.approx(limit, rel=1e-14)
    for fpr in (0.0, 1e-300, 1e-6, 0.26):  # attained up to the kink
        assert risk.ppv(pure, fpr=fpr, prior=0.01) == pytest.approx(limit, rel=1e-14)


@pytest.mark.parametrize("claim", [THREE, STORY, PureDP(epsilon=0.0), PureDP(epsilon=800.0)])
@pytest.mark.parametrize("prior", [1e-9, 0.3, 1 - 1e-9])
def test_ppv_falls_from_its_limit_to_the_prior(claim: TradeoffFunction, prior: float) -> None:
    fpr = np.r_[0.0, np.geomspace(1e-300, 1, 500)]
    found = risk.ppv(claim, fpr=fpr, prior=prior)
    assert np.all(np.diff(found) <= 1e-14)
    assert found[0] == pytest.approx(risk.ppv_limit(claim, prior=prior), rel=1e-12)
    assert found[-1] == pytest.approx(prior, rel=1e-12)


def test_no_guarantee_allows_certainty() -> None:
    empty = ApproximateDP(epsilon=math.inf, delta=0.0)
    assert risk.advantage(empty) == 1
    assert risk.ppv(empty, fpr=0.0, prior=0.01) == 1
    assert risk.ppv_limit(empty, prior=0.01) == 1


@pytest.mark.parametrize("prior", [1e-320, 5e-324])
def test_priors_below_the_normal_floats_are_priors(prior: float) -> None:
    assert risk.ppv(PureDP(epsilon=1.0), fpr=0.5, prior=prior) == pytest.approx(0, abs=1e-300)
    assert risk.ppv(PureDP(epsilon=1.0), fpr=0.0, prior=prior) == pytest.approx(0, abs=1e-300)


@pytest.mark.parametrize(
    "bound",
    [
        lambda c: risk.advantage(c),
        lambda c: risk.advantage(c, fpr=0.1),
        lambda c: risk.ppv(c, fpr=0.1, prior=0.5),
        lambda c: risk.ppv_limit(c, prior=0.5),
    ],
)
def test_bounds_are_those_of_the_neighbours_that_the_claim_is_for(bound: Any) -> None:
    claim = PureDP(epsilon=0.5, adjacency="add_remove")
    assert bound(claim) == bound(PureDP(epsilon=0.5))
    assert bound(claim.to_replace_one()) > bound(claim)
    with pytest.raises(ValueError, match="claim must be a trade-off function"):
        bound(1.0)


def test_rates_and_prior_go_by_name() -> None:
    with pytest.raises(TypeError):
        risk.ppv(STORY, 0.01, 0.5)
    with pytest.raises(TypeError):
        risk.advantage(STORY, 0.01)


def test_floats_in_floats_out() -> None:
    assert type(risk.ppv(STORY, fpr=0.01, prior=0.5)) is float
    assert type(risk.advantage(STORY, fpr=0.01)) is float
    assert risk.ppv(STORY, fpr=np.array([[0.01, 0.1]]), prior=0.5).shape == (1, 2)
