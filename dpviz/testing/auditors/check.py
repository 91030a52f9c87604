"""`check_auditor`: how often a function's lower bounds on epsilon are false, on known cases."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.checks import Rng
from dpviz.testing.auditors.cases import CASES, KnownCase
from dpviz.testing.auditors.result import AuditorCheck, CaseOutcome, limits_of_share
from dpviz.testing.auditors.run import Done, Takes, Work, answers

ROUNDING = 1e-9  # absolute and relative, which makes no bound false
TAKES = ("scores", "counts", "guesses")


def check_auditor(
    auditor: Callable[..., Any],
    *,
    takes: Takes = "scores",
    cases: Sequence[str | KnownCase] | None = None,
    n_runs: int = 200,
    n_compared: int = 10,
    confidence_level: float = 0.95,
    time_limit: float = 60.0,
    processes: int = 1,
    rng: Rng = 0,
    progress: bool = False,
) -> AuditorCheck:
    """Return how often an auditor's lower bounds on epsilon are false where epsilon is known.

    The auditor states a bound on scores of each case, again and again. A bound is false if it
    exceeds the exact epsilon of the case. An auditor with its stated confidence is false in at most
    ``1 - confidence_level`` of runs, whatever the case, if the case meets its conditions.

    Parameters
    ----------
    auditor : callable, which returns a number or an object with the number `low`
        Its arguments `delta` and `confidence_level` are keywords. Beside them it takes, as `takes`
        says, `AttackScores`; or the keywords `false_positives`, `n_nonmembers`, `false_negatives`
        and `n_members` at a threshold fixed beforehand; or `right`, `guesses` and `records`. An
        argument `rng` is given a NumPy generator.
    takes : {"scores", "counts", "guesses"}
        Guesses are made about the first and the last tenth of all records.
    cases : sequence of str or KnownCase, by default all of `dpviz.testing.auditors.cases.CASES`
        For guesses, cases in which fair coins decide who is a member.
    n_runs : int, calls for each case
    n_compared : int, first runs of each case in which the default of `lower_bound` is computed, too
    confidence_level : float, in [0.5, 1), which the auditor is to keep
    time_limit : float, seconds for each call, may be infinite
        In one process, compiled code that hangs is not interrupted; in several it is. A case ends
        with its third call that takes longer.
    processes : int, in which auditors are called; for 2 or more, `auditor` must be importable
    rng : int or Generator, which seeds scores, `rng` and the global random states
    progress : bool, show a bar

    Notes
    -----
    Errors, NaN and timeouts are not bounds and are counted separately. A negative bound
    is true. An infinite bound is false where epsilon is finite. Before each call, the global random
    states of Python and NumPy are seeded; after it they are what they were.

    Raises
    ------
    ValueError, if an argument is out of range, or other processes cannot read the auditor

    References
    ----------
    Clopper and Pearson, "The use of confidence or fiducial limits" (1934), for the limits.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.testing import check_auditor
    >>> def best_threshold(scores, delta, confidence_level):  # an estimate, stated as a bound
    ...     member, nonmember = scores.member, scores.nonmember
    ...     tried = np.quantile(nonmember, [0.5, 0.6, 0.7, 0.8, 0.9])
    ...     return max(np.log(np.mean(member >= t) / np.mean(nonmember >= t)) for t in tried)
    >>> checked = check_auditor(best_threshold, cases=["null"], n_runs=50, n_compared=0)
    >>> print(checked.headline)
    In 1 of 1 cases, more than 5 % of the bounds are false (...).
    """
    from tqdm import tqdm  # slow to import, and needed only here

    if not callable(auditor):
        raise TypeError(f"auditor must be a function, got {checks.shortened_repr(auditor)}")
    checks.choice("takes", takes, TAKES)
    work = Work(
        auditor=auditor,
        takes=takes,
        cases=_chosen_cases(cases, takes),
        n_compared=checks.whole("n_compared", n_compared, 0),
        confidence_level=checks.confidence_level(confidence_level),
        time_limit=checks.real("time_limit", time_limit, 0, np.inf, closed="right"),
        seed=checks.seed(rng),
    )
    runs, processes = checks.whole("n_runs", n_runs, 1), checks.whole("processes", processes, 1)
    # A bar that is disabled leaves a thread, too.
    with tqdm(total=runs * len(work.cases), unit="call") if progress else nullcontext() as bar:
        by_case = answers(
            work, runs, processes=processes, on_answer=bar.update if bar else lambda: None
        )
    return AuditorCheck(
        outcomes=tuple(map(_outcome, work.cases, by_case)),
        confidence_level=work.confidence_level,
        takes=takes,
        seed=work.seed,
        time_limit=work.time_limit,
    )


def _chosen_cases(cases: Sequence[str | KnownCase] | None, takes: Takes) -> tuple[KnownCase, ...]:
    if isinstance(cases, str | KnownCase):
        cases = [cases]
    every = [name for name, case in CASES.items() if takes != "guesses" or case.fair_coins]
    chosen = [
        case if isinstance(case, KnownCase) else CASES[checks.choice("cases", case, CASES)]
        for case in (every if cases is None else cases)
    ]
    if not chosen or len({case.name for case in chosen}) < len(chosen):
        got = [case.name for case in chosen]
        raise checks.fail("cases", "at least one case, each with a name of its own", got)
    unfit = [case.name for case in chosen if takes == "guesses" and not case.fair_coins]
    if unfit:
        raise checks.fail("cases", "cases with fair coins for takes='guesses'", unfit)
    return tuple(chosen)


def _outcome(case: KnownCase, done: Sequence[Done]) -> CaseOutcome:
    """Count what the answers of a case are."""
    given = [each.answer for each in done]
    kinds = [answer.kind for answer in given]
    bounds = np.array([answer.bound for answer in given])
    defaults = np.array([np.nan if each.default is None else each.default for each in done])
    judged = ~np.isnan(bounds)
    floored, both = np.maximum(bounds, 0.0), judged & ~np.isnan(defaults)
    n_false = int(np.sum(bounds[judged] > case.epsilon * (1 + ROUNDING) + ROUNDING))
    low, high = limits_of_share(n_false, int(judged.sum()))
    return CaseOutcome(
        name=case.name,
        epsilon=case.epsilon,
        delta=case.delta,
        n_runs=len(done),
        n_judged=int(judged.sum()),
        n_false=n_false,
        false_low=low,
        false_high=high,
        median=_median(floored[judged]),
        n_compared=int(both.sum()),
        median_compared=_median(floored[both]),
        median_default=_median(defaults[both]),
        n_raised=kinds.count("raised"),
        n_nan=kinds.count("NaN"),
        n_negative=kinds.count("negative"),
        n_infinite=kinds.count("infinite"),
        n_timed_out=kinds.count("timed out"),
        n_global_state=sum(answer.used_global_state for answer in given),
        message=next((answer.message for answer in given if answer.message), ""),
        bounds=checks.read_only(bounds),
        defaults=checks.read_only(defaults),
    )


def _median(values: Any) -> float:
    return float(np.median(values)) if values.size else np.nan
