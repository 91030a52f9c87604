"""Bounds of the rank test, shared by many data sets of one size.

Bounds are functions of the statistic alone; they are computed for some of its values, between which
they are interpolated. Of few records the statistic has few values, some of them likely: there each
has its own bound, since interpolation took one of 1.00 for more than 1.
"""

from functools import cache

import numpy as np

from dpviz.audit.bounds.rank import DefaultRankTest, bound_from_statistic, exact_test_and_leaks
from dpviz.audit.evidence.plan import rank_statistics as statistics

VALUES, FEWER = 120, 40  # of the statistic; the latter for many records
HALVINGS = 8
EACH = 100  # records of a class up to which no bound is interpolated
Critical = tuple[np.ndarray, np.ndarray]  # epsilons, and the smallest statistics that refute them


@cache
def test_of(n: int, delta: float, level: float) -> DefaultRankTest:
    """The test for n members and n non-members."""
    return exact_test_and_leaks(n, n, delta=delta, level=level)[0]


def values_of(n: int, delta: float, level: float) -> np.ndarray:
    """Values of the statistic, from 0 to the largest that any ranking has."""
    largest = test_of(n, delta, level).largest_statistic()
    return np.linspace(0, largest, VALUES if n <= 1000 else FEWER)


@cache
def exact_bound(task: tuple[int, float, float, float]) -> float:
    """The bound with exact p-values at one value of the statistic."""
    n, delta, level, statistic = task
    test, leaks = exact_test_and_leaks(n, n, delta=delta, level=level)
    return bound_from_statistic(test, statistic, leaks)


def rising_from_0(
    lows: list[float], task: tuple[int, float, float], values: np.ndarray
) -> Critical:
    """With the value of the statistic at which bounds begin to be above 0, by halving."""
    first = int(np.argmax(np.array(lows) > 0))
    low, high, bound = values[first - 1], values[first], lows[first]
    for _ in range(HALVINGS):
        middle = float(low + high) / 2
        at_middle = exact_bound((*task, middle))
        low, high, bound = (middle, high, bound) if at_middle == 0 else (low, middle, at_middle)
    places = np.insert(values, first, [low, high])
    return np.insert(lows, first, [0.0, bound]), places


def bounds(
    member: np.ndarray,
    nonmember: np.ndarray,
    critical: Critical,
    *,
    delta: float,
    level: float,
) -> list[float]:
    """The largest epsilons that the statistics refute; one row a run.

    By linear interpolation, or each by itself where there are no critical values.
    """
    test = test_of(member.shape[1], delta, level)
    scores = np.concatenate([member, nonmember], axis=1)
    # Tied members last.
    ties = np.broadcast_to(
        np.repeat([1.0, 0.0], [member.shape[1], nonmember.shape[1]]), scores.shape
    )
    is_member = np.lexsort((ties, -scores), axis=1) < member.shape[1]
    members = np.concatenate([np.zeros((1, len(scores)), int), np.cumsum(is_member, axis=1).T])[
        test.guesses.cuts
    ]
    found, (epsilons, values) = statistics(test, test.guesses.count_right(members)), critical
    if len(values) == 0:
        each, place = np.unique(found, return_inverse=True)
        n = member.shape[1]
        return np.array([exact_bound((n, delta, level, float(one))) for one in each])[
            place
        ].tolist()
    lows = np.interp(found, np.maximum.accumulate(values), epsilons)
    return np.where(found > 0, lows, 0.0).tolist()
