"""The four log ratios of Epsilon* as functions of the FPR, and Epsilon* on a grid of FPRs.

Theorem 2 of the paper needs fixed FPRs t1, ..., tk, the same for every model. The thresholds of a
sample have only some FPRs: for an FPR between those of two thresholds, the attack chooses one of
them at random, so the FNR is on the straight line between theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import Clip, Method, empirical_suprema, resolved_clip
from dpviz.audit.epsilon_star.fits import (
    Components,
    FittedLaws,
    Transform,
    TransformedLosses,
    fit_laws,
)
from dpviz.audit.epsilon_star.suprema import threshold_range_inside_clip
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.roc.threshold_search import score_blocks
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray, Rng, read_only
from dpviz.theory.region import implied_epsilons
from dpviz.value_object import ValueObject

Vertices = tuple[tuple[float, float], ...]  # pairs (FPR, FNR)
VERTICES = 500  # of a measured curve, before the maxima are added
MOST_FPRS = 10_000  # on a grid
FPR_GRID = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatioCurves(ValueObject):
    """The four log ratios of Epsilon*, m1 to m4, as functions of the FPR.

    Parameters
    ----------
    counted : tuple of four ndarray, shape (k, 2), FPR and log ratio; at most 512 vertices, finite
    fitted : tuple of four ndarray, shape (k, 2), or None, the same for the fitted distributions
    window : tuple of float, smallest and largest FPR that survives the clip; nan if none does

    Examples
    --------
    >>> from dpviz import read_sample
    >>> from dpviz.audit.epsilon_star import ratio_curves
    >>> ratio_curves(read_sample("overfitted"), delta=1e-5).counted[0].shape[1]
    2
    """

    counted: tuple[FloatArray, ...]
    fitted: tuple[FloatArray, ...] | None
    window: tuple[float, float]

    @property
    def curves(self) -> tuple[FloatArray, ...]:
        """The curves of the fitted distributions or, without fits, the curves of measured rates."""
        return self.counted if self.fitted is None else self.fitted


def ratio_curves(
    scores: ScoresLike,
    *,
    delta: float,
    method: Method = "empirical",
    clip: Clip = "paper",
    transform: Transform = "paper",
    components: Components = "bic",
    rng: Rng = 0,
) -> RatioCurves:
    """Return the four log ratios of Epsilon* as functions of the FPR.

    The result also has the range of FPRs inside the clip.

    Parameters
    ----------
    scores, delta, method, clip, transform, components, rng : as of `epsilon_star`

    Examples
    --------
    >>> from dpviz import read_sample
    >>> from dpviz.audit.epsilon_star import ratio_curves
    >>> len(ratio_curves(read_sample("overfitted"), delta=1e-5, method="normal").fitted)
    4
    """
    delta = checks.real("delta", delta, 0, 1)
    curve, blocks = AttackCurve.from_scores(scores), score_blocks(scores)
    number = resolved_clip(clip, method=method, delta=delta)
    at = empirical_suprema(blocks, delta=delta, clip=number).rates_at_maxima
    counted = measured_ratio_curves(curve, delta=delta, clip=number, also_at=at)
    if method == "empirical":
        return counted
    sample = TransformedLosses.of(scores, transform)
    fits = fit_laws(sample, method=method, components=components, seed=checks.seed(rng))
    return add_fitted_curves(counted, fits, delta=delta, clip=number)


def measured_ratio_curves(
    curve: AttackCurve, *, delta: float, clip: float | None, also_at: Vertices = ()
) -> RatioCurves:
    """Return measured log ratios at tail-dense thresholds and at the (FPR, FNR) pairs `also_at`."""
    counts = curve.select(_tail_dense_indices(curve, also_at=also_at))
    inside = curve.fpr[_slice_inside_clip(curve, clip)]
    window = (float(inside[0]), float(inside[-1])) if inside.size else (np.nan, np.nan)
    counted = curves_of_finite_points(counts.fpr, counts.log_ratios(delta))
    return RatioCurves(counted=counted, fitted=None, window=window)


def add_fitted_curves(
    measured: RatioCurves, fits: FittedLaws, *, delta: float, clip: float | None
) -> RatioCurves:
    """Return `measured` with the curves of fitted distributions, if any could be fitted."""
    if fits.pair is None:
        return measured
    fpr, fnr, tpr, tnr = fits.pair.curve_rates
    low, high = threshold_range_inside_clip(fits.pair, clip)
    ends = np.exp(fits.pair.nonmember.log_cdf(np.array([low, high])))
    logs = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
    window = (float(ends[0]), float(ends[1])) if low <= high else (np.nan, np.nan)
    return replace(measured, fitted=curves_of_finite_points(fpr, logs), window=window)


def _slice_inside_clip(curve: AttackCurve, clip: float | None) -> slice:
    """Return the slice of thresholds with FPR and FNR inside (clip, 1 - clip); O(log n)."""
    if clip is None:
        return slice(0, curve.fpr.size)
    # All four rates are monotone along the thresholds: binary searches from either end.
    rates = (curve.fpr, curve.tpr, curve.fnr[::-1], curve.tnr[::-1])
    at_most = [int(np.searchsorted(ascending, clip, side="right")) for ascending in rates]
    start, beyond = max(at_most[:2]), max(at_most[2:])
    return slice(start, max(start, curve.fpr.size - beyond))


def curves_of_finite_points(x: FloatArray, log_ratios: FloatArray) -> tuple[FloatArray, ...]:
    """Return a curve against `x` for each column of `log_ratios`, from its finite points."""
    curves = (np.column_stack([x, values])[np.isfinite(values)] for values in log_ratios.T)
    return tuple(map(checks.read_only, curves))


def _tail_dense_indices(curve: AttackCurve, *, also_at: Vertices) -> Counts:
    """Return indices of the vertices `also_at`, and of vertices evenly spaced in log-odds."""
    last = curve.fpr.size - 1
    if last < VERTICES:
        return np.arange(last + 1)
    odds = expit(np.linspace(-1, 1, VERTICES // 2 - 2) * np.log(last))
    chosen = [
        np.searchsorted(curve.fpr, odds),
        last - np.searchsorted(curve.fnr[::-1], odds),
        np.array([curve.index_of(fpr=fpr, fnr=fnr) for fpr, fnr in also_at], np.int64),
        np.array([0, last]),
    ]
    return np.unique(np.minimum(np.concatenate(chosen), last))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GridEpsilonStar(ValueObject):
    """Epsilon* over a grid of FPRs: an estimate, not a bound.

    Parameters
    ----------
    grid, fnr : ndarray, shape (k,), the FPRs t1 < ... < tk, and the FNR at each
    log_ratios : ndarray, shape (k, 4), log m1..m4 at each
    value : float, the largest of `log_ratios`, or 0; infinite if a denominator is 0

    Examples
    --------
    >>> from dpviz import read_sample
    >>> from dpviz.audit.epsilon_star import epsilon_star_on_grid
    >>> epsilon_star_on_grid(read_sample("gamma"), delta=1e-5, grid=[0.1, 0.5]).log_ratios.shape
    (2, 4)
    """

    grid: FloatArray
    fnr: FloatArray
    log_ratios: FloatArray
    value: float


def epsilon_star_on_grid(
    scores: ScoresLike, *, delta: float, grid: ArrayLike | Sequence[float] = FPR_GRID
) -> GridEpsilonStar:
    """Return an estimate of Epsilon* from the error rates on a grid of FPRs.

    There is no clip: extreme rates are not left out.

    Source: equation 7 of the paper on Epsilon*, see `epsilon_star`.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    grid : sequence of float, the FPRs, ascending, inside (0, 1), at most 10 000

    Examples
    --------
    >>> from dpviz import read_sample
    >>> from dpviz.audit.epsilon_star import epsilon_star_on_grid
    >>> found = epsilon_star_on_grid(read_sample("overfitted"), delta=1e-5, grid=[0.01, 0.5])
    >>> round(found.value, 2)
    0.51
    """
    delta, places = checks.real("delta", delta, 0, 1), checked_fpr_grid(grid)
    return grid_epsilon_star(places, fnr_on_grid(as_scores("scores", scores), places), delta=delta)


def checked_fpr_grid(grid: ArrayLike | Sequence[float]) -> FloatArray:
    """Return a grid of FPRs as an array; ValueError unless FPRs ascend and are inside (0, 1)."""
    fprs = checks.reals("grid", grid)
    if fprs.ndim != 1 or not 1 <= fprs.size <= MOST_FPRS:
        raise checks.fail("grid", f"FPRs of shape (k,), 1 <= k <= {MOST_FPRS}", fprs.shape)
    outside = fprs[(fprs <= 0) | (fprs >= 1)]
    if outside.size:
        raise checks.fail("grid", "inside (0, 1)", float(outside[0]))
    if np.any(np.diff(fprs) <= 0):
        raise checks.fail("grid", "in ascending order without repeats", fprs.tolist())
    return fprs


def fnr_on_grid(scores: Scores, grid: FloatArray) -> FloatArray:
    """Return the FNR at each FPR of `grid`, linearly interpolated between thresholds."""
    curve = AttackCurve.from_scores(scores)
    # Of thresholds with the same FPR the last detects the most.
    last = np.append(np.diff(curve.false_positives) > 0, True)
    missed = curve.n_members - curve.true_positives[last]
    # A random choice between two thresholds is linear interpolation in the counts.
    exact = np.interp(grid * curve.n_nonmembers, curve.false_positives[last], missed)
    return np.asarray(exact / curve.n_members)


def grid_epsilon_star(grid: FloatArray, fnr: FloatArray, *, delta: float) -> GridEpsilonStar:
    """Return Epsilon* over the FPRs of `grid`; `fnr` has the FNR at each FPR."""
    ratios = implied_epsilons(fpr=grid, fnr=fnr, delta=delta)
    value = max(0.0, float(ratios.max()))
    arrays = {"grid": read_only(grid), "fnr": read_only(fnr), "log_ratios": read_only(ratios)}
    return GridEpsilonStar(**arrays, value=value)
