"""The TPR at a given FPR, by every convention in use, and confidence limits of the true TPR."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.special import betainc, betaincc

from dpviz import checks
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, curve_of
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.attack_scores import ScoresLike
from dpviz.number_format import lower, percent, percent_at_most
from dpviz.value_object import ValueObject, table_html


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The point at which a convention reads the TPR: a vertex of the curve or a mixture of two."""

    vertices: tuple[int, ...] = ()  # indices of one or two vertices; () if there is no such point
    share: float = 0.0  # weight of the second vertex, in [0, 1)
    reason: str = ""  # why there is no such point


@dataclass(frozen=True, kw_only=True)
class TprConvention:
    """A convention for the TPR at an FPR, read from the vertices of a measured curve."""

    rule: Callable[[AttackCurve, float], CurvePoint]  # from a curve and an FPR to the point
    meaning: str  # in one line
    used_by: str  # software


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TprAtFpr(ValueObject):
    """The TPR of a sample at one FPR, with confidence limits.

    Parameters
    ----------
    convention : str, a key of `CONVENTIONS`
    requested : float, the requested FPR
    value : float, an **estimate**; nan where the convention does not give one
    realised_fpr : float, the FPR on the sample; for a mixture the requested FPR
    false_positives, true_positives : int or None, at the vertex; None for a mixture or without one
    between : tuple of two OperatingPoint, or None, the vertices of a mixture
    n_members, n_nonmembers : int
    interval : tuple of two floats, limits of the true TPR at this FPR; see `tpr_interval`
    confidence_level : float, of the interval
    reason : str, why `value` is nan

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> found = audit.tpr_at_fpr(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 1]), fpr=0.5)
    >>> found.realised_fpr, found.true_positives
    (0.0, 2)
    """

    convention: str
    requested: float
    value: float
    realised_fpr: float
    false_positives: int | None
    true_positives: int | None
    between: tuple[OperatingPoint, OperatingPoint] | None
    n_members: int
    n_nonmembers: int
    interval: tuple[float, float]
    confidence_level: float
    reason: str = ""


