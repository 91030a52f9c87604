import numpy as np
import pytest
from scipy.stats import beta

from dpviz.audit.upper_limits.inversion import (
    Line,
    is_proved,
    upper_difference,
    upper_rate,
    upper_slope,
)
from dpviz.audit.upper_limits.orders import DifferenceOrder, RateOrder, SlopeOrder
from dpviz.audit.upper_limits.outcomes import Outcomes
from tests.audit.upper_limits.oracle import all_values, chance_upto, worst_chance

LEVEL = 0.05


@pytest.mark.parametrize(("n", "m", "slope"), [(5, 9, 1.0), (7, 7, 1.0), (20, 12, 2.5)])
def test_difference_is_refuted_and_little_less_is_not(n: int, m: int, slope: float) -> None:
    order = DifferenceOrder(n_members=n, n_nonmembers=m, level=LEVEL, slope=slope)
    for value in np.unique(all_values(order))[:: 1 + n].tolist():
        limit = upper_difference(order.upto(value), slope, measured=0.0, near=value, level=LEVEL)
        if limit == 1.0:
            continue
        assert worst_chance(order, value, intercept=limit, slope=slope) <= LEVEL
        less = max(limit * 0.97 - 1e-6, 0.0)
        assert limit < 1e-5 or worst_chance(order, value, intercept=less, slope=slope) > LEVEL


@pytest.mark.parametrize("delta", [0.15, 0.4])
def test_slope_is_refuted_and_little_less_is_not(delta: float) -> None:
    order = SlopeOrder(n_members=30, n_nonmembers=20, level=LEVEL, delta=delta)
    values = all_values(order)
    for value in np.unique(values[np.isfinite(values)])[::60].tolist():
        limit = upper_slope(order.upto(value), delta, measured=0.0, near=max(value, 0), level=LEVEL)
        if limit < np.inf:
            given = {"intercept": delta, "slope": np.exp(limit)}
            assert worst_chance(order, value, **given) <= LEVEL
        if 0 < limit < np.inf:
            given = {"intercept": delta, "slope": np.exp(limit - 0.03 * limit - 1e-3)}
            assert worst_chance(order, value, **given) > LEVEL


@pytest.mark.parametrize("fpr", [0.01, 0.1, 0.5])
def test_rate_is_the_exact_root(fpr: float) -> None:
    order = RateOrder(n_members=25, n_nonmembers=40, level=LEVEL, fpr=fpr)
    values = all_values(order)
    for value in np.unique(values[np.isfinite(values)])[::30].tolist():
        limit = upper_rate(order.upto(value), fpr, level=LEVEL)
        chance = chance_upto(order, value, np.array([limit]), np.array([fpr]))[0]
        if 1e-6 < limit < 1:
            assert chance == pytest.approx(LEVEL, rel=1e-3)
        else:
            assert limit == 1.0 or chance <= LEVEL


def test_rate_without_non_members_in_play_is_clopper_pearson() -> None:
    most = np.full(11, 3)
    outcomes = Outcomes(n_members=20, n_nonmembers=10, most=most, level=LEVEL)
    assert upper_rate(outcomes, 0.2, level=LEVEL) == pytest.approx(beta.ppf(0.95, 4, 17), abs=1e-4)


@pytest.mark.parametrize("level", [0.5, 0.05, 1e-4])
def test_cells_prove_what_a_fine_grid_finds(level: float) -> None:
    order = DifferenceOrder(n_members=50, n_nonmembers=30, level=level, slope=1.0)
    outcomes = order.upto(0.3)
    for intercept in np.linspace(0.02, 0.6, 15).tolist():
        line = Line(intercept=intercept, slope=1.0)
        worst = worst_chance(order, 0.3, intercept=intercept, slope=1.0)
        if is_proved(outcomes, line, level=level):
            assert worst <= level
        else:
            assert worst > 0.9 * level


def test_perfect_attack_has_no_limit_below_1() -> None:
    order = DifferenceOrder(n_members=9, n_nonmembers=9, level=LEVEL, slope=1.0)
    value = order.values(np.array([9]), np.array([0]))[0]
    given = {"measured": 1.0, "near": 1.0, "level": LEVEL}
    assert upper_difference(order.upto(value), 1.0, **given) == 1.0
