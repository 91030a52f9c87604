"""Bounds from confidence limits of both error rates at all thresholds, or on a random half."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.methods.upper_limits import upper_limits_of_rates
from dpviz.audit.bounds.fixed_threshold import ErrorCounts, bound_from_rate_limits
from dpviz.audit.bounds.result import BoundMethod, BoundRequest, Evidence, MethodResult
from dpviz.audit.roc.bands import dkw_margin, is_tabulated, local_level
from dpviz.audit.roc.curve import Rates, ThresholdCounts
from dpviz.audit.roc.threshold_search import LargestRatio, score_blocks
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
    limits = partial(limits_of_errors, upper=upper, level=each)
    found = score_blocks(scores).largest_log_ratios(delta=request.delta, limits=limits)
    if found is None:
        raise RuntimeError("a search without a clip has thresholds")
    best = max(found[:2], key=lambda reached: reached.log_ratio)
    evidence = _evidence(best, scores, upper, each)
    return MethodResult(low=max(0.0, best.log_ratio), evidence=(evidence,))


def limits_of_errors(counts: ThresholdCounts, *, upper: Upper, level: float) -> tuple[Rates, Rates]:
    """Lower limits of the numerators and upper limits of the denominators of the ratios.

    In the attack's direction only: m3 and m4 would need lower limits of the errors as well.
    """
    n, m = counts.n_members, counts.n_nonmembers
    fpr = upper(counts.false_positives, m, level)
    fnr = upper(n - counts.true_positives, n, level)
    none, all_of_them = np.zeros_like(fpr), np.ones_like(fpr)
    return (1 - fnr, none, 1 - fpr, none), (all_of_them, fpr, all_of_them, fnr)


def _evidence(best: LargestRatio, scores: Scores, upper: Upper, level: float) -> Evidence:
    n, m = scores.n_members, scores.n_nonmembers
    errors = best.false_positives, n - best.true_positives
    fpr, fnr = (
        float(upper(np.array([x]), size, level)[0]) for x, size in zip(errors, (m, n), strict=True)
    )
    return Evidence(
        threshold=negated_if_loss(best.threshold, scores.kind),
        false_positives=errors[0],
        n_nonmembers=m,
        false_negatives=errors[1],
        n_members=n,
        fpr_upper=fpr,
        fnr_upper=fnr,
    )


def split(scores: Scores, request: BoundRequest) -> MethodResult:
    """Clopper-Pearson on one half, at the threshold with the largest such bound on the other."""
    if min(scores.n_members, scores.n_nonmembers) < 2:
        return MethodResult(low=0.0)
    choosing, testing = scores.halves(np.random.default_rng(request.seed))
    limits = partial(
        limits_of_errors, upper=upper_limits_of_rates, level=(1 - request.confidence_level) / 2
    )
    # Given the first half the threshold is fixed for the second, which is independent of it.
    found = score_blocks(choosing).largest_log_ratios(delta=request.delta, limits=limits)
    if found is None:
        return MethodResult(low=0.0, seed=request.seed)
    best = max(found[:2], key=lambda reached: reached.log_ratio)
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
