"""The best guess among candidates: closed forms, simulation, and never above the bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from dpviz.theory import (
    ApproximateDP,
    Composed,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    PureDP,
    TradeoffFunction,
    UniformMechanism,
    best_guess,
    risk,
)
from dpviz.theory.guessing import Candidates, output_distributions_for_one_candidate

DRAWS = 100_000
EPSILONS = st.floats(0, 8)
CLAIMS = st.one_of(
    st.builds(GaussianDP, mu=st.floats(0, 6)),
    st.builds(LaplaceMechanism, epsilon=EPSILONS),
    st.builds(ApproximateDP, epsilon=EPSILONS, delta=st.floats(0, 1)),
)


@given(claim=CLAIMS, baseline=st.floats(1e-3, 0.999))
def test_between_the_chance_without_the_output_and_the_bound(
    claim: TradeoffFunction, baseline: float
) -> None:
    found = best_guess(claim, baseline=baseline)
    assert found is not None
    assert baseline - 1e-9 <= found <= risk.reconstruction(claim, baseline=baseline) + 1e-9


def test_ten_candidates_at_mu_one() -> None:
    """Blind .100, best guess .2533 (in the issue's simulation .256), bound .389.

    The ten lie at the corners of a regular simplex, any two at distance 1.
    """
    exact = quad(lambda z: norm.pdf(z - np.sqrt(0.5)) * norm.cdf(z) ** 9, -9, 10)[0]
    for claim in (GaussianDP(mu=1.0), GaussianMechanism(noise_multiplier=1.0)):
        assert best_guess(claim, candidates=10) == pytest.approx(exact, rel=1e-9)
        assert best_guess(claim, baseline=0.1) == pytest.approx(0.2533, abs=5e-5)


@pytest.mark.parametrize("claim", [GaussianDP(mu=1.3), LaplaceMechanism(epsilon=2.0)])
def test_two_candidates_are_told_apart_by_the_total_variation(claim: TradeoffFunction) -> None:
    """Two numbers move: the pair of one candidate, composed with itself."""
    if isinstance(claim, GaussianDP):
        distance = 2 * norm.cdf(1.3 / 2) - 1
    else:
        distance = Composed([LaplaceMechanism(epsilon=1.0)] * 2).delta(0.0)
    assert best_guess(claim, candidates=2) == pytest.approx((1 + distance) / 2, abs=1e-4)


@given(epsilon=EPSILONS, delta=st.floats(0, 1), k=st.integers(2, 1000))
def test_randomized_response_with_proof(epsilon: float, delta: float, k: int) -> None:
    right = np.exp(epsilon) / (np.exp(epsilon) + k - 1)
    found = best_guess(ApproximateDP(epsilon=epsilon, delta=delta), candidates=k)
    assert found == pytest.approx(delta + (1 - delta) * right, abs=1e-12)


@pytest.mark.parametrize("baseline", [0.5, 0.37, 0.7, 0.1])
@pytest.mark.parametrize("claim", [GaussianDP(mu=1.0), LaplaceMechanism(epsilon=3.0)])
def test_as_often_as_in_a_simulation(claim: TradeoffFunction, baseline: float) -> None:
    among, rng = Candidates.for_baseline(baseline), np.random.default_rng(5)
    laws = output_distributions_for_one_candidate(claim, among.n_candidates)
    secret = rng.choice(among.n_candidates, DRAWS, p=among.priors)
    numbers = laws.sample(rng, DRAWS * among.n_candidates, member=False).reshape(DRAWS, -1)
    numbers[np.arange(DRAWS), secret] = laws.sample(rng, DRAWS, member=True)
    ties = 1e-9 * rng.random(numbers.shape)
    guess = (np.log(among.priors) + laws.log_ratio(numbers) + ties).argmax(axis=1)
    right = float((guess == secret).mean())
    error = 4 * np.sqrt(right * (1 - right) / DRAWS)
    assert right == pytest.approx(best_guess(claim, baseline=baseline), abs=error)


def largest_of(k: int, rng: np.random.Generator) -> np.ndarray:
    """The largest of k uniform numbers: one number from its own distribution."""
    return rng.random(DRAWS) ** (1 / k)


@pytest.mark.parametrize("k", [2, 3, 10, 100, 1000])
@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "uniform", "randomized response"])
def test_simulated_attacks_stay_below_the_bound(mechanism: str, k: int) -> None:
    """The guess is the candidate with the largest number, or the one that is named."""
    rng = np.random.default_rng(k)
    shift = {"gaussian": np.sqrt(0.5), "laplace": 1.0, "uniform": 0.5}.get(mechanism, 0.0)
    others, own = largest_of(k - 1, rng), rng.random(DRAWS)
    claim: TradeoffFunction
    if mechanism == "gaussian":
        claim, right = GaussianDP(mu=1.0), norm.ppf(own) + shift > norm.ppf(others)
    elif mechanism == "laplace":
        claim = LaplaceMechanism(epsilon=2.0)
        right = quantile(own) + shift > quantile(others)
    elif mechanism == "uniform":  # of width 10; two numbers move by 1/2
        claim = Composed([UniformMechanism(width=10.0, sensitivity=0.5)] * 2)
        right = 10 * own + shift > 10 * others
    else:
        claim, right = PureDP(epsilon=2.0), own < np.exp(2) / (np.exp(2) + k - 1)
    rate = float(right.mean())
    error = 4 * np.sqrt(rate * (1 - rate) / DRAWS)
    assert 1 / k - error <= rate <= risk.reconstruction(claim, candidates=k) + error


def quantile(u: np.ndarray) -> np.ndarray:
    """Of the Laplace distribution of scale 1."""
    return -np.sign(u - 0.5) * np.log(1 - 2 * np.abs(u - 0.5))


def test_limits() -> None:
    assert best_guess(PureDP(epsilon=0.0), baseline=0.3) == pytest.approx(0.3)
    assert best_guess(GaussianDP(mu=np.inf), candidates=1000) == 1
    assert best_guess(LaplaceMechanism(epsilon=800.0), candidates=1000) == pytest.approx(1)
    assert best_guess(UniformMechanism(width=2.0, sensitivity=1.0), candidates=2) is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"baseline": 0.0}, r"baseline must be in \(0, 1\), got 0.0"),
        ({"baseline": 1.0}, r"baseline must be in \(0, 1\), got 1.0"),
        ({"candidates": 1}, "candidates must be a whole number of at least 2, got 1"),
        ({}, "one of baseline and candidates"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_guess(PureDP(epsilon=1.0), **asked)
