"""How often a number of an attack is as large as one given, where (epsilon, delta) is used up."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from dpviz.audit.bounds.area_law import chance_of_area
from dpviz.audit.bounds.lead_law import chance_of_lead
from dpviz.audit.bounds.leaky_law import chance_to_cross
from dpviz.audit.bounds.published import Published
from dpviz.audit.scores.ordered_sample import Counts

Ties = Literal["half", "none"]
Chance = Callable[[float], float]  # of an epsilon: of a number as large as the one given
MOST_CUTS = 1200  # numbers of first records at which a threshold is looked for
FEWER_CUTS = 500  # where there are leaks
STEPS = 4096  # of the range of a number, in which what chance gives is looked for
LARGEST = 60.0  # epsilon at which the search ends
TOLERANCE = 1e-3  # of the search in epsilon, relative; and a tenth of it absolute
ENOUGH = 0.005  # standard deviations by which the probability may stay below the level


@dataclass(frozen=True, kw_only=True)
class NumberLaw:
    """The largest probabilities of a number of an attack, by epsilon; its numbers are counts.

    `statistic` is one of "auc", "advantage", "accuracy", "tpr", with its `fpr`, and "precision",
    with the number `k` of first records.
    """

    statistic: str
    n_members: int
    n_nonmembers: int
    delta: float
    level: float
    ties: Ties = "half"
    fpr: Published | None = None
    k: int = 0

    @property
    def total(self) -> int:
        """The count that stands for the number 1."""
        n, m = self.n_members, self.n_nonmembers
        counts = {
            "auc": 2 * n * m,  # pairs, twice: a tie counts one half
            "advantage": n * m // gcd(n, m),
            "accuracy": n + m,
            "tpr": n,
            "precision": self.k,
        }
        return counts[self.statistic]

    @property
    def most(self) -> int:
        """The count of a perfect attack."""
        return min(self.k, self.n_members) if self.statistic == "precision" else self.total

    def chance(self, count: int) -> Chance:
        """The probability of so large a count."""
        n, m = self.n_members, self.n_nonmembers
        laws: dict[str, Any] = {
            "n_members": n,
            "n_nonmembers": m,
            "delta": self.delta,
            "level": self.level,
        }
        if self.statistic == "auc":
            pairs = -(-count // 2)
            # A perfect ranking has no ties.
            factor = 2.0 if self.ties == "half" and count < self.total else 1.0
            last = np.array([n])  # of all pairs: all members are first

            def chance(epsilon: float) -> float:
                if pairs < n * m:
                    return min(1.0, factor * chance_of_area(pairs, epsilon=epsilon, **laws))
                return min(1.0, factor * chance_to_cross(last, last, epsilon=epsilon, **laws))

            return chance
        if self.statistic == "accuracy" or (self.statistic == "advantage" and n == m):
            # Accuracy counts members among the first records and non-members among the others.
            lead = count - m if self.statistic == "accuracy" else count
            return lambda epsilon: chance_of_lead(lead, epsilon=epsilon, **laws)
        if self.fpr is not None:
            # So many members before one more than so many non-members.
            cuts, boundary = np.array([count + self.fpr.most_of(m)]), np.array([count])
        elif self.statistic == "precision":
            cuts, boundary = np.array([min(self.k, n + m)]), np.array([count])
        else:
            # An advantage of non-members from below is the same; steps of fewer records are finer.
            laws |= {"n_members": min(n, m), "n_nonmembers": max(n, m)}
            cuts, boundary = self._at_some_threshold(count)
        return lambda epsilon: chance_to_cross(cuts, boundary, epsilon=epsilon, **laws)

    @cached_property
    def by_chance(self) -> int:
        """A count that refutes epsilon 0, hardly larger than the smallest; `total` without one."""
        counts = np.unique(np.linspace(0, self.most, STEPS + 1).round().astype(np.int64)).tolist()
        found = bisect_left(counts, True, key=lambda count: self.chance(count)(0.0) <= self.level)
        return counts[found] if found < len(counts) else self.total

    def _at_some_threshold(self, count: int) -> tuple[Counts, Counts]:
        """First records of the smaller class from which on a threshold has so large an advantage.

        Between neighbouring cuts, the boundary is that of the first place after the earlier one:
        what crosses there crosses at the later cut, too. The first cut is 0: nobody is flagged.
        """
        n, m = sorted((self.n_members, self.n_nonmembers))
        total, most = n + m, MOST_CUTS if self.delta == 0 else FEWER_CUTS
        cuts = np.unique(np.linspace(0, total, min(total, most) + 1).round().astype(np.int64))
        earliest = np.concatenate([[0], cuts[:-1] + 1])
        # members / n - (cut - members) / m >= c, in whole units of the number
        return cuts, -(-(count * gcd(n, m) + earliest * n) // total)


def refuted_up_to(chance: Chance, level: float, *, start: float = 0.0, step: float = 0.25) -> float:
    """An epsilon with a probability of at most `level`, and none much larger; 0 without one.

    The probability does not fall with epsilon. The search begins at `start`, with this step.
    """

    def z(epsilon: float) -> float:
        """Above 0 where refuted; nearly linear."""
        return float(ndtri(level) - ndtri(np.clip(chance(epsilon), 1e-290, 1 - 1e-15)))

    low = high = start
    at_low = at_high = z(start)
    while at_low < 0 < low:
        high, at_high, low = low, at_low, max(0.0, low - step)
        step, at_low = 2 * step, z(low)
    if at_low < 0:
        return 0.0
    while low == high or at_high >= 0:
        if high > LARGEST:
            return high
        low, at_low, high = high, at_high, high + step
        step, at_high = 2 * step, z(high)
    while high - low > TOLERANCE * (high + 0.1):
        share = at_low / (at_low - at_high)
        # A little inside, so that both ends close in.
        middle = low + (high - low) * min(max(share, 0.02), 0.98)
        edge = 0.4 * TOLERANCE * (high + 0.1)
        middle = min(max(middle - edge, low + edge), high - edge)
        at_middle = z(middle)
        if at_middle >= 0:
            low, at_low = middle, at_middle
            if at_middle < ENOUGH:
                break
        else:
            high, at_high = middle, at_middle
    return low
