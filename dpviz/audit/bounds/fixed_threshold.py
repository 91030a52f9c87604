"""Bounds from the error counts of one attack, whose threshold was fixed in advance."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.special import ndtri

from dpviz import checks
from dpviz.audit.bounds.joint_beta import joint_beta_epsilon
from dpviz.audit.bounds.method import BoundMethod, MethodResult, Request
from dpviz.audit.bounds.result import INDEPENDENT, AppliesTo, EpsilonBound, Evidence, type_of
from dpviz.audit.roc.intervals import INTERVALS
from dpviz.audit.scores.base import Scores, in_unit
from dpviz.theory import GaussianDP, implied_epsilons

JEFFREYS_PRIOR = "a Jeffreys prior on both rates; covers on average, not always"
GAUSSIAN = "the mechanism is Gaussian DP, which one point of a curve cannot show"


@dataclass(frozen=True, kw_only=True)
class ErrorCounts:
    """False positives among non-members and false negatives among members."""

    false_positives: int
    n_nonmembers: int
    false_negatives: int
    n_members: int

    def __post_init__(self) -> None:
        pairs = (("false_positives", "n_nonmembers"), ("false_negatives", "n_members"))
        for errors, trials in pairs:
            n = checks.whole(trials, getattr(self, trials), 1)
            x = checks.whole(errors, getattr(self, errors), 0, n)
            object.__setattr__(self, trials, n)
            object.__setattr__(self, errors, x)

    @classmethod
    def at(cls, scores: Scores, threshold: float) -> "ErrorCounts":
        """Errors of "member when score >= threshold"."""
        true_positives, false_positives = scores.at_least(threshold)
        return cls(
            false_positives=false_positives,
            n_nonmembers=scores.n_nonmembers,
            false_negatives=scores.n_members - true_positives,
            n_members=scores.n_members,
        )

    def limits(self, interval: str, confidence_level: float) -> Evidence:
        """Upper limits of both rates, each at half of ``1 - confidence_level``."""
        fpr_upper, fnr_upper = INTERVALS[interval](
            np.array([self.false_positives, self.false_negatives]),
            np.array([self.n_nonmembers, self.n_members]),
            confidence_level=(1 + confidence_level) / 2,
            side="upper",
        ).tolist()
        return Evidence(threshold=None, fpr_upper=fpr_upper, fnr_upper=fnr_upper, **asdict(self))

    def joint_beta_epsilon(self, delta: float, confidence_level: float) -> float:
        """The epsilon that the posterior of both rates exceeds with this probability."""
        return joint_beta_epsilon(
            false_positives=self.false_positives,
            true_negatives=self.n_nonmembers - self.false_positives,
            false_negatives=self.false_negatives,
            true_positives=self.n_members - self.false_negatives,
            delta=delta,
            confidence_level=confidence_level,
        )


CountsRule = Callable[[ErrorCounts, float, float], tuple[float, Evidence]]


def clopper_pearson(counts: ErrorCounts, delta: float, level: float) -> tuple[float, Evidence]:
    """Bound from exact limits."""
    return _from_limits(counts.limits("clopper_pearson", level), delta)


def jeffreys(counts: ErrorCounts, delta: float, level: float) -> tuple[float, Evidence]:
    """Bound from credible limits."""
    return _from_limits(counts.limits("jeffreys", level), delta)


def joint_beta(counts: ErrorCounts, delta: float, level: float) -> tuple[float, Evidence]:
    """The ``1 - level`` quantile of the posterior of epsilon."""
    return counts.joint_beta_epsilon(delta, level), counts.limits("jeffreys", level)


def gdp(counts: ErrorCounts, delta: float, level: float) -> tuple[float, Evidence]:
    """Epsilon of the smallest Gaussian trade-off function that allows the exact limits.

    Nasr et al., "Tight auditing of differentially private machine learning" (2023).
    """
    limits = counts.limits("clopper_pearson", level)
    mu = float(-ndtri(limits.fpr_upper) - ndtri(limits.fnr_upper))
    return (GaussianDP(mu=mu).epsilon(delta) if mu > 0 else 0.0), limits


def _from_limits(limits: Evidence, delta: float) -> tuple[float, Evidence]:
    # TPR/FPR and TNR/FNR both fall when a rate grows: their upper limits bound both from below.
    implied = implied_epsilons(fpr=limits.fpr_upper, fnr=limits.fnr_upper, delta=delta)
    return max(0.0, float(np.max(implied[:2]))), limits


FROM_COUNTS: dict[str, CountsRule] = {
    "clopper_pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "joint_beta": joint_beta,
    "gdp": gdp,
}


def _method(name: str, label: str, assumption: str = "") -> BoundMethod:
    def rule(scores: Scores, request: Request) -> MethodResult:
        if request.threshold is None:
            raise ValueError(f"threshold must be given for method {name!r}, got None")
        counts = ErrorCounts.at(scores, in_unit(request.threshold, scores.kind))
        low, evidence = FROM_COUNTS[name](counts, request.delta, request.confidence_level)
        return MethodResult(low=low, evidence=(replace(evidence, threshold=request.threshold),))

    return BoundMethod(
        label=f"fixed threshold, {label}", rule=rule, assumption=assumption, needs_threshold=True
    )


METHODS = {
    "clopper_pearson": _method("clopper_pearson", "Clopper-Pearson"),
    "jeffreys": _method("jeffreys", "Jeffreys", JEFFREYS_PRIOR),
    "joint_beta": _method("joint_beta", "joint posterior", JEFFREYS_PRIOR),
    "gdp": _method("gdp", "Gaussian DP", GAUSSIAN),
}


def lower_bound_from_counts(
    *,
    false_positives: int,
    n_nonmembers: int,
    false_negatives: int,
    n_members: int,
    delta: float,
    confidence_level: float = 0.95,
    method: str = "clopper_pearson",
    applies_to: AppliesTo = "instance",
) -> EpsilonBound:
    """Lower confidence limit of epsilon from one attack **fixed before seeing these records**.

    Parameters
    ----------
    false_positives, n_nonmembers, false_negatives, n_members : int, at least 1 record of each class
    delta : float, in [0, 1]
    confidence_level : float, in (0, 1)
    method : {"clopper_pearson", "jeffreys", "joint_beta", "gdp"}
    applies_to : {"instance", "mechanism"}, whose epsilon is bounded, see `EpsilonBound`

    Returns
    -------
    EpsilonBound
        A `ConditionalEpsilonBound` where the method assumes more than the sampling.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from dpviz import audit
    >>> counts = {"false_positives": 0, "n_nonmembers": 100, "false_negatives": 0}
    >>> round(audit.lower_bound_from_counts(**counts, n_members=100, delta=0).low, 3)
    3.281
    """
    checks.choice("method", method, FROM_COUNTS)
    delta = checks.real("delta", delta, 0, 1)
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    counts = ErrorCounts(
        false_positives=false_positives,
        n_nonmembers=n_nonmembers,
        false_negatives=false_negatives,
        n_members=n_members,
    )
    assumption = METHODS[method].assumption
    low, evidence = FROM_COUNTS[method](counts, delta, level)
    return type_of(assumption)(
        low=low,
        delta=delta,
        confidence_level=level,
        method=method,
        evidence=(evidence,),
        n_members=counts.n_members,
        n_nonmembers=counts.n_nonmembers,
        assumption=assumption,
        sampling=INDEPENDENT,
        applies_to=applies_to,
    )
