"""Simultaneous confidence bands: limits that hold at all thresholds at once.

**One rate.** For n independent members, or non-members, let x count those at or below a threshold.
*Equal local levels*: the Clopper-Pearson upper limit of x, taken at a level l much smaller than a,
exceeds the true rate at every threshold at once with probability at least 1 - a, whatever the
distribution, ties allowed. For the order statistics U_(i) of uniform numbers, l solves
``P(U_(i) >= BetaInv(l; i, n + 1 - i) for all i) = 1 - a``. Unlike the band of Dvoretzky, Kiefer,
Wolfowitz and Massart, this one is narrow in the tails, where the evidence for leakage is.

**Both rates.** Members are independent draws of one distribution of scores, non-members of another.
With probability at least `confidence_level`, at every threshold of the attack, however chosen, the
true FPR and the true FNR both lie within their limits. Lower limits of a rate are the complements
of upper limits of its complement, so there are four families of limits, each at a quarter of
``1 - confidence_level``. The union bound and discrete counts make the band conservative.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, gammaln, ndtri

from dpviz import checks
from dpviz.audit.roc.curve import (
    AttackCurve,
    OperatingPoint,
    RateBox,
    bend_indices,
    require_attack_curve,
)
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray
from dpviz.theory.profile import times_exp
from dpviz.theory.region import implied_epsilons
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff
from dpviz.value_object import ValueObject

__all__ = ["CurveBand", "calibrated_level", "curve_band", "dkw_margin", "is_tabulated"]
__all__ += ["local_level", "noncrossing_probability"]

TABLE = Path(__file__).with_name("local_levels.json")
SMALL_SAMPLE = 100  # records, below which levels are computed within milliseconds
LEAST = 1e-6  # smallest confidence, and smallest 1 - confidence, of computed levels
REACH = 9.5  # standard deviations of a count that are kept; counts beyond are taken as crossing
LARGEST_BAND = 250  # thresholds: a staircase has two vertices for each, a picture at most 512
BEND_CANDIDATES = 2048  # vertices of a long curve among which its bends are searched


def dkw_margin(n: int, *, confidence_level: float) -> float:
    """Return the one-sided Dvoretzky-Kiefer-Wolfowitz margin of an empirical CDF.

    The true CDF exceeds the empirical one by at most this margin everywhere (Massart, Annals of
    Probability 18 (1990) 1269).

    Parameters
    ----------
    n : int, independent records, at least 1
    confidence_level : float in [0.5, 1)

    Examples
    --------
    >>> from dpviz.audit.roc import bands
    >>> round(bands.dkw_margin(1000, confidence_level=0.95), 4)
    0.0387
    """
    n = checks.whole("n", n, 1)
    level = 1 - checks.confidence_level(confidence_level)
    return float(np.sqrt(np.log(1 / level) / (2 * n)))


def local_level(n: int, *, confidence_level: float) -> float:
    """Return the error probability of each limit with which all limits hold jointly.

    Exact below 100 records up to a confidence of 0.999999; a confidence below 10^-6 counts as
    10^-6. From 100 records on, from a table: the level for the next larger n and the next smaller
    ``1 - confidence_level``, both conservative. For more than 10^6 records or a confidence above
    0.999 it is ``(1 - confidence_level) / n`` (Bonferroni).

    Parameters
    ----------
    n : int, independent records, at least 1
    confidence_level : float in (0, 1)

    Examples
    --------
    >>> from dpviz.audit.roc import bands
    >>> round(bands.local_level(1000, confidence_level=0.95), 5)
    0.00122
    """
    n = checks.whole("n", n, 1)
    confidence = checks.between_0_and_1("confidence_level", confidence_level)
    if is_tabulated(n, confidence_level=confidence) and n < SMALL_SAMPLE:
        return _local_level_for_few_records(n, max(confidence, LEAST))
    level = 1 - confidence
    return max(_tabulated_levels(n, level), default=level / n)


def is_tabulated(n: int, *, confidence_level: float) -> bool:
    """Return whether `local_level` is exact or from a table of exact levels.

    Otherwise it is Bonferroni's level.

    Parameters
    ----------
    n, confidence_level : as of `local_level`

    Examples
    --------
    >>> from dpviz.audit.roc import bands
    >>> bands.is_tabulated(10**7, confidence_level=0.95)
    False
    """
    if n < SMALL_SAMPLE:
        return confidence_level <= 1 - LEAST
    return bool(_tabulated_levels(n, 1 - confidence_level))


def calibrated_level(n: int, *, confidence_level: float) -> float:
    """Return the exact local level for n records.

    The computation takes O(n^1.5) time: about 1 s for n = 2000.

    Parameters
    ----------
    n : int, independent records, at least 1
    confidence_level : float in [10^-6, 1 - 10^-6]: beyond, the sum of probabilities is not precise

    Examples
    --------
    >>> from dpviz.audit.roc import bands
    >>> round(bands.calibrated_level(10, confidence_level=0.95), 5)
    0.00794
    """
    from scipy.optimize import brentq  # slow to import

    n = checks.whole("n", n, 1)
    level = 1 - checks.real("confidence_level", confidence_level, LEAST, 1 - LEAST)
    ranks = np.arange(1, n + 1)

    def excess(log_local: float) -> float:
        bounds = betaincinv(ranks, n + 1 - ranks, np.exp(log_local))
        return 1 - noncrossing_probability(bounds) - level

    # A local level lies between level / n (Bonferroni) and the level itself.
    low, high = np.log(level / n) - 1e-9, np.log(level) + 1e-9
    return float(np.exp(brentq(excess, low, high, xtol=1e-12)))


def noncrossing_probability(boundaries: ArrayLike) -> float:
    """Return ``P(U_(i) >= b_i for all i)`` for the order statistics of n uniform numbers.

    The points of a Poisson process that has n points in [0, 1] are distributed like these numbers.
    Probabilities of its counts are propagated from boundary to boundary, without those that cross.

    Parameters
    ----------
    boundaries : array, shape (n,), nondecreasing, in [0, 1]

    Raises
    ------
    ValueError, if they are anything else

    Examples
    --------
    >>> from dpviz.audit.roc import bands
    >>> round(bands.noncrossing_probability([0.1, 0.2]), 4)  # 0.9**2 - 0.1**2
    0.8
    """
    b = checks.reals("boundaries", boundaries, 0, 1)
    if b.ndim != 1 or b.size == 0 or np.any(np.diff(b) < 0):
        raise checks.fail("boundaries", "a non-empty nondecreasing vector", b.tolist())
    # counts[k]: probability of fewest + k points so far, none of the boundaries crossed.
    n, counts, fewest, position = b.size, np.ones(1), 0, 0.0
    for i, place in enumerate(b, start=1):
        # The points between two boundaries are a Poisson number, independent of those before.
        mean = n * (place - position)
        position = place
        if mean > 0:
            counts = np.convolve(counts, _poisson_pmf(mean, int(mean + 12 * np.sqrt(mean) + 30)))
        # With i points or more so far, boundary i is crossed; improbable counts are dropped, too.
        spread = REACH * np.sqrt(n * place * (1 - place)) + 1
        low = max(fewest, int(n * place - spread))
        high = min(i, int(n * place + spread) + 2, fewest + counts.size)
        counts, fewest = counts[low - fewest : max(high, low) - fewest], low
    # The missing points lie beyond the last boundary; condition on n in all.
    missing = n - fewest - np.arange(counts.size)
    rest = n * (1 - position)
    finish = _poisson_pmf(rest, n + 1)[missing] if rest > 0 else (missing == 0).astype(float)
    return float(counts @ finish / _poisson_pmf(n, n + 1)[n])


def _poisson_pmf(mean: float, size: int) -> FloatArray:
    k = np.arange(size)
    return np.asarray(np.exp(k * np.log(mean) - mean - gammaln(k + 1)))


@lru_cache(maxsize=1024)
def _local_level_for_few_records(n: int, confidence: float) -> float:
    """Return a cached `calibrated_level`, lowered by more than its numerical error."""
    return calibrated_level(n, confidence_level=confidence) * (1 - 1e-11)


def _tabulated_levels(n: int, level: float) -> list[float]:
    """Return the tabulated local levels for sizes >= n and joint error probabilities <= `level`."""
    return [
        local
        for size, row in _local_level_table().items()
        for tabulated, local in row.items()
        # Levels are decimal fractions: 1 - 0.975 is 0.025 up to rounding.
        if size >= n and tabulated <= level * (1 + 1e-9)
    ]


@cache
def _local_level_table() -> dict[int, dict[float, float]]:
    rows = json.loads(TABLE.read_text())["rows"]
    return {row["n"]: {float(a): v for a, v in row.items() if a != "n"} for row in rows}


@dataclass(frozen=True, kw_only=True)
class Gap:
    """The largest height of a claim's trade-off curve above the upper limit of the FNR."""

    margin: float  # this height, in [-1, 1]; above 0 it refutes the claim at the band's confidence
    fpr: float  # of the point of the upper limit at which it is reached
    fnr: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveBand(ValueObject):
    """Simultaneous confidence limits of both error rates at some thresholds of an attack.

    Parameters
    ----------
    confidence_level : float, joint, of all limits at all thresholds of both rates
    n_members, n_nonmembers : int
    fpr, fnr : ndarray, shape (k,), measured rates at the thresholds, by increasing FPR
    fpr_low, fpr_high, fnr_low, fnr_high : ndarray, shape (k,), limits of the true rates there

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> band = audit.curve_band(audit.AttackCurve.from_scores(read_sample("overfitted")))
    >>> round(band.smallest_epsilon(1e-5), 2)
    2.31
    """

    confidence_level: float
    n_members: int
    n_nonmembers: int
    fpr: FloatArray
    fnr: FloatArray
    fpr_low: FloatArray
    fpr_high: FloatArray
    fnr_low: FloatArray
    fnr_high: FloatArray

    @property
    def notes(self) -> tuple[str, ...]:
        """The reasons why the band is wider than necessary."""
        each = 1 - (1 - self.confidence_level) / 4
        sizes = sorted({self.n_members, self.n_nonmembers})
        beyond = [size for size in sizes if not is_tabulated(size, confidence_level=each)]
        why = f"records at {1 - each:g}: Bonferroni's instead"
        return tuple(f"no local level is tabulated for {size} {why}" for size in beyond)

    @cached_property
    def upper(self) -> FloatArray:
        """An upper limit of the attack's true curve.

        The array has the columns FPR and FNR, and k <= 252 rows. The true curve is the smallest FNR
        at each FPR if the attacker may choose at random between two thresholds. It is convex and
        below every pair of upper limits, so also below the lines that join them, from (0, 1) to
        (1, 0). For single thresholds only the corners are limits.
        """
        # Of several limits at one FPR the last is the lowest.
        is_last = np.diff(self.fpr_high, append=1.0) > 0
        corners = np.column_stack([self.fpr_high, self.fnr_high])[is_last]
        return checks.read_only(np.vstack([[0.0, 1.0], corners, [1.0, 0.0]]))

    @cached_property
    def lower(self) -> FloatArray:
        """A staircase below the true (FPR, FNR) of every threshold.

        The columns are FPR and FNR. If a threshold's true FPR is below the lower limit at a second
        threshold, the first one flags fewer records, so its true FNR is no smaller. This also holds
        for thresholds between the scores of the sample, and where ties are broken at random. A
        random choice between two thresholds is **not** covered: where the true curve is not convex,
        its rates may cut a corner of the staircase, but they are above the lower convex hull of the
        staircase.
        """
        # By increasing FPR the limits of FNR fall: right of fpr_low[i] the next one holds.
        x = np.concatenate([[0.0], self.fpr_low, [1.0]])
        is_step = np.diff(x) > 0
        ends = np.column_stack([x[:-1], x[1:]])[is_step]
        heights = np.append(self.fnr_low, 0.0)[is_step]
        return checks.read_only(np.column_stack([ends.ravel(), np.repeat(heights, 2)]))

    def box(self, at: OperatingPoint) -> RateBox:
        """Return the confidence limits of both rates at a threshold.

        The threshold may be chosen after seeing the data.
        """
        level = self.confidence_level
        fprs = _simultaneous_limits(at.false_positives, self.n_nonmembers, level)
        fnrs = _simultaneous_limits(at.false_negatives, self.n_members, level)
        return RateBox(*map(float, (*fprs, *fnrs, level)))

    def smallest_epsilon(self, delta: float) -> float:
        """Return the band's lower bound on epsilon at `delta`.

        The bound of `lower_bound` is usually larger.
        """
        implied = implied_epsilons(fpr=self.fpr_high, fnr=self.fnr_high, delta=delta)
        # The first two ratios are those of the attack's own direction.
        return max(0.0, float(np.max(implied[:, :2])))

    def smallest_delta(self, epsilon: float) -> float:
        """Return the band's lower bound on delta at an `epsilon` in [0, inf)."""
        epsilon = checks.real("epsilon", epsilon, 0, np.inf, closed="left")
        sides = ((self.fpr_high, self.fnr_high), (self.fnr_high, self.fpr_high))
        deltas = [1 - alone - times_exp(epsilon, grown) for grown, alone in sides]
        return max(0.0, float(np.max(deltas)))

    def smallest_mu(self) -> float:
        """Return the band's lower bound on mu in Gaussian differential privacy."""
        return max(0.0, float(np.max(-ndtri(self.fnr_high) - ndtri(self.fpr_high))))

    def gap(self, claim: TradeoffFunction) -> Gap:
        """Return the largest height of a claim's curve above the upper limit.

        The result also has the FPR and the FNR of the point of `upper` at which the height is
        reached. The claim must be about the pair (non-members, members), in this order.
        """
        margins = checked_tradeoff("claim", claim).beta(self.fpr_high) - self.fnr_high
        best = int(np.argmax(margins))
        fpr, fnr = float(self.fpr_high[best]), float(self.fnr_high[best])
        return Gap(margin=float(margins[best]), fpr=fpr, fnr=fnr)

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields that `repr` and `to_dict` show.

        These are the confidence level and the sizes, not the limits.
        """
        names = ("confidence_level", "n_members", "n_nonmembers")
        return {**{name: getattr(self, name) for name in names}, "thresholds": self.fpr.size}


def curve_band(
    curve: AttackCurve, *, confidence_level: float = 0.95, most: int = LARGEST_BAND
) -> CurveBand:
    """Return confidence limits of both true rates that hold at all thresholds at once.

    Parameters
    ----------
    curve : AttackCurve
    confidence_level : float, in [0.5, 1), of all limits together; see `CurveBand.notes`
    most : int, thresholds to keep, 16 to 250: the ends, both tails to single errors, and bends

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> curve = audit.AttackCurve.from_scores(AttackScores(member=range(40), nonmember=range(40)))
    >>> audit.curve_band(curve, most=16)
    CurveBand(confidence_level=0.95, n_members=40, n_nonmembers=40, thresholds=10)
    """
    require_attack_curve("curve", curve)
    confidence = checks.confidence_level(confidence_level)
    most = checks.whole("most", most, 16, LARGEST_BAND)
    # The limits at all thresholds hold at once, so those at some of them do.
    kept = _band_threshold_indices(curve, most)
    fp, fn = curve.false_positives[kept], curve.false_negatives[kept]
    n, m = curve.n_members, curve.n_nonmembers
    fprs, fnrs = _simultaneous_limits(fp, m, confidence), _simultaneous_limits(fn, n, confidence)
    return CurveBand(
        confidence_level=confidence,
        n_members=n,
        n_nonmembers=m,
        fpr=checks.read_only(fp / m),
        fnr=checks.read_only(fn / n),
        fpr_low=checks.read_only(fprs[0]),
        fpr_high=checks.read_only(fprs[1]),
        fnr_low=checks.read_only(fnrs[0]),
        fnr_high=checks.read_only(fnrs[1]),
    )


def _simultaneous_limits(counts: Any, size: int, confidence_level: float) -> tuple[Any, Any]:
    """Return limits of the rates counts / size; each fails with P <= (1 - confidence_level) / 4."""
    level = local_level(size, confidence_level=1 - (1 - confidence_level) / 4)
    low, high = clopper_pearson(counts, size, confidence_level=1 - 2 * level)
    return low, high


def _band_threshold_indices(curve: AttackCurve, most: int) -> Counts:
    """Return the indices of at most `most` thresholds: in both tails, and at bends of the curve."""
    fp, tp = curve.false_positives, curve.true_positives
    n, m, last = curve.n_members, curve.n_nonmembers, fp.size - 1
    if last < most:
        return np.arange(last + 1)
    of_nonmembers, of_members = (
        np.unique(np.geomspace(1, x, max(1, most // 4)).astype(np.int64)) - 1 for x in (m, n)
    )
    # The most true positives for each number of false ones, the fewest false ones for each missed.
    most_detected = np.searchsorted(fp, of_nonmembers, side="right") - 1
    fewest_flagged = np.searchsorted(tp, n - of_members, side="left")
    tails = np.unique(np.concatenate([most_detected, fewest_flagged]))
    candidates = np.union1d(np.linspace(0, last, BEND_CANDIDATES).astype(np.int64), tails)
    keep = np.searchsorted(candidates, tails).tolist()
    return candidates[bend_indices(fp[candidates] / m, tp[candidates] / n, n=most, keep=keep)]


def __dir__() -> list[str]:
    return __all__
