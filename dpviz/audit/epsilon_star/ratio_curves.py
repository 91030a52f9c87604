"""The four log ratios of Epsilon* at each threshold, as curves over the FPR."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import empirical_suprema
from dpviz.audit.epsilon_star.fits import (
    Components,
    FittedLaws,
    Transform,
    TransformedScores,
    fit_laws,
)
from dpviz.audit.epsilon_star.given_laws import surviving_window
from dpviz.audit.epsilon_star.result import METHODS, Clip, Method, resolved_clip
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.roc.threshold_search import threshold_blocks
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray
from dpviz.theory.region import implied_epsilons

Places = tuple[tuple[float, float], ...]  # vertices as pairs (FPR, FNR)
VERTICES = 500  # of a curve, before those at the maxima are added
FITTED_DECADES = 9.0  # fitted curves run from FPR 1e-9 to FPR 1 - 1e-9


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatioCurves:
    """Curves of log m1..m4 over the FPR, and the range of FPR that survives the clip.

    Parameters
    ----------
    counted : tuple of four ndarray, shape (k, 2)
        From the counts. Columns FPR and log ratio; at most 512 vertices, finite, FPR nondecreasing.
    fitted : tuple of four ndarray, shape (k, 2), or None
        From the fitted distributions, over their own FPR; None for the empirical method.
    window : tuple of float
        Smallest and largest FPR of a threshold that survives the clip; nan when none does.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> curves = audit.ratio_curves(read_sample("overfitted"), delta=1e-5)
    >>> curves.counted[0].shape[1], curves.fitted is None
    (2, True)
    """

    counted: tuple[FloatArray, ...]
    fitted: tuple[FloatArray, ...] | None
    window: tuple[float, float]

    @property
    def curves(self) -> tuple[FloatArray, ...]:
        """The curves of the method: fitted ones where they exist, otherwise counted ones."""
        return self.counted if self.fitted is None else self.fitted


def ratio_curves(
    scores: Scores,
    *,
    delta: float,
    method: Method = "empirical",
    clip: Clip = "paper",
    transform: Transform = "paper",
    components: Components = "bic",
    seed: int = 0,
) -> RatioCurves:
    """The four log ratios of Epsilon* over the FPR, and the range that survives the clip.

    Parameters
    ----------
    scores, delta, method, clip, transform, components, seed : as of `epsilon_star`

    Returns
    -------
    RatioCurves

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> len(audit.ratio_curves(read_sample("overfitted"), delta=1e-5, method="normal").fitted)
    4
    """
    checks.choice("method", method, METHODS)
    delta = checks.real("delta", delta, 0, 1)
    curve, blocks = AttackCurve.from_scores(scores), threshold_blocks(scores)
    number = resolved_clip(clip, method=method, delta=delta)
    at = empirical_suprema(blocks, delta=delta, clip=number).places
    counted = counted_curves(curve, delta=delta, clip=number, at=at)
    if method == "empirical":
        return counted
    sample = TransformedScores.of(scores, transform)
    fits = fit_laws(sample, method=method, components=components, seed=seed)
    return with_fitted(counted, fits, delta=delta, clip=number)


def counted_curves(
    curve: AttackCurve, *, delta: float, clip: float | None, at: Places = ()
) -> RatioCurves:
    """The measured ratios, at thresholds dense in both tails and at the vertices in `at`."""
    seen = curve.some(_tail_dense(curve, at=at))
    logs = implied_epsilons(fpr=seen.fpr, fnr=seen.fnr, tpr=seen.tpr, tnr=seen.tnr, delta=delta)
    inside = curve.fpr[_surviving(curve, clip)]
    return RatioCurves(
        counted=finite_curves(seen.fpr, logs),
        fitted=None,
        window=(float(inside[0]), float(inside[-1])) if inside.size else (np.nan, np.nan),
    )


def with_fitted(
    counted: RatioCurves, fits: FittedLaws, *, delta: float, clip: float | None
) -> RatioCurves:
    """Measured and fitted ratios; only the measured ones without a fit."""
    if fits.pair is None:
        return counted
    fpr, fnr, tpr, tnr = fits.pair.rates(FITTED_DECADES, VERTICES)
    low, high = surviving_window(fits.pair, clip)
    ends = np.exp(fits.pair.nonmember.log_cdf(np.array([low, high])))
    logs = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
    return RatioCurves(
        counted=counted.counted,
        fitted=finite_curves(fpr, logs),
        window=(float(ends[0]), float(ends[1])) if low <= high else (np.nan, np.nan),
    )


def _surviving(curve: AttackCurve, clip: float | None) -> slice:
    """The thresholds that `ThresholdCounts.survive` keeps, found in O(log n)."""
    if clip is None:
        return slice(0, curve.fpr.size)
    start = max(np.searchsorted(rates, clip, side="right") for rates in (curve.fpr, curve.tpr))
    beyond = max(
        np.searchsorted(rates[::-1], clip, side="right") for rates in (curve.fnr, curve.tnr)
    )
    return slice(int(start), max(int(start), curve.fpr.size - int(beyond)))


def finite_curves(x: FloatArray, logs: FloatArray) -> tuple[FloatArray, ...]:
    """One curve for each column of logs, without the places where it is not finite."""
    curves = (np.column_stack([x, values])[np.isfinite(values)] for values in logs.T)
    return tuple(map(checks.read_only, curves))


def _tail_dense(curve: AttackCurve, *, at: Places) -> Counts:
    """Indices of thresholds, evenly spread in log-odds of the FPR and of the FNR."""
    last = curve.fpr.size - 1
    if last < VERTICES:
        return np.arange(last + 1)
    odds = expit(np.linspace(-1, 1, VERTICES // 2 - 2) * np.log(last))
    picked = [
        np.searchsorted(curve.fpr, odds),
        last - np.searchsorted(curve.fnr[::-1], odds),
        np.array([curve.index_of(fpr=fpr, fnr=fnr) for fpr, fnr in at], np.int64),
        np.array([0, last]),
    ]
    return np.unique(np.minimum(np.concatenate(picked), last))
