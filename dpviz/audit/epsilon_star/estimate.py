"""Epsilon*: the privacy loss of one trained model instance (Negoescu et al., 2023).

For every threshold tau on the loss, with t = FPR and eta = FNR of "member if loss <= tau",

====  =============================  ===============================
m1    (1 - delta - eta) / t          too many members among the low losses
m2    (1 - delta - t) / eta          too few members among the high losses
m3    (eta - delta) / (1 - t)        too many members among the high losses
m4    (t - delta) / (1 - eta)        too few members among the low losses
====  =============================  ===============================

and ``Epsilon* = max(0, log of the largest of them over all thresholds)``. It is an **estimate**:
the maximum of noisy ratios is biased upwards when nothing leaks, and leaving out extreme rates (the
clip) caps it. It is no bound, and it ignores the sign: members with *larger* losses raise it, too.

**Counts in cells.** Inside a cell the counts are between those at its ends. A ratio
``(A - delta) / B`` whose A and B grow along the thresholds is at most
``(A at the far end - delta) / (B at the near end)`` there; with a clip, A and B are between the
smallest and the largest rate that survive it. So counts bound what rounding hides.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.fits import (
    TRANSFORMS,
    Components,
    FittedLaws,
    Transform,
    TransformedLosses,
    checked_components,
    fit_laws,
)
from dpviz.audit.epsilon_star.suprema import LawSuprema, RatioMaximum, RatioSuprema, suprema_of_laws
from dpviz.audit.roc import threshold_search
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, ThresholdCounts, curve_of
from dpviz.audit.roc.threshold_search import BinnedBlocks, LargestRatio, ScoreBlocks
from dpviz.audit.scores.attack_scores import ScoresLike
from dpviz.audit.scores.base import Counts, Scores, negated_if_loss
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import FloatArray, Rng
from dpviz.value_object import ValueObject

Method = Literal["empirical", "normal", "mixture"]
METHODS = ("empirical", "normal", "mixture")
Clip = float | Literal["paper"] | None
EMPIRICAL_PAPER_CLIP = 1e-3  # the paper's clip of counts; for the fitted forms it is delta
NO_THRESHOLD = RatioMaximum(log_ratio=-np.inf, fpr=np.nan, fnr=np.nan, threshold=np.nan)
# For other deltas the largest ratios are mostly in the same cells as for one of these.
USUAL_DELTAS = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 5e-2, 0.1, 0.2)


@dataclass(frozen=True, kw_only=True)
class Extrapolation:
    """The threshold of the largest fitted ratio, and its position relative to the data."""

    place: float  # this threshold on the transformed losses
    z_member: float  # distance of `place` from the mean of the class, in standard deviations
    z_nonmember: float
    records: float  # expected beyond `place`, in the class and the tail with the fewest
    tail: tuple[str, str]  # this class, and the end of the losses: "near" (low) or "far" (high)
    is_outside: bool  # whether `place` is outside the pooled range of the data

    @property
    def is_beyond_data(self) -> bool:
        """Whether fewer than one record is expected beyond the threshold, or none is observed."""
        return self.records < 1 or self.is_outside


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EpsilonStar(ValueObject):
    """An estimate, not a bound, of Epsilon* of one trained model.

    Parameters
    ----------
    suprema, unclipped : RatioSuprema, the largest ratios with the chosen clip, and without one
    method : {"empirical", "normal", "mixture"}
    n_members, n_nonmembers : int
    extrapolation : Extrapolation of the maximum; None without a fit or where the value is 0
    standard_error : float or None, see `LawSuprema.standard_error`; None where it does not apply
    notes : tuple of str, remarks, such as a fit that was not possible

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> star = audit.epsilon_star(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 2]), delta=0.1)
    >>> round(star.value, 3), star.active, star.suprema.clip
    (0.531, 'm1', 0.001)
    """

    suprema: RatioSuprema
    unclipped: RatioSuprema
    method: Method
    n_members: int
    n_nonmembers: int
    extrapolation: Extrapolation | None = None
    standard_error: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """Epsilon* at the chosen clip.

        If the value is nan or inf, `reason` says why.
        """
        return self.suprema.value

    @property
    def log_ratios(self) -> FloatArray:
        """The maxima of the log ratios m1 to m4 at the chosen clip.

        The array has shape (4,). The module's docstring defines the ratios.
        """
        return self.suprema.log_ratios

    @property
    def reason(self) -> str:
        """The reason why the value is inf, nan or uncertain.

        The text is empty if there is no such reason.
        """
        return self.suprema.reason

    @property
    def active(self) -> str | None:
        """The name of the largest of the ratios "m1" to "m4".

        The module's docstring defines these ratios. The result is None unless Epsilon* > 0.
        """
        return f"m{self.suprema.index_of_largest + 1}" if self.value > 0 else None

    @property
    def beyond_data(self) -> bool:
        """Whether the largest ratio lies in a fitted tail with hardly any data."""
        return self.extrapolation is not None and self.extrapolation.is_beyond_data

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields that `repr` and `to_dict` show, such as the estimate and the clip."""
        clipped = {"estimate": self.value, "clip": self.suprema.clip, "cap": self.suprema.cap}
        unclipped = {"unclipped": self.unclipped.value, "delta": self.suprema.delta}
        names = ("method", "active", "n_members", "n_nonmembers", "standard_error", "notes")
        return {**clipped, **unclipped, **{name: getattr(self, name) for name in names}}