class TprTable(tuple[TprAtFpr, ...]):
    """The TPRs at one FPR, one for each convention; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        """Return an HTML table for notebooks; the confidence limits are rounded outwards."""
        first, (low, high) = self[0], self[0].interval
        limits = f"{percent(lower(low))} and {percent_at_most(high)}"
        caption = (
            f"Estimates of the TPR at FPR {percent(first.requested)}. The true TPR is between "
            f"{limits} ({percent(first.confidence_level)} confidence)."
        )
        rows = [
            (each.convention, percent(each.value), percent(each.realised_fpr), convention.used_by)
            for each, convention in zip(self, CONVENTIONS.values(), strict=True)
        ]
        return table_html(caption, ("convention", "TPR", "at FPR", "used by"), rows)


def tpr_at_fpr(
    scores: ScoresLike | AttackCurve,
    fpr: float,
    *,
    convention: str = "last_vertex",
    confidence_level: float = 0.95,
) -> TprAtFpr:
    """Return the TPR of a sample at one FPR, with confidence limits.

    The limits are those of the true TPR.

    Parameters
    ----------
    scores : AttackScores, BinnedScores or AttackCurve
    fpr : float in [0, 1]
    convention : str, a key of `CONVENTIONS`
    confidence_level : float, of the interval, in [0.5, 1)

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> round(audit.tpr_at_fpr(read_sample("overfitted"), 0.01).value, 4)
    0.0167
    """
    checks.choice("convention", convention, CONVENTIONS)
    return next(_tprs_by_convention(curve_of(scores), fpr, [convention], confidence_level))


def tpr_table(
    scores: ScoresLike | AttackCurve, fpr: float, *, confidence_level: float = 0.95
) -> TprTable:
    """Return the sample's TPR at an FPR by each of `CONVENTIONS`, in their order, as a tuple.

    Parameters
    ----------
    scores, fpr, confidence_level : as of `tpr_at_fpr`

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> table = audit.tpr_table(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 1]), 0.5)
    >>> [round(each.value, 3) for each in table]
    [0.667, 0.667, 0.917, 0.917, 0.917]
    """
    return TprTable(_tprs_by_convention(curve_of(scores), fpr, CONVENTIONS, confidence_level))


def tpr_interval(
    scores: ScoresLike | AttackCurve, fpr: float, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return confidence limits of the true TPR at a true FPR.

    The limits are valid at any sample size.

    The true TPR at ``fpr`` is that of the threshold whose true FPR is ``fpr``, or, if scores are
    tied there, anything from the largest TPR with a smaller FPR to that of random tie-breaking. Let
    a be ``1 - confidence_level``. Number the m non-members from the highest score down, ties at
    random, and let U_j be the probability that a further non-member ranks above the j-th. These m
    numbers are the order statistics of uniform numbers, and the true FPR of "score > the j-th" is
    at most U_j, that of "score >= the j-th" at least U_j. So

    1. the first has an FPR above ``fpr`` with probability at most ``P(Bin(m, fpr) < j)``. J is the
       largest j for which this is at most a / 2;
    2. the second has an FPR of ``fpr`` or less with probability at most ``P(Bin(m, fpr) >= j)``.
       H is the smallest j for which this is at most a / 2;
    3. the limits are the lower Clopper-Pearson limit of the TPR of "score > the J-th" and the upper
       one of "score >= the H-th", at a / 2 each. Without such a j it is 0, respectively 1.

    Both limits together miss with probability at most a: where the threshold errs, the members need
    not, and the other way round. One of them alone may miss nearly as often as both. A random
    choice between two thresholds may exceed the upper limit where the true curve is not concave.

    Parameters
    ----------
    scores, fpr, confidence_level : as of `tpr_at_fpr`

    Notes
    -----
    *Proof.* Let t be the true TPR. Given the non-members, both numbers of members are binomial.
    Their probabilities are at most R(U_J) and at least R(U_H) for a function R that does not fall
    and is at most t up to ``fpr`` and at least t beyond: the attack's ROC curve, cut off at t. The
    lower limit exceeds t if the first number is at least some c, the upper one is below t if the
    second is at most some d < c. Let ``g(r) = P(Bin(n, r) >= c)`` and ``h(r) = P(Bin(n, r) <= d)``,
    which are at most a / 2 at t, and let f_J and f_H be the densities of U_J and U_H. So a limit
    misses with at most the probability ``integral of f_J(u) g(R(u)) + f_H(u) h(R(u))``.

    - *Up to fpr*, a constant R is worst. Let R rise from r to s between two of its steps. Were both
      s, the integrand would change by ``f_J(u) (g(s) - g(r)) - f_H(u) (h(r) - h(s))`` on the first,
      and were both r, by the opposite on the second. ``f_J / f_H`` falls with u, as J < H, so the
      difference changes its sign once, from above 0 to below: one of the two changes does not
      lessen the integral. Step by step, R becomes constant.
    - The best constant is 0 or t: the ratio of g' to -h' is a multiple of
      ``(r / (1 - r))^(c - 1 - d)``, which does not fall, so between them is no maximum. With
      ``b = P(U_J > fpr)`` and ``e = P(U_H <= fpr)``, this part of the integral is at most the
      larger one of e and ``(1 - b + e) a / 2``.
    - *Beyond fpr*, likewise, it is at most the larger one of b and ``(1 - e + b) a / 2``.
    - b and e are at most a / 2. So each of the four sums is at most a.

    No share can be larger: a curve that is flat around ``fpr`` is missed with probability
    ``g(t) + h(t)``, and one that rises there from 0 over t to 1 with ``b + e``.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> audit.roc.tpr_interval(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 1]), 0.5)
    (0.0, 1.0)
    """
    curve, fpr = curve_of(scores), checks.real("fpr", fpr, 0, 1)
    level = 1 - checks.confidence_level(confidence_level)
    # Half of the level is for the two thresholds, the other half for the TPRs there.
    vertices = list(vertices_limiting_tpr(curve, fpr, level=level / 2))
    above, upto = curve.true_positives[vertices].tolist()
    low = clopper_pearson(above, curve.n_members, confidence_level=1 - level / 2, side="lower")
    high = clopper_pearson(upto, curve.n_members, confidence_level=1 - level / 2, side="upper")
    return low, high


