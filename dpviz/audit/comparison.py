"""Comparisons of attacks on one model: rate differences, the lowest FNR curve, the best bound.

**Differences.** If `paired` is True, the i-th member of one attack is the i-th member of the other,
and so for non-members: each record has two scores, and records are compared one by one. If it is
False, limits follow from two separate intervals, each with half of the error probability ``1 -
confidence_level``. By the union bound they hold for any dependence between the two attacks.

Limits of a difference of TPRs are much wider than its variation from sample to sample: only the
non-members show which thresholds have the given FPR, and the limits hold for any shape of the two
curves around this FPR. We know of no narrower limits with a proof.

**The bound of the best of k attacks.** Each attack certifies a lower bound of the epsilon of its
own distributions of scores, with error probability at most a / k where ``a = 1 -
confidence_level``. The epsilon of the model is at least that of every attack on it. So the largest
bound exceeds the model's epsilon only if one of the k bounds is false. By the union bound this has
probability at most ``k a / k = a``, for any attacks and any dependence between them, whichever of
the attacks is chosen afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from dpviz import checks
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.audit.bounds.result import AppliesTo, EpsilonBound
from dpviz.audit.roc.area_and_advantage import auc, auc_interval
from dpviz.audit.roc.curve import AttackCurve, require_attack_curve
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.roc.tpr_at_fpr import tpr_interval, vertices_limiting_tpr
from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, as_scores, require_unbinned
from dpviz.audit.scores.base import Counts, Sampling, Scores, doubled_placements
from dpviz.checks import FloatArray, Rng
from dpviz.value_object import ValueObject

__all__ = ["BestOf", "Difference", "Stretch", "TprDifference", "auc_difference", "best_of"]
__all__ += ["lowest_curves", "tpr_difference"]

ROUNDING = 1e-12  # difference of two FNRs that may be rounding
LARGE_SAMPLES_NOTE = "approximate: accurate for large samples (DeLong et al., 1988)"
AT_EVERY_SIZE = "holds at every sample size"
ScoredAttack = tuple[AttackScores, AttackCurve]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Stretch(ValueObject):
    """An interval of FPRs in which one of several curves is the lowest.

    Parameters
    ----------
    start, end : float, in [0, 1]
    lowest : int or None, index of the curve; None as long as all curves are equal

    Examples
    --------
    >>> from dpviz.audit.comparison import Stretch
    >>> Stretch(start=0.0, end=0.25, lowest=1).end
    0.25
    """

    start: float
    end: float
    lowest: int | None


def lowest_curves(curves: Sequence[AttackCurve]) -> tuple[Stretch, ...]:
    """Return intervals of FPRs, each with the curve of the lowest FNR.

    The intervals divide the range from 0 to 1. The convex hulls of the measured curves are
    compared, which an attacker reaches by a random choice between two thresholds. Hulls are
    straight between corners, so all crossings are found. Where several are equally low, `lowest`
    stays as in the interval before. This is an estimate.

    Parameters
    ----------
    curves : sequence of AttackCurve, one at least

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> one = AttackScores(member=[1, 4, 5, 6], nonmember=[0, 2, 3, 7])
    >>> other = AttackScores(member=[2, 3, 8, 9], nonmember=[0, 4, 5, 6])
    >>> curves = [audit.AttackCurve.from_scores(scores) for scores in (one, other)]
    >>> [(each.lowest, round(each.end, 2)) for each in audit.comparison.lowest_curves(curves)]
    [(1, 0.21), (0, 1.0)]
    """
    for i, curve in enumerate(curves):
        require_attack_curve(f"curves[{i}]", curve)
    # All FPRs at which the order may change: corners of the hulls, and crossings between them.
    hulls = [(curve.fpr[curve.hull_indices], curve.fnr[curve.hull_indices]) for curve in curves]
    fprs = np.unique(np.concatenate([fpr for fpr, _ in hulls]))
    fnrs = _hull_fnrs(hulls, fprs)
    crossings = [_sign_changes(fprs, one - other) for one, other in combinations(fnrs, 2)]
    fprs = np.unique(np.concatenate([fprs, *crossings]))
    # Between two such FPRs one curve is the lowest; join neighbours with the same lowest curve.
    middles = (fprs[1:] + fprs[:-1]) / 2
    leads = _lowest_curve_indices(_hull_fnrs(hulls, middles))
    pieces = zip(fprs[:-1].tolist(), fprs[1:].tolist(), leads, strict=True)
    runs = [list(run) for _, run in groupby(pieces, key=lambda piece: piece[2])]
    return tuple(Stretch(start=run[0][0], end=run[-1][1], lowest=run[0][2]) for run in runs)


def _hull_fnrs(hulls: list[tuple[FloatArray, FloatArray]], fprs: FloatArray) -> FloatArray:
    """Return the lowest FNR of each hull at each of `fprs`, one row per hull."""
    # Of several corners at one FPR, the last one has the smallest FNR.
    lasts = [np.append(np.diff(fpr) > 0, True) for fpr, _ in hulls]
    lower = zip(hulls, lasts, strict=True)
    return np.array([np.interp(fprs, fpr[last], fnr[last]) for (fpr, fnr), last in lower])


def _sign_changes(fprs: FloatArray, difference: FloatArray) -> FloatArray:
    """Return the FPRs where a piecewise linear `difference`, given at `fprs`, changes its sign."""
    left, right = difference[:-1], difference[1:]
    changes = left * right < 0
    share = left[changes] / (left[changes] - right[changes])
    return np.asarray(fprs[:-1][changes] + share * np.diff(fprs)[changes])


def _lowest_curve_indices(fnrs: FloatArray) -> list[int | None]:
    """Return the row of the lowest FNR in each column; a tie keeps the previous column's row."""
    leaders: list[int | None] = []
    before: int | None = None
    for column in (fnrs <= fnrs.min(axis=0) + ROUNDING).T:
        # A curve is named for as long as it is among the lowest.
        if before is None or not column[before]:
            before = None if column.all() else int(np.argmax(column))
        leaders.append(before)
    return leaders


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Difference(ValueObject):
    """A measured difference of AUCs or TPRs, first attack minus second, with confidence limits.

    Parameters
    ----------
    value : float in [-1, 1], an estimate
    low, high : float in [-1, 1], limits of the true difference
    confidence_level : float
    paired : bool, whether the records were compared one by one
    p_value : float or None, two-sided, of a true difference of 0; None where no test was made
    note : str, whether the limits are approximate

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.auc_difference(read_sample("null"), read_sample("null")).value
    0.0
    """

    value: float
    low: float
    high: float
    confidence_level: float
    paired: bool
    p_value: float | None
    note: str

    @property
    def sign(self) -> int:
        """The sign of the difference according to the confidence limits.

        The sign is 1 if both limits are above 0 (the first attack is ahead), -1 if both limits are
        below 0, and 0 otherwise.
        """
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TprDifference(Difference):
    """The difference of two TPRs at one FPR.

    Parameters
    ----------
    fpr : float, the FPR requested of both attacks
    only_first, only_second : int or None, members that only this attack detects; None if not paired

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> one, other = read_sample("overfitted"), read_sample("regularised")
    >>> audit.tpr_difference(one, other, 0.7, paired=True).only_first
    59
    """

    fpr: float
    only_first: int | None
    only_second: int | None


