import numpy as np
import pytest

from dpviz.audit.upper_limits.orders import DifferenceOrder
from dpviz.audit.upper_limits.outcomes import Outcomes
from tests.audit.upper_limits.oracle import chance_upto

RATES = np.array([0.0, 1e-6, 0.01, 0.3, 0.5, 0.92, 1 - 1e-9, 1.0])


@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 3), (40, 25), (300, 180)])
@pytest.mark.parametrize("level", [0.05, 0.5, 1e-6])
def test_chance_is_a_close_upper_bound(n: int, m: int, level: float) -> None:
    order = DifferenceOrder(n_members=n, n_nonmembers=m, level=level, slope=1.0)
    tpr, fpr = (each.ravel() for each in np.meshgrid(RATES, RATES))
    for value in (0.0, 0.1, 0.5, 1.0):
        found = order.upto(value).chance_at_most(tpr, fpr)
        exact = chance_upto(order, value, tpr, fpr)
        assert np.all(found >= exact - 1e-12)
        assert np.all(found <= exact + 1e-4 * level + 2e-9)


def test_no_outcome_has_next_to_no_chance() -> None:
    empty = Outcomes(n_members=5, n_nonmembers=4, most=np.full(5, -1), level=0.05)
    assert empty.chance_at_most(np.array([0.5]), np.array([0.5]))[0] < 1e-5


def test_set_of_all_outcomes_is_certain() -> None:
    whole = Outcomes(n_members=5, n_nonmembers=4, most=np.full(5, 5), level=0.05)
    assert whole.chance_at_most(np.array([0.2]), np.array([0.9]))[0] == 1.0
