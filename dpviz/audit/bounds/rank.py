"""A bound from the ranks of members, calibrated against leaky randomized response.

**Statement.** Members are independent draws of a law Q, non-members of a law P; n and m of them. If
P and Q are (epsilon, delta)-indistinguishable, the returned bound exceeds epsilon with probability
at most ``1 - confidence_level``, whatever P, Q, the attack and its thresholds.

**Why.** Order all records by descending score, ties at random, and let h be any function of the
membership labels in that order that does not fall when a member changes places with a non-member
above it.

1. Every (epsilon, delta)-indistinguishable pair arises from leaky randomized response by some
   further randomization (Kairouz, Oh and Viswanath, 2015): a record first gets a class. A member is
   revealed as one ("leak+") with probability delta, else gets Z = 1 with probability
   ``q = e^epsilon / (1 + e^epsilon)`` and Z = 0 otherwise; a non-member is revealed as one
   ("leak-") with probability delta, else gets Z = 1 with probability 1 - q. The score depends on
   the class and on chance, not on membership beyond the class.
2. So, given all classes and scores, which of the unrevealed records are members is random, with
   probability proportional to e^epsilon to the number of records where membership agrees with Z,
   among the labellings with n members.
3. Take two neighbours in the order, the upper of class Z = 0 and the lower of class Z = 1, and let
   them change places. Given the labels of all others, either the two labels are equal and nothing
   changes, or exactly one of the two is a member. Then the upper one is that member with
   probability ``1 / (1 + e^(2 epsilon))`` before and ``e^(2 epsilon) / (1 + e^(2 epsilon))`` after.
   h is larger with the member above: P(h >= c) does not fall. Moving leak+ upwards or leak-
   downwards raises h in every case.
4. Such steps lead to the order leak+, Z = 1, Z = 0, leak-, random within each class, whatever the
   order was. For this one law P(h >= c) is largest, and it can be simulated.

The test of one epsilon compares the data's h with simulated ones. Epsilons of a fixed grid are
tested upwards from 0 until one is not rejected: a false bound needs the rejection of the first grid
point that is not below the true epsilon. The law in 4 is itself indistinguishable: the test cannot
be improved at that law but for its discreteness.

**The statistic.** Depths k from half of the records down to 4. For each, three counts of right
guesses: members in the top k and non-members in the bottom k together, and either alone. Each count
is turned into how unusual it would be for independent guesses that are right as often as epsilon
allows (a score, not a p-value; it need not be exact), the one-sided ones with a smaller weight, and
h is the most unusual. The simulation needs counts at these depths only: its cost does not depend on
the number of records.
"""

import numpy as np
from scipy.special import bdtr, expit, log_ndtr, xlogy

from dpviz import checks
from dpviz.audit.bounds.bound import Found, RankEvidence
from dpviz.audit.bounds.ranks import depths_of, members_in_first
from dpviz.audit.scores import AttackScores
from dpviz.audit.supremum import Counts
from dpviz.checks import FloatArray

ONE_SIDED_WEIGHT = 0.35
GRID = np.concatenate([np.arange(100) * 0.01, np.exp(np.arange(400) * 0.01)])
"""Epsilons in steps of 0.01 up to 1, then of 1 %, up to 54."""
BATCH = 8
"""Epsilons whose first rounds are simulated together."""
EXPECTED_AT_FIRST = 13.0
"""Simulations of the first round, times the level: 260 at 0.05."""
EXPECTED = 200.0
"""Simulations of the second round, times the level: 4000 at 0.05."""
CLEARLY = 1
"""So few simulations of the first round as unusual as the data reject without the second."""
HIGHEST_LEVEL = 0.999


def rank_bound(scores: AttackScores, *, delta: float, confidence_level: float, seed: int) -> Found:
    """The last epsilon of the grid before the first that is not rejected; 0 where none is.

    Each is tested by simulation in two rounds. A first round that is clear saves the second; its
    chance to be clear while the p-value is above the level is taken off the level of the second
    round, whose simulations are fresh.
    """
    if confidence_level > HIGHEST_LEVEL:
        raise checks.fail(
            "confidence_level", f"at most {HIGHEST_LEVEL} for method 'rank'", confidence_level
        )
    rng = np.random.default_rng(seed)
    design = _Design(scores.n_members, scores.n_nonmembers)
    observed = members_in_first(scores, design.cuts, rng)[:, None]
    level = 1 - confidence_level
    first, second = int(np.ceil(EXPECTED_AT_FIRST / level)), int(np.ceil(EXPECTED / level))
    second_level = level - float(bdtr(CLEARLY, first, level))

    def as_unusual(epsilons: FloatArray, size: int) -> Counts:
        """How many simulations of each epsilon are at least as unusual as the data."""
        each = np.repeat(epsilons, size)
        simulated = design.simulated(each, delta, rng)
        limits = np.repeat(design.most_unusual(observed, epsilons)[0], size)
        unusual = design.most_unusual(simulated, each)[0] <= limits
        return np.asarray(unusual.reshape(epsilons.size, size).sum(axis=1))

    low: float | None = None
    for begin in range(0, GRID.size, BATCH):
        batch = GRID[begin : begin + BATCH]
        for epsilon, seen in zip(batch, as_unusual(batch, first), strict=True):
            if seen > CLEARLY:
                again = int(as_unusual(np.array([epsilon]), second)[0])
                if (1 + again) / (1 + second) > second_level:
                    return design.statement(observed, low)
            low = float(epsilon)
    return design.statement(observed, low)


