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
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.fits import (
    TRANSFORMS,
    Components,
    FittedLaws,
    Transform,
    TransformedScores,
    checked_components,
    fit_laws,
)
from dpviz.audit.epsilon_star.given_laws import LawRatios, ratios_of_laws
from dpviz.audit.epsilon_star.result import (
    METHODS,
    Clip,
    EpsilonStar,
    Extrapolation,
    Method,
    RatioMaximum,
    RatioSuprema,
    resolved_clip,
)
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, curve_of
from dpviz.audit.roc.threshold_search import Reached, ThresholdBlocks, threshold_blocks
from dpviz.audit.scores.base import Scores, in_unit
from dpviz.theory.region import log_ratio

NO_THRESHOLD = RatioMaximum(log_ratio=-np.inf, fpr=np.nan, fnr=np.nan, threshold=np.nan)


def empirical_epsilon_star(
    blocks: ThresholdBlocks, *, delta: float, clip: Clip = "paper"
) -> EpsilonStar:
    """Epsilon* from blocks of counts; with sorted ones a new delta or clip costs little.

    Without a clip and with delta below 1/n it is +inf on almost every data set, leak or not: the
    single most extreme record is enough. `reason` says so.
    """
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method="empirical", delta=delta)
    return EpsilonStar(
        suprema=empirical_suprema(blocks, delta=delta, clip=clip),
        unclipped=empirical_suprema(blocks, delta=delta, clip=None),
        method="empirical",
        n_members=blocks.scores.n_members,
        n_nonmembers=blocks.scores.n_nonmembers,
    )


def empirical_suprema(blocks: ThresholdBlocks, *, delta: float, clip: float | None) -> RatioSuprema:
    """The four maxima over the thresholds whose FPR and FNR are inside (clip, 1 - clip)."""
    reached = blocks.largest_log_ratios(delta=delta, clip=clip)
    if reached is None:
        reason = f"no threshold has both FPR and FNR inside ({clip:g}, {1 - (clip or 0):g})"
        return RatioSuprema(maxima=(NO_THRESHOLD,) * 4, delta=delta, clip=clip, reason=reason)
    maxima = tuple(_maximum(best, blocks) for best in reached)
    reason = ""
    if max(maximum.log_ratio for maximum in maxima) == np.inf:
        reason = "at an end of the data one class stands alone, with a share above delta"
    return RatioSuprema(maxima=maxima, delta=delta, clip=clip, reason=reason)


def _maximum(best: Reached, blocks: ThresholdBlocks) -> RatioMaximum:
    scores = blocks.scores
    return RatioMaximum(
        log_ratio=best.log_ratio,
        fpr=best.false_positives / scores.n_nonmembers,
        fnr=(scores.n_members - best.true_positives) / scores.n_members,
        threshold=in_unit(best.threshold, scores.kind),
    )


# Epsilon* of distributions fitted to losses, with thresholds on the original scale.


def parametric_epsilon_star(fits: FittedLaws, *, delta: float, clip: Clip = "paper") -> EpsilonStar:
    """Epsilon* of fitted distributions.

    Where a class has no spread to fit, it is computed from counts; where all losses are equal, the
    value is 0.
    """
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method=fits.method, delta=delta)
    sample = fits.sample
    n_members, n_nonmembers = sample.member.size, sample.nonmember.size
    if fits.pair is None:
        blocks = threshold_blocks(sample.scores)
        unclipped = empirical_suprema(blocks, delta=delta, clip=None)
        all_equal = sample.transform.low == sample.transform.high
        return EpsilonStar(
            suprema=replace(unclipped, clip=clip)
            if all_equal
            else empirical_suprema(blocks, delta=delta, clip=clip),
            unclipped=unclipped,
            method=fits.method,
            n_members=n_members,
            n_nonmembers=n_nonmembers,
            notes=fits.notes,
        )
    found = ratios_of_laws(fits.pair, delta=delta, clip=clip)
    return EpsilonStar(
        suprema=_in_unit(found, fits),
        unclipped=_in_unit(ratios_of_laws(fits.pair, delta=delta, clip=None), fits),
        method=fits.method,
        extrapolation=_extrapolation(found, fits),
        standard_error=_trusted_error(found, fits),
        n_members=n_members,
        n_nonmembers=n_nonmembers,
        notes=fits.notes,
    )


