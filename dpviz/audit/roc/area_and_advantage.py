"""The area under the ROC curve and the advantage, with confidence limits.

The area is the chance to rank a member above a non-member, the advantage the largest TPR - FPR.
Limits of the advantage are conservative where class sizes are very unequal: they allow for a best
threshold at which both rates of the smaller class are near 1/2, the worst case.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, gammaln, ndtr, rel_entr, stdtrit

from dpviz import checks
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, curve_of
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores import base
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, OrderedSample, Scores, doubled_placements
from dpviz.checks import FloatArray, Rng
from dpviz.theory.profile import bisection
from dpviz.value_object import ValueObject

AucMethod = Literal["delong", "bootstrap", "chernoff"]
AUC_METHODS = ("delong", "bootstrap", "chernoff")
FOR_LARGE = "approximate: accurate for large samples"
APPROXIMATE = {
    "delong": f"{FOR_LARGE} (DeLong et al., 1988, as a Wilson interval)",
    "bootstrap": f"{FOR_LARGE} (percentiles of resampled records), too narrow near 0 and 1",
}
# Limits of the advantage.
MEDIAN_OF_TAIL = np.sqrt(np.log(2) / 2)  # exp(-2 x^2) is at most 1/2 from here on
REACH = 9.0  # standard deviations up to which densities are integrated
MOST_RECORDS_SUMMED = 10**7  # of a class; beyond it a sum over their numbers takes seconds
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AucInterval(ValueObject):
    """The area under the ROC curve of a sample, with confidence limits.

    Parameters
    ----------
    value : float in [0, 1]; ties count half
    low, high : float, limits of the true area, in [0, 1]
    confidence_level : float
    standard_error : float, estimated; 0 for separated classes, nan where a class has one record
    method : {"delong", "bootstrap", "chernoff"}, as used: "chernoff" where the requested one fails
    note : str, whether the limits are approximate, and why another method was used

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> audit.auc_interval(AttackScores(member=[2, 3], nonmember=[0, 1])).method
    'chernoff'
    """

    value: float
    low: float
    high: float
    confidence_level: float
    standard_error: float
    method: AucMethod
    note: str

    @property
    def is_approximate(self) -> bool:
        """Whether the limits hold for large samples only."""
        return self.method in APPROXIMATE


def auc(scores: ScoresLike) -> float:
    """Return the area under the ROC curve of a sample.

    The area is the share of pairs whose member has the higher score. It is an **estimate** in
    [0, 1], 1/2 for random guessing; ties count one half.

    Parameters
    ----------
    scores : AttackScores or BinnedScores

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> audit.auc(AttackScores(member=[2, 3], nonmember=[1, 2]))
    0.875
    """
    return base.sample_auc(as_scores("scores", scores))


def auc_interval(
    scores: ScoresLike,
    *,
    confidence_level: float = 0.95,
    method: AucMethod = "delong",
    n_resamples: int = 1000,
    rng: Rng = 0,
) -> AucInterval:
    """Return the area under the ROC curve of a sample, with confidence limits.

    The limits are those of the true area.

    "delong": the standard error follows from the variances of the placements of both classes. Near
    0 and 1 this underestimates the variance; so the limits add the spread of one more record with a
    placement of 1/2 to each class, and use the quantile of Student's t. They are Wilson's limits
    for the number of records that this variance corresponds to, or those of "chernoff" where these
    are narrower.
    `benchmarks/intervals.py` simulates twelve distributions with 7 + 400 to 30 + 3000 records: the
    true area was missed in at most 5.8 % of 2500 runs (s.e. 0.4 %) instead of 5 %.
    "bootstrap": percentiles over resamples of both classes. Both are approximate.

    "chernoff" holds at every sample size: the area is a mean over all ways to form ``k =
    min(n_members, n_nonmembers)`` disjoint, hence independent, pairs, so ``P(area >= x) <= exp(-k
    KL(x, true area))`` for x above the true area, and likewise below (Hoeffding, 1963); its limits
    are about twice as far apart.

    Where the estimated variance is 0, as when every member is above every non-member, the limits
    are those of "chernoff": then ``low = ((1 - confidence_level) / 2) ** (1 / k)``.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    confidence_level : float in [0.5, 1)
    method : {"delong", "bootstrap", "chernoff"}
    n_resamples : int, of "bootstrap", at least ``2 / (1 - confidence_level)``
    rng : int or Generator, of the resamples

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837; Wilson, JASA 22 (1927) 209;
    Hoeffding, JASA 58 (1963) 13.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.auc_interval(read_sample("overfitted"))
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.577, 0.605, 0.633)
    """
    scores = as_scores("scores", scores)
    checks.choice("method", method, AUC_METHODS)
    confidence = checks.confidence_level(confidence_level)
    level = 1 - confidence
    seed = checks.seed(rng)
    if method == "bootstrap":
        n_resamples = checks.whole("n_resamples", n_resamples, int(np.ceil(2 / level - 1e-9)))
    # The placement of a record: the share of the other class that it is above.
    by_members = doubled_placements(scores.members.values, scores.nonmembers)
    by_nonmembers = doubled_placements(scores.nonmembers.values, scores.members)
    value = base.auc_from_placements(scores, by_members)
    error = _delong_standard_error(scores, by_members, by_nonmembers)
    low, high = 0.0, 1.0
    used, note = method, APPROXIMATE.get(method, "holds at every sample size")
    smallest = min(scores.n_members, scores.n_nonmembers)
    # Without spread an approximate interval would be a point.
    if method != "chernoff" and not error > 0:
        used, note = "chernoff", _no_spread_reason(value, smallest)
    # Limits of an approximate method; without one they stay at 0 and 1.
    if used == "bootstrap":
        drawn = _bootstrap_areas(scores, n_resamples, np.random.default_rng(seed))
        low, high = np.quantile(drawn, [level / 2, 1 - level / 2]).tolist()
        error = float(np.std(drawn, ddof=1))
    elif used == "delong":
        low, high = _wilson_auc_limits(scores, by_members, by_nonmembers, value, level)
    # Chernoff's limits hold at every size, so they may narrow the others.
    if used != "bootstrap":
        low = max(low, _chernoff_lower_limit(value, smallest, level / 2))
        high = min(high, 1 - _chernoff_lower_limit(1 - value, smallest, level / 2))
    given = {"value": value, "low": low, "high": high, "confidence_level": confidence}
    return AucInterval(**given, standard_error=error, method=used, note=note)


def _delong_standard_error(scores: Scores, by_members: Counts, by_nonmembers: Counts) -> float:
    """Return DeLong's standard error from `doubled_placements`; nan if a class has one record."""
    n, m = scores.n_members, scores.n_nonmembers
    if min(n, m) == 1:
        return float("nan")
    of_members = _sum_of_centred_squares(by_members, scores.members) / (n - 1) / n / m**2
    of_nonmembers = _sum_of_centred_squares(by_nonmembers, scores.nonmembers) / (m - 1) / m / n**2
    return float(np.sqrt(of_members + of_nonmembers) / 2)


