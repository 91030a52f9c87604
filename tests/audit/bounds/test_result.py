"""The search for the largest refuted epsilon of the lattice: against halving all of its points."""

from bisect import bisect_right
from collections.abc import Callable
from math import exp

import numpy as np
import pytest
from scipy.special import expit, ndtr

from dpviz.audit.bounds.result import SMALLEST_EPSILON, largest_refuted_epsilon

LATTICE = 0.1 * np.expm1(1e-3 * np.arange(8000))  # up to 300
Curve = Callable[[float], float]


def searched(
    p_value: Curve, *, level: float, near: float, records: int, p_near: float | None = None
) -> tuple[float, int]:
    """What is found, and after how many p-values, none of them twice."""
    asked = []

    def noted(epsilon: float) -> float:
        asked.append(epsilon)
        return p_value(epsilon)

    found = largest_refuted_epsilon(noted, level, near=near, records=records, p_near=p_near)
    assert len(set(asked)) == len(asked)
    return found, len(asked)


@pytest.mark.parametrize("p_near", [None, 0.2, 0.06])  # whether it is true or not
@pytest.mark.parametrize("near", [0.0, 0.3, 2.5, 30.0])
@pytest.mark.parametrize(
    "p_value",
    [
        pytest.param(lambda e: ndtr((e - 2) * 11), id="normal"),
        pytest.param(lambda e: ndtr((e - 20) / 5), id="flat"),
        pytest.param(
            lambda e: exp(min(max(30 * (e - 1), -7), -2.5)) if e < 9 else 1.0, id="terraces"
        ),
        pytest.param(lambda e: max(ndtr((e - 8) * 4), ndtr((e - 12) / 4)), id="knee"),
        pytest.param(lambda e: float(e > 1.234), id="step"),
        pytest.param(lambda e: 0.06 + 0.1 * expit(e), id="nothing is refuted"),
        pytest.param(lambda e: 0.05 if e < 1.5e-4 else 0.06, id="only the first point"),
    ],
)
def test_the_largest_refuted_point_is_found_from_anywhere(
    p_value: Curve, near: float, p_near: float | None
) -> None:
    found, taken = searched(p_value, level=0.05, near=near, records=500, p_near=p_near)
    last = bisect_right(LATTICE, 0.05, key=p_value) - 1
    assert found == pytest.approx(LATTICE[max(last, 0)], rel=1e-12)
    assert LATTICE[1] == pytest.approx(SMALLEST_EPSILON)
    # At most 12 secants, and halves of what they leave.
    assert taken <= 12 + np.log2(LATTICE.size)


@pytest.mark.parametrize("level", [0.3, 0.05, 1e-6])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_p_values_of_guesses_about_all_records_are_searched_in_few_steps(
    epsilon: float, level: float
) -> None:
    # Of so many guesses, about so many standard deviations more are right than at `epsilon`.
    records = 400

    def p_value(e: float) -> float:
        spread = (records * expit(e) * expit(-e)) ** 0.5
        return float(ndtr(records * (expit(e) - expit(epsilon)) / spread))

    found, taken = searched(p_value, level=level, near=epsilon, records=records)
    last = bisect_right(LATTICE, level, key=p_value) - 1
    assert found == pytest.approx(LATTICE[max(last, 0)], rel=1e-12)
    assert taken <= 7
    close = searched(p_value, level=level, near=epsilon, records=records, p_near=p_value(epsilon))
    assert close[0] == found
    assert close[1] <= taken
    asked = []

    def noted(e: float) -> float:
        asked.append(e)
        return p_value(e)

    about = largest_refuted_epsilon(noted, level, near=epsilon, records=records, approximate=True)
    assert about == pytest.approx(found, abs=3e-3 * (found + 0.1))
    assert len(asked) + (found > 0) <= taken
