"""Laws every guarantee obeys, over the registry: a new mechanism brings only its examples."""

import dataclasses
import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpviz.theory import MECHANISMS, PrivacyRegion, TradeoffFunction

EXAMPLES: dict[str, list[dict[str, float]]] = {
    "pure": [{"epsilon": e} for e in (0.0, 1e-9, 0.5, 3.0, 20.0, 40.0, 800.0, math.inf)],
    "approximate": [
        {"epsilon": e, "delta": d}
        for e, d in [
            (0.0, 0.0),
            (0.0, 0.3),
            (1.0, 1e-5),
            (1.0, 1e-300),
            (2.5, 0.2),
            (0.1, 0.999),
            (40.0, 1e-3),
            (800.0, 0.1),
            (math.inf, 0.1),
            (1.0, 1.0),
        ]
    ],
}
SYMMETRIC = {"pure", "approximate"}
CLAIMS = {"pure", "approximate"}  # kinds whose region is a PrivacyRegion
ULPS = 1e-15
ALPHAS = np.unique(np.r_[np.linspace(0, 1, 401), np.geomspace(1e-300, 1, 301), 1 - 2.0**-50])
EPSILONS = np.array([-5.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.0, 5.0, 20.0, 39.0, 300.0, 799.5, 801.0])
DELTAS = np.array([0.0, 1e-300, 1e-9, 1e-5, 0.01, 0.2, 0.3, 0.9, 1.0])


def built(*keys: str) -> list[Any]:
    return [
        pytest.param(MECHANISMS[key](**example), id=f"{key}-{example}")
        for key in keys
        for example in EXAMPLES.get(key, [])
    ]


every = pytest.mark.parametrize("f", built(*MECHANISMS))
every_claim = pytest.mark.parametrize("f", built(*sorted(CLAIMS & MECHANISMS.keys())))
every_symmetric = pytest.mark.parametrize("f", built(*sorted(SYMMETRIC & MECHANISMS.keys())))


@pytest.mark.parametrize("key", MECHANISMS)
def test_every_mechanism_has_examples(key: str) -> None:
    assert EXAMPLES.get(key), f"no example parameters for {key!r}"


@every
def test_beta_is_a_tradeoff_function(f: TradeoffFunction) -> None:
    beta = f.beta(ALPHAS)
    assert np.all((beta >= 0) & (beta <= 1 - ALPHAS + ULPS))
    assert np.all(np.diff(beta) <= ULPS)
    a, b = np.meshgrid(ALPHAS[::7], ALPHAS[::7])
    assert np.all(f.beta((a + b) / 2) <= (f.beta(a) + f.beta(b)) / 2 + ULPS)


@every
def test_tpr_and_advantage_follow_from_beta(f: TradeoffFunction) -> None:
    np.testing.assert_allclose(f.tpr(ALPHAS), 1 - f.beta(ALPHAS), rtol=0, atol=ULPS)
    np.testing.assert_allclose(f.advantage(ALPHAS), f.tpr(ALPHAS) - ALPHAS, rtol=0, atol=ULPS)


@every_symmetric
def test_beta_is_its_own_inverse(f: TradeoffFunction) -> None:
    beta = f.beta(ALPHAS)
    back = f.beta(beta)
    seen = beta > 1e-300  # where beta underflowed to 0 its inverse cannot know
    assert np.all(back[seen] <= ALPHAS[seen] + 4 * ULPS)
    # Equality up to the first alpha with beta 0; beta(0) may be below 1.
    inner = seen & (ALPHAS > 0)
    np.testing.assert_allclose(back[inner], ALPHAS[inner], rtol=0, atol=4 * ULPS)


@every
@pytest.mark.parametrize("method", ["beta", "tpr", "advantage", "delta", "epsilon"])
def test_floats_in_floats_out_arrays_in_arrays_out(f: TradeoffFunction, method: str) -> None:
    call = getattr(f, method)
    rates = np.array([[0.0, 1e-3, 0.2], [0.5, 0.9, 1.0]])
    answers = call(rates)
    assert answers.shape == rates.shape
    for index, rate in np.ndenumerate(rates):
        alone = call(float(rate))
        assert type(alone) is float
        assert alone == answers[index]


@every
def test_profile_is_dual_to_the_curve(f: TradeoffFunction) -> None:
    # The vertices are checked against beta in the next test; the grid catches any other maximum.
    x = np.unique(np.r_[ALPHAS, f.draw()[:, 0]])
    for epsilon in EPSILONS[EPSILONS <= 300]:  # beyond, the best x is below the smallest float
        reached = float(np.max(1 - f.beta(x) - np.exp(epsilon) * x))
        assert f.delta(float(epsilon)) == pytest.approx(reached, rel=0, abs=4 * ULPS)


@every
@pytest.mark.parametrize("n", [8, 512])
def test_drawn_vertices_lie_on_the_curve_and_carry_it(f: TradeoffFunction, n: int) -> None:
    vertices = f.draw(n)
    x, y = vertices.T
    assert 2 <= len(vertices) <= n
    assert np.all(np.diff(x) >= 0)
    assert np.all(y <= f.beta(x) + ULPS)  # a drop at one x may be drawn as a vertical piece
    assert np.all(y >= f.beta(np.minimum(1, np.nextafter(x, 2))) - ULPS)
    inside = ALPHAS[ALPHAS > 0]
    np.testing.assert_allclose(np.interp(inside, x, y), f.beta(inside), rtol=0, atol=1e-14)


