"""The attack of least expected cost, against a search over the whole curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    TradeoffFunction,
    best_attack,
)

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
