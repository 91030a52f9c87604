"""The statistic of the exact rank bound: dense rank cut-offs, and a level for each guess.

Statement and proof are those of `dpviz.audit.bounds.rank`. They hold for every function of the
ranking that does not fall when a member changes places with a non-member above it.

**The statistic.** A guess i is that the records before some rank cut-off are members, that those
behind another are not, or both at once; c is the number that is right. It may spend a share of the
level, and the share does not fall with epsilon. Let e(c) be the epsilon that c refutes alone at
the share of epsilon 0, and E(c) the one that it refutes at the share of e(c). The statistic h is
the largest E(c) of all guesses.

**It does not fall.** When a member moves up, no c falls. With c rises what it refutes at a fixed
level, so e(c) does; with it the share, and with both E(c). The shares are fixed in advance: they
depend on the guess, the class sizes and epsilon.

**The shares** were chosen by power. With s the share of all records that is guessed, and r twice
the share of the smaller class::

    both ends    0.7 s^(1 / (1 + r epsilon))
    first ranks  0.15
    last ranks   0.035

A weak leak is everywhere: near epsilon 0 the level is spent at large cut-offs. Where epsilon is
large the evidence is an almost clean run of right guesses, which may end anywhere; so cut-offs are
dense. The first ranks are where models leak much about few records. In 101 data sets of
500 + 500 records that no share was chosen with, medians were so many times those of method "rank"
(`benchmarks.stronger_rank`): 2 % of members far out 1.59, 5 % 1.54, Gaussian 1, 2, 4 1.03, 1.04,
1.03, Laplace 1, 2 1.02, 1.00. It can show less for one data set: 0.79 times for the packaged sample
"regularised", whose leak is weak and everywhere.
"""

import numpy as np

from dpviz.audit.bounds.rank import RankTest
from dpviz.audit.bounds.rank_guesses import Guesses, guesses
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

RATIO = 1.1  # of a cut-off to the next smaller one
# Shares of the level; BOTH_ENDS for guesses about all records.
BOTH_ENDS, FIRST, LAST = 0.7, 0.15, 0.035
LEAKING = 0.1  # of the level, at which numbers of leaks are set aside


class DenseTest(RankTest):
    """The statistic above, for given class sizes."""

    def __init__(self, n_members: int, n_nonmembers: int, *, delta: float, level: float) -> None:
        super().__init__(n_members, n_nonmembers, delta=delta, level=level, statistic=dense_guesses)

    def alone(self, which: Counts, right: Counts) -> FloatArray:
        """E of each count, of the guesses `which`."""
        tried = self.guesses.at(which)
        about = np.maximum(tried.refuted(right, self.levels[which]), 0)
        return tried.refuted(right, self.level * shares(tried, about))

    def needed(self, epsilon: float) -> Counts:
        """The counts of right guesses with which the statistic is at least `epsilon`."""
        which = np.arange(self.levels.size)
        largest = self.level * shares(self.guesses, np.full(which.size, np.inf))
        few = self.guesses.needed(epsilon, largest) - 1
        enough = self.guesses.needed(epsilon, self.levels)
        while (unknown := enough - few > 1).any():
            middle = (few + enough) // 2
            shown = self.alone(which, middle) >= epsilon
            enough = np.where(unknown & shown, middle, enough)
            few = np.where(unknown & ~shown, middle, few)
        return enough


def dense_guesses(
    n_members: int, n_nonmembers: int, *, delta: float, level: float
) -> tuple[Guesses, FloatArray]:
    """The guesses, and the level of each at epsilon 0."""
    tried = guesses(n_members, n_nonmembers, delta=delta, level=level * LEAKING, ratio=RATIO)
    return tried, level * shares(tried, np.zeros(tried.top.size))


def shares(tried: Guesses, epsilons: FloatArray) -> FloatArray:
    """Of the level, what each guess may spend at an epsilon."""
    n, m = tried.n_members, tried.n_nonmembers
    guessed = (tried.top + tried.bottom) / (n + m)
    both = BOTH_ENDS * guessed ** (1 / (1 + 2 * min(n, m) / (n + m) * epsilons))
    one = np.where(tried.top > 0, FIRST, LAST)
    return np.where((tried.top > 0) & (tried.bottom > 0), both, one)
