"""Bounds after looking at every threshold: limits of both rates that hold at all at once."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from dpviz.audit.ascending import Counts
from dpviz.audit.bands import dkw_margin, is_tabulated, local_level
from dpviz.audit.binned_scores import Scores
from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.bounds.bound import Evidence, Found
from dpviz.audit.intervals import upper_rates
from dpviz.audit.scores import in_unit
from dpviz.audit.supremum import Rates, Reached, ThresholdCounts
from dpviz.checks import FloatArray

Upper = Callable[[Counts, int, float], FloatArray]
"""Upper limits of a rate from error counts, records and the level all of them share."""


def local_levels(scores: Scores, *, delta: float, confidence_level: float) -> Found:
    """Equal local levels: exact limits at one level per class, calibrated for all thresholds."""

    def upper(errors: Counts, n: int, level: float) -> FloatArray:
        return upper_rates(errors, n, local_level(n, confidence_level=1 - level))

    found = _scan(scores, upper, delta=delta, confidence_level=confidence_level)
    each = (1 + confidence_level) / 2
    beyond = [
        f"no local level is tabulated for {n} records at {1 - each:g}: Bonferroni's instead"
        for n in sorted({scores.n_members, scores.n_nonmembers})
        if not is_tabulated(n, confidence_level=each)
    ]
    return replace(found, notes=tuple(beyond))


def bonferroni(scores: Scores, *, delta: float, confidence_level: float) -> Found:
    """Exact limits, the level divided by the number of records of the class."""

    def upper(errors: Counts, n: int, level: float) -> FloatArray:
        return upper_rates(errors, n, level / n)

    return _scan(scores, upper, delta=delta, confidence_level=confidence_level)


def dkw(scores: Scores, *, delta: float, confidence_level: float) -> Found:
    """The band of Dvoretzky, Kiefer, Wolfowitz and Massart: one margin everywhere."""

    def upper(errors: Counts, n: int, level: float) -> FloatArray:
        return np.minimum(errors / n + dkw_margin(n, confidence_level=1 - level), 1)

    return _scan(scores, upper, delta=delta, confidence_level=confidence_level)


def _scan(scores: Scores, upper: Upper, *, delta: float, confidence_level: float) -> Found:
    """The largest epsilon that the limits refute at any threshold, and that threshold."""
    each = (1 - confidence_level) / 2
    limits = partial(limits_of_errors, upper=upper, level=each)
    found = threshold_blocks(scores).largest_log_ratios(delta=delta, limits=limits)
    if found is None:
        raise RuntimeError("a search without a clip has thresholds")
    best = max(found[:2], key=lambda reached: reached.log_ratio)
    return Found(low=max(0.0, best.log_ratio), evidence=(_evidence(best, scores, upper, each),))


def limits_of_errors(counts: ThresholdCounts, *, upper: Upper, level: float) -> tuple[Rates, Rates]:
    """Rates above the line at their lowest, below it at their highest.

    The attack's direction only: m3 and m4 would need lower limits of the errors, to be paid for.
    """
    n, m = counts.n_members, counts.n_nonmembers
    fpr = upper(counts.false_positives, m, level)
    fnr = upper(n - counts.true_positives, n, level)
    none, all_of_them = np.zeros_like(fpr), np.ones_like(fpr)
    return (1 - fnr, none, 1 - fpr, none), (all_of_them, fpr, all_of_them, fnr)


def _evidence(best: Reached, scores: Scores, upper: Upper, level: float) -> Evidence:
    n, m = scores.n_members, scores.n_nonmembers
    errors = best.false_positives, n - best.true_positives
    fpr, fnr = (
        float(upper(np.array([x]), size, level)[0]) for x, size in zip(errors, (m, n), strict=True)
    )
    return Evidence(
        threshold=in_unit(best.threshold, scores.kind),
        false_positives=errors[0],
        n_nonmembers=m,
        false_negatives=errors[1],
        n_members=n,
        fpr_upper=fpr,
        fnr_upper=fnr,
    )
