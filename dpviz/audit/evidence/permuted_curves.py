"""Curves of labels that are dealt out at random, seen at some depths, and their statistics."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import xlogy

from dpviz.audit.ascending import Counts
from dpviz.checks import FloatArray

ALL_DEPTHS = 1000
"""Records up to which every depth is looked at."""
DENSE = 200
"""Of more records, every depth up to this one from either end, and further inside"""
GROWTH = 0.02
"""steps that grow by so much of what they are inside,"""
LARGEST_STEP = 1 / 300
"""up to this share of all records."""
AROUND = 60
"""Depths around each place where the statistics cut."""
REACH = 4.0
"""How far around, in standard deviations of that place."""
TABULATED = 2**24
"""Records up to which a function of their numbers is looked up."""
FEW = 12
"""Steps of up to so many records are made one by one, which is faster."""

Function = Callable[[Any], FloatArray]
"""Of whole numbers."""


def deal(n: int, m: int, depths: Counts, runs: int, rng: np.random.Generator) -> Counts:
    """Members among the first records (ascending depths) of n + m in random order.

    Shape (depths, runs). The law is `LeastFavourable` at epsilon and delta 0; here steps of few
    records cost next to nothing.
    """
    found = np.empty((depths.size, runs), np.int64)
    left, rest = np.full(runs, n, np.int64), n + m
    for i, depth in enumerate(depths.tolist()):
        step = depth - (n + m - rest)
        if step > FEW:
            left = left - rng.hypergeometric(left, rest - left, step)
            rest -= step
        else:
            for _ in range(step):
                left = left - (rng.integers(rest, size=runs) < left)
                rest -= 1
        found[i] = n - left
    return found


def depths_to_see(n: int, m: int, cuts: tuple[float, ...]) -> Counts:
    """Depths to look at, where there are thresholds; ascending from 0 to n + m.

    Parameters
    ----------
    n, m : int
        Members and non-members.
    cuts : tuple of float
        FPRs or TPRs where a statistic jumps.
    """
    total = n + m
    if total <= ALL_DEPTHS:
        return np.arange(total + 1)
    upper = [0]
    while upper[-1] < total / 2:
        step = min((upper[-1] - DENSE) * GROWTH, total * LARGEST_STEP)
        upper.append(upper[-1] + max(1, int(step)))
    cut = np.array(cuts)[:, None]
    spread = REACH * np.sqrt(total * max(n, m) / min(n, m) * cut * (1 - cut))
    around = cut * total + spread * np.linspace(-1, 1, AROUND)
    depths = np.concatenate([upper, total - np.array(upper), around.ravel()])
    return np.unique(np.clip(depths, 0, total).astype(np.int64))


def x_log_x(largest: int) -> Function:
    """The function x log x of whole numbers up to `largest`: a table, unless that is long."""
    if largest > TABULATED:
        return lambda x: np.asarray(xlogy(x, x))
    x = np.arange(largest + 1)
    return np.asarray(xlogy(x, x)).__getitem__


def deviance(counts: Counts, depths: Counts, n: int, m: int, of: Function) -> FloatArray:
    """How unlikely so many members among the first records are: Wilks's 2 log likelihood ratio.

    Parameters
    ----------
    counts, depths : ndarray of int
        Members among how many first records; of shapes that go together.
    n, m : int
    of : callable
        `x_log_x` of n + m.
    """
    cells = of(counts) + of(depths - counts) + of(n - counts) + of(m - depths + counts)
    return np.asarray(2 * (cells - (of(depths) + of(n + m - depths) + (of(n) + of(m) - of(n + m)))))


@dataclass(frozen=True, kw_only=True, eq=False)
class DealtCurves:
    """Curves at common depths, and what their statistics depend on.

    Parameters
    ----------
    true_positives, false_positives : ndarray of int, shape (depths, runs)
        Members, respectively non-members, among the first records; nondecreasing from 0 to all.
    n_members, n_nonmembers : int
    delta : float
    clip : float or None
    fpr : float
    """

    true_positives: Counts
    false_positives: Counts
    n_members: int
    n_nonmembers: int
    delta: float
    clip: float | None
    fpr: float

    @cached_property
    def _rates(self) -> tuple[FloatArray, ...]:
        """TPR, FPR, TNR, FNR."""
        n, m = self.n_members, self.n_nonmembers
        tp, fp = self.true_positives, self.false_positives
        return tp / n, fp / m, (m - fp) / m, (n - tp) / n

    @cached_property
    def _in_direction(self) -> tuple[FloatArray, FloatArray]:
        """m1 and m2; inf where no error is seen."""
        tpr, fpr, tnr, fnr = self._rates
        return self._ratio(tpr, fpr), self._ratio(tnr, fnr)

    def epsilon_star(self) -> FloatArray:
        """The empirical Epsilon*; nan where no threshold survives the clip."""
        tpr, fpr, tnr, fnr = self._rates
        ratios = np.maximum(*self._in_direction)
        for top, bottom in ((fnr, tnr), (fpr, tpr)):
            np.maximum(ratios, self._ratio(top, bottom), out=ratios)
        if self.clip is None:
            return np.asarray(np.log(np.maximum(ratios.max(axis=0), 1.0)))
        smallest = np.minimum(np.minimum(tpr, fpr), np.minimum(tnr, fnr))
        survive = smallest > self.clip
        largest = np.where(survive, ratios, 0.0).max(axis=0)
        return np.where(survive.any(axis=0), np.log(np.maximum(largest, 1.0)), np.nan)

    def raw_epsilon(self) -> FloatArray:
        """The largest finite log m1 or log m2: thresholds where no error was seen are left out."""
        ratios = np.maximum(*(np.where(np.isinf(r), 0.0, r) for r in self._in_direction))
        return np.asarray(np.log(np.maximum(ratios.max(axis=0), 1.0)))

    def advantage(self) -> FloatArray:
        """The largest TPR - FPR."""
        n, m = self.n_members, self.n_nonmembers
        lead = self.true_positives * m - self.false_positives * n
        return np.asarray(lead.max(axis=0) / (n * m))

    def auc(self) -> FloatArray:
        """Area under the curve, ties counted half."""
        tp, fp = self.true_positives, self.false_positives
        twice = (np.diff(fp, axis=0) * (tp[1:] + tp[:-1])).sum(axis=0)
        return np.asarray(twice / (2 * self.n_members * self.n_nonmembers))

    def tpr_at_fpr(self) -> FloatArray:
        """TPR at the last threshold with an FPR of at most `fpr`."""
        tpr, fpr, *_ = self._rates
        last = (fpr <= self.fpr).sum(axis=0) - 1
        return np.asarray(np.take_along_axis(tpr, last[None], axis=0)[0])

    def _ratio(self, top: FloatArray, bottom: FloatArray) -> FloatArray:
        """(top - delta) / bottom; 0 where nothing is above."""
        above = top - self.delta
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(above > 0, above / bottom, 0.0)


STATISTICS: dict[str, Callable[[DealtCurves], FloatArray]] = {
    "epsilon_star": DealtCurves.epsilon_star,
    "raw_epsilon": DealtCurves.raw_epsilon,
    "advantage": DealtCurves.advantage,
    "auc": DealtCurves.auc,
    "tpr_at_fpr": DealtCurves.tpr_at_fpr,
}
"""What is computed of each run, by name."""