def _wilson_auc_limits(
    scores: Scores, by_members: Counts, by_nonmembers: Counts, value: float, level: float
) -> tuple[float, float]:
    """Return Wilson's limits of an AUC `value`, with one pseudo-record added to each class."""
    n, m = scores.n_members, scores.n_nonmembers
    # The pseudo-record of each class has a placement of 1/2, at a distance of value - 1/2.
    classes = ((by_members, scores.members, m), (by_nonmembers, scores.nonmembers, n))
    variances = []
    for by_one, sample, others in classes:
        size = sample.size
        squares = _sum_of_centred_squares(by_one, sample) / (2 * others) ** 2
        variances.append((squares + size / (size + 1) * (value - 0.5) ** 2) / (size * (size - 1)))
    variance = sum(variances)
    # Degrees of freedom as of Welch's test.
    freedom = variance**2 / (variances[0] ** 2 / (n - 1) + variances[1] ** 2 / (m - 1))
    t = -float(stdtrit(freedom, level / 2))
    # Wilson's limits for as many records as this variance amounts to.
    share = t * t * variance / (value * (1 - value))  # t^2 over the number of records
    middle = (value + share / 2) / (1 + share)
    reach = float(np.sqrt(t * t * variance + share * share / 4)) / (1 + share)
    return middle - reach, middle + reach