def auc_difference(
    one: ScoresLike, other: ScoresLike, *, confidence_level: float = 0.95, paired: bool = False
) -> Difference:
    """Return the difference of two AUCs, with confidence limits and, if paired, a p-value.

    Paired: the standard error is that of DeLong et al., from the difference of each record's
    placements by the two attacks. The limits are symmetric, with a quantile of Student's t, as few
    records may decide the error. Its degrees of freedom are Satterthwaite's, from the variances and
    kurtoses of both classes (Brunner and Munzel, for placements; O'Neill, for kurtoses). This is
    right for large samples. If the differences do not vary, or a class has a single record, the
    limits are Hoeffding's, for a mean over ``k = min(n_members, n_nonmembers)`` disjoint pairs of
    numbers in [-1, 1].

    Parameters
    ----------
    one, other : AttackScores or BinnedScores
    confidence_level : float, in [0.5, 1)
    paired : bool, whether both have scores of the same records, in the same order

    Raises
    ------
    ValueError, if the confidence leaves its range, or `paired` sizes differ or scores are binned

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837; Satterthwaite, Biometrics
    Bulletin 2 (1946) 110; Brunner and Munzel, Biometrical Journal 42 (2000) 17; O'Neill, American
    Statistician 68 (2014) 282; Hoeffding, JASA 58 (1963) 13.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> one, other = read_sample("overfitted"), read_sample("regularised")
    >>> found = audit.auc_difference(one, other, paired=True)
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.031, 0.049, 0.068)
    """
    one = as_scores("one", one)
    other = as_scores("other", other)
    level = 1 - checks.confidence_level(confidence_level)
    given: dict[str, Any] = {"confidence_level": 1 - level, "paired": bool(paired)}
    # Independent attacks: limits of both areas at half of the level each, by the union bound.
    if not paired:
        a, b = (auc_interval(scores, confidence_level=1 - level / 2) for scores in (one, other))
        note = LARGE_SAMPLES_NOTE if a.is_approximate or b.is_approximate else AT_EVERY_SIZE
        given |= {"low": a.low - b.high, "high": a.high - b.low}
        return Difference(value=a.value - b.value, **given, p_value=None, note=note)
    # Paired attacks: the difference of each record's placements, by class.
    pair, n, m = require_pairable(one, other), one.n_members, one.n_nonmembers
    areas = [auc(each) for each in (one, other)]
    value = areas[0] - areas[1]
    classes = (((s.member, s.nonmembers), (s.nonmember, s.members)) for s in pair)
    first, second = ([doubled_placements(*each) for each in both] for both in classes)
    of_members, of_nonmembers = map(_variance_of_mean_and_its_dof, map(np.subtract, first, second))
    variances = [of_members[0] / (2 * m) ** 2, of_nonmembers[0] / (2 * n) ** 2]
    variance = sum(variances)
    # Student's t with Satterthwaite's degrees of freedom; Hoeffding's limits without a variance.
    if variance > 0 and min(n, m) > 1:
        error, note = np.sqrt(variance), LARGE_SAMPLES_NOTE
        parts = variances[0] ** 2 / of_members[1] + variances[1] ** 2 / of_nonmembers[1]
        reach = -stdtrit(variance**2 / parts, level / 2) * error
        p_value = 2 * stdtr(variance**2 / parts, -abs(value) / error)
    else:
        reach, note = np.sqrt(2 * np.log(2 / level) / min(n, m)), AT_EVERY_SIZE
        p_value = min(1.0, 2 * np.exp(-min(n, m) * value**2 / 2))
    given |= {"low": max(-1.0, float(value - reach)), "high": min(1.0, float(value + reach))}
    return Difference(value=value, **given, p_value=float(p_value), note=note)


