"""Orders of outcomes (x, y) by how much of an attack they may stem from.

An order is any function T that does not fall with the true positives x and does not rise with the
false positives y, fixed before the data. The limits of `dpviz.audit.upper_limits.inversion` are
valid for every order, and close to the smallest possible ones if T itself is a good approximate
upper limit. Here T is made of the limits of Clopper and Pearson, u of x / n and l of y / m, as in
the method of variance estimates recovery (MOVER; Zou and Donner, Statistics in Medicine 27 (2008)
1693):

    ``T = x / n - c y / m + sqrt((u - x / n)^2 + c^2 (y / m - l)^2)``

for TPR - c FPR. With a weight w in [0, 1], T rises with x at a rate of ``1 + w (u' - 1)`` and with
y at ``-c + c w (1 - l')``, and u and l do not fall with x and y; so T is an order.

`SlopeOrder` solves ``T = delta`` for log c, which orders outcomes by the epsilon at delta. T does
not rise with c, at a rate of at most -l; so the solution is unique, and is an order too.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtr, ndtri

from dpviz import checks
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.base import Counts
from dpviz.audit.upper_limits.outcomes import Outcomes
from dpviz.checks import FloatArray
from dpviz.theory.profile import bisection, first_whole_numbers_where

EXACT_NEAR_ENDS = 300  # counts from either end whose limits are computed, not interpolated
NODES = 1000  # other counts whose limits are computed


@dataclass(frozen=True, kw_only=True)
class Order(ABC):
    """A function T of outcomes, which does not fall with x and does not rise with y."""

    n_members: int
    n_nonmembers: int
    level: float

    @abstractmethod
    def values(self, x: Counts, y: Counts) -> FloatArray:
        """Return T for each outcome: `x` true positives and `y` false positives."""

    def upto(self, value: float) -> Outcomes:
        """Return the set of all outcomes with T <= `value`."""
        y, n = np.arange(self.n_nonmembers + 1), self.n_members

        def exceeds(x: Counts) -> NDArray[np.bool_]:
            return (x > n) | (self.values(np.clip(x, 0, n), y) > value)

        first = first_whole_numbers_where(exceeds, np.full(y.size, -1), np.full(y.size, n + 1))
        # T is an order up to rounding errors; the set must be one exactly.
        most = np.maximum.accumulate(first - 1)
        sizes = {"n_members": self.n_members, "n_nonmembers": self.n_nonmembers}
        return Outcomes(**sizes, most=most, level=self.level)

    @cached_property
    def _upper_of_tpr(self) -> FloatArray:
        return limits_of_counts(self.n_members, self.level)

    @cached_property
    def _lower_of_fpr(self) -> FloatArray:
        return 1 - limits_of_counts(self.n_nonmembers, self.level)[::-1]


@dataclass(frozen=True, kw_only=True)
class DifferenceOrder(Order):
    """Outcomes ordered by an approximate upper limit of TPR - c FPR, where c is `slope`."""

    slope: float

    def values(self, x: Counts, y: Counts) -> FloatArray:
        """Return the approximate upper limit for each outcome."""
        tpr, fpr = x / self.n_members, self.slope * (y / self.n_nonmembers)
        above = self._upper_of_tpr[x] - tpr
        below = fpr - self.slope * self._lower_of_fpr[y]
        return np.asarray(tpr - fpr + np.hypot(above, below))


@dataclass(frozen=True, kw_only=True)
class SlopeOrder(Order):
    """Outcomes ordered by an approximate upper limit of log c, where ``TPR = delta + c FPR``."""

    delta: float

    def values(self, x: Counts, y: Counts) -> FloatArray:
        """Return the approximate upper limit for each outcome; infinite without a finite limit."""
        excess, fpr = x / self.n_members - self.delta, y / self.n_nonmembers
        above = self._upper_of_tpr[x] - x / self.n_members
        lower = self._lower_of_fpr[y]
        # c solves k c^2 - 2 excess fpr c + excess^2 - above^2 = 0, and c fpr >= excess.
        k = lower * (2 * fpr - lower)
        root = np.sqrt(np.maximum((excess * fpr) ** 2 - k * (excess**2 - above**2), 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (excess * fpr + root) / k
            found = np.log(np.maximum(slope, 0.0))
        found = np.where(k > 0, found, np.inf)
        return np.where(excess + above <= 0, -np.inf, found)


@dataclass(frozen=True, kw_only=True)
class RateOrder(Order):
    """Outcomes ordered by an approximate upper limit of the TPR at a threshold with this FPR.

    The more false positives are above their mean, the less such a threshold is likely: with z
    standard deviations, of a Normal variable with the same tail, T is Wilson's limit of x / n for
    ``sqrt(r^2 - z^2)`` standard deviations. From z = r on no x is evidence of such a threshold. The
    sum of squares of the positive parts of two Normal variables exceeds r^2 with P = `level`.
    """

    fpr: float

    @cached_property
    def _deviations(self) -> FloatArray:
        """For each y, the standard deviations that are left for x; -1 if none are."""
        radius = _radius(self.level)
        y = np.arange(1, self.n_nonmembers + 1)
        tail = np.append(1.0, betainc(y, self.n_nonmembers - y + 1, self.fpr))
        z = np.maximum(-ndtri(tail), 0.0)
        return np.where(z < radius, np.sqrt(np.maximum(radius**2 - z**2, 0.0)), -1.0)

    def values(self, x: Counts, y: Counts) -> FloatArray:
        """Return the approximate upper limit for each outcome, or -infinity."""
        n, z = self.n_members, self._deviations[y]
        tpr, share = x / n, z * z / n
        limit = (tpr + share / 2 + np.sqrt(share * (tpr * (1 - tpr) + share / 4))) / (1 + share)
        return np.where(z < 0, -np.inf, limit)


@lru_cache(maxsize=16)
def limits_of_counts(size: int, level: float) -> FloatArray:
    """Return the upper Clopper-Pearson limits of all counts, most of them interpolated if many."""
    counts = np.arange(size + 1)
    # Interpolated limits serve for an order only, which need not be exact.
    inner = np.linspace(0, size, NODES + 2).astype(np.int64)
    ends = np.concatenate([counts[:EXACT_NEAR_ENDS], counts[-EXACT_NEAR_ENDS:]])
    nodes = counts if size < NODES + 2 * EXACT_NEAR_ENDS else np.unique(np.append(inner, ends))
    limits = clopper_pearson(nodes, size, confidence_level=1 - level, side="upper")
    return checks.read_only(np.maximum.accumulate(np.interp(counts, nodes, limits)))


@lru_cache(maxsize=64)
def _radius(level: float) -> float:
    """Return r with ``exp(-r^2 / 2) / 4 + Phi(-r) = level``."""

    def is_enough(r: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(np.exp(-(r**2) / 2) / 4 + ndtr(-r) <= level)

    return float(bisection(is_enough, np.array(0.0), np.array(40.0))[1])
