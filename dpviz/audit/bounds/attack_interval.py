"""Confidence interval of the epsilon that one fixed attack demonstrates."""

from dataclasses import asdict, dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.fixed_threshold import METHODS, ErrorCounts
from dpviz.audit.roc.intervals import INTERVALS
from dpviz.theory.region import log_ratio

INTERVAL_METHODS = ("clopper_pearson", "jeffreys", "joint_beta")


@dataclass(frozen=True, kw_only=True)
class AttackEpsilonInterval:
    """Confidence interval of the smallest epsilon that allows one attack's true error rates.

    `low` bounds the epsilon of any guarantee from below. **`high` does not bound a guarantee from
    above**: another threshold, attack or record may show more. It limits what this attack, at this
    threshold, could show with any number of records.

    Parameters
    ----------
    low, high : float, in [0, inf]; `high` is inf where the rate of some error may be 0
    delta, confidence_level : float
    method : {"clopper_pearson", "jeffreys", "joint_beta"}
    assumption : str, condition of the statement besides independent records; empty if there is none
    false_positives, n_nonmembers, false_negatives, n_members : int
        Of the attack, whose threshold was fixed before looking at these records.

    Examples
    --------
    >>> from dpviz.audit.bounds import attack_epsilon_interval
    >>> counts = {"false_positives": 5, "n_nonmembers": 100, "false_negatives": 60}
    >>> found = attack_epsilon_interval(**counts, n_members=100, delta=0)
    >>> round(found.low, 2), round(found.high, 2)
    (0.86, 3.63)
    """

    low: float
    high: float
    delta: float
    confidence_level: float
    method: str
    assumption: str
    false_positives: int
    n_nonmembers: int
    false_negatives: int
    n_members: int


def attack_epsilon_interval(
    *,
    false_positives: int,
    n_nonmembers: int,
    false_negatives: int,
    n_members: int,
    delta: float,
    confidence_level: float = 0.95,
    method: str = "clopper_pearson",
) -> AttackEpsilonInterval:
    """Confidence interval of the smallest epsilon that allows the rates of **one fixed attack**.

    That epsilon is `dpviz.theory.epsilon_at` of the attack's true FPR and FNR. Of the mechanism's
    epsilon only `low` is a limit.

    Parameters
    ----------
    false_positives, n_nonmembers, false_negatives, n_members : int, at least 1 record of each class
    delta : float, in [0, 1]
    confidence_level : float, in (0, 1)
    method : {"clopper_pearson", "jeffreys", "joint_beta"}
        Exact or credible limits of both rates, or quantiles of the posterior of epsilon.

    Returns
    -------
    AttackEpsilonInterval

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from dpviz.audit.bounds import attack_epsilon_interval
    >>> counts = {"false_positives": 5, "n_nonmembers": 100, "false_negatives": 60}
    >>> attack_epsilon_interval(**counts, n_members=100, delta=0, method="jeffreys").assumption
    'a Jeffreys prior on both rates; covers on average, not always'

    Notes
    -----
    Each of FPR and FNR has a lower and an upper limit, each missed with probability at most
    ``(1 - confidence_level) / 4``: all four hold with probability `confidence_level`. Then they
    hold for TPR and TNR as well.
    The epsilon is the largest of 0 and ``log((z - delta) / x)`` over the pairs (x, z) of (FPR,
    TPR), (FNR, TNR), (TNR, FNR) and (TPR, FPR). Each of these grows with z and falls with x, hence
    is at least its value at the lower limit of z and the upper limit of x, and at most its value at
    the two other limits. The largest of the former is `low`, of the latter `high`.
    """
    checks.choice("method", method, INTERVAL_METHODS)
    delta = checks.real("delta", delta, 0, 1)
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    counts = ErrorCounts(
        false_positives=false_positives,
        n_nonmembers=n_nonmembers,
        false_negatives=false_negatives,
        n_members=n_members,
    )
    if method == "joint_beta":
        low, high = _of_posterior(counts, delta, level)
    else:
        low, high = _of_limits(method, counts, delta, level)
    return AttackEpsilonInterval(
        low=low,
        high=high,
        delta=delta,
        confidence_level=level,
        method=method,
        assumption=METHODS[method].assumption,
        **asdict(counts),
    )


def _of_limits(method: str, counts: ErrorCounts, delta: float, level: float) -> tuple[float, float]:
    errors = np.array([counts.false_positives, counts.false_negatives])
    records = np.array([counts.n_nonmembers, counts.n_members])
    # Of FPR, FNR, TNR and TPR; in reverse, the rates that the region compares these with.
    lower, upper = INTERVALS[method](
        np.concatenate([errors, records - errors]),
        np.concatenate([records, records]),
        confidence_level=(1 + level) / 2,
    )
    low = np.max(log_ratio(lower[::-1] - delta, upper))
    high = np.max(log_ratio(upper[::-1] - delta, lower))
    return max(0.0, float(low)), max(0.0, float(high))


def _of_posterior(counts: ErrorCounts, delta: float, level: float) -> tuple[float, float]:
    low = counts.joint_beta_epsilon(delta, (1 + level) / 2)
    return low, max(low, counts.joint_beta_epsilon(delta, (1 - level) / 2))