def vertices_limiting_tpr(curve: AttackCurve, fpr: float, *, level: float) -> tuple[int, int]:
    """Return vertices with true FPRs around `fpr`; each is on the wrong side with P <= `level`."""
    # The ranks J and H: probabilities, monotone in rank, by betainc, as bdtr ends at 2**31 records.
    m = curve.n_nonmembers
    first = bisect_right(range(m), level, key=lambda k: float(betaincc(k + 1, m - k, fpr)))
    second = bisect_left(range(m), -level, key=lambda k: -float(betainc(k + 1, m - k, fpr))) + 1
    # The thresholds just above the one and at the other.
    below, above = 0, curve.false_positives.size - 1
    if first >= 1:
        below = int(np.searchsorted(curve.false_positives, first, side="left")) - 1
    if second <= m:
        above = int(np.searchsorted(curve.false_positives, second, side="left"))
    return below, above


def _tprs_by_convention(
    curve: AttackCurve, fpr: float, conventions: Iterable[str], confidence_level: float
) -> Iterator[TprAtFpr]:
    """Yield the TPR at an FPR by each convention, all with the same confidence interval."""
    fpr = checks.real("fpr", fpr, 0, 1)
    given: dict[str, Any] = {
        "interval": tpr_interval(curve, fpr, confidence_level=confidence_level),
        "confidence_level": float(confidence_level),
        "requested": fpr,
        "n_members": curve.n_members,
        "n_nonmembers": curve.n_nonmembers,
    }
    for name in conventions:
        reading = CONVENTIONS[name].rule(curve, fpr)
        points = [curve.point(index) for index in reading.vertices]
        vertex = points[0] if len(points) == 1 else None
        value = realised = float("nan")
        if vertex is not None:
            value, realised = vertex.tpr, vertex.fpr
        elif points:
            value = (1 - reading.share) * points[0].tpr + reading.share * points[1].tpr
            realised = fpr
        yield TprAtFpr(
            **given,
            convention=name,
            value=value,
            realised_fpr=realised,
            false_positives=None if vertex is None else vertex.false_positives,
            true_positives=None if vertex is None else vertex.true_positives,
            between=(points[0], points[1]) if len(points) == 2 else None,
            reason=reading.reason,
        )


def _next_vertex(curve: AttackCurve, fpr: float, *, side: Literal["left", "right"]) -> CurvePoint:
    index = int(np.searchsorted(curve.fpr, fpr, side=side)) - 1
    if index < 0:
        return CurvePoint(reason="no threshold has an FPR below 0")
    return CurvePoint(vertices=(index,))


def _interpolated_point(curve: AttackCurve, fpr: float, *, on_hull: bool = False) -> CurvePoint:
    """Return the point with FPR `fpr` on the polyline through all vertices, or all hull corners."""
    fprs = curve.fpr[curve.hull_indices] if on_hull else curve.fpr
    left = int(np.searchsorted(fprs, fpr, side="right")) - 1
    right = min(left + 1, fprs.size - 1)
    low, high = float(fprs[left]), float(fprs[right])
    if on_hull:
        left, right = curve.hull_indices[[left, right]].tolist()
    if low == fpr:
        return CurvePoint(vertices=(left,))
    return CurvePoint(vertices=(left, right), share=(fpr - low) / (high - low))


def _point_through_thresholds(curve: AttackCurve, fpr: float) -> CurvePoint:
    """Return the point with FPR `fpr` at a threshold interpolated linearly between two vertices."""
    # Where both thresholds are finite, this equals the TPR interpolated in the FPR.
    if 0 < fpr < curve.fpr[1]:
        return CurvePoint(reason="needs a place between the highest score and infinity")
    return _interpolated_point(curve, fpr)


CONVENTIONS: dict[str, TprConvention] = {
    "last_vertex": TprConvention(
        rule=partial(_next_vertex, side="right"),
        meaning="at the threshold with the largest measured FPR of at most the requested FPR",
        used_by="ML Privacy Meter, ART, LeakPro; the default here",
    ),
    "strict": TprConvention(
        rule=partial(_next_vertex, side="left"),
        meaning="at the threshold with the largest measured FPR below the requested FPR",
        used_by="mimir",
    ),
    "interpolated": TprConvention(
        rule=_interpolated_point,
        meaning="on the straight line between the two neighbouring thresholds",
        used_by="np.interp over scikit-learn's roc_curve",
    ),
    "through_thresholds": TprConvention(
        rule=_point_through_thresholds,
        meaning="the threshold interpolated over the FPR, then the TPR over the threshold",
        used_by="SACRO-ML",
    ),
    "hull": TprConvention(
        rule=partial(_interpolated_point, on_hull=True),
        meaning="by the best random choice between any two thresholds",
        used_by="jax_privacy",
    ),
}
