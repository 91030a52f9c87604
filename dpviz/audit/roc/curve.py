"""What a threshold attack reached on a sample: counts at every distinct threshold."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.ascending import LARGEST_COUNT, Ascending, Counts
from dpviz.audit.binned_scores import Scores
from dpviz.audit.scores import ScoreKind, in_unit
from dpviz.checks import FloatArray

DRAWING_ERROR = 2.5e-4
"""Largest error of TPR - FPR along the drawn polyline; keeps the picture within 1/1000."""


@dataclass(frozen=True, kw_only=True)
class OperatingPoint:
    """What the attack reaches at one threshold; "member" is said when ``score >= threshold``."""

    threshold: float
    false_positives: int
    true_positives: int
    n_nonmembers: int
    n_members: int
    kind: ScoreKind

    @property
    def threshold_in_unit(self) -> float:
        """The threshold in the unit the numbers came in: a loss where losses came in."""
        return in_unit(self.threshold, self.kind)

    @property
    def fpr(self) -> float:
        """Realised false positive rate, in [0, 1]."""
        return self.false_positives / self.n_nonmembers

    @property
    def tpr(self) -> float:
        """True positive rate, in [0, 1]."""
        return self.true_positives / self.n_members

    @property
    def fnr(self) -> float:
        """False negative rate, in [0, 1], from the count of missed members."""
        return (self.n_members - self.true_positives) / self.n_members

    @property
    def tnr(self) -> float:
        """True negative rate, in [0, 1], from the count of spared non-members."""
        return (self.n_nonmembers - self.false_positives) / self.n_nonmembers

    def ppv(self, *, prior: float) -> float:
        """Share of right "member" answers if a record is a member with probability `prior`.

        ``nan`` when the attack never says "member" at this threshold.
        """
        prior = checks.real("prior", prior, 0, 1, closed="neither")
        right = prior * self.tpr
        wrong = (1 - prior) * self.fpr
        return right / (right + wrong) if right + wrong > 0 else float("nan")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackCurve:
    """Counts at every distinct threshold, from "nobody is a member" to "everybody is".

    Measured, hence not a :class:`~dpviz.theory.TradeoffFunction`: no function of guarantees takes
    it. Tied scores share a threshold; ties are never broken.

    Parameters
    ----------
    thresholds : ndarray, shape (k + 1,)
        ``inf`` (nobody), then the k distinct pooled scores in descending order.
    false_positives, true_positives : ndarray of int, shape (k + 1,)
        Non-members, respectively members, with ``score >= threshold``; nondecreasing.
    n_nonmembers, n_members : int
        Sample sizes.
    kind : {"score", "loss"}
        The unit the numbers came in.
    """

    thresholds: FloatArray
    false_positives: Counts
    true_positives: Counts
    n_nonmembers: int
    n_members: int
    kind: ScoreKind

    @classmethod
    def from_scores(cls, scores: Scores) -> "AttackCurve":
        """Count every distinct threshold; O(n log n)."""
        distinct = scores.distinct()
        thresholds = np.concatenate([[np.inf], distinct[::-1]])
        return cls(
            thresholds=checks.read_only(thresholds),
            false_positives=_at_least(scores.nonmembers, distinct),
            true_positives=_at_least(scores.members, distinct),
            n_nonmembers=scores.n_nonmembers,
            n_members=scores.n_members,
            kind=scores.kind,
        )

    @cached_property
    def false_negatives(self) -> Counts:
        """Members with ``score < threshold``; nonincreasing."""
        return self.n_members - self.true_positives

    @cached_property
    def true_negatives(self) -> Counts:
        """Non-members with ``score < threshold``; nonincreasing."""
        return self.n_nonmembers - self.false_positives

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rates, nondecreasing from 0 to 1."""
        return self.false_positives / self.n_nonmembers

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rates, nondecreasing from 0 to 1."""
        return self.true_positives / self.n_members

    @cached_property
    def fnr(self) -> FloatArray:
        """False negative rates, nonincreasing from 1 to 0."""
        return self.false_negatives / self.n_members

    @cached_property
    def tnr(self) -> FloatArray:
        """True negative rates, nonincreasing from 1 to 0."""
        return self.true_negatives / self.n_nonmembers

    @cached_property
    def hull(self) -> Counts:
        """Indices of the corners of the upper concave hull of (FPR, TPR), first and last included.

        What an attacker reaches who may choose at random between two thresholds.
        """
        return _corners(self.false_positives, self.true_positives)

    @cached_property
    def far_hull(self) -> Counts:
        """Indices of the corners of the lower convex hull: the hull of the reversed attack."""
        return _corners(self.true_positives, self.false_positives)

    def index_of(self, *, fpr: float, fnr: float) -> int:
        """Position of the vertex with exactly these rates."""
        from_fpr = int(np.searchsorted(self.fpr, fpr, side="left"))
        from_fnr = self.fnr.size - int(np.searchsorted(self.fnr[::-1], fnr, side="right"))
        return max(from_fpr, from_fnr)

    def point(self, index: int) -> OperatingPoint:
        """The operating point at position `index` of the arrays."""
        return OperatingPoint(
            threshold=float(self.thresholds[index]),
            false_positives=int(self.false_positives[index]),
            true_positives=int(self.true_positives[index]),
            n_nonmembers=self.n_nonmembers,
            n_members=self.n_members,
            kind=self.kind,
        )

    def at_fpr(self, fpr: float) -> OperatingPoint:
        """The vertex with the largest realised FPR <= `fpr` (and the largest TPR there)."""
        fpr = checks.real("fpr", fpr, 0, 1)
        return self.point(int(np.searchsorted(self.fpr, fpr, side="right")) - 1)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """The attack that says "member" when ``score >= threshold``; any real number."""
        threshold = checks.real("threshold", threshold)
        n_below = int(np.searchsorted(self.thresholds[::-1], threshold, side="left"))
        return self.point(max(self.thresholds.size - n_below - 1, 0))

    def best_advantage(self) -> OperatingPoint:
        """Where TPR - FPR is largest on this sample: an estimate, biased up by the search."""
        return self.point(int(np.argmax(self.tpr - self.fpr)))

    def draw(self, n: int = 512, *, at: tuple[float, ...] = ()) -> FloatArray:
        """At most `n` vertices, shape (k, 2), columns FPR and FNR, from (0, 1) to (1, 0).

        Vertices of the exact polyline, chosen where it bends; those at the FPRs in `at` are always
        among them. The polyline through them stays within `DRAWING_ERROR` of the exact one unless
        that needs more than `n` vertices.

        Raises
        ------
        ValueError
            If `n` is below 8 + len(at), or an FPR leaves [0, 1].
        """
        checks.real("n", n, 8 + len(at))
        checks.reals("at", at, 0, 1)
        marked = [int(np.searchsorted(self.fpr, fpr, side="right")) - 1 for fpr in at]
        kept = bending_vertices(self.fpr, self.tpr, n=n, keep=marked)
        return np.column_stack([self.fpr[kept], self.fnr[kept]])


def curve_of(scores: Scores | AttackCurve) -> AttackCurve:
    """The curve of some scores; a curve is what it is."""
    return scores if isinstance(scores, AttackCurve) else AttackCurve.from_scores(scores)


def _at_least(sample: Ascending, distinct: FloatArray) -> Counts:
    """How many records are >= each of: infinity, then `distinct` from above."""
    counts = np.concatenate([[0], sample.at_least(distinct)[::-1]])
    return checks.read_only(counts.astype(np.int64))


def _corners(x: Counts, y: Counts) -> Counts:
    """Indices of the corners of the upper concave hull of a nondecreasing staircase."""
    if int(x[-1]) * int(y[-1]) > LARGEST_COUNT:
        return _corners_of(x.astype(np.float64), y.astype(np.float64))
    return _corners_of(x, y)


def _corners_of(x: NDArray[Any], y: NDArray[Any]) -> Counts:
    """The same, where the areas that are compared fit into the type."""
    kept = np.arange(x.size)
    while kept.size > 2:
        run, rise = np.diff(x[kept]), np.diff(y[kept])
        # Below or on the line between its neighbours: no corner, whatever the others are.
        inside = rise[:-1] * run[1:] <= rise[1:] * run[:-1]
        if not inside.any():
            break
        kept = kept[np.concatenate([[True], ~inside, [True]])]
    return checks.read_only(kept)


def bending_vertices(fpr: FloatArray, tpr: FloatArray, *, n: int, keep: list[int]) -> Counts:
    """Indices of at most `n` vertices: ends, tails, `keep`, then the worst-drawn ones, halving."""
    last = fpr.size - 1
    if last + 1 <= n:
        return np.arange(last + 1)
    # Along tpr + fpr (strictly increasing) the height tpr - fpr is a function, vertical runs too.
    along, height = tpr + fpr, tpr - fpr
    depths = np.unique(np.geomspace(1, last, min(24, (n - 2 - len(keep)) // 2)).astype(np.int64))
    kept = np.unique(np.concatenate([[0, last], depths, last - depths, np.array(keep, np.int64)]))
    while True:
        error = np.abs(height - np.interp(along, along[kept], height[kept]))
        worst = np.maximum.reduceat(error, kept[:-1])
        split = np.flatnonzero(worst > DRAWING_ERROR)
        split = split[np.argsort(worst[split])[::-1]][: n - kept.size]
        if split.size == 0:
            return kept
        new = [kept[i] + int(np.argmax(error[kept[i] : kept[i + 1]])) for i in split]
        kept = np.unique(np.concatenate([kept, np.array(new, np.int64)]))
