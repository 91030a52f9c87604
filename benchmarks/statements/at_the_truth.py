"""Lower bounds on epsilon, judged by whether they refute the true one.

A bound of `lower_bound` is the end of what a test refutes, so it is false only if the test refutes
the truth: one test instead of a search. Where limits of both rates decide, all data sets are tested
at once; where p-values do, one p-value of a data set judges all levels.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from benchmarks.methods.all_thresholds import Upper, bonferroni_upper, dkw_upper, local_upper
from benchmarks.methods.upper_limits import upper_limits_of_rates
from benchmarks.statements.settings import EPSILON, LEVELS, SETTINGS, THRESHOLD, Setting
from benchmarks.statements.statement import Statement, by_p_value
from dpviz.audit.bounds import one_run_p_value
from dpviz.audit.bounds.e_process import pairs_and_guess_counts_after_blocks, wealth_after_blocks
from dpviz.audit.bounds.one_run import sharp_p_value
from dpviz.audit.bounds.rank import guess_sets, members_above_cuts

BATCH = 500  # data sets tested at once
ENOUGH = np.exp(EPSILON) * (1 + 1e-9)  # ratio of two rates from which epsilon is refuted
# Limits of both error rates, each at half of the level.
SCANS: dict[str, Upper] = {
    "local_levels": local_upper,
    "dkw": dkw_upper,
    "bonferroni": bonferroni_upper,
}
FAIR = (Setting(), Setting(delta=1e-5), Setting(delta=0.01), Setting(delta=0.1), Setting("ties"))


def statements() -> Iterator[Statement]:
    """All of them."""
    for setting in SETTINGS:
        for method, upper in SCANS.items():
            yield scanned(f"other method, {method}", upper, setting)
        yield scanned("lower_bound, clopper_pearson", upper_limits_of_rates, setting, at_threshold)
        yield by_p_value("lower_bound, e_process", setting, LEVELS, betting(setting))
    for setting in FAIR:
        for method, p_value in (
            ("one_run", one_run_p_value),
            ("one_run_curve", sharp_p_value),
        ):
            found = best_guess(p_value, setting)
            yield by_p_value(f"lower_bound, {method}", setting, LEVELS, found)


# Members and non-members among the records that a threshold flags, of each data set and threshold.
Counts = tuple[np.ndarray, np.ndarray]


def at_all_thresholds(member: np.ndarray, nonmember: np.ndarray) -> Counts:
    """At every score. Between tied records there is no threshold: there, nobody is flagged."""
    scores = np.concatenate([member, nonmember], axis=1)
    order = np.argsort(-scores, axis=1)
    is_member, ordered = order < member.shape[1], np.take_along_axis(scores, order, axis=1)
    is_last = np.diff(ordered, axis=1, append=-np.inf) < 0
    return np.cumsum(is_member, axis=1) * is_last, np.cumsum(~is_member, axis=1) * is_last


def at_threshold(member: np.ndarray, nonmember: np.ndarray) -> Counts:
    """At the threshold that was fixed beforehand."""
    tp, fp = ((each >= THRESHOLD).sum(axis=1)[:, None] for each in (member, nonmember))
    return tp, fp


def scanned(
    name: str,
    upper: Upper,
    setting: Setting,
    flagged: Callable[[np.ndarray, np.ndarray], Counts] = at_all_thresholds,
) -> Statement:
    """A method by limits of both rates, at one threshold or all."""
    n, m, delta = setting.n, setting.m, setting.delta

    def false(runs: int) -> list[int]:
        limits = [
            (
                upper(np.arange(n + 1), n, (1 - level) / 2),
                upper(np.arange(m + 1), m, (1 - level) / 2),
            )
            for level in LEVELS
        ]
        found = np.zeros(len(LEVELS), int)
        for begin in range(0, runs, BATCH):
            drawn = [drawn_in(setting, run) for run in range(begin, min(begin + BATCH, runs))]
            tp, fp = flagged(*(np.array(each) for each in zip(*drawn, strict=True)))
            for i, (of_fnr, of_fpr) in enumerate(limits):
                fnr, fpr = of_fnr[n - tp], of_fpr[fp]
                refuted = (1 - delta - fnr > ENOUGH * fpr) | (1 - delta - fpr > ENOUGH * fnr)
                found[i] += int(refuted.any(axis=1).sum())
        return found.tolist()

    return Statement(name, setting, LEVELS, false)


def drawn_in(setting: Setting, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of one data set."""
    scores = setting.draw(np.random.default_rng([run, 1]))
    return scores.member, scores.nonmember


def betting(setting: Setting) -> Callable[[int], float]:
    """One over the largest capital of the players against the true epsilon."""

    def p_value(run: int) -> float:
        scores = setting.draw(np.random.default_rng([run, 1]))
        _, counts = pairs_and_guess_counts_after_blocks(scores)
        return float(1 / np.max(wealth_after_blocks(counts, np.array([EPSILON]), setting.delta)))

    return p_value


def best_guess(p_value: Callable[..., float], setting: Setting) -> Callable[[int], float]:
    """The smallest p-value of a fixed list of guesses, times their number."""
    canaries = setting.n + setting.m

    @cache
    def of_counts(made: int, correct: int) -> float:
        counts = {"canaries": canaries, "guesses": made, "correct": correct}
        return p_value(EPSILON, **counts, delta=setting.delta)

    def best(run: int) -> float:
        rng = np.random.default_rng([run, 1])
        scores = setting.draw(rng, fair_coins=True)
        tried = guess_sets(
            scores.n_members, scores.n_nonmembers, delta=0.0, level=1.0, log_odds=0.0
        )
        right = tried.count_right(members_above_cuts(scores, tried.cuts, rng)[:, 0])
        made = (tried.top + tried.bottom).tolist()
        return right.size * min(map(of_counts, made, right.tolist()))

    return best
