"""Bound from a threshold chosen on a random half of the records and tested on the other half."""

from dataclasses import replace
from functools import partial

import numpy as np

from dpviz.audit.bounds.all_thresholds import limits_of_errors
from dpviz.audit.bounds.fixed_threshold import ErrorCounts, clopper_pearson
from dpviz.audit.bounds.method import BoundMethod, MethodResult, Request
from dpviz.audit.roc.intervals import upper_rates
from dpviz.audit.roc.threshold_blocks import threshold_blocks
from dpviz.audit.scores.base import Scores, in_unit


def split(scores: Scores, request: Request) -> MethodResult:
    """Clopper-Pearson on one half, at the threshold with the largest such bound on the other."""
    if min(scores.n_members, scores.n_nonmembers) < 2:
        return MethodResult(low=0.0)
    choosing, testing = scores.halves(np.random.default_rng(request.seed))
    limits = partial(limits_of_errors, upper=upper_rates, level=(1 - request.confidence_level) / 2)
    # Given the first half the threshold is fixed for the second, which is independent of it.
    found = threshold_blocks(choosing).largest_log_ratios(delta=request.delta, limits=limits)
    if found is None:
        return MethodResult(low=0.0, seed=request.seed)
    best = max(found[:2], key=lambda reached: reached.log_ratio)
    counts = ErrorCounts.at(testing, best.threshold)
    low, evidence = clopper_pearson(counts, request.delta, request.confidence_level)
    evidence = replace(evidence, threshold=in_unit(best.threshold, scores.kind))
    return MethodResult(low=low, evidence=(evidence,), seed=request.seed, seed_spread=None)


METHOD = BoundMethod(label="split sample", rule=split)
