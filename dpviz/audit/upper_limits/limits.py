"""Upper limits of the largest rates over all thresholds, from the counts that thresholds reach.

Let v be the largest T over all thresholds. One set of outcomes, those with T <= v, is inverted,
however many thresholds there are. *Proof* that the limit is valid: let r be the true number at the
best event E (`dpviz.audit.upper_limits.thresholds`). Each limit below r belongs to a v for which
``P(T <= v)`` was proved to be at most the level at all rates with this r. Let w be the largest such
v. Whenever the limit is below r, T of the counts of E is at most v, hence at most w, and this has
at most the level as its probability. So neither tolerances nor the place where a search begins
matter. Classes of more than `MOST_EXACT` records have the wider limits of
`dpviz.audit.upper_limits.separate`.

A slope c below 1 is that of the attack that flags non-members, with 1 / c, as
``TPR - c FPR = 1 - c + c (TNR - FNR / c)``.
"""

import numpy as np

from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.upper_limits import inversion, separate
from dpviz.audit.upper_limits.inversion import Line, is_proved
from dpviz.audit.upper_limits.orders import DifferenceOrder, Order, RateOrder, SlopeOrder
from dpviz.audit.upper_limits.thresholds import ReachedCounts
from dpviz.theory.region import log_ratio

MOST_EXACT = 200_000  # records of a class


def is_exact(counts: ReachedCounts) -> bool:
    """Return whether the classes are small enough for limits by one inversion."""
    return max(counts.n_members, counts.n_nonmembers) <= MOST_EXACT


def largest_difference(
    counts: ReachedCounts, slope: float, *, level: float, least: float = 0.0
) -> float:
    """Return the limit of the largest TPR - `slope` FPR over all thresholds, or `least`.

    Where the limit is at most `least`, that is returned.
    """
    if slope < 1:
        limit = largest_difference(counts.exchanged(), 1 / slope, level=level)
        return max(least, 1 - slope + slope * limit)
    # No threshold can be better than flagging nobody or all others than its measured rates.
    measured = max(measured_difference(counts, slope), least)
    if not is_exact(counts):
        return max(measured, separate.largest_difference(counts, slope, level=level))
    order = DifferenceOrder(**_sizes(counts), level=level, slope=slope)
    largest = _largest(order, counts)
    outcomes = order.upto(largest)
    if 0 < least < 1 and is_proved(outcomes, Line(intercept=least, slope=slope), level=level):
        return least
    given = {"measured": measured, "near": largest, "level": level}
    return inversion.upper_difference(outcomes, slope, **given)


def largest_profile(counts: ReachedCounts, epsilon: float, *, level: float) -> float:
    """Return the limit of delta at `epsilon`: of TPR - e^epsilon FPR in both directions."""
    slope, found = float(np.exp(epsilon)), 0.0
    # The direction with the larger limit comes first: the other one is then quickly refuted.
    both = [counts, counts.exchanged()]
    for each in sorted(both, key=lambda each: -measured_difference(each, slope)):
        found = largest_difference(each, slope, level=level, least=found)
    return found


def largest_epsilon(counts: ReachedCounts, delta: float, *, level: float) -> float:
    """Return the limit of epsilon at `delta` over all thresholds and both directions; or inf."""
    return max(_log_slope(each, delta, level) for each in (counts, counts.exchanged()))


def largest_tpr(counts: ReachedCounts, fpr: float, *, level: float) -> float:
    """Return the limit of the largest TPR over all thresholds whose true FPR is at most `fpr`."""
    if not is_exact(counts):
        return separate.largest_rate(counts, fpr, level=level)
    order = RateOrder(**_sizes(counts), level=level, fpr=fpr)
    return inversion.upper_rate(order.upto(_largest(order, counts)), fpr, level=level)


def delta_of_finite_epsilon(counts: ReachedCounts, *, level: float) -> float:
    """Return the delta beyond which the limit of epsilon is finite: about 3 over the class size.

    It is the upper limit of the share of members above all non-members, or of non-members below all
    members, whichever is larger: at such thresholds no false positive limits epsilon.
    """
    found = 0.0
    for each in (counts, counts.exchanged()):
        part = 1.0 if is_exact(counts) else separate.share_of_tpr(each, 1.0, level=level)
        first, confidence = int(each.x[each.y == 0].max()), 1 - part * level
        upper = clopper_pearson(first, each.n_members, confidence_level=confidence, side="upper")
        found = max(found, upper)
    return found


def measured_difference(counts: ReachedCounts, slope: float) -> float:
    """Return the largest TPR - `slope` FPR of the sample."""
    return float(np.max(counts.x / counts.n_members - slope * (counts.y / counts.n_nonmembers)))


def measured_profile(counts: ReachedCounts, epsilon: float) -> float:
    """Return the largest TPR - e^epsilon FPR of the sample, in both directions."""
    slope = float(np.exp(epsilon))
    return max(measured_difference(each, slope) for each in (counts, counts.exchanged()))


def measured_epsilon(counts: ReachedCounts, delta: float) -> float:
    """Return the largest log ratio of the sample at `delta`, in both directions, at least 0."""
    ratios = [
        log_ratio(each.x / each.n_members - delta, each.y / each.n_nonmembers)
        for each in (counts, counts.exchanged())
    ]
    return max(0.0, float(np.max(ratios)))


def _log_slope(counts: ReachedCounts, delta: float, level: float) -> float:
    if not is_exact(counts):
        return separate.largest_log_slope(counts, delta, level=level)
    order = SlopeOrder(**_sizes(counts), level=level, delta=delta)
    largest = _largest(order, counts)
    if largest == np.inf:
        return np.inf
    ratios = log_ratio(counts.x / counts.n_members - delta, counts.y / counts.n_nonmembers)
    given = {"measured": max(0.0, float(np.max(ratios))), "near": max(largest, 0.0), "level": level}
    return inversion.upper_slope(order.upto(largest), delta, **given)


def _largest(order: Order, counts: ReachedCounts) -> float:
    return float(np.max(order.values(counts.x, counts.y)))


def _sizes(counts: ReachedCounts) -> dict[str, int]:
    return {"n_members": counts.n_members, "n_nonmembers": counts.n_nonmembers}