def _trusted_error(found: LawRatios, fits: FittedLaws) -> float | None:
    """The standard error, unless another ratio or 0 is within two of it of the maximum."""
    if fits.method != "normal":
        return None
    n_members, n_nonmembers = fits.sample.member.size, fits.sample.nonmember.size
    error = found.standard_error(n_nonmembers=n_nonmembers, n_members=n_members)
    second = max(0.0, float(np.sort(found.log_ratios)[-2]))
    return error if error is not None and found.value - second > 2 * error else None


def _in_unit(found: LawRatios, fits: FittedLaws) -> RatioSuprema:
    maxima = [
        replace(maximum, threshold=fits.sample.threshold_in_unit(maximum.threshold))
        for maximum in found.maxima
    ]
    return RatioSuprema(
        maxima=tuple(maxima), delta=found.delta, clip=found.clip, reason=found.reason
    )


def _extrapolation(found: LawRatios, fits: FittedLaws) -> Extrapolation | None:
    if not found.value > 0:
        return None
    x, sample = found.maxima[found.active].threshold, fits.sample
    at = np.array(x)
    classes = ((sample.member, found.pair.member), (sample.nonmember, found.pair.nonmember))
    expected = [
        data.size * float(np.exp(min(law.log_cdf(at), law.log_sf(at)))) for data, law in classes
    ]
    pooled_low = min(sample.member.smallest, sample.nonmember.smallest)
    pooled_high = max(sample.member.largest, sample.nonmember.largest)
    moments = (sample.member.moments, sample.nonmember.moments)
    z_member, z_nonmember = ((x - mean) / sd for mean, sd in moments)
    return Extrapolation(
        place=x,
        z_member=z_member,
        z_nonmember=z_nonmember,
        records=min(expected),
        is_outside=not pooled_low <= x <= pooled_high,
    )


# Epsilon*: the privacy loss of one trained model instance (Negoescu et al., 2023).
#
# For every threshold tau on the loss, with t = FPR and eta = FNR of "member if loss <= tau",
#
# ====  =============================  ===============================
# m1    (1 - delta - eta) / t          too many members among the low losses
# m2    (1 - delta - t) / eta          too few members among the high losses
# m3    (eta - delta) / (1 - t)        too many members among the high losses
# m4    (t - delta) / (1 - eta)        too few members among the low losses
# ====  =============================  ===============================
#
# and ``Epsilon* = max(0, log of the largest of them over all thresholds)``. It is an
# **estimate**:
# the maximum of noisy ratios is biased upwards when nothing leaks, and leaving out extreme rates
# (the
# clip) caps it. It is no bound, and it ignores the sign: members with *larger* losses raise it,
# too.


