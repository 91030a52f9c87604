"""A bound from one threshold: preset, or chosen on one half of the records for the other."""

from dataclasses import replace
from functools import partial

import numpy as np

from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.bounds.bound import Found
from dpviz.audit.bounds.counts import Counts, Rule, clopper_pearson
from dpviz.audit.bounds.scan import limits_of_errors
from dpviz.audit.intervals import upper_rates
from dpviz.audit.scores import AttackScores, in_unit


def at_threshold(
    scores: AttackScores, *, threshold: float, rule: Rule, delta: float, confidence_level: float
) -> Found:
    """A bound from the counts at a threshold (in the unit of the scores) fixed beforehand."""
    counts = _counts(scores, in_unit(threshold, scores.kind))
    low, evidence = rule(counts, delta, confidence_level)
    return Found(low=low, evidence=(replace(evidence, threshold=threshold),))


def split(scores: AttackScores, *, delta: float, confidence_level: float, seed: int) -> Found:
    """The threshold that looks best on a random half, tested on the other half."""
    rng = np.random.default_rng(seed)
    halves = []
    for values in (scores.member, scores.nonmember):
        shuffled = rng.permutation(values)
        halves.append((shuffled[: values.size // 2], shuffled[values.size // 2 :]))
    (first_member, second_member), (first_nonmember, second_nonmember) = halves
    if min(first_member.size, first_nonmember.size) == 0:
        return Found(low=0.0)
    choosing = AttackScores(member=first_member, nonmember=first_nonmember, kind=scores.kind)
    # What looks best: the largest bound of its own, as if the threshold had been fixed.
    limits = partial(limits_of_errors, upper=upper_rates, level=(1 - confidence_level) / 2)
    found = threshold_blocks(choosing).largest_log_ratios(delta=delta, limits=limits)
    if found is None:
        return Found(low=0.0)
    best = max(found[:2], key=lambda reached: reached.log_ratio)
    testing = AttackScores(member=second_member, nonmember=second_nonmember, kind=scores.kind)
    counts = _counts(testing, best.threshold)
    low, evidence = clopper_pearson(counts, delta, confidence_level)
    evidence = replace(evidence, threshold=in_unit(best.threshold, scores.kind))
    return Found(low=low, evidence=(evidence,), seed_spread=None)


def _counts(scores: AttackScores, threshold: float) -> Counts:
    """Errors of "member when score >= threshold"."""
    return Counts(
        false_positives=int(np.sum(scores.nonmember >= threshold)),
        n_nonmembers=scores.n_nonmembers,
        false_negatives=int(np.sum(scores.member < threshold)),
        n_members=scores.n_members,
    )
