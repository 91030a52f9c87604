"""Bounds from the counts of one attack whose threshold was not chosen on the same records."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpviz import checks
from dpviz.audit.bounds.bound import INDEPENDENT, AppliesTo, EpsilonBound, Evidence, type_of
from dpviz.audit.bounds.joint_beta import joint_beta_epsilon
from dpviz.audit.intervals import INTERVALS
from dpviz.theory import GaussianDP, implied_epsilons


@dataclass(frozen=True, kw_only=True)
class Counts:
    """False positives of non-members and false negatives of members."""

    false_positives: int
    n_nonmembers: int
    false_negatives: int
    n_members: int

    def __post_init__(self) -> None:
        for errors, trials in (
            ("false_positives", "n_nonmembers"),
            ("false_negatives", "n_members"),
        ):
            n = checks.whole(trials, getattr(self, trials), 1)
            x = checks.whole(errors, getattr(self, errors), 0, n)
            object.__setattr__(self, trials, n)
            object.__setattr__(self, errors, x)


Rule = Callable[[Counts, float, float], tuple[float, Evidence]]


def clopper_pearson(
    counts: Counts, delta: float, confidence_level: float
) -> tuple[float, Evidence]:
    """Exact upper limits of both rates, each at half of what is left of the level."""
    return _from_limits("clopper_pearson", counts, delta, confidence_level)


def jeffreys(counts: Counts, delta: float, confidence_level: float) -> tuple[float, Evidence]:
    """Credible upper limits of both rates."""
    return _from_limits("jeffreys", counts, delta, confidence_level)


def gdp(counts: Counts, delta: float, confidence_level: float) -> tuple[float, Evidence]:
    """The smallest Gaussian trade-off function that admits the exact limits (Nasr et al., 2023)."""
    limits = _limits("clopper_pearson", counts, confidence_level)
    mu = float(-ndtri(limits.fpr_upper) - ndtri(limits.fnr_upper))
    return (GaussianDP(mu=mu).epsilon(delta) if mu > 0 else 0.0), limits


def joint_beta(counts: Counts, delta: float, confidence_level: float) -> tuple[float, Evidence]:
    """The epsilon below which the posterior of both rates has what is left of the level."""
    low = joint_beta_epsilon(
        false_positives=counts.false_positives,
        true_negatives=counts.n_nonmembers - counts.false_positives,
        false_negatives=counts.false_negatives,
        true_positives=counts.n_members - counts.false_negatives,
        delta=delta,
        confidence_level=confidence_level,
    )
    return low, _limits("jeffreys", counts, confidence_level)


FROM_COUNTS: dict[str, tuple[Rule, str]] = {
    "clopper_pearson": (clopper_pearson, ""),
    "jeffreys": (jeffreys, "a Jeffreys prior on both rates; covers on average, not always"),
    "joint_beta": (joint_beta, "a Jeffreys prior on both rates; covers on average, not always"),
    "gdp": (gdp, "the mechanism is Gaussian DP, which one point of a curve cannot show"),
}
"""Rule and assumption by name."""


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
    """A lower bound on epsilon from one attack, **fixed before these records were looked at**.

    Parameters
    ----------
    false_positives, n_nonmembers, false_negatives, n_members : int
        Errors and records of each class, at least one record each.
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1).
    method : {"clopper_pearson", "jeffreys", "joint_beta", "gdp"}
    applies_to : {"instance", "mechanism"}

    Returns
    -------
    EpsilonBound
        A `ConditionalEpsilonBound` where the method assumes more than the sampling.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    checks.choice("method", method, FROM_COUNTS)
    delta = checks.real("delta", delta, 0, 1)
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    counts = Counts(
        false_positives=false_positives,
        n_nonmembers=n_nonmembers,
        false_negatives=false_negatives,
        n_members=n_members,
    )
    rule, assumption = FROM_COUNTS[method]
    low, evidence = rule(counts, delta, level)
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


def _limits(interval: str, counts: Counts, confidence_level: float) -> Evidence:
    each = (1 + confidence_level) / 2
    upper = INTERVALS[interval]
    return Evidence(
        threshold=None,
        false_positives=counts.false_positives,
        n_nonmembers=counts.n_nonmembers,
        false_negatives=counts.false_negatives,
        n_members=counts.n_members,
        fpr_upper=upper(
            counts.false_positives, counts.n_nonmembers, confidence_level=each, side="upper"
        ),
        fnr_upper=upper(
            counts.false_negatives, counts.n_members, confidence_level=each, side="upper"
        ),
    )


def _from_limits(
    interval: str, counts: Counts, delta: float, confidence_level: float
) -> tuple[float, Evidence]:
    """Both of e1 and e2 fall with both rates: one pair of limits covers them."""
    limits = _limits(interval, counts, confidence_level)
    implied = implied_epsilons(fpr=limits.fpr_upper, fnr=limits.fnr_upper, delta=delta)
    return max(0.0, float(np.max(implied[:2]))), limits