def epsilon_star(
    scores: ScoresLike,
    *,
    delta: float,
    method: Method = "empirical",
    clip: Clip = "paper",
    transform: Transform = "paper",
    components: Components = "bic",
    rng: Rng = 0,
) -> EpsilonStar:
    """Return Epsilon*, an estimate of a model's privacy loss, from scores or losses of records.

    Source: Negoescu et al., "Epsilon*: Privacy Metric for Machine Learning Models" (2023).

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    method : {"empirical", "normal", "mixture"}
        Counts at every distinct threshold; Normal distributions fitted to transformed losses (the
        paper's parametric form), with exact suprema; or mixtures of them, with certified suprema.
    clip : float in [0, 0.5), None or "paper": 0.001 for the empirical, `delta` for fitted forms
    transform : {"paper", "none"}, fit to losses after the paper's transform, or as they are
    components : int in 1..20, "bic" or "ks", of mixtures, or the rule for it; see `fits.fit_laws`
    rng : int or Generator, of mixtures

    Raises
    ------
    ImportError, if a mixture is requested and scikit-learn is not installed

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> star = audit.epsilon_star(read_sample("overfitted"), delta=1e-5)
    >>> round(star.value, 2), star.active
    (4.63, 'm2')
    """
    checks.choice("method", method, METHODS)
    checks.choice("transform", transform, TRANSFORMS)
    checked_components(components)
    seed = checks.seed(rng)
    if method == "empirical":
        return empirical_epsilon_star(threshold_search.score_blocks(scores), delta=delta, clip=clip)
    sample = TransformedLosses.of(scores, transform)
    fits = fit_laws(sample, method=method, components=components, seed=seed)
    return parametric_epsilon_star(fits, delta=delta, clip=clip)


def resolved_clip(clip: Clip, *, method: Method, delta: float) -> float | None:
    """Return the number that a `clip` argument stands for, or None for no clip."""
    checks.choice("method", method, METHODS)
    if clip is None:
        return None
    if clip == "paper":
        return EMPIRICAL_PAPER_CLIP if method == "empirical" else delta
    if isinstance(clip, str):
        raise checks.fail("clip", "a number in [0, 0.5), None or 'paper'", clip)
    return checks.real("clip", clip, 0, 0.5, closed="left")


def paper_delta(n: int) -> float:
    """Return the paper's delta for n training records: 1 / (n log n).

    It is below 1 / n, the delta of a mechanism that publishes a random record. Source: section 7 of
    the paper on Epsilon*, see `epsilon_star`.

    Parameters
    ----------
    n : int, training records, at least 3; of fewer, 1 / (n log n) exceeds 1 / n

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import paper_delta
    >>> f"{paper_delta(48_000):.3g}"
    '1.93e-06'
    """
    n = checks.whole("n", n, 3)
    return 1 / (n * math.log(n))