def _sum_of_centred_squares(values: Counts, sample: OrderedSample) -> float:
    around = values - sample.sum_over_records(values) / sample.size
    around *= around
    return float(sample.sum_over_records(around))


def _no_spread_reason(auc_value: float, smaller_class_size: int) -> str:
    """Return the reason why the estimated AUC variance is 0, so that no approximation applies."""
    why = "these records have no spread, although other records may have one"
    if smaller_class_size == 1:
        why = "a class has a single record, whose spread cannot be estimated"
    elif auc_value in (0.0, 1.0):
        why = f"the classes are separated in this sample: {why}"
    return f"{why}; the limits hold at every sample size (Hoeffding, 1963)"


def _chernoff_lower_limit(value: float, pairs: int, level: float) -> float:
    """Return the AUC that gives P(measured AUC >= `value`) an upper bound (Chernoff) of `level`."""

    def is_large_enough(area: FloatArray) -> NDArray[np.bool]:
        divergence = rel_entr(value, area) + rel_entr(1 - value, 1 - area)
        return np.asarray(-pairs * divergence >= np.log(level))

    return float(bisection(is_large_enough, np.array(0.0), np.array(value))[0])


def _bootstrap_areas(scores: Scores, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return the areas under the ROC curves of bootstrap samples of members and non-members."""
    # Samples are counts of the distinct scores: nothing needs to be sorted.
    distinct, classes = scores.distinct_scores(), (scores.members, scores.nonmembers)
    places = [np.searchsorted(distinct, sample.values) for sample in classes]
    areas = np.empty(resamples)
    for i in range(resamples):
        members, nonmembers = (
            np.bincount(place, sample.bootstrap_counts(rng), minlength=distinct.size)
            for sample, place in zip(classes, places, strict=True)
        )
        # For each member, the non-members below it, and half of those tied with it.
        areas[i] = members @ (np.cumsum(nonmembers) - nonmembers / 2)
    return areas / (scores.n_members * scores.n_nonmembers)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Advantage(ValueObject):
    """The largest TPR - FPR over all thresholds, in [0, 1].

    Parameters
    ----------
    value : float
        On this sample: an **estimate**, biased upwards by the search for the best threshold. Where
        nothing leaks it is about ``0.63 sqrt(1 / n_members + 1 / n_nonmembers)``.
    low, high : float, limits of the true advantage, valid at any sample size after the search
    confidence_level : float
    at : OperatingPoint, where this sample reaches `value`

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> found = audit.advantage(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 1]))
    >>> found.at.threshold, round(found.value, 3)
    (2.0, 0.667)
    """

    value: float
    low: float
    high: float
    confidence_level: float
    at: OperatingPoint


def advantage(scores: ScoresLike | AttackCurve, *, confidence_level: float = 0.95) -> Advantage:
    """Return the largest TPR - FPR over all thresholds, with confidence limits.

    The limits hold after the search for a threshold.

    Members and non-members are independent draws of two distributions, n and m of them. Either
    limit fails with probability at most a = ``(1 - confidence_level) / 2``; both are cut to [0, 1].

    *Lower.* The probability p of a measured advantage of at least v rises as members move up. So of
    all attacks of an advantage A it is largest where a member is above all non-members with
    probability A, and otherwise like the upper ``1 - A`` of them. The limit is the least A with p
    above a, where p is taken as the smaller of two bounds of it:

    - v exceeds A by at most ``sup (measured TPR - TPR) + sup (FPR - measured FPR)``. These are
      independent, and each exceeds x with probability at most ``exp(-2 n x^2)``, respectively
      ``exp(-2 m x^2)``, where that is at most 1/2 (Massart, 1990);
    - a bound by reflection, exact where n = m; see the notes. It is left out where a class has more
      than 10^7 records.

    *Upper.* At the best threshold of the distributions, which is fixed, the measured TPR - FPR is
    no larger than the measured advantage v.

    - If n = m, detected members and rejected non-members together, ``n (1 + v)`` of 2n, are fewer
      than a number below their mean with at most the probability of 2n alike trials (Hoeffding,
      1956). So the limit of ``(1 + A) / 2`` is that of Clopper and Pearson.
    - Otherwise a measured rate falls below the true one by x or more with probability at most
      ``Phi(-2 sqrt(n) (x - 1 / n))`` (Zubkov and Serov, 2013, with Pinsker's inequality), and
      exceeds it likewise. The margin is the quantile of the sum of two variables with such tails.

    Parameters
    ----------
    scores : AttackScores, BinnedScores or AttackCurve; a reversed attack has no advantage
    confidence_level : float in [0.5, 1)

    Notes
    -----
    *Reflection.* Let n <= m; otherwise exchange classes and turn the order round, which changes
    neither v nor A. In the worst case let K members be above all non-members and J non-members
    below all members. Given both, the other records are in a random order. Going down it, let r
    members and s non-members be left of them. The measured TPR - FPR first reaches v where
    ``r / n <= s / m - g`` with ``g = v - J / m``. For ``d >= 1`` and while s > d - 1

        ``M = Gamma(r + 1) Gamma(s + 1) / (Gamma(r + d + 1) Gamma(s - d + 1))``

    is a positive supermartingale, by Pascal's rule for binomial coefficients with real arguments,
    if it stops where s falls below d: from there v is out of reach.
    Let ``d = (2 g n m + n - m) / (n + m)``, so that d <= g m <= s at v. There M is at least
    ``(m / n)^d``, as ``psi(x + (1 + d) / 2) - psi(x + (1 - d) / 2) >= d / x``, so v is reached
    with probability at most M at the start over ``(m / n)^d``. K and J are independent and
    binomial; the sum over K is an incomplete beta function. Where d < 1 the bound is 1.

    References
    ----------
    Massart, Annals of Probability 18 (1990) 1269. Hoeffding, Annals of Mathematical Statistics 27
    (1956) 713. Zubkov and Serov, Theory of Probability and its Applications 57 (2013) 539. Yeom et
    al., CSF 2018 (advantage).

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.advantage(read_sample("overfitted"))
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.252, 0.338, 0.406)
    """
    confidence = checks.confidence_level(confidence_level)
    level = (1 - confidence) / 2
    at = curve_of(scores).best_advantage()
    n, m = at.n_members, at.n_nonmembers
    if n == m:
        # With classes of one size, right guesses are a sum of 2 n independent trials.
        right = n + at.true_positives - at.false_positives
        limit = clopper_pearson(right, 2 * n, confidence_level=1 - level, side="upper")
        # Hoeffding's theorem is about counts that are at least 1 below their mean.
        high = 2 * max(limit, (right + 1) / (2 * n)) - 1
    else:
        high = at.tpr - at.fpr + _advantage_upper_margin(n, m, level)
    steps = at.true_positives * m - at.false_positives * n
    low, high = _lower_limit_of_advantage(steps, min(n, m), max(n, m), level), min(1.0, high)
    value = at.tpr - at.fpr
    return Advantage(value=value, low=low, high=high, confidence_level=confidence, at=at)


@lru_cache(maxsize=8192)
def _lower_limit_of_advantage(steps: int, n: int, m: int, level: float) -> float:
    """Return the lower limit of an advantage whose measured value is `steps` / (n m); n <= m."""
    value = steps / (n * m)

    def is_large_enough(advantage: FloatArray) -> NDArray[np.bool]:
        return np.asarray(_tail_of_summed_suprema(value - float(advantage), n, m) > level)

    def is_large_enough_by_reflection(advantage: FloatArray) -> NDArray[np.bool]:
        return np.asarray(_advantage_tail_by_reflection(float(advantage), steps, n, m) > level)

    halvings = int(np.ceil(np.log2(max(value, 1e-9) / 1e-9)))
    ends = np.array(0.0), np.array(value)
    low = float(bisection(is_large_enough, *ends, halvings=halvings)[0])
    start, end = max(low, 1e-9), min(value, 1 - 1e-9)
    if start >= end:
        return low
    halvings = int(np.ceil(np.log2(max((end - start) / 1e-9, 1))))
    ends = np.array(start), np.array(end)
    limit = float(bisection(is_large_enough_by_reflection, *ends, halvings=halvings)[0])
    return limit if limit > start else low


@lru_cache(maxsize=64)
def _advantage_upper_margin(n: int, m: int, level: float) -> float:
    """Return the smallest margin for which `_tail_of_summed_rate_errors` is at most `level`."""

    def is_enough(margin: float) -> bool:
        return _tail_of_summed_rate_errors(margin, n, m) <= level

    low, high = 0.0, 1.0
    while not is_enough(high):
        low, high = high, 2 * high
    ends = np.array(low), np.array(high)
    return float(bisection(lambda margin: np.asarray(is_enough(float(margin))), *ends)[1])


def _advantage_tail_by_reflection(advantage: float, steps: int, n: int, m: int) -> float:
    """Bound P(measured advantage >= steps / (n m)) for a true advantage of at most `advantage`."""
    if m > MOST_RECORDS_SUMMED:
        return 1.0
    # Sum over J (j); beyond `spread` the measured advantage counts as reached.
    top = -(-steps // m)  # members above all non-members that are enough for the advantage
    mean = m * advantage
    spread = REACH * np.sqrt(mean * (1 - advantage)) + 30
    first, last = max(0, int(mean - spread)), min(-(-steps // n), int(mean + spread) + 1)
    j = np.arange(first, last)  # non-members below all members
    d = (2 * (steps - j * n) + n - m) / (n + m)
    d[d < 1] = 0.0
    log_weights = (
        gammaln([m + 1, n + 1]).sum()
        - (gammaln(j + 1) + gammaln(m - j - d + 1) + gammaln(n + d + 1))
        + d * np.log(n / m)
        + j * np.log(advantage)
        + (m - j - d) * np.log1p(-advantage)
    )
    # Over K: incomplete beta functions, where few members are above all non-members.
    inside = np.exp(log_weights) @ betaincc(top, n + d - top + 1, advantage)
    # Numbers of non-members outside the sum: there the advantage counts as reached.
    few = betaincc(first, m - first + 1, advantage) if first else 0.0
    many = betainc(last, m - last + 1, advantage)
    reached = betainc(top, n - top + 1, advantage)
    return float(inside + reached + (1 - reached) * (few + many))


def _tail_of_summed_suprema(margin: float, n: int, m: int) -> float:
    """Return P(X + Y > margin), X and Y independent with tails exp(-2 n x^2) and exp(-2 m x^2)."""
    first, second = MEDIAN_OF_TAIL / np.sqrt(n), MEDIAN_OF_TAIL / np.sqrt(m)
    last = margin - second
    if last <= first:
        return 1.0
    # X at its atom, and X beyond what Y may add; between them the integral of X's density times
    # the tail of Y, whose exponent is -2 (total (x - centre)^2 + n m margin^2 / total).
    total = n + m
    centre = m * margin / total
    ends = 2 * np.sqrt(total) * (np.array([first, last]) - centre)
    density = np.exp(-(ends**2) / 2)
    between = ndtr(ends[1]) - ndtr(ends[0])
    inside = (density[0] - density[1]) / (4 * total)
    inside += centre * np.sqrt(np.pi / (2 * total)) * between
    outside = np.exp(-2 * m * (margin - first) ** 2) / 2 + np.exp(-2 * n * last**2)
    return float(outside + 4 * n * np.exp(-2 * n * m * margin**2 / total) * inside)


def _tail_of_summed_rate_errors(margin: float, n: int, m: int) -> float:
    """Return P(X_n + X_m > margin) for independent X_k = 1 / k + max(0, N(0, 1)) / (2 sqrt(k))."""
    rest = margin - 1 / n - 1 / m
    if rest <= 0:
        return 1.0
    first, second = 2 * rest * np.sqrt([n, m])
    # X alone or beyond reach, Y alone where X is 0, and the integral over X in between.
    reach = min(first, REACH)  # X beyond has next to no probability
    places = reach * (NODES + 1) / 2
    between = np.exp(-(places**2) / 2) * ndtr(-second * (1 - places / first))
    inside = float(WEIGHTS @ between) * reach / 2 / np.sqrt(2 * np.pi)
    return float(ndtr(-reach) + ndtr(-second) / 2 + inside)
