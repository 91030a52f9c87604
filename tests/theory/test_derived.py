"""Guarantees that follow from others: both orders against brute force, and groups."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from dpviz.theory import ApproximateDP, DiscretePair, GaussianDP, OneWaySubsampled
from dpviz.theory.derived import Inverse, group_privacy, max_symmetrized, min_symmetrized
from dpviz.theory.mechanisms.piecewise_linear import PiecewiseLinear

X = np.linspace(0, 1, 1001)
PAIRS = [
    DiscretePair([0.5, 0.3, 0.2], [0.1, 0.2, 0.7]),
    DiscretePair([0.6, 0.25, 0.1, 0.05], [0.05, 0.3, 0.25, 0.4]),
    DiscretePair([0.7, 0.3, 0.0], [0.2, 0.5, 0.3]),
]


@pytest.mark.parametrize("pair", PAIRS, ids=["three", "four", "a loss without an end"])
def test_the_larger_fnr_of_both_orders(pair: DiscretePair) -> None:
    both = np.maximum(pair.beta(X), pair.inverse().beta(X))
    np.testing.assert_allclose(max_symmetrized(pair).beta(X), both, atol=1e-12)


@pytest.mark.parametrize("pair", PAIRS, ids=["three", "four", "a loss without an end"])
def test_the_convex_hull_of_the_smaller_fnr(pair: DiscretePair) -> None:
    slopes = -np.exp(np.linspace(-8, 8, 4001))
    below = np.minimum(pair.beta(X), pair.inverse().beta(X))
    # A convex curve is the highest of the lines that touch it from below.
    lines = [slope * X + np.min(below - slope * X) for slope in slopes]
    found = min_symmetrized(pair).beta(X)
    assert np.all(found <= below + 1e-12)
    np.testing.assert_allclose(found, np.max(lines, axis=0), atol=2e-3)


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.1])
def test_epsilon_of_the_weaker_order(delta: float) -> None:
    sampled = OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.3)
    orders = [sampled.epsilon(delta), sampled.inverse().epsilon(delta)]
    assert min_symmetrized(sampled).epsilon(delta) == pytest.approx(max(orders), rel=1e-9)
    # No line that touches one order can be below the larger of both.
    assert max_symmetrized(sampled).epsilon(delta) <= min(orders) * (1 + 1e-9)


@pytest.mark.parametrize("pair", PAIRS, ids=["three", "four", "a loss without an end"])
def test_where_both_rates_are_equal(pair: DiscretePair) -> None:
    f = max_symmetrized(pair)
    x = brentq(lambda rate: f.beta(rate) - rate, 0, 1)
    assert x == pytest.approx(max(pair.beta(x), pair.inverse().beta(x)), abs=1e-12)


def test_a_pair_from_losses_is_exact() -> None:
    assert DiscretePair.with_losses(PAIRS[0].atoms()).error == 0.0


def test_the_larger_fnr_of_random_pairs() -> None:
    # Where the orders cross on the diagonal, FPR + TPR is 1 up to rounding, above or below.
    rng = np.random.default_rng(4)
    for masses in rng.dirichlet(np.ones(4), (20, 2)):
        pair = DiscretePair(*masses)
        both = np.maximum(pair.beta(X), pair.inverse().beta(X))
        np.testing.assert_allclose(max_symmetrized(pair).beta(X), both, atol=1e-12)


def test_a_stated_error_is_among_the_parameters() -> None:
    assert DiscretePair([0.5, 0.5], [0.2, 0.8], error=0.01).parameters == {
        "P": (0.5, 0.5),
        "Q": (0.2, 0.8),
        "error": 0.01,
    }


def test_the_inverse_bends_at_the_fnrs_of_the_bends() -> None:
    """(1, 0.1) bends at 0.9 / (1 + e), its own inverse there, and at FPR 0.9, where FNR is 0."""
    found = Inverse(ApproximateDP(epsilon=1, delta=0.1)).kinks
    assert found == (pytest.approx(0.9 / (1 + math.e), rel=1e-12),)


# Group privacy of curves that were computed numerically.


def test_an_error_is_at_most_the_largest_height() -> None:
    rough = PiecewiseLinear([(0.0, 0.6), (0.5, 0.2), (1.0, 0.0)], error=0.9)
    assert group_privacy(rough, size=3).error == 1.0