def empirical_epsilon_star(
    blocks: ScoreBlocks, *, delta: float, clip: Clip = "paper"
) -> EpsilonStar:
    """Return Epsilon* from counts at all thresholds; without a clip, often inf if delta < 1 / n."""
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method="empirical", delta=delta)
    return EpsilonStar(
        suprema=empirical_suprema(blocks, delta=delta, clip=clip),
        unclipped=empirical_suprema(blocks, delta=delta, clip=None),
        method="empirical",
        n_members=blocks.scores.n_members,
        n_nonmembers=blocks.scores.n_nonmembers,
    )


def empirical_suprema(blocks: ScoreBlocks, *, delta: float, clip: float | None) -> RatioSuprema:
    """Return the maxima of the four ratios over thresholds with rates inside (clip, 1 - clip)."""
    largest = blocks.largest_log_ratios(delta=delta, clip=clip)
    if largest is None:
        reason = f"no threshold has both FPR and FNR inside ({clip:g}, {1 - (clip or 0):g})"
        return RatioSuprema(maxima=(NO_THRESHOLD,) * 4, delta=delta, clip=clip, reason=reason)
    maxima = tuple(_to_ratio_maximum(best, blocks.scores) for best in largest)
    reason = ""
    if max(maximum.log_ratio for maximum in maxima) == np.inf:
        reason = "beyond some threshold all records are of one class (a share above δ)"
    return RatioSuprema(maxima=maxima, delta=delta, clip=clip, reason=reason)


def _to_ratio_maximum(best: LargestRatio, scores: Scores) -> RatioMaximum:
    n, threshold = scores.n_members, negated_if_loss(best.threshold, scores.kind)
    fpr, fnr = best.false_positives / scores.n_nonmembers, (n - best.true_positives) / n
    return RatioMaximum(log_ratio=best.log_ratio, fpr=fpr, fnr=fnr, threshold=threshold)


def parametric_epsilon_star(fits: FittedLaws, *, delta: float, clip: Clip = "paper") -> EpsilonStar:
    """Return Epsilon* of the fitted distributions or, if there are none, Epsilon* from counts."""
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method=fits.method, delta=delta)
    sample = fits.sample
    sizes = {"n_members": sample.member.size, "n_nonmembers": sample.nonmember.size}
    given: dict[str, Any] = {"method": fits.method, "notes": fits.notes, **sizes}
    # Without a fit, counts: at every threshold, or inside the clip.
    if fits.pair is None:
        blocks = threshold_search.score_blocks(sample.scores)
        unclipped = empirical_suprema(blocks, delta=delta, clip=None)
        suprema = empirical_suprema(blocks, delta=delta, clip=clip)
        if sample.transform.low == sample.transform.high:  # no threshold tells any two apart
            suprema = replace(unclipped, clip=clip)
        return EpsilonStar(suprema=suprema, unclipped=unclipped, **given)
    ratios = suprema_of_laws(fits.pair, delta=delta, clip=clip)
    error = ratios.standard_error(**sizes) if fits.method == "normal" else None
    # The delta method fails where 0 or another log ratio is within 2 errors of the largest one.
    if error is not None and ratios.value - max(0.0, np.sort(ratios.log_ratios)[-2]) <= 2 * error:
        error = None
    return EpsilonStar(
        suprema=_to_original_scale(ratios, fits),
        unclipped=_to_original_scale(suprema_of_laws(fits.pair, delta=delta, clip=None), fits),
        extrapolation=_extrapolation(ratios, fits) if ratios.value > 0 else None,
        standard_error=error,
        **given,
    )


def _to_original_scale(ratios: LawSuprema, fits: FittedLaws) -> RatioSuprema:
    original = fits.sample.original_threshold
    maxima = tuple(replace(each, threshold=original(each.threshold)) for each in ratios.maxima)
    return RatioSuprema(maxima=maxima, delta=ratios.delta, clip=ratios.clip, reason=ratios.reason)


