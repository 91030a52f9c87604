"""Bounds from the error counts at a threshold that was fixed in advance, by credible limits.

`joint_posterior` and `jeffreys` suppose a prior of both rates, `gdp` a Gaussian mechanism: where
that is wrong, their bounds may exceed epsilon by far.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from benchmarks.methods.joint_posterior import joint_beta_epsilon
from benchmarks.methods.upper_limits import upper_limits_of_rates
from dpviz.audit.bounds.fixed_threshold import ErrorCounts, attack_epsilon
from dpviz.audit.bounds.result import BoundMethod, BoundRequest, MethodResult
from dpviz.audit.roc.intervals import jeffreys as jeffreys_limits
from dpviz.audit.scores.base import Scores, negated_if_loss
from dpviz.theory import GaussianDP

CountsRule = Callable[[ErrorCounts, float, float], float]  # of delta and the confidence level


def jeffreys(counts: ErrorCounts, delta: float, confidence_level: float) -> float:
    """Bound from credible limits of both rates."""
    fpr, fnr = jeffreys_limits(
        np.array([counts.false_positives, counts.false_negatives]),
        np.array([counts.n_nonmembers, counts.n_members]),
        confidence_level=(1 + confidence_level) / 2,
        side="upper",
    )
    return max(0.0, float(attack_epsilon(fpr=fpr, fnr=fnr, delta=delta)))


def joint_beta(counts: ErrorCounts, delta: float, confidence_level: float) -> float:
    """The ``1 - confidence_level`` quantile of the posterior of epsilon."""
    return joint_beta_epsilon(
        false_positives=counts.false_positives,
        true_negatives=counts.n_nonmembers - counts.false_positives,
        false_negatives=counts.false_negatives,
        true_positives=counts.n_members - counts.false_negatives,
        delta=delta,
        confidence_level=confidence_level,
    )


def gdp(counts: ErrorCounts, delta: float, confidence_level: float) -> float:
    """Epsilon of the smallest Gaussian trade-off function that allows the exact limits.

    Nasr et al., "Tight auditing of differentially private machine learning" (2023).
    """
    level = (1 - confidence_level) / 2
    fpr = upper_limits_of_rates(np.array([counts.false_positives]), counts.n_nonmembers, level)
    fnr = upper_limits_of_rates(np.array([counts.false_negatives]), counts.n_members, level)
    mu = float(-ndtri(fpr[0]) - ndtri(fnr[0]))
    return GaussianDP(mu=mu).epsilon(delta) if mu > 0 else 0.0


def _method(label: str, of_counts: CountsRule) -> BoundMethod:
    def rule(scores: Scores, request: BoundRequest) -> MethodResult:
        if request.threshold is None:
            raise ValueError("threshold must be given, got None")
        counts = ErrorCounts.at(scores, negated_if_loss(request.threshold, scores.kind))
        return MethodResult(low=of_counts(counts, request.delta, request.confidence_level))

    return BoundMethod(label=f"fixed threshold, {label}", rule=rule, needs_threshold=True)


METHODS = {
    "jeffreys": _method("Jeffreys", jeffreys),
    "joint_beta": _method("joint posterior", joint_beta),
    "gdp": _method("Gaussian DP", gdp),
}