class _Design:
    """Depths, the pairs of a top and a bottom depth, and what is counted there.

    "Members" below always are those among the first ranks: an array of shape (cuts, runs).
    """

    def __init__(self, n_members: int, n_nonmembers: int) -> None:
        self.n, self.m = n_members, n_nonmembers
        total = n_members + n_nonmembers
        self.depths = depths_of(total)
        self.cuts = np.union1d(self.depths, total - self.depths)
        self._top = np.searchsorted(self.cuts, self.depths)
        self._bottom = np.searchsorted(self.cuts, total - self.depths)

    def simulated(self, epsilons: FloatArray, delta: float, rng: np.random.Generator) -> Counts:
        """Members among the first ranks of the least favourable law, one run per epsilon."""
        right, size = expit(epsilons), epsilons.size
        leaks = rng.binomial(self.n, delta, size), rng.binomial(self.m, delta, size)
        upper_members = rng.binomial(self.n - leaks[0], right)
        upper_nonmembers = rng.binomial(self.m - leaks[1], expit(-epsilons))
        classes = [
            (upper_members, upper_nonmembers),
            (self.n - leaks[0] - upper_members, self.m - leaks[1] - upper_nonmembers),
        ]
        found = np.minimum(self.cuts[:, None], leaks[0])
        begin = leaks[0]
        for members, nonmembers in classes:
            end = begin + members + nonmembers
            left, reached = members.copy(), np.zeros(size, np.int64)
            taken = np.zeros(size, np.int64)
            for i, cut in enumerate(self.cuts):
                until = np.clip(cut, begin, end) - begin
                if (until > taken).any():
                    drawn = rng.hypergeometric(left, end - begin - taken - left, until - taken)
                    reached, left, taken = reached + drawn, left - drawn, until
                found[i] += reached
            begin = end
        return np.asarray(found)

    def most_unusual(self, members: Counts, epsilons: FloatArray) -> tuple[FloatArray, Counts]:
        """The smallest log score of any pair in each run, and which pair has it.

        One run and many epsilons, or one epsilon for each run.
        """
        in_top = members[self._top]
        in_bottom = self.m - (self.cuts[self._bottom][:, None] - members[self._bottom])
        k = self.depths[:, None]
        share = self.n / (self.n + self.m)
        top_right = share / (share + (1 - share) * np.exp(-epsilons))
        bottom_right = (1 - share) / (1 - share + share * np.exp(-epsilons))
        kinds = (
            (in_top + in_bottom, 2 * k, (top_right + bottom_right) / 2, 1.0),
            (in_top, k, top_right, ONE_SIDED_WEIGHT),
            (in_bottom, k, bottom_right, ONE_SIDED_WEIGHT),
        )
        scores, places = [], []
        for right, guesses, chance, weight in kinds:
            roots = _signed_roots(right, guesses, chance)
            places.append(np.argmax(roots, axis=0))
            # About the log of the chance of so many right guesses.
            scores.append(log_ndtr(-roots.max(axis=0)) - np.log(weight))
        kind = np.argmin(scores, axis=0)
        place = np.choose(kind, places)
        return np.choose(kind, scores), kind * self.depths.size + place

    def statement(self, members: Counts, low: float | None) -> Found:
        """The bound with the counts that were most unusual for it; None rejected nothing."""
        if low is None:
            return Found(low=0.0)
        pair = int(self.most_unusual(members, np.array([low]))[1][0])
        kind, i = divmod(pair, self.depths.size)
        k, total = int(self.depths[i]), self.n + self.m
        uses_top, uses_bottom = kind in (0, 1), kind in (0, 2)
        in_top = int(members[self._top[i], 0])
        in_bottom = self.m - (total - k - int(members[self._bottom[i], 0]))
        evidence = RankEvidence(
            top=k if uses_top else 0,
            members_in_top=in_top if uses_top else 0,
            bottom=k if uses_bottom else 0,
            nonmembers_in_bottom=in_bottom if uses_bottom else 0,
        )
        return Found(low=low, evidence=(evidence,), seed_spread=None)


def _signed_roots(right: Counts, guesses: Counts, chance: FloatArray) -> FloatArray:
    """Square roots of likelihood ratios, negative for fewer right guesses than by chance."""
    share = np.maximum(right - 0.5, 0) / guesses
    ratio = xlogy(share, share / chance) + xlogy(1 - share, (1 - share) / (1 - chance))
    root = np.sqrt(2 * guesses * np.maximum(ratio, 0))
    return np.asarray(np.where(share > chance, root, -root))
