"""The four log ratios at each threshold, to be drawn over t = FPR."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import Scores
from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.curve import AttackCurve
from dpviz.audit.empirical import empirical_suprema
from dpviz.audit.fits import Components, FittedLaws, fit_laws
from dpviz.audit.parametric import surviving_window
from dpviz.audit.ratios import METHODS, Clip, Method, resolved_clip
from dpviz.audit.transform import Transform, TransformedScores
from dpviz.checks import FloatArray
from dpviz.theory.region import implied_epsilons

Places = tuple[tuple[float, float], ...]
"""Vertices as pairs (FPR, FNR)."""
VERTICES = 500
FITTED_DECADES = 9.0
"""Fitted curves run from FPR 1e-9 to FPR 1 - 1e-9."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatioCurves:
    """Curves of log m1..m4 over the FPR, and the range of FPR that survives the clip.

    Parameters
    ----------
    counted : tuple of four ndarray, shape (k, 2)
        From the counts. Columns FPR and log ratio; at most 512 vertices, finite, FPR nondecreasing.
    fitted : tuple of four ndarray, shape (k, 2), or None
        The same of the fitted laws, over their own FPR; None for the empirical method.
    window : tuple of float
        Smallest and largest FPR of a threshold that survives the clip, under the method; nan when
        none does.
    """

    counted: tuple[FloatArray, ...]
    fitted: tuple[FloatArray, ...] | None
    window: tuple[float, float]

    @property
    def curves(self) -> tuple[FloatArray, ...]:
        """Those of the method: fitted where laws were fitted, else counted."""
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
    """The four ratio curves of these scores; arguments and errors as in `epsilon_star`."""
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
    """The ratios of the counts, at thresholds dense in both tails and at the vertices in `at`."""
    shown = _tail_dense(curve, at=at)
    tp, fp = curve.true_positives[shown], curve.false_positives[shown]
    n, m = curve.n_members, curve.n_nonmembers
    logs = implied_epsilons(fpr=fp / m, fnr=(n - tp) / n, tpr=tp / n, tnr=(m - fp) / m, delta=delta)
    inside = curve.fpr[_surviving(curve, clip)]
    return RatioCurves(
        counted=_finite_curves(fp / m, logs),
        fitted=None,
        window=(float(inside[0]), float(inside[-1])) if inside.size else (np.nan, np.nan),
    )


def with_fitted(
    counted: RatioCurves, fits: FittedLaws, *, delta: float, clip: float | None
) -> RatioCurves:
    """The ratios of the fitted laws beside those of the counts; only the latter without a fit."""
    if fits.pair is None:
        return counted
    fpr, fnr, tpr, tnr = fits.pair.rates(FITTED_DECADES, VERTICES)
    low, high = surviving_window(fits.pair, clip)
    ends = np.exp(fits.pair.nonmember.log_cdf(np.array([low, high])))
    logs = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
    return RatioCurves(
        counted=counted.counted,
        fitted=_finite_curves(fpr, logs),
        window=(float(ends[0]), float(ends[1])) if low <= high else (np.nan, np.nan),
    )


def _surviving(curve: AttackCurve, clip: float | None) -> slice:
    """The thresholds whose FPR and FNR are both strictly inside (clip, 1 - clip)."""
    if clip is None:
        return slice(0, curve.fpr.size)
    # Rates and complements alike, not 1 - clip, whose rounding would treat the ends differently.
    start = max(np.searchsorted(rates, clip, side="right") for rates in (curve.fpr, curve.tpr))
    beyond = max(
        np.searchsorted(rates[::-1], clip, side="right") for rates in (curve.fnr, curve.tnr)
    )
    return slice(int(start), max(int(start), curve.fpr.size - int(beyond)))


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
