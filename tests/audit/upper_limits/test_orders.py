import numpy as np
import pytest
from scipy.stats import beta, norm

from dpviz.audit.upper_limits.orders import (
    DifferenceOrder,
    Order,
    RateOrder,
    SlopeOrder,
    limits_of_counts,
)
from tests.audit.upper_limits.oracle import all_values

SIZES = {"n_members": 23, "n_nonmembers": 17, "level": 0.05}
ORDERS = [
    *(DifferenceOrder(**SIZES, slope=slope) for slope in (1.0, 3.0, 400.0)),
    *(SlopeOrder(**SIZES, delta=delta) for delta in (0.0, 0.05, 0.2, 0.9)),
    *(RateOrder(**SIZES, fpr=fpr) for fpr in (0.0, 0.001, 0.1, 0.9, 1.0)),
]


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_value_rises_with_true_and_falls_with_false_positives(order: Order) -> None:
    values = all_values(order)
    finite = np.where(np.isfinite(values), values, np.sign(values) * 1e6)
    assert np.all(np.diff(finite, axis=0) >= -1e-12)
    assert np.all(np.diff(finite, axis=1) <= 1e-12)


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_set_has_the_outcomes_upto_a_value(order: Order) -> None:
    values = all_values(order)
    for value in np.unique(values)[::7]:
        most = order.upto(float(value)).most
        assert np.array_equal(most, (values <= value).sum(axis=0) - 1)
        assert np.all(np.diff(most) >= 0)


def test_difference_is_mover_of_clopper_pearson_limits() -> None:
    n, m, slope = 23, 17, 3.0
    found = DifferenceOrder(**SIZES, slope=slope).values(np.array([9]), np.array([4]))[0]
    upper, lower = beta.ppf(0.95, 10, n - 9), beta.ppf(0.05, 4, m - 4 + 1)
    margin = np.hypot(upper - 9 / n, slope * (4 / m - lower))
    assert found == pytest.approx(9 / n - slope * 4 / m + margin, abs=1e-12)


@pytest.mark.parametrize("delta", [0.01, 0.1, 0.3])
def test_log_slope_is_where_the_difference_is_delta(delta: float) -> None:
    order = SlopeOrder(**SIZES, delta=delta)
    x, y = np.array([9, 20, 5, 23]), np.array([4, 2, 5, 1])
    for i, log_slope in enumerate(order.values(x, y)):
        other = DifferenceOrder(**SIZES, slope=float(np.exp(log_slope)))
        assert other.values(x[i : i + 1], y[i : i + 1])[0] == pytest.approx(delta, abs=1e-9)


def test_log_slope_is_infinite_without_false_positives_and_enough_delta() -> None:
    x, y = np.array([0, 3, 3]), np.array([0, 0, 0])
    upper = beta.ppf(0.95, 1, 23)
    values = SlopeOrder(**SIZES, delta=upper + 1e-6).values(x, y)
    assert values.tolist() == [-np.inf, np.inf, np.inf]


def test_radius_of_rate_order_has_the_level() -> None:
    rng = np.random.default_rng(0)
    order = RateOrder(n_members=10**6, n_nonmembers=10**4, level=0.05, fpr=0.5)
    radius = (order.values(np.array([500_000]), np.array([0]))[0] - 0.5) / 0.0005
    squares = np.maximum(rng.normal(size=(2, 10**6)), 0) ** 2
    chance = np.mean(squares.sum(axis=0) > radius**2)
    assert chance == pytest.approx(0.05, abs=4 * 2.2e-4)
    assert radius > norm.ppf(0.95)


def test_interpolated_limits_are_near_and_never_fall() -> None:
    size = 30_000
    found, x = limits_of_counts(size, 0.05), np.arange(0, 30_000, 997)
    assert np.allclose(found[x], beta.ppf(0.95, x + 1, size - x), rtol=1e-4)
    assert np.all(np.diff(found) >= 0)
