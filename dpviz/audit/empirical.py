"""Epsilon* from counts: the exact maximum over all distinct thresholds, ties never broken."""

import numpy as np

from dpviz import checks
from dpviz.audit.curve import AttackCurve, Counts
from dpviz.audit.ratios import Clip, EpsilonStar, RatioMaximum, RatioSuprema, resolved_clip
from dpviz.audit.supremum import largest_log_ratio

NO_THRESHOLD = RatioMaximum(log_ratio=-np.inf, fpr=np.nan, fnr=np.nan, threshold=np.nan)


def empirical_epsilon_star(
    curve: AttackCurve, *, delta: float, clip: Clip = "paper"
) -> EpsilonStar:
    """Epsilon* of counts already made; a new delta or clip costs O(sqrt(n)).

    Without a clip and with delta below 1/n it is +inf on almost every data set, leak or not: the
    single most extreme record is enough. That is returned, with its reason.
    """
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method="empirical", delta=delta)
    return EpsilonStar(
        suprema=_suprema(curve, delta=delta, clip=clip),
        unclipped=_suprema(curve, delta=delta, clip=None),
        method="empirical",
        n_members=curve.n_members,
        n_nonmembers=curve.n_nonmembers,
    )


def surviving(curve: AttackCurve, clip: float | None) -> slice:
    """The thresholds whose FPR and FNR are both strictly inside (clip, 1 - clip)."""
    if clip is None:
        return slice(0, curve.fpr.size)
    # Rates and complements alike, not 1 - clip, whose rounding would treat the ends differently.
    start = max(np.searchsorted(rates, clip, side="right") for rates in (curve.fpr, curve.tpr))
    beyond = max(
        np.searchsorted(rates[::-1], clip, side="right") for rates in (curve.fnr, curve.tnr)
    )
    return slice(int(start), max(int(start), curve.fpr.size - int(beyond)))


def _suprema(curve: AttackCurve, *, delta: float, clip: float | None) -> RatioSuprema:
    window = surviving(curve, clip)
    if window.start == window.stop:
        reason = (
            f"no threshold has both FPR and FNR inside ({clip:g}, {1 - clip:g})" if clip else ""
        )
        return RatioSuprema(
            maxima=(NO_THRESHOLD,) * 4, delta=delta, clip=clip, reason=reason or "no threshold"
        )
    n_members, n_nonmembers = curve.n_members, curve.n_nonmembers
    tp, fp = curve.true_positives[window], curve.false_positives[window]
    fn, tn = curve.false_negatives[window], curve.true_negatives[window]
    # Counts of "non-member" answers grow from the other end.
    searches: list[tuple[Counts, int, Counts, int, bool]] = [
        (tp, n_members, fp, n_nonmembers, False),
        (tn[::-1], n_nonmembers, fn[::-1], n_members, True),
        (fn[::-1], n_members, tn[::-1], n_nonmembers, True),
        (fp, n_nonmembers, tp, n_members, False),
    ]
    maxima = []
    for top, n_top, bottom, n_bottom, backwards in searches:
        log_ratio, index = largest_log_ratio(
            top, bottom, n_numerator=n_top, n_denominator=n_bottom, delta=delta
        )
        index = tp.size - 1 - index if backwards else index
        point = curve.point(window.start + index)
        maxima.append(
            RatioMaximum(
                log_ratio=log_ratio,
                fpr=point.fpr,
                fnr=point.fnr,
                threshold=point.threshold_in_unit,
            )
        )
    best = max(maximum.log_ratio for maximum in maxima)
    reason = ""
    if np.isinf(best) and best > 0:
        reason = "at an end of the data one class stands alone, with a share above delta"
    return RatioSuprema(maxima=tuple(maxima), delta=delta, clip=clip, reason=reason)