def epsilon_star(
    scores: Scores,
    *,
    delta: float,
    method: Method = "empirical",
    clip: Clip = "paper",
    transform: Transform = "paper",
    components: Components = "bic",
    seed: int = 0,
) -> EpsilonStar:
    """An estimate of Epsilon* of the model whose losses (or scores) are given.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    method : {"empirical", "normal", "mixture"}
        Counts at every distinct threshold; the paper's parametric form, Normal distributions fitted
        to transformed losses, with exact suprema; or mixtures of them, with certified suprema.
    clip : float, None or "paper"
        In [0, 0.5). "paper" is 0.001 for the empirical and `delta` for the fitted forms.
    transform : {"paper", "none"}
        Fit to losses after the paper's transform (Appendix B), or to the losses themselves.
    components : int, "bic" or "ks"
        Of mixtures, 1 to 20: a number, or the rule that finds it; see `fits.fit_laws`.
    seed : int, of mixtures

    Returns
    -------
    EpsilonStar

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If a mixture is requested and scikit-learn is not installed.

    References
    ----------
    Negoescu et al., "Epsilon*: Privacy Metric for Machine Learning Models" (2023).

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
    checks.whole("seed", seed, 0)
    if method == "empirical":
        return empirical_epsilon_star(threshold_blocks(scores), delta=delta, clip=clip)
    sample = TransformedScores.of(scores, transform)
    fits = fit_laws(sample, method=method, components=components, seed=seed)
    return parametric_epsilon_star(fits, delta=delta, clip=clip)


# The epsilon that counts alone suggest, where there are enough of them.


@dataclass(frozen=True, kw_only=True)
class RawEpsilon:
    """The largest ratio of measured rates: an **estimate**, which chance alone may exceed.

    Parameters
    ----------
    value : float, at least 0; nan where no threshold has enough records
    at : OperatingPoint or None, the threshold
    delta : float
    min_count : int, records that the smaller of the two rates rests on, at least

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.raw_epsilon(read_sample("overfitted"), min_count=10)
    >>> round(found.value, 3), round(found.at.fnr, 4)  # 10 of 300 members are missed
    (2.391, 0.0333)
    """

    value: float
    at: OperatingPoint | None
    delta: float
    min_count: int


def raw_epsilon(
    scores: Scores | AttackCurve, *, delta: float = 0.0, min_count: int = 50
) -> RawEpsilon:
    """Return the largest epsilon that the measured rates of a threshold suggest: an estimate.

    It is the largest of ``log((TPR - delta) / FPR)`` and ``log((TNR - delta) / FNR)``, and of both
    for the reversed attack, each where at least `min_count` records are behind the rate below the
    fraction line. The maximum over thresholds is too large on average, and no bound.

    Parameters
    ----------
    scores : scores of an attack, or its curve
    delta : float in [0, 1]
    min_count : int, at least 1

    Returns
    -------
    RawEpsilon

    Raises
    ------
    ValueError
        If `delta` or `min_count` leaves its range.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=[3, 3, 3, 1], nonmember=[3, 1, 1, 1])
    >>> round(audit.raw_epsilon(scores, min_count=1).value, 4)  # log 3
    1.0986
    """
    delta = checks.real("delta", delta, 0, 1)
    least = checks.whole("min_count", min_count, 1)
    curve = curve_of(scores)
    tpr, fpr, tnr, fnr = curve.rates
    best, place = -math.inf, None
    for above, below, behind in (
        (tpr, fpr, curve.false_positives),
        (tnr, fnr, curve.false_negatives),
        (fnr, tnr, curve.true_negatives),
        (fpr, tpr, curve.true_positives),
    ):
        ratios = np.where(behind >= least, log_ratio(above - delta, below), -np.inf)
        found = int(np.argmax(ratios))
        if behind[found] >= least and (place is None or ratios[found] > best):
            best, place = float(ratios[found]), found
    if place is None:
        return RawEpsilon(value=math.nan, at=None, delta=delta, min_count=least)
    return RawEpsilon(value=max(0.0, best), at=curve.point(place), delta=delta, min_count=least)


# The delta that the Epsilon* paper takes for a number of training records.


def paper_delta(n: int) -> float:
    """1 / (n log n), below 1 / n: a method that releases one record at random has delta 1 / n.

    Parameters
    ----------
    n : int
        Training records, at least 3.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `n` is smaller: then it is no smaller than 1 / n.

    References
    ----------
    Negoescu et al., "Epsilon*: Privacy metric for machine learning models" (2023), section 7.

    Examples
    --------
    >>> from dpviz import audit
    >>> f"{audit.paper_delta(48_000):.3g}"
    '1.93e-06'
    """
    n = checks.whole("n", n, 3)
    return 1 / (n * math.log(n))
