"""Bets on pairs that a claim allows cannot gain; on others they gain what theory says."""

import numpy as np
import pytest
from scipy.stats import norm

from dpviz.testing.betting import DominatingPair
from dpviz.theory import ApproximateDP, GaussianDP, LaplaceMechanism, PureDP

CLAIMS = [
    PureDP(epsilon=1.0),
    ApproximateDP(epsilon=0.5, delta=0.1),
    GaussianDP(mu=1.0),
    LaplaceMechanism(epsilon=2.0),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_the_worst_pair_has_the_curve_of_the_claim(claim) -> None:
    worst = DominatingPair.of(claim)
    assert worst.p.sum() == pytest.approx(1)
    assert worst.q.sum() == pytest.approx(1)
    fpr, tpr = np.cumsum(worst.p).clip(0, 1), np.cumsum(worst.q)
    # Nowhere above what the claim allows would be wrong: a correct mechanism could fail.
    assert (1 - tpr <= claim.beta(fpr) + 1e-12).all()
    np.testing.assert_allclose(1 - tpr, claim.beta(fpr), atol=2e-3)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_no_allowed_pair_gains(claim) -> None:
    """Allowed pairs: any random function of the two outputs of the worst pair."""
    rng = np.random.default_rng(0)
    worst = DominatingPair.of(claim)
    for cells in (2, 5, 12):
        p, q = rng.dirichlet(np.full(cells, 0.3), 2) * 0.99 + 0.01 / cells
        b, a = np.exp(worst.log_bets(p, q))
        channels = rng.dirichlet(np.full(cells, 0.1), (300, worst.p.size))
        expected = (worst.p @ channels) @ b * ((worst.q @ channels) @ a)
        assert expected.max() <= 1 + 1e-12
        # The channel that sends each output where it gains most is the best one there is.
        best = np.eye(cells)[(np.outer(worst.p, b) + np.outer(worst.q, a)).argmax(axis=1)]
        assert (worst.p @ best) @ b + (worst.q @ best) @ a <= 2 + 1e-12


def test_gaussian_noise_gains_nothing_against_its_own_curve() -> None:
    """A pair that is not made from the supporting lines: Normal distributions in cells."""
    edges = np.concatenate([[-np.inf], np.linspace(-2, 3, 9), [np.inf]])
    p, q = np.diff(norm.cdf(edges)), np.diff(norm.cdf(edges - 1))
    worst = DominatingPair.of(GaussianDP(mu=1.0))
    for shift in (1.2, 2.0):
        b, a = np.exp(worst.log_bets(p, np.diff(norm.cdf(edges - shift))))
        assert p @ b * (q @ a) <= 1


def test_growth_is_the_divergence_from_the_nearest_allowed_pair() -> None:
    """For two symmetric cells the nearest pair is randomized response at the claim."""
    right, allowed = 0.8, np.e / (1 + np.e)
    p, q = np.array([right, 1 - right]), np.array([1 - right, right])
    b, a = DominatingPair.of(PureDP(epsilon=1.0)).log_bets(p, q)
    divergence = right * np.log(right / allowed) + (1 - right) * np.log((1 - right) / (1 - allowed))
    assert p @ b + q @ a == pytest.approx(2 * divergence, rel=1e-4)


def test_no_bet_where_nothing_is_expected() -> None:
    p, q = np.array([0.6, 0.4]), np.array([0.4, 0.6])
    b, a = DominatingPair.of(PureDP(epsilon=1.0)).log_bets(p, q)
    assert not b.any()
    assert not a.any()
