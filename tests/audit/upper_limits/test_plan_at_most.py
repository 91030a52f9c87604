from functools import partial

import numpy as np
import pytest

from dpviz import audit
from dpviz.audit.upper_limits.quantity import (
    Quantity,
    limit_of_useless_attack,
    power_at_most,
)
from tests.audit.upper_limits.oracle import largest_of, share_of_limits_below

ADVANTAGE = Quantity(name="advantage", level=0.05)


@pytest.mark.parametrize(("n", "m", "target"), [(60, 60, 0.28), (40, 120, 0.3)])
def test_power_is_how_often_useless_attacks_show_the_target(n: int, m: int, target: float) -> None:
    rng, runs = np.random.default_rng(0), 2000
    order = ADVANTAGE.order(n, m)
    values = [largest_of(order, rng.random(n), rng.random(m)) for _ in range(runs)]
    shown = share_of_limits_below(target, values, partial(ADVANTAGE.limit, order))
    power = power_at_most(ADVANTAGE, target, n, m)
    assert 0.2 < power < 0.99
    # The search for the largest v ends just below it.
    assert shown == pytest.approx(power, abs=3.5 * np.sqrt(power * (1 - power) / runs) + 0.01)


def test_even_chance_of_5_percent_needs_at_most_1500_records() -> None:
    assert power_at_most(ADVANTAGE, 0.05, 1500, 1500) > 0.5
    assert power_at_most(ADVANTAGE, 0.05, 1300, 1300) < 0.5


def test_limit_has_the_power() -> None:
    limit = limit_of_useless_attack(ADVANTAGE, 200, 150, power=0.8)
    assert power_at_most(ADVANTAGE, limit * 1.01, 200, 150) >= 0.79
    assert power_at_most(ADVANTAGE, limit * 0.97, 200, 150) < 0.8


def test_plan_is_the_smallest_tried_size_with_the_power() -> None:
    found = audit.upper_limits.plan_at_most(accuracy=0.85, prior=0.8, ratio=0.5)
    enough = found.tried_powers >= 0.8
    assert found.n_members == found.tried_members[enough].min()
    assert found.n_nonmembers == 2 * found.n_members
    assert found.power >= 0.8


def test_accuracies_of_exchanged_classes_need_as_many() -> None:
    one = audit.upper_limits.plan_at_most(accuracy=0.85, prior=0.8, ratio=0.5)
    other = audit.upper_limits.plan_at_most(accuracy=0.85, prior=1 - 0.8, ratio=2.0)
    assert (one.n_members, one.n_nonmembers) == (other.n_nonmembers, other.n_members)


def test_too_few_records_have_no_plan() -> None:
    found = audit.upper_limits.plan_at_most(advantage=0.05, largest=100)
    assert found.n_members is None
    assert found.n_nonmembers is None
    assert found.power < 0.01


def test_tpr_at_an_fpr() -> None:
    found = audit.upper_limits.plan_at_most(tpr=0.2, fpr=0.05)
    rng, n, quantity = (
        np.random.default_rng(1),
        found.n_members,
        Quantity(name="tpr", fpr=0.05, level=0.05),
    )
    assert 20 < n < 200
    order = quantity.order(n, n)
    values = [largest_of(order, *rng.random((2, n))) for _ in range(1000)]
    shown = share_of_limits_below(0.2, values, partial(quantity.limit, order))
    assert shown == pytest.approx(found.power, abs=0.05)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "must be given, got none"),
        ({"advantage": 0.1, "tpr": 0.1}, "got advantage and tpr"),
        ({"accuracy": 0.5}, "accuracy must be in"),
        ({"tpr": 0.01}, "tpr must be in"),
        ({"advantage": 0.1, "power": 1.0}, "power must be in"),
        ({"advantage": 0.1, "largest": 10**6}, "largest must be"),
    ],
)
def test_arguments_out_of_range(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit.upper_limits.plan_at_most(**given)
