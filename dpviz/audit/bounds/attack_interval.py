"""An interval for what one attack shows: the only upper limit that counts can give."""

from dataclasses import asdict, dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.counts import FROM_COUNTS, Counts
from dpviz.audit.bounds.joint_beta import joint_beta_epsilon
from dpviz.audit.intervals import INTERVALS
from dpviz.theory.region import log_ratio

METHODS = ("clopper_pearson", "jeffreys", "joint_beta")


@dataclass(frozen=True, kw_only=True)
class AttackEpsilonInterval:
    """Where the smallest epsilon that admits one attack's true error rates is.

    `low` bounds the epsilon of any guarantee from below. **`high` does not bound a guarantee from
    above**: another threshold, another attack or another record may show more. It says how much
    this attack, at this threshold, could have shown with more records.

    Parameters
    ----------
    low, high : float
        In [0, inf]; `high` is inf where errors of one kind may have rate 0.
    delta, confidence_level : float
    method : {"clopper_pearson", "jeffreys", "joint_beta"}
    assumption : str
        What has to hold besides the sampling, for the statement to be one; empty where nothing.
    false_positives, n_nonmembers, false_negatives, n_members : int
        Of the attack, whose threshold was fixed before these records were looked at.
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
    """An interval for the smallest epsilon that admits the true rates of **one fixed attack**.

    The epsilon is `dpviz.theory.epsilon_at` of the attack's true FPR and FNR: no statement about
    the mechanism, of whose epsilon only `low` says something.

    Parameters
    ----------
    false_positives, n_nonmembers, false_negatives, n_members : int
        Errors and records of each class, at least one record each.
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1).
    method : {"clopper_pearson", "jeffreys", "joint_beta"}
        The limits of both rates, exact or credible; or the posterior of epsilon, with half of what
        is left on either side.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    Each of FPR and FNR has a lower and an upper limit, missed with at most a quarter of what is
    left: all four hold with probability `confidence_level`. Then they hold for TPR and TNR as well.
    The epsilon is the largest of 0 and ``log((z - delta) / x)`` over the pairs (x, z) of (FPR,
    TPR), (FNR, TNR), (TNR, FNR) and (TPR, FPR). Each of these grows with z and falls with x, hence
    is at least its value at the lower limit of z and the upper limit of x, and at most its value at
    the two other limits. The largest of the former is `low`, of the latter `high`.
    """
    checks.choice("method", method, METHODS)
    delta = checks.real("delta", delta, 0, 1)
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    counts = Counts(
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
        assumption=FROM_COUNTS[method][1],
        **asdict(counts),
    )


def _of_limits(method: str, counts: Counts, delta: float, level: float) -> tuple[float, float]:
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


def _of_posterior(counts: Counts, delta: float, level: float) -> tuple[float, float]:
    def exceeded(probability: float) -> float:
        return joint_beta_epsilon(
            false_positives=counts.false_positives,
            true_negatives=counts.n_nonmembers - counts.false_positives,
            false_negatives=counts.false_negatives,
            true_positives=counts.n_members - counts.false_negatives,
            delta=delta,
            confidence_level=probability,
        )

    low = exceeded((1 + level) / 2)
    return low, max(low, exceeded((1 - level) / 2))
