"""Bounds from the error counts of one attack, whose threshold was fixed in advance."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property

import numpy as np
from scipy.special import betainc, betaincinv, expit, ndtri, xlog1py

from dpviz import checks
from dpviz.audit.bounds.result import (
    INDEPENDENT,
    AppliesTo,
    BoundMethod,
    EpsilonBound,
    Evidence,
    MethodResult,
    Request,
    type_of,
)
from dpviz.audit.roc.intervals import INTERVALS
from dpviz.audit.scores.base import Scores, in_unit
from dpviz.checks import FloatArray
from dpviz.theory import ApproximateDP, GaussianDP, implied_epsilons
from dpviz.theory.region import log_ratio

LARGEST = 700.0  # epsilon beyond which every region is the whole square
NODES = 80  # of the quadrature; leave errors of about 1e-11
REACH = 6.5  # a posterior has less than e^(-REACH^2) outside the angles that are integrated
TOLERANCE = 1e-9  # of epsilon
COMPLEMENTS = [2, 3, 0, 1]  # from (FPR, FNR, TNR, TPR) to (TNR, TPR, FPR, FNR)


def joint_beta_cdf(
    epsilon: float,
    *,
    false_positives: int,
    true_negatives: int,
    false_negatives: int,
    true_positives: int,
    delta: float,
) -> float:
    """Posterior probability that both error rates lie in the privacy region of (epsilon, delta).

    Parameters
    ----------
    epsilon : float, in [0, inf]
    false_positives, true_negatives, false_negatives, true_positives : int, at least 0
    delta : float, in [0, 1]

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Zanella-Beguelin et al., "Bayesian estimation of differential privacy" (2023).

    Examples
    --------
    >>> from dpviz.audit.bounds import joint_beta_cdf
    >>> counts = {"false_positives": 5, "true_negatives": 95, "false_negatives": 60}
    >>> round(joint_beta_cdf(2.0, **counts, true_positives=40, delta=0), 3)
    0.457
    """
    ApproximateDP(epsilon=epsilon, delta=delta)  # raises if out of range
    posteriors = _posteriors(false_positives, true_negatives, false_negatives, true_positives)
    return posteriors.share(epsilon, delta)


def joint_beta_epsilon(
    *,
    false_positives: int,
    true_negatives: int,
    false_negatives: int,
    true_positives: int,
    delta: float,
    confidence_level: float,
) -> float:
    """The ``1 - confidence_level`` quantile of the posterior of epsilon.

    Parameters
    ----------
    false_positives, true_negatives, false_negatives, true_positives : int
    delta : float, as of `joint_beta_cdf`
    confidence_level : float, in (0, 1)

    Returns
    -------
    float
        0 where the region of epsilon 0 has more of the posterior than ``1 - confidence_level``, inf
        where every region has less.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Zanella-Beguelin et al., "Bayesian estimation of differential privacy" (2023).

    Examples
    --------
    >>> from dpviz.audit.bounds import joint_beta_epsilon
    >>> counts = {"false_positives": 5, "true_negatives": 95, "false_negatives": 60}
    >>> round(joint_beta_epsilon(**counts, true_positives=40, delta=0, confidence_level=0.95), 3)
    1.391
    """
    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    delta = checks.real("delta", delta, 0, 1)
    posteriors = _posteriors(false_positives, true_negatives, false_negatives, true_positives)

    def excess(epsilon: float) -> float:
        # Normal quantiles make it nearly linear, so that a few steps find the root.
        share = np.clip(posteriors.share(epsilon, delta), 1e-16, 1 - 1e-16)
        return float(ndtri(share) - ndtri(level))

    low, high = posteriors.bracket(level, delta)
    if np.isinf(high):
        return high
    at_low, at_high = excess(low), excess(high)
    if at_low >= 0 or at_high <= 0:
        return low if at_low >= 0 else high
    last = 0.0
    while high - low > TOLERANCE:
        middle = low - at_low * (high - low) / (at_high - at_low)
        found = excess(middle)
        if abs(found) < TOLERANCE:
            return middle
        # False position with less weight on an end that stays twice (Anderson and Bjorck, 1973).
        before = at_low if found < 0 else at_high
        weight = max(1 - found / before, 0.5) if found * last > 0 else 1.0
        if found < 0:
            low, at_low, at_high = middle, found, at_high * weight
        else:
            high, at_high, at_low = middle, found, at_low * weight
        last = found
    return low


@dataclass(frozen=True, eq=False)
class _Posteriors:
    """Posteriors of (FPR, FNR, TNR, TPR); the region compares each with that in reversed order."""

    x: FloatArray  # records that each rate counts
    y: FloatArray  # the others of their class

    def share(self, epsilon: float, delta: float) -> float:
        """The posterior probability of the region."""
        if epsilon > LARGEST:
            return 1.0  # all rates but 0 and 1 are inside
        grown, k = np.exp(epsilon), (1 - delta) * expit(-epsilon)

        def meets(angles: FloatArray) -> FloatArray:
            return _angle((np.sin(angles[::-1]) ** 2 - delta) / grown)

        start, stop = self._bulk
        corner = _angle(k)
        start = np.minimum(np.maximum(start, meets(start)), corner)
        stop = np.clip(np.minimum(stop, meets(stop)), start, corner)
        angles, weights = self._density(start, stop)
        bound = np.minimum(delta + grown * np.sin(angles) ** 2, 1)
        a, b = self.x + 0.5, self.y + 0.5
        held = np.sum(weights * betainc(a[::-1, None], b[::-1, None], bound), axis=1) / self._total
        below = betainc(a, b, k)
        held += below - betainc(a, b, np.sin(stop) ** 2)  # beyond `stop` all of the wedge is inside
        quadrants = (1 - below[::2]) * (1 - below[1::2])
        return float(np.clip(held.sum() + quadrants.sum() - 1, 0, 1))

    def bracket(self, level: float, delta: float) -> tuple[float, float]:
        """Two epsilons between which the share reaches `level`, from rectangles of rates.

        Below `low` an inequality fails except beyond two limits at half the level each; above
        `high` all hold in a rectangle that has `level` of the posterior.
        """
        tails = np.array([[level / 2], [(1 - np.sqrt(level)) / 2]])
        lower = np.asarray(betaincinv(self.x + 0.5, self.y + 0.5, tails), np.float64)
        upper = 1 - lower[:, COMPLEMENTS]
        low = log_ratio(lower[0, ::-1] - delta, upper[0]).max()
        high = log_ratio(upper[1, ::-1] - delta, lower[1]).max()
        return max(0.0, float(low)), max(0.0, float(high))

    @cached_property
    def _bulk(self) -> tuple[FloatArray, FloatArray]:
        """Angles outside which a posterior has less than e^(-REACH^2).

        The density of ``arcsin(sqrt(rate))`` is ``sin^2x cos^2y`` up to a factor: it has no
        singularity, and its logarithm a curvature of at least ``2 (sqrt x + sqrt y)^2``.
        """
        with np.errstate(divide="ignore"):
            reach = REACH / (np.sqrt(self.x) + np.sqrt(self.y))
        mode = self._mode
        return np.maximum(mode - reach, 0), np.minimum(mode + reach, np.pi / 2)

    @cached_property
    def _mode(self) -> FloatArray:
        return np.arctan2(np.sqrt(self.x), np.sqrt(self.y))

    @cached_property
    def _total(self) -> FloatArray:
        return np.asarray(self._density(*self._bulk)[1].sum(axis=1))

    def _density(self, start: FloatArray, stop: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Nodes between two angles, and their weights times the density relative to the mode."""
        nodes, weights = _rule()
        width = (stop - start)[:, None]
        angles = start[:, None] + width * nodes
        x, y, off = self.x[:, None], self.y[:, None], angles - self._mode[:, None]
        # sin(angle) / sin(mode) - 1 and cos(angle) / cos(mode) - 1; first orders cancel below.
        bend, slope = -2 * np.sin(off / 2) ** 2, np.sin(off)
        cotangent = np.sqrt(np.divide(y, x, out=np.zeros_like(x), where=x > 0))
        tangent = np.sqrt(np.divide(x, y, out=np.zeros_like(x), where=y > 0))
        of_sine = np.maximum(bend + cotangent * slope, -1)
        of_cosine = np.maximum(bend - tangent * slope, -1)
        logs = xlog1py(x, of_sine) + xlog1py(y, of_cosine)
        return angles, width * weights * np.exp(2 * logs)


def _posteriors(
    false_positives: int, true_negatives: int, false_negatives: int, true_positives: int
) -> _Posteriors:
    fp = checks.whole("false_positives", false_positives, 0)
    tn = checks.whole("true_negatives", true_negatives, 0)
    fn = checks.whole("false_negatives", false_negatives, 0)
    tp = checks.whole("true_positives", true_positives, 0)
    return _Posteriors(np.array([fp, fn, tn, tp], float), np.array([tn, tp, fp, fn], float))


def _angle(rate: FloatArray | float) -> FloatArray:
    return np.asarray(np.arcsin(np.sqrt(np.clip(rate, 0, 1))))


@cache
def _rule() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre rule on [0, 1] under ``3 u^2 - 2 u^3``, which smooths square roots at ends."""
    u, weights = np.polynomial.legendre.leggauss(NODES)
    u = (u + 1) / 2
    return u * u * (3 - 2 * u), weights * 3 * u * (1 - u)


# Bounds from the error counts of one attack, whose threshold was fixed in advance.

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


# Confidence interval of the epsilon that one fixed attack demonstrates.

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