def tpr_difference(
    one: ScoresLike,
    other: ScoresLike,
    fpr: float,
    *,
    curves: tuple[AttackCurve, AttackCurve] | None = None,
    confidence_level: float = 0.95,
    paired: bool = False,
) -> TprDifference:
    """Return the difference of two TPRs at one FPR, with confidence limits.

    The limits are valid for any number of records.

    `value` compares both attacks at their thresholds with the largest measured FPR of at most
    `fpr`. The limits are about the true TPRs at the true FPR. Let a be ``1 - confidence_level``.

    1. The non-members alone give each attack two thresholds, between whose true TPRs the true TPR
       at `fpr` lies; each fails with probability at most a / 8 (`tpr_interval`, steps 1 and 2).
    2. Given the non-members these thresholds are fixed. Let p be the probability that of a random
       member only the first attack, at its lower threshold, detects it; and q that only the second,
       at its upper threshold, does. Then ``p - q`` is at most the true difference.
    3. Paired: the numbers of members detected by one alone are binomial, so the Clopper-Pearson
       limits of p and of q, at a / 8 each, limit ``p - q`` from below. The upper limit is found in
       the same way.

    Source of the limits: Clopper and Pearson, Biometrika 26 (1934) 404. The large-sample test of a
    sensitivity at a specificity that is fixed beforehand: Linnet, Biometrics 43 (1987) 421.

    Parameters
    ----------
    one, other : AttackScores or BinnedScores
    fpr : float, in [0, 1]
    curves : pair of AttackCurve, optional, the curves of both scores, if computed before
    confidence_level : float, in [0.5, 1)
    paired : bool, whether both have scores of the same records, in the same order

    Raises
    ------
    ValueError, if `fpr` leaves its range, and as `auc_difference`

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> one, other = read_sample("overfitted"), read_sample("regularised")
    >>> found = audit.tpr_difference(one, other, 0.7, paired=True)
    >>> round(found.value, 3), round(found.low, 3), found.only_first, found.only_second
    (0.197, 0.097, 59, 0)
    """
    one = as_scores("one", one)
    other = as_scores("other", other)
    fpr = checks.real("fpr", fpr, 0, 1)
    level = 1 - checks.confidence_level(confidence_level)
    first, second = curves or (AttackCurve.from_scores(one), AttackCurve.from_scores(other))
    at = [first.at_fpr(fpr), second.at_fpr(fpr)]
    only: list[int | None] = [None, None]
    # Each of both limits has half of the level, in four parts: see the steps above.
    if paired:
        pair = require_pairable(one, other)
        attacks = [*zip(pair, (first, second), strict=True)]
        low = _tpr_difference_lower_limit(attacks, fpr, level / 8)
        high = -_tpr_difference_lower_limit(attacks[::-1], fpr, level / 8)
        flags = [s.member >= point.threshold for s, point in zip(pair, at, strict=True)]
        only = [int(np.count_nonzero(a & ~b)) for a, b in (flags, flags[::-1])]
    else:
        a, b = (tpr_interval(c, fpr, confidence_level=1 - level / 2) for c in (first, second))
        low, high = a[0] - b[1], a[1] - b[0]
    given: dict[str, Any] = {"confidence_level": 1 - level, "paired": paired, "fpr": fpr}
    given |= {"low": low, "high": high, "only_first": only[0], "only_second": only[1]}
    value = at[0].tpr - at[1].tpr
    return TprDifference(value=value, **given, p_value=None, note=AT_EVERY_SIZE)


