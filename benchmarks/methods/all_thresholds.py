"""Bounds from confidence limits of both error rates at all thresholds, or on a random half."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.methods.upper_limits import upper_limits_of_rates
from dpviz.audit.bounds.fixed_threshold import (
    ErrorCounts,
    attack_epsilon,
    bound_from_rate_limits,
)
from dpviz.audit.bounds.result import BoundMethod, BoundRequest, Evidence, MethodResult
from dpviz.audit.roc.bands import dkw_margin, is_tabulated, local_level
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Counts, Scores, negated_if_loss
from dpviz.checks import FloatArray

Upper = Callable[[Counts, int, float], FloatArray]  # error counts, records, level -> limits


def local_upper(errors: Counts, n: int, level: float) -> FloatArray:
    """Exact limits at one local level, calibrated for all thresholds."""
    return upper_limits_of_rates(errors, n, local_level(n, confidence_level=1 - level))


def bonferroni_upper(errors: Counts, n: int, level: float) -> FloatArray:
    """Exact limits at the level divided by the number of records of the class."""
    return upper_limits_of_rates(errors, n, level / n)


def dkw_upper(errors: Counts, n: int, level: float) -> FloatArray:
    """The band of Dvoretzky, Kiefer, Wolfowitz and Massart: the same margin everywhere."""
    return np.minimum(errors / n + dkw_margin(n, confidence_level=1 - level), 1)


def local_levels(scores: Scores, request: BoundRequest) -> MethodResult:
    """The bound from local levels, with a note where none is tabulated."""
    each = (1 + request.confidence_level) / 2
    beyond = [
        f"no local level is tabulated for {n} records at {1 - each:g}: Bonferroni's instead"
        for n in sorted({scores.n_members, scores.n_nonmembers})
        if not is_tabulated(n, confidence_level=each)
    ]
    return replace(scan(scores, request, local_upper), notes=tuple(beyond))


def scan(scores: Scores, request: BoundRequest, upper: Upper) -> MethodResult:
    """The largest epsilon that the limits refute at any threshold, with its error counts."""
    each = (1 - request.confidence_level) / 2
    low, best, limits = largest_bound(scores, request.delta, upper, each)
    evidence = Evidence(
        threshold=negated_if_loss(best.threshold, scores.kind),
        false_positives=best.false_positives,
        n_nonmembers=best.n_nonmembers,
        false_negatives=best.false_negatives,
        n_members=best.n_members,
        fpr_upper=limits[0],
        fnr_upper=limits[1],
    )
    return MethodResult(low=max(0.0, low), evidence=(evidence,))


def largest_bound(
    scores: Scores, delta: float, upper: Upper, level: float
) -> tuple[float, OperatingPoint, tuple[float, float]]:
    """The largest epsilon that limits at some threshold refute, the threshold, and both limits."""
    curve = AttackCurve.from_scores(scores)
    fpr = upper(curve.false_positives, curve.n_nonmembers, level)
    fnr = upper(curve.false_negatives, curve.n_members, level)
    refuted = attack_epsilon(fpr=fpr, fnr=fnr, delta=delta)
    best = int(np.argmax(refuted))
    return float(refuted[best]), curve.point(best), (float(fpr[best]), float(fnr[best]))


def halves(scores: Scores, rng: np.random.Generator) -> tuple[AttackScores, AttackScores]:
    """Split each class at random into halves, of which the first is never larger."""
    classes = (scores.members, scores.nonmembers)
    shuffled = [rng.permutation(np.repeat(each.values, each.counts)) for each in classes]
    first, second = zip(*(np.split(each, [each.size // 2]) for each in shuffled), strict=True)
    return AttackScores(*first), AttackScores(*second)


def split(scores: Scores, request: BoundRequest) -> MethodResult:
    """Clopper-Pearson on one half, at the threshold with the largest such bound on the other."""
    if min(scores.n_members, scores.n_nonmembers) < 2:
        return MethodResult(low=0.0)
    choosing, testing = halves(scores, np.random.default_rng(request.seed))
    # Given the first half the threshold is fixed for the second, which is independent of it.
    level = (1 - request.confidence_level) / 2
    _, best, _ = largest_bound(choosing, request.delta, upper_limits_of_rates, level)
    counts = ErrorCounts.at(testing, best.threshold)
    limits = counts.upper_limits(request.confidence_level)
    low = bound_from_rate_limits(limits, request.delta)
    evidence = replace(limits, threshold=negated_if_loss(best.threshold, scores.kind))
    return MethodResult(low=low, evidence=(evidence,), seed=request.seed, seed_spread=None)


def _method(label: str, rule: Callable[[Scores, BoundRequest], MethodResult]) -> BoundMethod:
    return BoundMethod(label=f"all thresholds, {label}", rule=rule)


METHODS = {
    "local_levels": _method("local levels", local_levels),
    "dkw": _method("DKW", partial(scan, upper=dkw_upper)),
    "bonferroni": _method("Bonferroni", partial(scan, upper=bonferroni_upper)),
    "split": BoundMethod(label="split sample", rule=split),
}
