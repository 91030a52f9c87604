"""The four log ratios at each threshold, to be drawn over t = FPR."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr, ndtri

from dpviz import checks
from dpviz.audit.curve import AttackCurve, Counts
from dpviz.audit.empirical import empirical_epsilon_star, surviving
from dpviz.audit.normal import NormalFits, fit_normals, surviving_window
from dpviz.audit.ratios import METHODS, Clip, Method, resolved_clip
from dpviz.audit.scores import AttackScores
from dpviz.checks import FloatArray
from dpviz.theory.region import implied_epsilons

Places = tuple[tuple[float, float], ...]
"""Vertices as pairs (FPR, FNR)."""
VERTICES = 500
FITTED_DECADES = 9.0
"""Fitted curves run from FPR 1e-9 to FPR 1 - 1e-9."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RatioCurves:
    """Curves of log m1..m4 over the FPR, and the range of FPR that survives the clip.

    Parameters
    ----------
    curves : tuple of four ndarray, shape (k, 2)
        Columns FPR and log ratio; at most 512 vertices, finite, FPR nondecreasing.
    window : tuple of float
        Smallest and largest FPR of a threshold that survives the clip; nan when none does.
    """

    curves: tuple[FloatArray, ...]
    window: tuple[float, float]


def ratio_curves(
    scores: AttackScores, *, delta: float, method: Method = "empirical", clip: Clip = "paper"
) -> RatioCurves:
    """The four ratio curves of these scores; arguments and errors as in `epsilon_star`."""
    checks.choice("method", method, METHODS)
    if method == "empirical":
        curve = AttackCurve.from_scores(scores)
        star = empirical_epsilon_star(curve, delta=delta, clip=clip)
        return empirical_ratio_curves(curve, delta=delta, clip=clip, at=star.suprema.places)
    return normal_ratio_curves(fit_normals(scores), delta=delta, clip=clip)


def empirical_ratio_curves(
    curve: AttackCurve, *, delta: float, clip: Clip = "paper", at: Places = ()
) -> RatioCurves:
    """The ratios of the counts, at thresholds dense in both tails and at the vertices in `at`."""
    delta = checks.real("delta", delta, 0, 1)
    shown = _tail_dense(curve, at=at)
    tp, fp = curve.true_positives[shown], curve.false_positives[shown]
    n, m = curve.n_members, curve.n_nonmembers
    logs = implied_epsilons(fpr=fp / m, fnr=(n - tp) / n, tpr=tp / n, tnr=(m - fp) / m, delta=delta)
    window = surviving(curve, resolved_clip(clip, method="empirical", delta=delta))
    inside = curve.fpr[window]
    return RatioCurves(
        curves=_finite_curves(fp / m, logs),
        window=(float(inside[0]), float(inside[-1])) if inside.size else (np.nan, np.nan),
    )


def normal_ratio_curves(fits: NormalFits, *, delta: float, clip: Clip = "paper") -> RatioCurves:
    """The ratios of the fitted laws; no vertices where a sample has no spread to fit."""
    delta = checks.real("delta", delta, 0, 1)
    if fits.member is None or fits.nonmember is None:
        return RatioCurves(curves=(np.empty((0, 2)),) * 4, window=(np.nan, np.nan))
    p, q = fits.nonmember, fits.member
    odds = np.linspace(-FITTED_DECADES, FITTED_DECADES, VERTICES) * np.log(10)
    fpr, tnr = expit(odds), expit(-odds)
    x = p.mean + p.sd * np.where(odds < 0, ndtri(fpr), -ndtri(tnr))
    z = (x - q.mean) / q.sd
    logs = implied_epsilons(fpr=fpr, fnr=ndtr(-z), tpr=ndtr(z), tnr=tnr, delta=delta)
    number = resolved_clip(clip, method="normal", delta=delta)
    low, high = surviving_window(p, q, number)
    ends = ndtr((np.array([low, high]) - p.mean) / p.sd)
    return RatioCurves(
        curves=_finite_curves(fpr, logs),
        window=(float(ends[0]), float(ends[1])) if low <= high else (np.nan, np.nan),
    )


def _finite_curves(fpr: FloatArray, logs: FloatArray) -> tuple[FloatArray, ...]:
    curves = []
    for values in logs.T:
        finite = np.isfinite(values)
        curves.append(checks.read_only(np.column_stack([fpr[finite], values[finite]])))
    return tuple(curves)


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
