"""Curves from bounds on Rényi divergences, against their definition and other packages."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from dpviz.theory import (
    Composed,
    GaussianDP,
    RenyiDP,
    Stated,
    ZeroConcentratedDP,
)

ORDERS = np.concatenate([[1.0], 1 + np.geomspace(1e-4, 1e4, 20_001)])


def divergences(t: float, x: float, orders: np.ndarray) -> np.ndarray:
    """Rényi divergences of Bernoulli(t) from Bernoulli(x), from their definition."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log_terms = [
            orders * np.log(a) + (1 - orders) * np.log(b) for a, b in ((t, x), (1 - t, 1 - x))
        ]
        found = np.logaddexp(*log_terms) / (orders - 1)
    kl = t * np.log(t / x) + (1 - t) * np.log((1 - t) / (1 - x))
    return np.where(orders == 1, kl, found)


def least_fnr(x: float, orders: np.ndarray, bounds: np.ndarray) -> float:
    def excess(t: float) -> float:
        both = np.maximum(divergences(t, x, orders), divergences(x, t, orders))
        return float(np.max(both - bounds))

    return 1 - brentq(excess, x * (1 + 1e-9), 1 - 1e-15, xtol=1e-15)


@pytest.mark.parametrize("rho", [0.01, 0.5, 2.63])
@pytest.mark.parametrize("x", [1e-6, 0.01, 0.2, 0.7])
def test_zcdp_is_the_region_of_two_bernoullis(rho: float, x: float) -> None:
    f = ZeroConcentratedDP(rho=rho)
    exact = least_fnr(x, ORDERS, rho * ORDERS)
    assert exact - f.error - 1e-9 <= f.beta(x) <= exact + 1e-12
    assert f.error < 5e-5


@pytest.mark.parametrize("x", [1e-6, 0.01, 0.2, 0.7])
def test_renyi_dp_is_that_region_at_its_orders(x: float) -> None:
    orders, epsilons = np.array([1.5, 2.0, 8.0, 32.0]), np.array([0.6, 1.0, 4.5, 16.0])
    f = RenyiDP(orders=orders, epsilons=epsilons)
    exact = least_fnr(x, orders, epsilons)
    assert exact - f.error <= f.beta(x) <= exact + 1e-12
    assert f.error < 2e-4


@pytest.mark.parametrize("rho", [0.1, 0.5, 1.0, 2.63, 30.0])
def test_zcdp_allows_more_than_a_gaussian_and_less_than_its_conversion(rho: float) -> None:
    x = np.linspace(0.001, 0.999, 99)
    f, gaussian = ZeroConcentratedDP(rho=rho), GaussianDP(mu=math.sqrt(2 * rho))
    assert np.all(f.beta(x) < gaussian.beta(x))
    orders = 1 + np.geomspace(1e-3, 1e6, 100_001)
    for delta in (1e-2, 1e-5, 1e-9, 1e-20, 1e-100):
        # Canonne, Kamath and Steinke (2020), proposition 12.
        log_delta = np.log(delta) + np.log(orders)
        epsilons = rho * orders + np.log1p(-1 / orders) - log_delta / (orders - 1)
        assert f.epsilon(delta) <= epsilons.min() * (1 + 2e-3)
        assert f.epsilon(delta) >= gaussian.epsilon(delta)


@pytest.mark.slow
def test_bounds_of_several_mechanisms_add_up() -> None:
    halves = [ZeroConcentratedDP(rho=0.2), ZeroConcentratedDP(rho=0.3)]
    x = np.linspace(0, 1, 21)
    np.testing.assert_array_equal(Composed(halves).beta(x), ZeroConcentratedDP(rho=0.5).beta(x))
    table = RenyiDP(orders=[2, 4, 8], epsilons=[1.0, 2.0, 4.0])
    other = RenyiDP(orders=[4, 8, 16], epsilons=[0.5, 0.75, 1.0])
    expected = RenyiDP(orders=[4, 8], epsilons=[2.5 + 0.4, 4.75 + 0.8])
    together = Composed([table, other, ZeroConcentratedDP(rho=0.1)])
    np.testing.assert_array_equal(together.beta(x), expected.beta(x))
    apart = RenyiDP(orders=[3], epsilons=[0.1])
    assert np.all(Composed([table, apart]).beta(x) <= table.beta(x) + 1e-12)


def test_two_steps_of_zcdp_are_four_times_rho() -> None:
    f = ZeroConcentratedDP(rho=0.25, adjacency="add_remove")
    assert f.to_replace_one() == ZeroConcentratedDP(rho=1.0)


def test_statements_allow_what_each_of_them_allows() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = np.column_stack([rng.exponential(2, 6), rng.random(6) ** 8])
        f, x = Stated(rows), np.linspace(0, 1, 101)
        each = [line(e, d, x) for e, d in rows]
        np.testing.assert_allclose(f.beta(x), np.max(each, axis=0), atol=1e-12)


def line(epsilon: float, delta: float, x: np.ndarray) -> np.ndarray:
    steep = 1 - delta - np.exp(epsilon) * x
    return np.maximum(0, np.maximum(steep, np.exp(-epsilon) * (1 - delta - x)))


def test_a_profile_in_many_points_is_the_curve() -> None:
    gaussian = GaussianDP(mu=1.0)
    epsilons = np.linspace(0, 8, 801)
    f = Stated(np.column_stack([epsilons, gaussian.delta(epsilons)]))
    x = np.linspace(0, 1, 101)
    assert np.all(f.beta(x) <= gaussian.beta(x) + 1e-12)
    np.testing.assert_allclose(f.beta(x), gaussian.beta(x), atol=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ZeroConcentratedDP(rho=-1.0), r"rho must be in \[0, inf\]"),
        (lambda: RenyiDP(orders=[0.5], epsilons=[1]), r"orders must be in \[1, inf\)"),
        (lambda: RenyiDP(orders=[2, 2], epsilons=[1, 1]), "orders must be distinct numbers, got 2"),
        (
            lambda: RenyiDP(orders=[2, 3], epsilons=[1]),
            "epsilons must be one epsilon for each of the 2",
        ),
        (lambda: RenyiDP(orders=[], epsilons=[]), "orders must be a non-empty vector"),
        (lambda: Stated([]), r"statements must be of shape \(k, 2\), pairs \(epsilon, delta\)"),
        (lambda: Stated([(1.0, 2.0)]), r"delta of a statement must be in \[0, 1\], got 2.0"),
        (lambda: Stated([(-1.0, 0.1)]), r"epsilon of a statement must be in \[0, inf\]"),
    ],
)
def test_what_is_no_guarantee(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