def require_pairable(one: Scores, other: Scores) -> tuple[AttackScores, AttackScores]:
    """Return `one` and `other`; ValueError unless both are unbinned and have equal class sizes."""
    pair = require_unbinned(one, "a paired test"), require_unbinned(other, "a paired test")
    for name in ("members", "nonmembers"):
        first, second = (getattr(scores, f"n_{name}") for scores in pair)
        if first != second:
            raise ValueError(
                "scores must be of the same records for a paired test, got "
                f"{first} and {second} {name.replace('non', 'non-')}"
            )
    return pair


def _variance_of_mean_and_its_dof(values: Counts) -> tuple[float, float]:
    """Return the estimated variance of the mean, and its degrees of freedom (Satterthwaite)."""
    n = values.size
    squares = (values - values.mean()) ** 2
    total = float(squares.sum())
    if n == 1 or total == 0:
        return 0.0, 1.0
    # From the kurtosis, but at most n - 1.
    kurtosis = n * float(squares @ squares) / total**2
    return total / (n * (n - 1)), min(n - 1, 2 * n / (kurtosis - (n - 3) / (n - 1)))


def _tpr_difference_lower_limit(attacks: list[ScoredAttack], fpr: float, level: float) -> float:
    """Return a lower limit of (first TPR - second TPR) at `fpr`, wrong with P <= 4 * `level`."""
    (one, first), (other, second) = attacks
    below = vertices_limiting_tpr(first, fpr, level=level)[0]
    above = vertices_limiting_tpr(second, fpr, level=level)[1]
    # The first attack at its lower threshold against the second at its upper one.
    by_one = (one.member >= first.thresholds[below]) & (below > 0)  # the first flags nobody
    by_other = (other.member >= second.thresholds[above]) & (above > 0)
    alone, missed = (int(np.sum(mask)) for mask in (by_one & ~by_other, by_other & ~by_one))
    n, confidence = one.n_members, 1 - level
    ahead = clopper_pearson(alone, n, confidence_level=confidence, side="lower")
    return float(ahead - clopper_pearson(missed, n, confidence_level=confidence, side="upper"))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BestOf(ValueObject):
    """Simultaneous lower bounds on epsilon from several attacks on one model.

    Parameters
    ----------
    bounds : mapping of str to EpsilonBound, each at ``1 - (1 - confidence_level) / k``
    confidence_level : float, joint, of all bounds together, and so of `low`

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> scores = read_sample("overfitted")
    >>> found = audit.best_of({"low loss": scores, "high loss": scores.reversed()}, delta=1e-5)
    >>> found.name, found.level_of_each
    ('low loss', 0.975)
    """

    bounds: Mapping[str, EpsilonBound]
    confidence_level: float

    @property
    def name(self) -> str:
        """The name of the first attack with the largest lower bound."""
        return max(self.bounds, key=lambda name: self.bounds[name].low)

    @property
    def low(self) -> float:
        """The largest of the lower bounds on the epsilon of the model.

        This is a lower limit of epsilon at `confidence_level`.
        """
        return self.bounds[self.name].low

    @property
    def level_of_each(self) -> float:
        """The confidence level of a single bound, higher than the joint `confidence_level`."""
        return self.bounds[self.name].confidence_level


