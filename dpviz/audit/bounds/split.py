"""A bound from one threshold: preset, or chosen on one half of the records for the other."""

from dataclasses import replace
from functools import partial

import numpy as np

from dpviz.audit.again import halves
from dpviz.audit.binned_scores import Scores
from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.bounds.bound import Found
from dpviz.audit.bounds.counts import Counts, Rule, clopper_pearson
from dpviz.audit.bounds.scan import limits_of_errors
from dpviz.audit.intervals import upper_rates
from dpviz.audit.scores import in_unit


def at_threshold(
    scores: Scores, *, threshold: float, rule: Rule, delta: float, confidence_level: float
) -> Found:
    """A bound from the counts at a threshold (in the unit of the scores) fixed beforehand."""
    counts = _counts(scores, in_unit(threshold, scores.kind))
    low, evidence = rule(counts, delta, confidence_level)
    return Found(low=low, evidence=(replace(evidence, threshold=threshold),))


def split(scores: Scores, *, delta: float, confidence_level: float, seed: int) -> Found:
    """The threshold that looks best on a random half, tested on the other half."""
    if min(scores.n_members, scores.n_nonmembers) < 2:
        return Found(low=0.0)
    choosing, testing = halves(scores, np.random.default_rng(seed))
    # What looks best: the largest bound of its own, as if the threshold had been fixed.
    limits = partial(limits_of_errors, upper=upper_rates, level=(1 - confidence_level) / 2)
    found = threshold_blocks(choosing).largest_log_ratios(delta=delta, limits=limits)
    if found is None:
        return Found(low=0.0)
    best = max(found[:2], key=lambda reached: reached.log_ratio)
    counts = _counts(testing, best.threshold)
    low, evidence = clopper_pearson(counts, delta, confidence_level)
    evidence = replace(evidence, threshold=in_unit(best.threshold, scores.kind))
    return Found(low=low, evidence=(evidence,), seed_spread=None)


def _counts(scores: Scores, threshold: float) -> Counts:
    """Errors of "member when score >= threshold"."""
    true_positives, false_positives = scores.at_least(threshold)
    return Counts(
        false_positives=false_positives,
        n_nonmembers=scores.n_nonmembers,
        false_negatives=scores.n_members - true_positives,
        n_members=scores.n_members,
    )
