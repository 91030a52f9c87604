"""The ROC curve of a threshold attack on a sample: counts and rates at thresholds.

The attack flags a record as a member when its score is at least the threshold.
"""

import heapq
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.audit.scores.base import LARGEST_COUNT, Counts, OrderedSample, ScoreKind, negated_if_loss
from dpviz.checks import FloatArray
from dpviz.theory.region import implied_epsilons
from dpviz.value_object import ValueObject

DRAWING_ERROR = 5e-4  # of a drawn polyline's FNR at any FPR, and of its FPR at any FNR
PPV_WEIGHT, LOWEST_FPR_OF_PPV = 0.3, 5e-4  # of an error of PPV beside one of a rate, from there on
Count = TypeVar("Count", int, Counts)
Rate = TypeVar("Rate", float, FloatArray)


class RatesOfCounts(Generic[Count, Rate]):
    """The error counts and rates of an attack, at one threshold or as arrays by threshold."""

    false_positives: Any
    true_positives: Any
    n_nonmembers: int
    n_members: int

    @cached_property
    def false_negatives(self) -> Count:
        """The number of members that are not flagged."""
        return cast(Count, self.n_members - self.true_positives)

    @cached_property
    def true_negatives(self) -> Count:
        """The number of non-members that are not flagged."""
        return cast(Count, self.n_nonmembers - self.false_positives)

    @cached_property
    def fpr(self) -> Rate:
        """The false positive rate: the fraction of the sample's non-members that are flagged."""
        return cast(Rate, self.false_positives / self.n_nonmembers)

    @cached_property
    def tpr(self) -> Rate:
        """The true positive rate: the fraction of the sample's members that are flagged."""
        return cast(Rate, self.true_positives / self.n_members)

    @cached_property
    def fnr(self) -> Rate:
        """The false negative rate: the fraction of the sample's members that are not flagged."""
        return cast(Rate, (self.n_members - self.true_positives) / self.n_members)

    @cached_property
    def tnr(self) -> Rate:
        """The true negative rate: the fraction of the sample's non-members that are not flagged."""
        return cast(Rate, (self.n_nonmembers - self.false_positives) / self.n_nonmembers)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OperatingPoint(RatesOfCounts[int, float], ValueObject):
    """The errors of an attack that flags all records with ``score >= threshold``.

    Its rates on the sample, each in [0, 1], are `fpr`, `fnr`, `tpr` and `tnr`.

    Parameters
    ----------
    threshold : float
    false_positives, true_positives : int, non-members, respectively members, that are flagged
    n_nonmembers, n_members : int
    kind : {"score", "loss"}

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=[1, 2, 3, 4], nonmember=[0, 1, 1, 2])
    >>> point = audit.AttackCurve.from_scores(scores).at_fpr(0.3)
    >>> point.threshold, point.fpr, point.tpr
    (2.0, 0.25, 0.75)
    """

    threshold: float
    false_positives: int
    true_positives: int
    n_nonmembers: int
    n_members: int
    kind: ScoreKind

    @property
    def original_threshold(self) -> float:
        """The threshold on the original scale of the scores.

        The threshold is a loss if `kind` is "loss".
        """
        return negated_if_loss(self.threshold, self.kind)

    def ppv(self, *, prior: float) -> float:
        """Return the positive predictive value, P(member | flagged).

        `prior` is P(member). The result is nan if nobody is flagged.
        """
        prior = checks.real("prior", prior, 0, 1, closed="neither")
        right, wrong = prior * self.tpr, (1 - prior) * self.fpr
        return right / (right + wrong) if right + wrong > 0 else float("nan")

    def npv(self, *, prior: float) -> float:
        """Return the negative predictive value, P(non-member | not flagged).

        `prior` is P(member). The result is nan if everybody is flagged.
        """
        prior = checks.real("prior", prior, 0, 1, closed="neither")
        right, wrong = (1 - prior) * self.tnr, prior * self.fnr
        return right / (right + wrong) if right + wrong > 0 else float("nan")

    def accuracy(self, *, prior: float) -> float:
        """Return the share of right answers if a record is a member with probability `prior`."""
        prior = checks.real("prior", prior, 0, 1, closed="neither")
        return prior * self.tpr + (1 - prior) * self.tnr

    def f1(self, *, prior: float) -> float:
        """Return the harmonic mean of the positive predictive value and the true positive rate."""
        prior = checks.real("prior", prior, 0, 1, closed="neither")
        return 2 * prior * self.tpr / (prior * self.tpr + (1 - prior) * self.fpr + prior)