def best_of(
    attacks: Mapping[str, ScoresLike],
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str | None = None,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
    rng: Rng = 0,
) -> BestOf:
    """Return a lower confidence limit of epsilon from the best of several attacks on one model.

    Source: Bonferroni's inequality; Dunn, JASA 56 (1961) 52.

    Parameters
    ----------
    attacks : mapping of str to AttackScores or BinnedScores, **every** attack that was tried
    delta, confidence_level, method, applies_to, sampling, rng : as of `lower_bound`
        The level is joint.

    Raises
    ------
    ValueError, if there is no attack, or as of `lower_bound`

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> scores = read_sample("overfitted")
    >>> attacks = {"low loss": scores, "high loss": scores.reversed()}
    >>> round(audit.best_of(attacks, delta=1e-5).low, 2)
    2.64
    """
    checks.must_be_a("attacks", attacks, Mapping, "a mapping of names to attack scores")
    attacks = {name: as_scores(f"attacks[{name!r}]", each) for name, each in attacks.items()}
    if not attacks:
        raise ValueError("attacks must have at least one attack, got none")
    level = checks.confidence_level(confidence_level)
    single = 1 - (1 - level) / len(attacks)  # union bound: the best of k holds if all do
    seed = checks.seed(rng)
    whose: dict[str, Any] = {"applies_to": applies_to, "sampling": sampling}
    bound = partial(lower_bound, delta=delta, confidence_level=single, method=method, rng=seed)
    bounds = {name: bound(scores, **whose) for name, scores in attacks.items()}
    return BestOf(bounds=bounds, confidence_level=level)
