"""The statistic of the exact rank bound: dense rank cut-offs, and a level for each guess.

Statement and proof are those of `dpviz.audit.bounds.rank`. They hold for every function of the
ranking that does not fall when a member changes places with a non-member above it.

**The statistic.** A guess i is that the records before some rank cut-off are members, that those
behind another are not, or both at once; c is the number that is right. Each guess has a level,
which does not fall with epsilon. Let e(c) be the epsilon that c refutes alone at the level of
epsilon 0, and E(c) the one that it refutes at the level of e(c). The statistic h is the largest
E(c) of all guesses.

**It does not fall.** When a member moves up, no c falls. With c rises what it refutes at a fixed
level, so e(c) does; with it the level, and with both E(c). The levels are fixed in advance: they
depend on the guess, the class sizes and epsilon.

**The levels** were chosen by power, as multiples of the whole level, and are at most 0.5. They only
order the guesses: the p-value accounts for the search among all of them. With s the share of all
records that is guessed, and r twice the share of the smaller class::

    all records, cut at one rank    2.6
    as many at both ends            0.75 s^(1 / (1 + r epsilon))
    first ranks                     (0.12 + 0.06 epsilon) min(1, 0.06 / s)
    last ranks                      0.035 (2 - r)

A weak leak is everywhere: near epsilon 0 the level is spent at large cut-offs. Where epsilon is
large the evidence is an almost clean run of right guesses, which may end anywhere; so cut-offs are
dense. Among few first ranks is where models leak much about few records. Guesses about all records
are for scores with few values: the last record that an attack calls "member" is there the last of
many tied ones, rarely in the middle of all records, and most other guesses are lost because tied
members are ranked last (`dpviz.audit.bounds.exact_rank`).

In 101 data sets of 500 + 500 records that nothing was chosen with, medians were so many times those
of method "rank" (`benchmarks.stronger_rank`): 5 and 2 % of members far out 1.70 and 1.57, Gaussian
0.5, 1, 2, 4 1.02, 1.04, 1.04, 1.03, Laplace 1, 2 1.00, 0.99; with ties, randomized response 0.99,
discrete Laplace 1.01. Laplace 1 with 1000 + 1000 records 0.98. Of the packaged samples
"regularised", "overfitted" and "gamma" it shows 1.13, 1.02 and 1.10 times as much. It shows less of
scores rounded to whole numbers, 0.90 to 0.96, or to one decimal, 0.95, and where 30 % of the
records give a randomized response and the others none, 0.94. With 5000 + 5000 records it shows 0.98
times as much of a randomized response. Where members are few and only the last ranks show anything,
and little, it can show half: with the shares before these, 0.18 and 0.33, 0.11 and 0.24 for two
models with 200 members and 930 others.
"""

import numpy as np

from dpviz.audit.bounds.rank import RankTest
from dpviz.audit.bounds.rank_guesses import SMALLEST_CUT, Guesses, cut_offs, guesses
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

RATIO = 1.08  # of a cut-off to the next smaller one
# All records are guessed with cuts at this share of a half and further in, one every so many roots
# of a half (where ties end varies by as much), but about so many at most.
NEAR, STEP, SPLITS = 0.9, 0.3, 12
ALL, BOTH_ENDS, FIRST, LAST = 2.6, 0.75, 0.12, 0.035  # levels of guesses, times the whole
FIRST_MORE = 0.06  # level of guesses about the first ranks in addition, times epsilon
FEW = 0.06  # share of all records up to which these count in full
HIGHEST = 0.5  # level of a guess
LEAKING = 0.1  # of the level, at which numbers of leaks are set aside


class DenseTest(RankTest):
    """The statistic above, for given class sizes."""

    def __init__(self, n_members: int, n_nonmembers: int, *, delta: float, level: float) -> None:
        super().__init__(n_members, n_nonmembers, delta=delta, level=level, statistic=dense_guesses)

    def alone(self, which: Counts, right: Counts) -> FloatArray:
        """E of each count, of the guesses `which`."""
        tried = self.guesses.at(which)
        about = np.maximum(tried.refuted(right, self.levels[which]), 0)
        return tried.refuted(right, levels(tried, self.level, about))

    def needed(self, epsilon: float) -> Counts:
        """The counts of right guesses with which the statistic is at least `epsilon`."""
        which = np.arange(self.levels.size)
        few, enough = np.zeros_like(which), self.guesses.needed(epsilon, self.levels)
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
    records = n_members + n_nonmembers
    half = records // 2
    step = max(STEP * half**0.5, (1 - NEAR) * half / SPLITS)
    near = np.arange(half, max(NEAR * half, SMALLEST_CUT - 1), -step).astype(np.int64)
    # Where all guesses about a perfect ranking are right: else more records could show less.
    fewer = min(n_members, n_nonmembers)
    cuts = np.union1d(cut_offs(records, ratio=RATIO), [*near, fewer])
    tried = guesses(n_members, n_nonmembers, delta=delta, level=level * LEAKING, cuts=cuts)
    splits = (cuts >= NEAR * half) | (cuts == fewer)
    tried = tried.with_splits(cuts[splits & (2 * cuts < records)])
    return tried, levels(tried, level, np.zeros(tried.top.size))


def levels(tried: Guesses, level: float, epsilons: FloatArray) -> FloatArray:
    """At which each guess refutes an epsilon alone."""
    n, m = tried.n_members, tried.n_nonmembers
    guessed = (tried.top + tried.bottom) / (n + m)
    smaller = 2 * min(n, m) / (n + m)
    both = BOTH_ENDS * guessed ** (1 / (1 + smaller * epsilons))
    of_two = np.where(tried.top == tried.bottom, both, ALL)
    first = (FIRST + FIRST_MORE * epsilons) * np.minimum(1, FEW / guessed)
    one = np.where(tried.top > 0, first, LAST * (2 - smaller))
    shares = np.where((tried.top > 0) & (tried.bottom > 0), of_two, one)
    return np.minimum(level * shares, HIGHEST)
