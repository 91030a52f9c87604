"""The bound from the error counts of one attack, whose threshold was fixed in advance.

FPR and FNR have exact upper limits at half of ``1 - confidence_level`` each; the bound is the
smallest epsilon that allows both limits. `attack_epsilon_interval` also uses lower limits.
"""

from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.bounds import result
from dpviz.audit.bounds.result import AppliesTo, BoundMethod, BoundRequest, EpsilonBound, Evidence
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.base import Sampling, Scores, negated_if_loss
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio
from dpviz.value_object import ValueObject

NAME = "clopper_pearson"


def attack_epsilon(*, fpr: ArrayLike, fnr: ArrayLike, delta: float) -> FloatArray:
    """Return the larger of log((TPR - delta) / FPR) and log((TNR - delta) / FNR)."""
    fpr, fnr = np.asarray(fpr, float), np.asarray(fnr, float)
    return np.maximum(log_ratio(1 - fnr - delta, fpr), log_ratio(1 - fpr - delta, fnr))


def fixed_threshold_bound(scores: Scores, request: BoundRequest) -> result.MethodResult:
    """Return the lower bound from error counts at `request.threshold`; ValueError if it is None."""
    if request.threshold is None:
        raise ValueError(f"threshold must be given for method {NAME!r}, got None")
    counts = ErrorCounts.at(scores, negated_if_loss(request.threshold, scores.kind))
    limits = counts.upper_limits(request.confidence_level)
    evidence = replace(limits, threshold=request.threshold)
    low = bound_from_rate_limits(limits, request.delta)
    return result.MethodResult(low=low, evidence=(evidence,))


def bound_from_rate_limits(limits: Evidence, delta: float) -> float:
    """Return the lower bound on epsilon, at least 0, from upper limits of the FPR and the FNR."""
    return max(0.0, float(attack_epsilon(fpr=limits.fpr_upper, fnr=limits.fnr_upper, delta=delta)))


METHOD = BoundMethod(
    label="fixed threshold, Clopper-Pearson", rule=fixed_threshold_bound, needs_threshold=True
)


@dataclass(frozen=True, kw_only=True)
class ErrorCounts:
    """The numbers of false positives and of false negatives of one attack, with the class sizes."""

    false_positives: int
    n_nonmembers: int
    false_negatives: int
    n_members: int

    def __post_init__(self) -> None:
        pairs = (("false_positives", "n_nonmembers"), ("false_negatives", "n_members"))
        for errors, trials in pairs:
            n = checks.whole(trials, getattr(self, trials), 1)
            object.__setattr__(self, trials, n)
            object.__setattr__(self, errors, checks.whole(errors, getattr(self, errors), 0, n))

    @classmethod
    def at(cls, scores: Scores, threshold: float) -> "ErrorCounts":
        """Count the errors of an attack that flags scores >= `threshold` as members."""
        (true_positives, false_positives), n = scores.count_at_least(threshold), scores.n_members
        sizes = {"n_nonmembers": scores.n_nonmembers, "n_members": n}
        return cls(false_positives=false_positives, false_negatives=n - true_positives, **sizes)

    def upper_limits(self, confidence_level: float) -> Evidence:
        """Return Clopper-Pearson upper limits of FPR and FNR that hold together (Bonferroni)."""
        fpr_upper, fnr_upper = clopper_pearson(
            np.array([self.false_positives, self.false_negatives]),
            np.array([self.n_nonmembers, self.n_members]),
            confidence_level=(1 + confidence_level) / 2,
            side="upper",
        ).tolist()
        return Evidence(threshold=None, fpr_upper=fpr_upper, fnr_upper=fnr_upper, **asdict(self))


