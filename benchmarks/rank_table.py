"""Critical values of the rank bounds, shared by many data sets of one size.

`lower_bound` runs some 10^4 simulations for every data set, too slow for measuring how often it is
false. With 10^5 simulations for each of many epsilons, done once per size, a bound takes a
millisecond. The critical values are those of the p-value at which `lower_bound` tests first, 0.044
at level 0.05, with a standard error of 0.0007. `lower_bound` is false a little less often, because
it sometimes has to test a smaller epsilon.

Bounds with exact p-values are functions of the statistic alone; they are computed for some values,
between which they are interpolated. Of few records the statistic has few values, some of them
likely: there each has its own bound, since interpolation took one of 1.00 for more than 1.
"""

from functools import cache

import numpy as np
from dpviz.audit.bounds.exact_rank import bound_of, exact_test
from dpviz.audit.bounds.power import refuted as statistics

from dpviz.audit.bounds.rank import RankTest

SIMULATIONS = 100_000
BATCH = 5_000
EPSILONS, FEWER = 120, 40  # the latter of exact p-values of many records
HALVINGS = 8
EACH = 100  # records of a class up to which no exact bound is interpolated
Critical = tuple[np.ndarray, np.ndarray]  # epsilons, and the smallest statistics that refute them


@cache
def test_of(n: int, delta: float, level: float, method: str) -> RankTest:
    """The test for n members and n non-members."""
    if method == "rank":
        return RankTest(n, n, delta=delta, level=level)
    return exact_test(n, n, delta=delta, level=level)[0]


def epsilons_of(n: int, delta: float, level: float, method: str = "rank") -> np.ndarray:
    """From 0 to the largest that any ranking refutes."""
    test = test_of(n, delta, level, method)
    values = EPSILONS if method == "rank" or n <= 1000 else FEWER
    return np.linspace(0, test.largest(), values)


def critical_value(task: tuple[int, float, float, float]) -> float:
    """The quantile of simulated statistics at one epsilon, for the first p-value of the search."""
    n, delta, level, epsilon = task
    test = test_of(n, delta, level, "rank")
    guesses = test.guesses
    # The epsilon that each possible count refutes, by guess and count.
    most = int(np.max(guesses.top + guesses.bottom))
    counts = np.minimum(np.arange(most + 1)[:, None], guesses.top + guesses.bottom)
    refuted = np.stack([guesses.refuted(some, test.levels) for some in counts], axis=1)
    rng = np.random.default_rng([n, int(delta * 1e9), int(epsilon * 1e6)])
    largest = []
    for _ in range(SIMULATIONS // BATCH):
        right = guesses.right(test.law.draw(np.full(BATCH, epsilon), rng))
        largest.append(np.max(np.take_along_axis(refuted, right, axis=1), axis=0))
    return float(np.quantile(np.concatenate(largest), 1 - test.tested[0], method="higher"))


@cache
def exact_bound(task: tuple[int, float, float, float]) -> float:
    """The bound with exact p-values at one value of the statistic."""
    n, delta, level, statistic = task
    test, leaks = exact_test(n, n, delta=delta, level=level)
    return bound_of(test, statistic, leaks)


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
    seed: int,
    method: str = "rank",
) -> list[float]:
    """The largest epsilons that the statistics refute; one row a run.

    By linear interpolation, or each by itself where there are no critical values.
    """
    test = test_of(member.shape[1], delta, level, method)
    scores = np.concatenate([member, nonmember], axis=1)
    ties = np.random.default_rng(seed).random(scores.shape)
    if method != "rank":  # tied members last
        ties[:] = np.repeat([1.0, 0.0], [member.shape[1], nonmember.shape[1]])
    is_member = np.lexsort((ties, -scores), axis=1) < member.shape[1]
    members = np.concatenate([np.zeros((1, len(scores)), int), np.cumsum(is_member, axis=1).T])[
        test.guesses.cuts
    ]
    found, (epsilons, values) = statistics(test, test.guesses.right(members)), critical
    if len(values) == 0:
        each, place = np.unique(found, return_inverse=True)
        n = member.shape[1]
        return np.array([exact_bound((n, delta, level, float(one))) for one in each])[
            place
        ].tolist()
    lows = np.interp(found, np.maximum.accumulate(values), epsilons)
    return np.where(found > 0, lows, 0.0).tolist()