@every
def test_epsilon_and_delta_undo_each_other(f: TradeoffFunction) -> None:
    assert np.all(np.diff(f.delta(EPSILONS)) <= ULPS)
    for delta in DELTAS:
        epsilon = f.epsilon(float(delta))
        assert epsilon >= 0
        if math.isinf(epsilon):
            assert f.delta(1e6) > delta
            continue
        assert f.delta(epsilon) <= delta + 1e-12
        if epsilon > 0:  # and no smaller one would do
            assert f.delta(epsilon * (1 - 1e-6)) > delta


@every_symmetric
def test_profile_at_negative_epsilon_mirrors_the_positive_side(f: TradeoffFunction) -> None:
    e = EPSILONS[EPSILONS > 0]
    mirrored = 1 - np.exp(-e) + np.exp(-e) * f.delta(e)
    np.testing.assert_allclose(f.delta(-e), mirrored, rtol=0, atol=4 * ULPS)


@every_claim
def test_admits_and_region_agree_with_exact_inequalities(f: TradeoffFunction) -> None:
    epsilon, delta = f.parameters["epsilon"], f.parameters.get("delta", 0.0)
    region = PrivacyRegion(epsilon=epsilon, delta=delta)
    rates = (0.0, 1e-6, 0.01, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.999, 1.0)
    wrong = []
    for fpr, fnr in product(rates, rates):
        expected = _admitted(epsilon, delta, fpr=fpr, fnr=fnr)
        answers = f.admits(fpr=fpr, fnr=fnr), region.contains(fpr=fpr, fnr=fnr)
        if expected is not None and answers != (expected, expected):
            wrong.append((fpr, fnr, expected, *answers))
    assert not wrong, "fpr, fnr, expected, admits, contains"


@every
def test_the_curve_itself_is_admitted_and_what_is_below_is_not(f: TradeoffFunction) -> None:
    for alpha in ALPHAS[::5].tolist():
        beta = f.beta(alpha)
        if beta > 1e-300:  # not lost to underflow
            assert f.admits(fpr=alpha, fnr=beta)
            assert f.admits(fpr=1 - alpha, fnr=1 - beta) or alpha < 1e-9 or beta < 1e-9
            if beta > 1e-9:
                assert not f.admits(fpr=alpha, fnr=beta * (1 - 1e-6))


@every_claim
def test_region_corners_are_those_of_the_privacy_region(f: TradeoffFunction) -> None:
    delta = f.parameters.get("delta", 0.0)
    corners = PrivacyRegion(epsilon=f.parameters["epsilon"], delta=delta).vertices
    gaps = np.abs(f.region()[:, None, :] - corners[None, :, :]).max(axis=-1)
    assert gaps.min(axis=0).max() <= ULPS
    assert gaps.min(axis=1).max() <= ULPS


@pytest.mark.parametrize("key", sorted(CLAIMS))
def test_replacing_one_record_is_two_steps(key: str) -> None:
    for example in EXAMPLES[key]:
        one = MECHANISMS[key](**example)
        two = MECHANISMS[key](**example, adjacency="add_remove").to_replace_one()
        assert one.to_replace_one() == one
        assert two.adjacency == "replace_one"
        assert two.to_replace_one() == two
        assert two.parameters["epsilon"] == 2 * example["epsilon"]
        if example.get("delta", 0) > 0:
            grown = math.inf if example["epsilon"] > 700 else 1 + math.exp(example["epsilon"])
            expected = min(1.0, grown * example["delta"])
            assert two.parameters["delta"] == pytest.approx(expected, rel=1e-12)


@every
def test_guarantees_are_values(f: TradeoffFunction) -> None:
    twin = type(f)(**f.parameters, adjacency=f.adjacency)
    assert twin == f
    assert hash(twin) == hash(f)
    assert twin.with_parameters() == f
    assert f != type(f)(**f.parameters, adjacency="add_remove")
    name = dataclasses.fields(f)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(f, name, 0.5)


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ({"epsilon": 0.0, "delta": 0.3}, np.maximum(0, 0.7 - ALPHAS)),
        ({"epsilon": math.inf, "delta": 0.0}, np.zeros_like(ALPHAS)),
        ({"epsilon": 0.0, "delta": 1.0}, np.zeros_like(ALPHAS)),
        ({"epsilon": 800.0, "delta": 0.25}, np.where(ALPHAS == 0, 0.75, 0.0)),
    ],
)
def test_limits(example: dict[str, float], expected: np.ndarray) -> None:
    beta = MECHANISMS["approximate"](**example).beta(ALPHAS)
    np.testing.assert_allclose(beta, expected, rtol=0, atol=ULPS)


def test_profile_of_a_claim_beyond_the_largest_exponential() -> None:
    f = MECHANISMS["pure"](epsilon=800.0)
    assert f.delta(799.5) == pytest.approx(1 - math.exp(-0.5), rel=1e-12)
    assert f.epsilon(1 - math.exp(-0.5)) == pytest.approx(799.5, rel=1e-12)


def _admitted(epsilon: float, delta: float, *, fpr: float, fnr: float) -> bool | None:
    """K1..K4 in exact fractions; None too near to an edge to tell in float64."""
    if math.isinf(epsilon) or delta == 1:
        return True
    grown = Fraction(Decimal(epsilon).exp())
    t, eta, d = Fraction(fpr), Fraction(fnr), Fraction(delta)
    sides = [(1 - eta, t), (1 - t, eta), (eta, 1 - t), (t, 1 - eta)]
    slacks = [(d + grown * b - a) / (1 + grown * b) for a, b in sides]
    if min(abs(slack) for slack in slacks) < 1e-9:
        return None if min(slacks) > -1e-9 else False
    return min(slacks) >= 0
