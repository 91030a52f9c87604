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
    as many at both ends            0.7 s^(1 / (1 + r epsilon))
    the k first ranks               (0.1 + 0.06 epsilon) min(1, 100 / k)
    last ranks                      0.035 (2 - r)

A weak leak is everywhere: near epsilon 0 the level is spent at large cut-offs. Where epsilon is
large the evidence is an almost clean run of right guesses, which may end anywhere. The first ranks
are where models leak much about few records; with more records as many of them are a smaller share,
so they take less of the level from leaks that are everywhere.

**Cut-offs** are densest where one record more counts most: where few are left, and near a half,
where the two classes of randomized response meet (`dense_cuts`). Guesses about all records are
for scores with few values: the last record that an attack calls "member" is there the last of many
tied ones, rarely in the middle of all records, and most other guesses are lost because tied members
are ranked last (`dpviz.audit.bounds.exact_rank`).

In 101 other data sets of 500 + 500 records than those of the choice, medians were so many times
those of method "rank" (`benchmarks.stronger_rank`): 5 % of members far out 1.68, 2 % 1.50, Gaussian
0.5, 1, 2, 4 1.00, 1.04, 1.04, 1.04, Laplace 1, 2 0.99, 0.99; with ties, randomized response 1, 2
1.00, 1.00 and discrete Laplace 1.04. Of the packaged samples "regularised", "overfitted" and
"gamma" it shows 1.09, 1.03 and 1.05 times as much. With 1000 or 10,000 records of each class no
distribution of the table of coverage is below 0.98; with 100, where a cut-off more or less counts,
Gaussian 0.5 is at 0.87 and discrete Laplace at 0.90. It shows less of scores rounded to whole
numbers, 0.89 to 0.96, and where 30 % of the records give a randomized response and the others none,
0.93. Of one data set either may show more: of 52 packaged models from 0.24 less to 0.14 more,
mostly less where the bound is below 0.1.
"""

import numpy as np

from dpviz.audit.bounds.rank import RankTest
from dpviz.audit.bounds.rank_guesses import SMALLEST_CUT, Guesses, guesses
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

# The step from a cut-off k to the next smaller one: the smallest of OF_CUT k, k^(5/4) / SMALL, and
# AT_HALF roots of a half, to which AWAY of the distance to that half is added.
OF_CUT, SMALL, AT_HALF, AWAY = 0.12, 32, 0.08, 0.52
SPLIT = 0.7  # of a half: the smallest cut of guesses about all records
ALL, BOTH_ENDS, LAST = 2.6, 0.7, 0.035  # levels of guesses, times the whole
FIRST, BY_EPSILON, FEW = 0.1, 0.06, 100  # of first ranks, as above
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
    records, fewer = n_members + n_nonmembers, min(n_members, n_nonmembers)
    # Where all guesses about a perfect ranking are right: else more records could show less.
    cuts = np.union1d(dense_cuts(records), fewer)
    tried = guesses(n_members, n_nonmembers, delta=delta, level=level * LEAKING, cuts=cuts)
    splits = (cuts >= SPLIT * (records // 2)) | (cuts == fewer)
    tried = tried.with_splits(cuts[splits & (2 * cuts < records)])
    return tried, levels(tried, level, np.zeros(tried.top.size))


def dense_cuts(records: int) -> Counts:
    """Numbers of records, up to half of all."""
    half = max(records // 2, 1)
    cuts, smaller = [half], half
    while smaller >= SMALLEST_CUT:
        cuts.append(smaller)
        at_half = AT_HALF * half**0.5 + AWAY * (half - smaller)
        smaller = int(smaller - max(min(OF_CUT * smaller, smaller**1.25 / SMALL, at_half), 1))
    return np.array(cuts, np.int64)


def levels(tried: Guesses, level: float, epsilons: FloatArray) -> FloatArray:
    """At which each guess refutes an epsilon alone."""
    n, m = tried.n_members, tried.n_nonmembers
    guessed = (tried.top + tried.bottom) / (n + m)
    smaller = 2 * min(n, m) / (n + m)
    both = BOTH_ENDS * guessed ** (1 / (1 + smaller * epsilons))
    of_two = np.where(tried.top == tried.bottom, both, ALL)
    first = (FIRST + BY_EPSILON * epsilons) * np.minimum(1, FEW / np.maximum(tried.top, 1))
    one = np.where(tried.top > 0, first, LAST * (2 - smaller))
    shares = np.where((tried.top > 0) & (tried.bottom > 0), of_two, one)
    return np.minimum(level * shares, HIGHEST)
