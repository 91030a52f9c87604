"""Guesses of membership at rank cut-offs fixed in advance, and the epsilon that each one refutes.

At a cut-off, the guess "member" is made of the records ranked first and "non-member" of the last.
Why counts of right guesses are limited at any (epsilon, delta) guarantee, and what a search over
cut-offs costs, is proved in `dpviz.audit.bounds.rank` and, for fair coins, in `three_paths`.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import bdtrc, betainc, betaincinv, expit, logit

from dpviz import checks
from dpviz.audit.bounds.result import RankEvidence
from dpviz.audit.scores.base import Scores, reject_too_many
from dpviz.audit.scores.ordered_sample import Counts, OrderedSample
from dpviz.checks import FloatArray

RATIO = 1.5  # of a cut-off to the next smaller one, by default
SMALLEST_CUT = 4  # records
ROUNDING = 1e-6  # relative excess over a level that is ignored, so that equal guesses stay equal


@dataclass(frozen=True, kw_only=True, eq=False)
class Guesses:
    """Guesses "member" of the `top` first records and "non-member" of the `bottom` last.

    A guess about a record that leaks its membership is surely right: `leaks` such records are
    subtracted, from the guesses and from the right ones.
    """

    top: Counts  # shape (g,), like `bottom` and `leaks`
    bottom: Counts
    leaks: Counts
    n_members: int
    n_nonmembers: int
    odds: float  # log odds that a record is a member, before its score is seen

    @cached_property
    def cuts(self) -> Counts:
        """Numbers of first records in which members have to be counted; ascending.

        Guesses of one kind add 0 or the number of all records.
        """
        return np.union1d(self.top, self.n_members + self.n_nonmembers - self.bottom)

    def with_splits(self, cuts: Counts) -> "Guesses":
        """With guesses about all records: that the first `cuts` are members, or all but the last.

        They must be fewer than half. Guesses of this object begin with those at both ends.
        """
        others = self.n_members + self.n_nonmembers - cuts
        return replace(
            self,
            top=np.concatenate([self.top, cuts, others]),
            bottom=np.concatenate([self.bottom, others, cuts]),
            leaks=np.concatenate([self.leaks, np.repeat(self.leaks[:1], 2 * cuts.size)]),
        )

    def at(self, which: Counts) -> "Guesses":
        """Some of the guesses, perhaps repeated."""
        return replace(
            self, top=self.top[which], bottom=self.bottom[which], leaks=self.leaks[which]
        )

    def right(self, members: Counts) -> Counts:
        """Right guesses, shape (g, ...), from the members among the first `cuts` records."""
        total, cuts = self.n_members + self.n_nonmembers, self.cuts
        in_top = members[np.searchsorted(cuts, self.top)]
        before_bottom = members[np.searchsorted(cuts, total - self.bottom)]
        last = self.bottom.reshape(-1, *[1] * (members.ndim - 1))
        return np.asarray(in_top + last - (self.n_members - before_bottom))

    def evidence(self, i: int, members: Counts) -> RankEvidence:
        """The right guesses at one pair of cut-offs, from the `members` of one ranking."""
        top, bottom = int(self.top[i]), int(self.bottom[i])
        in_top = int(members[np.searchsorted(self.cuts, top)])
        return RankEvidence(
            top=top,
            members_in_top=in_top,
            bottom=bottom,
            nonmembers_in_bottom=int(self.right(members)[i]) - in_top,
        )

    def refuted(self, right: Counts, levels: FloatArray) -> FloatArray:
        """The epsilon that each count refutes at its level; -inf where none.

        Each by itself, for guesses that are right independently of each other.
        """
        found, tried = np.maximum(right - self.leaks, 0), self._tried
        limit = betaincinv(np.maximum(found, 1), tried - found + 1, levels)
        epsilons = self.epsilon_of(limit)
        return np.asarray(np.where((found > 0) & (self.leaks < self._count), epsilons, -np.inf))

    def needed(self, epsilon: float, levels: FloatArray) -> Counts:
        """The smallest counts that refute an epsilon; more than all guesses where none does.

        Never more than the counts by which `refuted` found that epsilon.
        """
        chance, tried = self.chance_of(epsilon), self._tried
        levels = levels * (1 + ROUNDING)
        few, enough = np.zeros_like(tried), tried + 1  # 0 right guesses refute nothing
        while (unknown := enough - few > 1).any():
            middle = (few + enough) // 2
            refutes = betainc(np.maximum(middle, 1), tried - middle + 1, chance) <= levels
            enough = np.where(unknown & refutes, middle, enough)
            few = np.where(unknown & ~refutes, middle, few)
        return np.asarray(np.where(self.leaks < self._count, enough + self.leaks, self._count + 1))

    @property
    def _count(self) -> Counts:
        return self.top + self.bottom

    @property
    def _tried(self) -> Counts:
        return np.asarray(np.maximum(self._count - self.leaks, 1))

    @property
    def _of_top(self) -> FloatArray:
        """The share of the guesses that are "member"."""
        return np.asarray(self.top / self._count)

    def chance_of(self, epsilon: float) -> FloatArray:
        """The largest probability that a guess is right; the mean of those at both ends."""
        up, down = expit(epsilon + self.odds), expit(epsilon - self.odds)
        return np.asarray(self._of_top * up + (1 - self._of_top) * down)

    def epsilon_of(self, chance: FloatArray) -> FloatArray:
        """Inverse of `chance_of`."""
        # Both ends: a quadratic equation in e^epsilon; the form of its root without cancellation.
        up, down = self._of_top * np.exp(self.odds), (1 - self._of_top) * np.exp(-self.odds)
        half = up + down - 2 * chance * np.cosh(self.odds)
        root = np.sqrt(half * half + 4 * chance * (1 - chance))
        both = np.where(half > 0, 2 * chance / (half + root), (root - half) / (2 * (1 - chance)))
        one = logit(chance) + np.where(self.bottom == 0, -self.odds, self.odds)
        return np.where((self.top > 0) & (self.bottom > 0), np.log(both), one)


def guesses(
    n_members: int,
    n_nonmembers: int,
    *,
    delta: float,
    level: float,
    odds: float | None = None,
    cuts: Counts | None = None,
) -> Guesses:
    """Guesses at both ends together and at either end alone, k records each, for all cut-offs k.

    `leaks` is the number that is exceeded with probability at most `level`. It depends on the odds,
    not on how many of the records turned out to be members.

    `odds` are log odds of a member, by default those of the class sizes; `cuts` are by default
    those of `cut_offs`.
    """
    n, m = checks.whole("n_members", n_members, 1), checks.whole("n_nonmembers", n_nonmembers, 1)
    k = cut_offs(n + m) if cuts is None else cuts
    none = np.zeros_like(k)
    odds = float(np.log(n / m)) if odds is None else odds
    leaks = [leak_limit(n + m, delta * part, level) for part in (1.0, expit(odds), expit(-odds))]
    return Guesses(
        top=np.concatenate([k, k, none]),
        bottom=np.concatenate([k, none, k]),
        leaks=np.repeat(leaks, k.size),
        n_members=n,
        n_nonmembers=m,
        odds=odds,
    )


def cut_offs(records: int, *, ratio: float = RATIO) -> Counts:
    """Numbers of records, ascending: half of all, and less by a ratio, down to 4."""
    cuts = [max(records // 2, 1)]
    while cuts[-1] / ratio >= SMALLEST_CUT:
        cuts.append(int(cuts[-1] / ratio))
    return np.array(cuts[::-1], np.int64)


def leak_limit(records: int, delta: float, level: float) -> int:
    """The smallest number of leaks that is exceeded with probability at most `level`."""
    return bisect_left(range(records), True, key=lambda k: bool(bdtrc(k, records, delta) <= level))


def members_in_first(
    scores: Scores, cuts: Counts, rng: np.random.Generator, *, times: int = 1
) -> Counts:
    """Members among the records with the highest scores, shape (cuts, times).

    Tied scores are ranked at random, independently for each of `times` rankings: the order of the
    input would rank ties by membership.
    """
    reject_too_many(scores, "a bound by ranks (local_levels counts any number)")
    last = _last_places(scores, cuts)
    above, tied_members = _above_and_at(scores.members, last)
    above_nonmembers, tied_nonmembers = _above_and_at(scores.nonmembers, last)
    found = np.empty((cuts.size, times), np.int64)
    taken = drawn = np.zeros(times, np.int64)
    for i, cut in enumerate(cuts):
        # Among tied records, those above one cut are part of those above the next.
        if i == 0 or last[i] != last[i - 1]:
            taken = drawn = np.zeros(times, np.int64)
        left = tied_members[i] - drawn
        wanted = cut - above[i] - above_nonmembers[i] - taken
        drawn = drawn + rng.hypergeometric(left, tied_nonmembers[i] - (taken - drawn), wanted)
        taken = taken + wanted
        found[i] = above[i] + drawn
    return found


def least_in_first(scores: Scores, cuts: Counts) -> Counts:
    """Members among the records with the highest scores, tied members last; shape (cuts,).

    Of all rankings of tied scores the one with the fewest.
    """
    reject_too_many(scores, "a bound by ranks (local_levels counts any number)")
    last = _last_places(scores, cuts)
    above, _ = _above_and_at(scores.members, last)
    above_nonmembers, tied_nonmembers = _above_and_at(scores.nonmembers, last)
    return np.asarray(above + np.maximum(cuts - above - above_nonmembers - tied_nonmembers, 0))


def _last_places(scores: Scores, cuts: Counts) -> FloatArray:
    """The score of the last record before each cut-off."""
    pooled = scores.pooled()
    return pooled.at(np.minimum(pooled.size - cuts, pooled.size - 1))


def _above_and_at(sample: OrderedSample, places: FloatArray) -> tuple[Counts, Counts]:
    """Numbers of records greater than each place, and equal to it."""
    upto = sample.upto(places)
    return sample.size - upto, upto - sample.below(places)