def _extrapolation(ratios: LawSuprema, fits: FittedLaws) -> Extrapolation:
    """Return the position, relative to the data, of the threshold of the largest fitted ratio."""
    x, sample = ratios.maxima[ratios.index_of_largest].threshold, fits.sample
    at, classes = np.array(x), (sample.member, sample.nonmember)
    laws = (ratios.pair.member, ratios.pair.nonmember)
    # The tail beyond the threshold, of either class, where the fewest records are expected.
    records, tail = min(
        (data.size * float(np.exp(log_tail(at))), (name, end))
        for name, data, law in zip(("members", "non-members"), classes, laws, strict=True)
        for end, log_tail in (("near", law.log_cdf), ("far", law.log_sf))
    )
    z_member, z_nonmember = ((x - mean) / sd for mean, sd in (data.mean_and_sd for data in classes))
    outside = not min(c.smallest for c in classes) <= x <= max(c.largest for c in classes)
    distances = {"z_member": z_member, "z_nonmember": z_nonmember}
    return Extrapolation(place=x, **distances, records=records, tail=tail, is_outside=outside)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RawEpsilon(ValueObject):
    """The largest log ratio of measured rates.

    The ratio is an **estimate**, which can be due to chance.

    Parameters
    ----------
    value : float, at least 0; nan where no threshold has enough records
    at : OperatingPoint or None, the threshold with this ratio
    delta : float
    min_count : int, fewest records that the denominator of a ratio may count

    Examples
    --------
    >>> from dpviz import read_sample
    >>> from dpviz.audit.epsilon_star import raw_epsilon
    >>> round(raw_epsilon(read_sample("overfitted"), min_count=10).value, 3)
    2.391
    """

    value: float
    at: OperatingPoint | None
    delta: float
    min_count: int


def raw_epsilon(
    scores: ScoresLike | AttackCurve, *, delta: float = 0.0, min_count: int = 50
) -> RawEpsilon:
    """Return an estimate of epsilon, the largest log ratio of measured rates.

    It is the largest of ``log((TPR - delta) / FPR)`` and ``log((TNR - delta) / FNR)``, also of the
    reversed attack, over thresholds where the denominator counts `min_count` records or more. The
    largest of noisy ratios is too large on average: it is no bound.

    Parameters
    ----------
    scores : scores of an attack, or its curve
    delta : float in [0, 1]
    min_count : int, at least 1

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import raw_epsilon
    >>> round(raw_epsilon(([1, 1, 1, 3], [1, 3, 3, 3]), min_count=1).value, 4)  # log 3
    1.0986
    """
    delta = checks.real("delta", delta, 0, 1)
    least = checks.whole("min_count", min_count, 1)
    curve = curve_of(scores)
    # The denominators of m1 to m4, in this order.
    names = ("false_positives", "false_negatives", "true_negatives", "true_positives")
    is_enough = np.column_stack([getattr(curve, name) for name in names]) >= least
    if not is_enough.any():
        return RawEpsilon(value=math.nan, at=None, delta=delta, min_count=least)
    logs = np.where(is_enough, curve.log_ratios(delta), -np.inf).T
    ratio, place = divmod(int(np.argmax(logs)), len(curve.fpr))
    value = max(0.0, float(logs[ratio, place]))
    return RawEpsilon(value=value, at=curve.point(place), delta=delta, min_count=least)


