from itertools import combinations
from math import comb

import numpy as np
import pytest

from dpviz.audit.upper_limits.orders import DifferenceOrder
from dpviz.audit.upper_limits.outcomes import Outcomes
from dpviz.audit.upper_limits.useless import chance_to_stay


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 6), (7, 3), (6, 6)])
def test_chance_is_the_share_of_all_orders(n: int, m: int) -> None:
    order = DifferenceOrder(n_members=n, n_nonmembers=m, level=0.05, slope=1.0)
    for value in (0.3, 0.5, 0.7, 0.9):
        outcomes = order.upto(value)
        inside = 0
        for members in combinations(range(n + m), n):
            x = np.cumsum(np.isin(np.arange(n + m), members))
            y = np.arange(1, n + m + 1) - x
            inside += outcomes.most[0] >= 0 and bool(np.all(x <= outcomes.most[y]))
        assert chance_to_stay(outcomes) == pytest.approx(inside / comb(n + m, n), abs=1e-13)


@pytest.mark.parametrize(("n", "steps"), [(10, 4), (500, 20), (3000, 70)])
def test_chance_is_smirnovs(n: int, steps: int) -> None:
    """One-sided two-sample Smirnov: P(max x - y >= k) = C(2n, n + k) / C(2n, n)."""
    most = np.minimum(np.arange(n + 1) + steps - 1, n)
    outcomes = Outcomes(n_members=n, n_nonmembers=n, most=most, level=0.05)
    beyond = comb(2 * n, n + steps) / comb(2 * n, n)
    assert chance_to_stay(outcomes) == pytest.approx(1 - beyond, abs=1e-12)


def test_no_threshold_above_all_records() -> None:
    outcomes = Outcomes(n_members=3, n_nonmembers=3, most=np.full(4, -1), level=0.05)
    assert chance_to_stay(outcomes) == 0.0
