"""Bounds on risks against counting people, guesses against attacks, the attack of least cost."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    TradeoffFunction,
    best_attack,
    risk,
)

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


# Guesses about a secret: exact and simulated attacks against the bound.

CANDIDATES = (2, 10, 100, 1000)


def gaussian_map(k: int, mu: float) -> float:
    """Success of the best guess among k candidates, any two of which are mu apart."""
    shift = mu / np.sqrt(2)
    return float(quad(lambda z: norm.pdf(z - shift) * norm.cdf(z) ** (k - 1), -9, 15)[0])


def test_the_gaussian_example() -> None:
    """Mu = 1, ten candidates: blind .1, best guess .253 (.256 in a simulation), bound .389."""
    assert gaussian_map(10, 1.0) == pytest.approx(0.2533, abs=5e-5)
    assert risk.reconstruction(GaussianDP(mu=1.0), candidates=10) == pytest.approx(0.389, abs=5e-4)


@pytest.mark.parametrize("k", CANDIDATES)
def test_the_best_guess_stays_below_the_bound(k: int) -> None:
    for mu in (0.5, 1.0, 3.0):
        assert gaussian_map(k, mu) <= risk.reconstruction(GaussianDP(mu=mu), candidates=k)
    for epsilon in (0.5, 2.0):
        # Randomized response over k answers keeps the right one with this probability.
        right = np.exp(epsilon) / (np.exp(epsilon) + k - 1)
        assert right <= risk.reconstruction(PureDP(epsilon=epsilon), candidates=k) + 1e-15


@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize(
    ("noise", "scale", "claim"),
    [
        ("laplace", 0.5, PureDP(epsilon=2.0)),  # two coordinates change by 1/2 each
        ("uniform", 20.0, ApproximateDP(epsilon=0.0, delta=1 - (1 - 0.5 / 40.0) ** 2)),
    ],
)
def test_simulated_guesses_stay_below_the_bound(
    k: int, noise: str, scale: float, claim: TradeoffFunction
) -> None:
    rng, draws = np.random.default_rng(1), 20_000
    secret = rng.integers(k, size=draws)
    if noise == "laplace":
        outputs = rng.laplace(0, scale, (draws, k))
    else:
        outputs = rng.uniform(-scale, scale, (draws, k))
    outputs[np.arange(draws), secret] += 0.5
    right = float((outputs.argmax(axis=1) == secret).mean())
    error = 4 * np.sqrt(right * (1 - right) / draws)
    assert right <= risk.reconstruction(claim, candidates=k) + error


def test_a_single_query_with_many_secrets() -> None:
    """Ten salaries between 0 and 1 behind Laplace noise of scale 1: the best guess, exactly."""
    claim, salaries = LaplaceMechanism(epsilon=1.0), np.linspace(0, 1, 10)
    outputs = np.linspace(-30, 31, 61_001)
    likelihood = np.exp(-np.abs(outputs[:, None] - salaries)) / 2
    best = float(np.trapezoid(likelihood.max(axis=1), outputs)) / salaries.size
    assert 1 / 10 < best < risk.reconstruction(claim, candidates=10)


def test_baselines_and_candidates_are_one() -> None:
    claim = GaussianDP(mu=1.0)
    of_baselines = risk.reconstruction(claim, baseline=np.array([0.5, 0.1, 0.001]))
    of_candidates = [risk.reconstruction(claim, candidates=k) for k in (2, 10, 1000)]
    assert list(of_baselines) == pytest.approx(of_candidates)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"baseline": 0.0}, r"baseline must be in \(0, 1\), got 0.0"),
        ({"baseline": 1.5}, r"baseline must be in \(0, 1\), got 1.5"),
        ({"candidates": 1}, "candidates must be a whole number of at least 2, got 1"),
        ({}, "one of baseline and candidates"),
        ({"baseline": 0.5, "candidates": 2}, "one of baseline and candidates"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        risk.reconstruction(PureDP(epsilon=1.0), **asked)


# The attack of least expected cost, against a search over the whole curve.

CLAIMS = (
    GaussianDP(mu=1.0),
    PureDP(epsilon=1.0),
    LaplaceMechanism(epsilon=2.0),
    ApproximateDP(epsilon=1.0, delta=0.01),
)
RATES = np.linspace(0, 1, 2001)


@given(
    claim=st.sampled_from(CLAIMS),
    prior=st.floats(0.01, 0.99),
    alarm=st.floats(0.01, 100),
    miss=st.floats(0.01, 100),
)
def test_no_point_of_the_curve_costs_less(
    claim: TradeoffFunction, prior: float, alarm: float, miss: float
) -> None:
    best = best_attack(claim, prior=prior, cost_false_alarm=alarm, cost_miss=miss)
    a, m = (1 - prior) * alarm, prior * miss
    costs = a * RATES + m * claim.beta(RATES)
    spacing = (a + m) / 2000  # no point is further from the grid
    assert best.cost <= costs.min() + 1e-12 * (a + m)
    assert best.cost >= costs.min() - a * spacing / (a + m) - m * np.max(
        -np.diff(claim.beta(RATES))
    )
    assert a * best.fpr + m * best.fnr == pytest.approx(best.cost, rel=1e-9)
    assert best.blind_cost == min(a, m)
    assert best.gain >= -1e-12 * (a + m)


def test_only_the_ratio_of_costs_moves_the_threshold() -> None:
    one = best_attack(CLAIMS[0], prior=0.5, cost_false_alarm=1, cost_miss=3)
    ten = best_attack(CLAIMS[0], prior=0.5, cost_false_alarm=10, cost_miss=30)
    assert (one.fpr, one.fnr, one.gamma) == pytest.approx((ten.fpr, ten.fnr, ten.gamma))
    assert ten.cost == pytest.approx(10 * one.cost)


def test_a_rare_secret_is_best_left_alone() -> None:
    """Under pure DP the output is worth nothing once gamma passes e^epsilon."""
    assert best_attack(PureDP(epsilon=1.0), prior=0.1).gain == pytest.approx(0, abs=1e-15)
    assert best_attack(PureDP(epsilon=1.0), prior=0.5).gain > 0.2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"prior": 0.0}, r"prior must be in \(0, 1\), got 0.0"),
        ({"cost_miss": 0.0}, r"cost_miss must be in \(0, inf\), got 0.0"),
        ({"cost_false_alarm": float("nan")}, "cost_false_alarm"),
    ],
)
def test_costs_that_are_none(changed: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_attack(PureDP(epsilon=1.0), **{"prior": 0.5, **changed})