@dataclass(frozen=True)
class RateBox:
    """Joint confidence limits of the true FPR and the true FNR at one threshold."""

    fpr_low: float
    fpr_high: float
    fnr_low: float
    fnr_high: float
    confidence_level: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ThresholdCounts(RatesOfCounts[Counts, FloatArray]):
    """The numbers of non-members and of members with a score of at least each threshold."""

    thresholds: FloatArray  # shape (k,), descending
    false_positives: Counts  # shape (k,), or (k, runs) in simulations; nondecreasing in k
    true_positives: Counts
    n_nonmembers: int
    n_members: int

    @classmethod
    def of(
        cls, at: FloatArray, *, members: OrderedSample, nonmembers: OrderedSample, **fields: Any
    ) -> Self:
        """Return counts of scores >= the descending thresholds `at`, with a subclass's `fields`."""
        return cls(
            thresholds=checks.read_only(at),
            false_positives=checks.read_only(nonmembers.count_at_least(at)),
            true_positives=checks.read_only(members.count_at_least(at)),
            n_nonmembers=nonmembers.size,
            n_members=members.size,
            **fields,
        )

    @classmethod
    def from_infinity(cls, thresholds: FloatArray, **samples_and_fields: Any) -> Self:
        """Count scores as `of` does, with an additional first threshold, inf, that flags nobody."""
        counts = cls.of(np.concatenate([[np.nan], thresholds]), **samples_and_fields)
        # NaN sorts above all scores, even above an infinite one.
        return replace(counts, thresholds=np.concatenate([[np.inf], thresholds]))

    def select(self, chosen: Counts | slice) -> Self:
        """Return the counts at the thresholds with these indices."""
        names = ("thresholds", "false_positives", "true_positives")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    @property
    def rates(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The TPR, FPR, TNR and FNR at each threshold."""
        return self.tpr, self.fpr, self.tnr, self.fnr

    def log_ratios(self, delta: float) -> FloatArray:
        """Return the four log ratios of Epsilon* at each threshold; see `implied_epsilons`."""
        return implied_epsilons(fpr=self.fpr, fnr=self.fnr, tpr=self.tpr, tnr=self.tnr, delta=delta)

    def survives_clip(self, clip: float | None) -> NDArray[np.bool_]:
        """Return for each threshold whether FPR and FNR exceed `clip` and are below 1 - clip."""
        if clip is None:
            return np.ones(self.false_positives.shape, np.bool_)
        # All rates exceed the clip; comparing with 1 - clip would depend on its rounding.
        smallest = np.minimum(np.minimum(self.tpr, self.fpr), np.minimum(self.tnr, self.fnr))
        return np.asarray(smallest > clip)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackCurve(ValueObject, ThresholdCounts):
    """The counts at every distinct threshold, from "flag nobody" to "flag everybody".

    Tied scores share a threshold. A measured curve is no :class:`~dpviz.theory.TradeoffFunction`.

    Parameters
    ----------
    thresholds : ndarray, shape (k + 1,), ``inf`` (nobody), then the distinct scores, descending
    false_positives, true_positives : ndarray of int, shape (k + 1,), with ``score >= threshold``
    n_nonmembers, n_members : int, sample sizes
    kind : {"score", "loss"}, the original scale of the numbers

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> curve = audit.AttackCurve.from_scores(AttackScores(member=[2, 3], nonmember=[1, 2]))
    >>> curve.fpr, curve.tpr
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """

    one_row_each = ("thresholds", "false_positives", "true_positives")
    kind: ScoreKind

    @classmethod
    def from_scores(cls, scores: ScoresLike) -> "AttackCurve":
        """Return the curve of a sample of scores.

        The curve has the counts at every distinct score. The computation takes O(n log n) time.
        """
        scores = as_scores("scores", scores)
        classes = {"members": scores.members, "nonmembers": scores.nonmembers}
        return cls.from_infinity(scores.distinct_scores()[::-1], **classes, kind=scores.kind)

    @cached_property
    def hull_indices(self) -> Counts:
        """The indices of the corners of the upper concave hull of (FPR, TPR)."""
        return _hull_corner_indices(self.false_positives, self.true_positives)

    @cached_property
    def lower_hull_indices(self) -> Counts:
        """The indices of the corners of the lower convex hull of (FPR, TPR)."""
        return _hull_corner_indices(self.true_positives, self.false_positives)

    def index_of(self, *, fpr: float, fnr: float) -> int:
        """Return the index of the vertex with exactly these rates."""
        # Each rate alone may belong to several vertices; the first one with both is meant.
        from_fpr = int(np.searchsorted(self.fpr, fpr, side="left"))
        from_fnr = self.fnr.size - int(np.searchsorted(self.fnr[::-1], fnr, side="right"))
        return max(from_fpr, from_fnr)

    def point(self, index: int) -> OperatingPoint:
        """Return the operating point at the threshold with this index."""
        return OperatingPoint(
            threshold=float(self.thresholds[index]),
            false_positives=int(self.false_positives[index]),
            true_positives=int(self.true_positives[index]),
            n_nonmembers=self.n_nonmembers,
            n_members=self.n_members,
            kind=self.kind,
        )

    def at_fpr(self, fpr: float) -> OperatingPoint:
        """Return the point with the largest FPR <= `fpr` and, among these, the largest TPR."""
        fpr = checks.real("fpr", fpr, 0, 1)
        return self.point(int(np.searchsorted(self.fpr, fpr, side="right")) - 1)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the operating point of an attack that flags records with score >= threshold."""
        threshold = checks.real("threshold", threshold)
        n_below = int(np.searchsorted(self.thresholds[::-1], threshold, side="left"))
        return self.point(max(self.thresholds.size - n_below - 1, 0))

    def best_advantage(self) -> OperatingPoint:
        """Return the point with the largest TPR - FPR.

        The search biases this difference upwards.
        """
        return self.point(int(np.argmax(self.tpr - self.fpr)))

    def draw(self, n: int = 512, *, at: tuple[float, ...] = ()) -> FloatArray:
        """Return the vertices of a polyline close to the curve.

        There are at most `n` vertices, with columns FPR and FNR, from (0, 1) to (1, 0). Vertices
        are where the curve bends, and at the FPRs `at`; `n` must be >= 8 + len(at). If `n` is large
        enough, the polyline through the vertices has the FNR of the curve at any FPR, and its FPR
        at any FNR, within `DRAWING_ERROR`.
        """
        checks.real("n", n, 8 + len(at))
        checks.reals("at", at, 0, 1)
        last = np.searchsorted(self.fpr, at, side="right") - 1  # that does not exceed each mark
        kept = bend_indices(self.fpr, self.tpr, n=n, keep=last.tolist())
        return np.column_stack([self.fpr[kept], self.fnr[kept]])


def curve_of(scores: ScoresLike | AttackCurve) -> AttackCurve:
    """Return the attack curve of `scores`; an `AttackCurve` is returned unchanged."""
    return scores if isinstance(scores, AttackCurve) else AttackCurve.from_scores(scores)


def require_attack_curve(name: str, curve: object) -> None:
    """Raise TypeError if the argument called `name` is no `AttackCurve`."""
    checks.must_be_a(name, curve, AttackCurve, "an AttackCurve, as made by AttackCurve.from_scores")


def bend_indices(fpr: FloatArray, tpr: FloatArray, *, n: int, keep: list[int]) -> Counts:
    """Return at most `n` indices, among them `keep`, of vertices that approximate the curve."""
    last = fpr.size - 1
    if last + 1 <= n:
        return np.arange(last + 1)
    tails = np.unique(np.geomspace(1, last, min(24, (n - 2 - len(keep)) // 2)).astype(np.int64))
    kept = np.unique(np.concatenate([[0, last], tails, last - tails, np.array(keep, np.int64)]))
    # At a prior of 1/2, PPV = TPR / (TPR + FPR): its change for a change of TPR.
    slope = np.divide(fpr, (tpr + fpr) ** 2, out=0 * fpr, where=fpr >= LOWEST_FPR_OF_PPV)

    def piece(start: int, end: int) -> tuple[float, int, int, int]:
        """Return (minus the error of the chord, start, the vertex farthest from the chord, end)."""
        run, rise = fpr[end] - fpr[start], tpr[end] - tpr[start]
        if end - start < 2 or run == 0 or rise == 0:
            return 0.0, start, start, end
        inside = slice(start, end)
        off = np.abs((tpr[inside] - tpr[start]) * run - (fpr[inside] - fpr[start]) * rise)
        # Vertically the chord is off by off / run, horizontally by off / rise.
        off *= np.maximum(1 / min(run, rise), slope[inside] * (PPV_WEIGHT / run))
        farthest = int(off.argmax())
        return -float(off[farthest]), start, start + farthest, end

    # Split the piece with the largest error first; a sorted list is a heap.
    pieces = sorted(piece(start, end) for start, end in pairwise(kept.tolist()))
    while len(pieces) < n - 1 and -pieces[0][0] > DRAWING_ERROR:
        _, _, farthest, end = heapq.heapreplace(pieces, piece(*pieces[0][1:3]))
        heapq.heappush(pieces, piece(farthest, end))
    return np.array(sorted([start for _, start, _, _ in pieces] + [last]), np.int64)


def _hull_corner_indices(x: NDArray[Any], y: NDArray[Any]) -> Counts:
    """Return indices of the corners of the upper concave hull of a nondecreasing staircase."""
    if int(x[-1]) * int(y[-1]) > LARGEST_COUNT:  # products of counts would overflow
        x, y = x.astype(np.float64), y.astype(np.float64)
    kept = np.arange(x.size)
    while kept.size > 2:
        run, rise = np.diff(x[kept]), np.diff(y[kept])
        # Below or on the line between its neighbours: no corner, whatever the others are.
        inside = rise[:-1] * run[1:] <= rise[1:] * run[:-1]
        if not inside.any():
            break
        kept = kept[np.concatenate([[True], ~inside, [True]])]
    return checks.read_only(kept)
