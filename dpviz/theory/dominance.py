"""The comparison of two guarantees: which guarantee is stronger, and at which FPRs."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.polyline import DENSE_FPRS
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

Relation = Literal["equal", "dominates", "dominated", "incomparable", "undecided"]
ROUNDING_OF_RATES = 1e-11  # relative difference of two rates that may be rounding


@dataclass(frozen=True, kw_only=True)
class Dominance:
    """The comparison of a guarantee f with a guarantee g.

    Parameters
    ----------
    relation : str
        "dominates": f is at least as private at every FPR; "dominated": g is; "equal";
        "incomparable": each is better somewhere; "undecided": the curves' `error` leaves it open.
    better_at, worse_at : float or None
        FPR at which f is furthest above g, and furthest below; 0.0 also for the limit at FPR 0.
    crossings : tuple of float
        FPRs, ascending, at which the order changes; none for a change within rounding of FPR 1.
    is_exact : bool
        Whether the relation follows from closed forms, up to rounding; else the curves were
        compared at some 4,300 FPRs from 1e-300 on, their kinks, and in the limits at both ends.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, PureDP
    >>> PureDP(epsilon=1.0).dominates(GaussianDP(mu=1.0)).relation
    'incomparable'
    """

    relation: Relation
    better_at: float | None = None
    worse_at: float | None = None
    crossings: tuple[float, ...] = ()
    is_exact: bool = False


def compare(f: TradeoffFunction, g: TradeoffFunction) -> Dominance:
    """Compare two guarantees at all FPRs: exactly if both are piecewise linear, else on a grid."""
    if checked_tradeoff("other", g).adjacency != f.adjacency:
        raise checks.fail("other", f"a guarantee for {f.adjacency} adjacency", g)
    if f == g:
        return Dominance(relation="equal", is_exact=True)
    finite = f.atoms() is not None and g.atoms() is not None
    middle = [f.fpr_of_loss(0.0), g.fpr_of_loss(0.0)]  # where two curves may just touch
    x = np.union1d([0.0, *f.kinks, *middle, 1.0], [*g.kinks, *([] if finite else DENSE_FPRS)])
    if not finite:
        x = np.union1d(x, _fprs_where_curves_nearly_touch(x, _gap_and_rounding_error(f, g, x)[0]))
    # The sign of f - g, 0 where the difference may be rounding or the error of a curve.
    gap, rounding = _gap_and_rounding_error(f, g, x)
    error = max(f.error, g.error)
    sign = np.sign(np.where(np.abs(gap) <= np.maximum(rounding, error), 0.0, gap))
    ends = (_sign_at_0(f, g), _sign_at_0(f.inverse(), g.inverse())) if error == 0 else (0.0, 0.0)

    def fpr_of_largest_gap(wanted_sign: float) -> float | None:
        if np.any(sign == wanted_sign):
            return float(x[np.argmax(np.where(sign == wanted_sign, wanted_sign * gap, -np.inf))])
        return float(ends.index(wanted_sign)) if wanted_sign in ends else None

    better, worse = fpr_of_largest_gap(1.0), fpr_of_largest_gap(-1.0)
    # Differences within the stated error of a curve may have either sign.
    doubtful = (np.abs(gap) > rounding) & (sign == 0)
    maybe = bool(np.any(gap[doubtful] > 0)), bool(np.any(gap[doubtful] < 0))
    return Dominance(
        relation=_relation(better is not None, worse is not None, *maybe),
        better_at=better,
        worse_at=worse,
        crossings=_crossing_fprs(f, g, x, sign, ends[0]),
        is_exact=finite and error == 0,
    )


def _relation(f_above: bool, f_below: bool, maybe_above: bool, maybe_below: bool) -> Relation:
    if f_above and f_below:
        return "incomparable"
    if f_above:
        return "undecided" if maybe_below else "dominates"
    if f_below:
        return "undecided" if maybe_above else "dominated"
    return "undecided" if maybe_above or maybe_below else "equal"


def _gap_and_rounding_error(
    f: TradeoffFunction, g: TradeoffFunction, x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the difference f - g of the FNRs at FPRs x, and a bound on its rounding error."""
    tprs, betas = (f.tpr(x), g.tpr(x)), (f.beta(x), g.beta(x))
    small = np.maximum(*tprs) < 0.5
    gap = np.where(small, tprs[1] - tprs[0], betas[0] - betas[1])
    rounding = ROUNDING_OF_RATES * np.where(small, np.maximum(*tprs), np.maximum(*betas))
    return gap, rounding + 1e-15 * (x > 0.5)


def _fprs_where_curves_nearly_touch(x: FloatArray, gap: FloatArray) -> FloatArray:
    """Return FPRs near the positive minima of ``|gap|``, where two curves may nearly touch."""
    size = np.abs(gap)
    near = np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:])) + 1
    near = near[(size[near] > 0) & (x[near - 1] > 0) & (x[near + 1] < 1)][:64]
    odds = logit(x)
    return expit(np.linspace(odds[near - 1], odds[near + 1], 257)).ravel()


def _sign_at_0(f: TradeoffFunction, g: TradeoffFunction) -> float:
    """Return the sign of f - g as the FPR goes to 0."""
    # The lower curve has the larger TPR at FPR 0; with equal TPRs, the larger largest loss.
    for a, b in ((g.tpr(0.0), f.tpr(0.0)), (g.epsilon(0.0), f.epsilon(0.0))):
        if not np.isclose(a, b, rtol=ROUNDING_OF_RATES, atol=0):
            return float(np.sign(a - b))
    return 0.0


def _crossing_fprs(
    f: TradeoffFunction, g: TradeoffFunction, x: FloatArray, signs: FloatArray, sign_at_0: float
) -> tuple[float, ...]:
    """Return the FPRs at which f - g changes its sign; 0.0 stands for a change near FPR 0."""
    decided = np.flatnonzero(signs)
    crossings = []
    if decided.size and sign_at_0 * signs[decided[0]] < 0:
        crossings.append(0.0 if decided[0] <= 1 else float(x[decided[0]]))
    changes = [(float(x[i]), float(x[j])) for i, j in pairwise(decided) if signs[i] != signs[j]]
    return (*crossings, *(_root_of_gap(f, g, low, high) for low, high in changes))


def _root_of_gap(f: TradeoffFunction, g: TradeoffFunction, low: float, high: float) -> float:
    from scipy.optimize import brentq  # slow to import, and needed only here

    def gap(log_odds: float) -> float:
        return float(_gap_and_rounding_error(f, g, expit(np.array(log_odds)))[0])

    # In log-odds the search is as short for an FPR of 1e-300 as for one of 0.1.
    inside = np.clip([low, high], np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
    first, last = logit(inside).tolist()
    if gap(first) * gap(last) >= 0:  # by rounding
        return (low + high) / 2
    return float(expit(brentq(gap, first, last, xtol=1e-12)))
