"""Critical values of the rank bound, shared by many data sets of one size.

`lower_bound` runs some 10^4 simulations for every data set, too slow for measuring how often it is
false. With 10^5 simulations for each of many epsilons, done once per size, a bound takes a
millisecond. The critical values are those of the p-value at which `lower_bound` tests first, 0.044
at level 0.05, with a standard error of 0.0007. `lower_bound` is false a little less often, because
it sometimes has to test a smaller epsilon.
"""

from functools import cache

import numpy as np

from dpviz.audit import AttackScores
from dpviz.audit.bounds.rank import RankTest
from dpviz.audit.bounds.rank_guesses import members_in_first

SIMULATIONS = 100_000
BATCH = 5_000
EPSILONS = 120
Critical = tuple[np.ndarray, np.ndarray]  # epsilons, and the smallest statistics that refute them


@cache
def test_of(n: int, delta: float, level: float) -> RankTest:
    """The test for n members and n non-members."""
    return RankTest(n, n, delta=delta, level=level)


def epsilons_of(n: int, delta: float, level: float) -> np.ndarray:
    """From 0 to the largest that any ranking refutes."""
    test = test_of(n, delta, level)
    separated = np.minimum(test.guesses.cuts, n)
    return np.linspace(0, float(np.max(test.refuted(separated))), EPSILONS)


def critical_value(task: tuple[int, float, float, float]) -> float:
    """The quantile of simulated statistics at one epsilon, for the first p-value of the search."""
    n, delta, level, epsilon = task
    test = test_of(n, delta, level)
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


def bound(
    scores: AttackScores, critical: Critical, *, delta: float, level: float, seed: int
) -> float:
    """The largest epsilon that the statistic refutes, by linear interpolation."""
    test = test_of(scores.n_members, delta, level)
    rng = np.random.default_rng(seed)
    members = members_in_first(scores, test.guesses.cuts, rng)[:, 0]
    found, (epsilons, values) = float(np.max(test.refuted(members))), critical
    return float(np.interp(found, np.maximum.accumulate(values), epsilons)) if found > 0 else 0.0
