"""Confidence limits of what an attack reaches, and of how far apart two attacks are."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
from scipy.stats import norm

from benchmarks.statements.settings import EPSILON, MU, RIGHT, THRESHOLD, Setting
from benchmarks.statements.statement import Statement, directly
from dpviz import audit
from dpviz.audit import AttackScores

FPR = 0.1
LEVELS = (0.8, 0.95, 0.9999)
SLACK = 1e-12
SETTINGS = (Setting("gaussian"), Setting("ties"), Setting("gaussian", 20, 2000))
FEW = (Setting("null", 7, 400), Setting("null", 400, 7), Setting("gaussian", 7, 400))
FIXED = (
    Setting("ties"),
    Setting("ties", delta=0.01),
    Setting("ties", delta=0.1),
    Setting("ties", 20, 2000),
    Setting("ties", 2000, 20),
)
AREAS = {"null": 0.5, "gaussian": norm.cdf(MU / np.sqrt(2)), "ties": RIGHT}
ADVANTAGES = {"gaussian": 2 * norm.cdf(MU / 2) - 1, "ties": 2 * RIGHT - 1}
# With ties: of the threshold that flags nobody, and of ties that are broken at random.
TPRS = {
    "gaussian": (norm.sf(norm.isf(FPR) - MU),),
    "ties": (0.0, FPR * RIGHT / (1 - RIGHT)),
}
Limits = Callable[[AttackScores, float], tuple[float, float]]


def statements() -> Iterator[Statement]:
    """All of them; those called approximate hold for large samples only."""
    for setting in SETTINGS:
        levels = LEVELS if setting == SETTINGS[0] else (0.95,)
        area, advantage = (AREAS[setting.law],), (ADVANTAGES[setting.law],)
        for method in ("chernoff", "delong"):
            name = f"auc_interval, {method}" + " (approximate)" * (method == "delong")
            yield limits(name, setting, levels, area, area_by(method))
        yield limits("advantage", setting, levels, advantage, advantage_limits)
        yield limits("tpr_interval", setting, levels, TPRS[setting.law], tpr_limits)
        for paired in (True, False):
            name = f"auc_difference, {'paired' if paired else 'not paired'} (approximate)"
            yield limits(name, setting, LEVELS, (0.0,), area_difference(paired))
            name = f"tpr_difference, {'paired' if paired else 'not paired'}"
            yield limits(name, setting, levels, (0.0,), tpr_difference(paired))
    for setting, method in product(FEW, ("chernoff", "delong")):
        name = f"auc_interval, {method}" + " (approximate)" * (method == "delong")
        yield limits(name, setting, LEVELS, (AREAS[setting.law],), area_by(method))
    for setting in FIXED:
        yield limits(
            "attack_epsilon_interval", setting, LEVELS, (EPSILON,), epsilon_limits(setting)
        )
    for setting in (SETTINGS[0], SETTINGS[2]):
        yield directly("curve_band", setting, (0.95,), drawn(setting), band_is_false)


def drawn(setting: Setting) -> Callable[[int], AttackScores]:
    """Data sets."""
    return lambda run: setting.draw(np.random.default_rng([run, 9]))


def limits(
    name: str, setting: Setting, levels: tuple[float, ...], truths: tuple[float, ...], of: Limits
) -> Statement:
    """An interval, which is false if it does not have all `truths`."""

    def is_false(scores: AttackScores, level: float, _: int) -> bool:
        low, high = of(scores, level)
        return not low - SLACK <= min(truths) <= max(truths) <= high + SLACK

    return directly(name, setting, levels, drawn(setting), is_false)


def area_by(method: str) -> Limits:
    """Of the area under the curve."""

    def of(scores: AttackScores, level: float) -> tuple[float, float]:
        found = audit.auc_interval(scores, confidence_level=level, method=method)
        return found.low, found.high

    return of


def advantage_limits(scores: AttackScores, level: float) -> tuple[float, float]:
    """Of the largest TPR - FPR."""
    found = audit.advantage(scores, confidence_level=level)
    return found.low, found.high


def tpr_limits(scores: AttackScores, level: float) -> tuple[float, float]:
    """Of the TPR at an FPR."""
    return audit.roc.tpr_interval(scores, FPR, confidence_level=level)


def epsilon_limits(setting: Setting) -> Limits:
    """Of the epsilon that the threshold between both answers shows."""

    @cache
    def of_counts(errors: tuple[int, int], level: float) -> tuple[float, float]:
        counts = {"false_positives": errors[0], "false_negatives": errors[1]}
        sizes = {"n_nonmembers": setting.m, "n_members": setting.n}
        given = {"delta": setting.delta, "confidence_level": level}
        found = audit.bounds.attack_epsilon_interval(**counts, **sizes, **given)
        return found.low, found.high

    def of(scores: AttackScores, level: float) -> tuple[float, float]:
        tp, fp = scores.count_at_least(THRESHOLD)
        return of_counts((int(fp), scores.n_members - int(tp)), level)

    return of


def half_of(scores: AttackScores) -> tuple[AttackScores, AttackScores]:
    """Two attacks on the first half of the records, which differ in half of the scores.

    Both have the distribution of `scores`; where they differ, the other half has the scores.
    """
    n, m = scores.n_members // 2, scores.n_nonmembers // 2
    other = AttackScores(
        member=np.where(np.arange(n) % 2, scores.member[:n], scores.member[n : 2 * n]),
        nonmember=np.where(np.arange(m) % 2, scores.nonmember[:m], scores.nonmember[m : 2 * m]),
    )
    return AttackScores(member=scores.member[:n], nonmember=scores.nonmember[:m]), other


def area_difference(paired: bool) -> Limits:
    """Of two areas, which are equal."""

    def of(scores: AttackScores, level: float) -> tuple[float, float]:
        found = audit.auc_difference(*half_of(scores), confidence_level=level, paired=paired)
        return found.low, found.high

    return of


def tpr_difference(paired: bool) -> Limits:
    """Of two TPRs at one FPR, which are equal."""

    def of(scores: AttackScores, level: float) -> tuple[float, float]:
        one, other = half_of(scores)
        found = audit.tpr_difference(one, other, FPR, confidence_level=level, paired=paired)
        return found.low, found.high

    return of


def band_is_false(scores: AttackScores, level: float, _: int) -> bool:
    """Whether the true curve is somewhere above the upper limit, or below the lower one."""
    band = audit.curve_band(audit.AttackCurve.from_scores(scores), confidence_level=level)
    upper, lower = (
        limit[:, 1] - norm.cdf(norm.isf(limit[:, 0]) - MU) for limit in (band.upper, band.lower)
    )
    return bool(np.any(upper < -SLACK) or np.any(lower > SLACK))
