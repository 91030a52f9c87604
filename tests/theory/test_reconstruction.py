"""Guesses about a secret: exact and simulated attacks against the bound."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    TradeoffFunction,
    risk,
)

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
        ({}, "either baseline or candidates"),
        ({"baseline": 0.5, "candidates": 2}, "either baseline or candidates"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        risk.reconstruction(PureDP(epsilon=1.0), **asked)