def lower_bound_from_counts(
    *,
    false_positives: int,
    n_nonmembers: int,
    false_negatives: int,
    n_members: int,
    delta: float,
    confidence_level: float = 0.95,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
) -> EpsilonBound:
    """Return a lower limit of epsilon from the errors of **one attack fixed in advance**.

    The method of the bound is "clopper_pearson".

    Parameters
    ----------
    false_positives, n_nonmembers, false_negatives, n_members : int, at least 1 record of each class
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1)
    applies_to : {"instance", "mechanism"}, optional
    sampling : {"independent_trainings"}, required for a mechanism; both as of `lower_bound`

    Examples
    --------
    >>> from dpviz import audit
    >>> counts = {"false_positives": 0, "n_nonmembers": 100, "false_negatives": 0}
    >>> round(audit.lower_bound_from_counts(**counts, n_members=100, delta=0).low, 3)
    3.281
    """
    delta = checks.real("delta", delta, 0, 1)
    level = checks.confidence_level(confidence_level)
    sizes = {"n_nonmembers": n_nonmembers, "n_members": n_members}
    counts = ErrorCounts(false_positives=false_positives, false_negatives=false_negatives, **sizes)
    evidence = counts.upper_limits(level)
    applies_to = result.checked_applies_to(applies_to, sampling, only="independent_trainings")
    return EpsilonBound(
        low=bound_from_rate_limits(evidence, delta),
        delta=delta,
        confidence_level=level,
        method=NAME,
        evidence=(evidence,),
        n_members=counts.n_members,
        n_nonmembers=counts.n_nonmembers,
        sampling=METHOD.conditions(sampling),
        applies_to=applies_to,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackEpsilonInterval(ValueObject):
    """Confidence interval of the smallest epsilon that allows one attack's true error rates.

    `low` bounds the epsilon of any guarantee from below. **`high` does not bound a guarantee from
    above**: another threshold, attack or record may show more. It limits what this attack, at this
    threshold, could show with any number of records.

    Parameters
    ----------
    low, high : float, in [0, inf]; `high` is inf where the limits allow an FPR or FNR of 0
    delta, confidence_level : float
    false_positives, n_nonmembers, false_negatives, n_members : int, at a prespecified threshold

    Examples
    --------
    >>> from dpviz.audit.bounds import attack_epsilon_interval
    >>> counts = {"false_positives": 5, "n_nonmembers": 100, "false_negatives": 60}
    >>> round(attack_epsilon_interval(**counts, n_members=100, delta=0).low, 2)
    0.86
    """

    low: float
    high: float
    delta: float
    confidence_level: float
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
) -> AttackEpsilonInterval:
    """Return a confidence interval of the smallest epsilon that allows **a fixed attack's** rates.

    That epsilon is `dpviz.theory.epsilon_at` of the attack's true FPR and FNR. Only `low` also
    bounds the mechanism's epsilon.

    Parameters
    ----------
    false_positives, n_nonmembers, false_negatives, n_members : int, at least 1 record of each class
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1)

    Examples
    --------
    >>> from dpviz.audit.bounds import attack_epsilon_interval
    >>> counts = {"false_positives": 5, "n_nonmembers": 100, "false_negatives": 60}
    >>> round(attack_epsilon_interval(**counts, n_members=100, delta=0).high, 2)
    3.63

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
    delta = checks.real("delta", delta, 0, 1)
    level = checks.confidence_level(confidence_level)
    sizes = {"n_nonmembers": n_nonmembers, "n_members": n_members}
    counts = ErrorCounts(false_positives=false_positives, false_negatives=false_negatives, **sizes)
    errors = np.array([counts.false_positives, counts.false_negatives])
    records = np.array([counts.n_nonmembers, counts.n_members])
    # Of FPR, FNR, TNR and TPR; in reverse, the rates that the region compares these with.
    lower, upper = clopper_pearson(
        np.concatenate([errors, records - errors]),
        np.concatenate([records, records]),
        confidence_level=(1 + level) / 2,
    )
    low, high = (
        max(0.0, float(np.max(log_ratio(z[::-1] - delta, x))))
        for z, x in ((lower, upper), (upper, lower))
    )
    given = {"delta": delta, "confidence_level": level, **asdict(counts)}
    return AttackEpsilonInterval(low=low, high=high, **given)
