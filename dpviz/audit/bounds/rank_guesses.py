"""Guesses at depths of the ranking fixed beforehand, and the epsilon that each alone refutes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import bdtrc, betainc, betaincinv, expit, logit

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.bounds.bound import RankEvidence
from dpviz.checks import FloatArray

RATIO = 1.5
SMALLEST_DEPTH = 4
ROUNDING = 1e-6
"""Relative; a level exceeded by less counts as kept, so that equal guesses stay equal."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Guesses:
    """Guesses "member" of the `top` first records and "non-member" of the `bottom` last.

    A guess about a record that leaks its membership is right for sure. `leaks` such records are
    set aside, of the guesses and of the right ones.

    Parameters
    ----------
    top, bottom, leaks : ndarray of int, shape (g,)
    n_members, n_nonmembers : int
    odds : float
        Log odds that a record is a member, before its score is seen.
    """

    top: Counts
    bottom: Counts
    leaks: Counts
    n_members: int
    n_nonmembers: int
    odds: float

    @cached_property
    def cuts(self) -> Counts:
        """Numbers of first records in which members have to be counted; ascending.

        0 and all records are among them where there are guesses of one kind only.
        """
        return np.union1d(self.top, self.n_members + self.n_nonmembers - self.bottom)

    def right(self, members: Counts) -> Counts:
        """Right guesses, shape (g, ...), from the members among the first `cuts` records."""
        total, cuts = self.n_members + self.n_nonmembers, self.cuts
        in_top = members[np.searchsorted(cuts, self.top)]
        before_bottom = members[np.searchsorted(cuts, total - self.bottom)]
        last = self.bottom.reshape(-1, *[1] * (members.ndim - 1))
        return np.asarray(in_top + last - (self.n_members - before_bottom))

    def evidence(self, i: int, members: Counts) -> RankEvidence:
        """One pair of depths with what was right there; `members` of one run."""
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

        As if no other guess had been looked at, and guesses were right independently.
        """
        found, tried = np.maximum(right - self.leaks, 0), self._tried
        share = betaincinv(np.maximum(found, 1), tried - found + 1, levels)
        epsilons = self._epsilon_of(share)
        return np.asarray(np.where((found > 0) & (self.leaks < self._count), epsilons, -np.inf))

    def needed(self, epsilon: float, levels: FloatArray) -> Counts:
        """The smallest counts that refute an epsilon; beyond all guesses where none does.

        Never more than the counts by which `refuted` found that epsilon.
        """
        chance, tried = self._chance(epsilon), self._tried
        levels = levels * (1 + ROUNDING)
        few, enough = np.zeros_like(tried), tried + 1  # 0 never does
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

    def _chance(self, epsilon: float) -> FloatArray:
        """How likely a guess is right at most; of both kinds on average."""
        up, down = expit(epsilon + self.odds), expit(epsilon - self.odds)
        return np.where(self.bottom == 0, up, np.where(self.top == 0, down, (up + down) / 2))

    def _epsilon_of(self, chance: FloatArray) -> FloatArray:
        """Inverse of `_chance`."""
        # Of both kinds: a quadratic equation in e^epsilon, by the root's form that does not cancel.
        half = 2 * np.cosh(self.odds) * (1 - 2 * chance)
        root = np.sqrt(half * half + 16 * chance * (1 - chance))
        both = np.where(half > 0, 4 * chance / (half + root), (root - half) / (4 * (1 - chance)))
        one = logit(chance) + np.where(self.bottom == 0, -self.odds, self.odds)
        return np.where((self.top > 0) & (self.bottom > 0), np.log(both), one)


def guesses(
    n_members: int, n_nonmembers: int, *, delta: float, level: float, odds: float | None = None
) -> Guesses:
    """About the first and the last k records together and about either alone, for depths k.

    Half of all records, and on down by a ratio of 1.5 to 4 records. Set aside are as many leaks as
    are exceeded with probability at most `level`. They depend on the odds, not on how many of the
    records turned out to be members.

    Parameters
    ----------
    odds : float, optional
        Log odds of a member; left out: those of the numbers of records.
    """
    n, m = checks.whole("n_members", n_members, 1), checks.whole("n_nonmembers", n_nonmembers, 1)
    depths = [max((n + m) // 2, 1)]
    while depths[-1] / RATIO >= SMALLEST_DEPTH:
        depths.append(int(depths[-1] / RATIO))
    k = np.array(depths[::-1], np.int64)
    none = np.zeros_like(k)
    odds = float(np.log(n / m)) if odds is None else odds
    leaks = [_leaks(n + m, delta * part, level) for part in (1.0, expit(odds), expit(-odds))]
    return Guesses(
        top=np.concatenate([k, k, none]),
        bottom=np.concatenate([k, none, k]),
        leaks=np.repeat(leaks, k.size),
        n_members=n,
        n_nonmembers=m,
        odds=odds,
    )


def _leaks(records: int, delta: float, level: float) -> int:
    """The smallest number that is exceeded with probability at most `level`."""
    few, enough = -1, records
    while enough - few > 1:
        middle = (few + enough) // 2
        if bdtrc(middle, records, delta) <= level:
            enough = middle
        else:
            few = middle
    return enough
