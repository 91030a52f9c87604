"""Attack curves of permuted labels, at selected rank cut-offs, and their statistics.

Why p-values from them are exact, selected cut-offs or not: `dpviz.audit.evidence.null`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import xlogy

from dpviz.audit.roc.threshold_counts import ThresholdCounts
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

ALL_DEPTHS = 1000  # number of records up to which every rank cut-off is evaluated
DENSE = 200  # with more records, evaluate every rank cut-off up to this one, from both ends
GROWTH = 0.02  # beyond it, steps grow by 2 % of the distance from the dense part
LARGEST_STEP = 1 / 300  # and never exceed this fraction of all records
AROUND = 60  # rank cut-offs around each FPR or TPR at which a statistic jumps
REACH = 4.0  # how far around, in standard deviations
TABULATED = 2**24  # number of records up to which x log x is tabulated
FEW = 12  # steps of at most this many records are drawn one record at a time, which is faster

Function = Callable[[Any], FloatArray]  # of whole numbers


def permute_labels(n: int, m: int, depths: Counts, runs: int, rng: np.random.Generator) -> Counts:
    """Members among the first `depths` of n + m records in random order, shape (k, runs).

    `depths` is ascending, of shape (k,). The distribution is `LeastFavourable` at epsilon and delta
    0; here steps of few records cost next to nothing.
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
    """Rank cut-offs to evaluate, if there are thresholds; ascending from 0 to n + m.

    `cuts` are FPRs or TPRs at which a statistic jumps.
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
    """The function x log x of whole numbers up to `largest`, tabulated if not too many."""
    if largest > TABULATED:
        return lambda x: np.asarray(xlogy(x, x))
    x = np.arange(largest + 1)
    return np.asarray(xlogy(x, x)).__getitem__


def deviance(counts: Counts, depths: Counts, n: int, m: int, of: Function) -> FloatArray:
    """Wilks's deviance (2 log likelihood ratio) of members among the first records.

    `counts` are members among the first `depths` records; `of` is `x_log_x` of n + m.
    """
    cells = of(counts) + of(depths - counts) + of(n - counts) + of(m - depths + counts)
    return np.asarray(2 * (cells - (of(depths) + of(n + m - depths) + (of(n) + of(m) - of(n + m)))))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PermutedCurves(ThresholdCounts):
    """Attack curves of permuted labels at common thresholds, and their statistics.

    Counts have shape (k, runs), nondecreasing from 0 to all records of the class.
    """

    delta: float
    clip: float | None
    fpr_at: float  # the FPR at which `tpr_at_fpr` reads the curve

    @cached_property
    def _in_direction(self) -> tuple[FloatArray, FloatArray]:
        """m1 and m2; inf where no error is seen."""
        return self._ratio(self.tpr, self.fpr), self._ratio(self.tnr, self.fnr)

    def epsilon_star(self) -> FloatArray:
        """The empirical Epsilon*; nan where no threshold survives the clip."""
        ratios = np.maximum(*self._in_direction)
        for top, bottom in ((self.fnr, self.tnr), (self.fpr, self.tpr)):
            np.maximum(ratios, self._ratio(top, bottom), out=ratios)
        if self.clip is None:
            return np.asarray(np.log(np.maximum(ratios.max(axis=0), 1.0)))
        survive = self.survive(self.clip)
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
        last = (self.fpr <= self.fpr_at).sum(axis=0) - 1
        return np.asarray(np.take_along_axis(self.tpr, last[None], axis=0)[0])

    def _ratio(self, top: FloatArray, bottom: FloatArray) -> FloatArray:
        """(top - delta) / bottom; 0 where nothing is above."""
        above = top - self.delta
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(above > 0, above / bottom, 0.0)


STATISTICS: dict[str, Callable[[PermutedCurves], FloatArray]] = {
    "epsilon_star": PermutedCurves.epsilon_star,
    "raw_epsilon": PermutedCurves.raw_epsilon,
    "advantage": PermutedCurves.advantage,
    "auc": PermutedCurves.auc,
    "tpr_at_fpr": PermutedCurves.tpr_at_fpr,
}