def rounding_gap(scores: BinnedScores, *, delta: float, clip: Clip = "paper") -> float:
    """Return an upper bound, in [0, inf], on the amount by which binning lowered Epsilon*.

    The empirical `epsilon_star` of binned scores is over the edges of cells only. Over all original
    scores, Epsilon* is at least as large, and larger by at most this gap. Without a clip the gap is
    inf if a rate at the end of a cell is 0; with a clip, if it excludes the edges of all cells, but
    maybe not all thresholds inside.

    Parameters
    ----------
    scores : BinnedScores
    delta, clip : as of `epsilon_star`

    Examples
    --------
    >>> from dpviz import BinnedScores, read_sample
    >>> from dpviz.audit.epsilon_star import rounding_gap
    >>> rounding_gap(BinnedScores.of(read_sample("overfitted")), delta=1e-5) < 0.05
    True
    """
    delta = checks.real("delta", delta, 0, 1)
    number = resolved_clip(clip, method="empirical", delta=delta)
    return rounding_gap_of_blocks(BinnedBlocks(scores), delta=delta, clip=number)


def rounding_gap_of_blocks(blocks: BinnedBlocks, *, delta: float, clip: float | None) -> float:
    """Return an upper bound on Epsilon* of the original scores minus Epsilon* of binned scores."""
    largest = blocks.largest_log_ratios(delta=delta, clip=clip)
    value = -np.inf if largest is None else max(0.0, *(best.log_ratio for best in largest))
    if value == np.inf:
        return 0.0
    # No ratio at an original threshold of a block exceeds the block's bound.
    of_blocks = _log_ratio_bounds(blocks.ends, delta=delta, clip=clip)
    # Search the blocks in the order of their bounds until no bound exceeds that of a cell.
    most = -np.inf
    for i in np.argsort(-of_blocks).tolist():
        if of_blocks[i] <= max(most, value):
            break
        of_cells = _log_ratio_bounds(blocks.counts_at_bin_edges(i), delta=delta, clip=clip)
        most = max(most, float(of_cells.max(where=blocks.may_bins_hide_scores(i), initial=-np.inf)))
    return max(0.0, most - value) if most > value else 0.0


def bins_worth_splitting(scores: BinnedScores, *, most: int) -> Counts:
    """Return at most `most` indices of bins that may hide a ratio larger than any at a bin edge."""
    blocks = BinnedBlocks(scores)
    ranked = []
    for delta in USUAL_DELTAS:
        for clip in (resolved_clip("paper", method="empirical", delta=delta), None):
            largest = blocks.largest_log_ratios(delta=delta, clip=clip)
            best = -np.inf if largest is None else max(ratio.log_ratio for ratio in largest)
            bounds = _log_ratio_bounds(blocks.all_bins, delta=delta, clip=clip)
            # Cells, from high thresholds to low, that may hide more than the best edge.
            above = np.flatnonzero((bounds > best) & scores.may_be_rounded[::-1])
            ranked.append(above[np.argsort(-bounds[above], kind="stable")][:most])
    # The cell with the largest bound of each setting, then the second of each, and so on.
    depth = max((places.size for places in ranked), default=0)
    in_turn = [places[k] for k in range(depth) for places in ranked if k < places.size]
    chosen = np.array(list(dict.fromkeys(in_turn))[:most], np.int64)
    # From indices of descending thresholds to ascending indices of `scores.thresholds`.
    return np.sort(scores.thresholds.size - 1 - chosen)


def _log_ratio_bounds(ends: ThresholdCounts, *, delta: float, clip: float | None) -> FloatArray:
    """Return each bin's upper bound on log ratios, from its end rates; -inf outside the clip."""
    n, m = ends.n_members, ends.n_nonmembers
    # With a clip, every rate lies between the smallest surviving one and its complement.
    limited = [
        (rate, _least_rate_above(x, clip)) for rate, x in zip(ends.rates, (n, m, m, n), strict=True)
    ]
    tops = [np.minimum(rate, 1 - low) for rate, low in limited]
    bottoms = [np.maximum(rate, low) for rate, low in limited]
    bounds = threshold_search.log_ratio_bounds_of_blocks(tops, bottoms, delta=delta).max(axis=0)
    return np.where(threshold_search.may_survive_clip(ends, clip), bounds, -np.inf)


def _least_rate_above(size: int, clip: float | None) -> float:
    """Return the smallest multiple of 1 / `size` that is above the clip; 0 without a clip."""
    if clip is None:
        return 0.0
    count = int(clip * size)
    return (count if count / size > clip else count + 1) / size
