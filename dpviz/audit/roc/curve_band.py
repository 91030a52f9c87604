"""Limits of an attack's true error rates that hold at all its thresholds at once.

**Statement.** Members are independent draws of one law of scores, non-members of another. With
probability at least `confidence_level`, at every threshold of the attack, chosen after looking or
not, the true FPR and the true FNR both lie within their limits.

**Why.** The upper limits of one rate hold at all thresholds at once with the local level of
`dpviz.audit.bands`; the lower ones are what the upper limits of the complement leave. These are
four families of limits, each with a quarter of ``1 - confidence_level``. What a union bound and the
discreteness of counts leave over makes the band wider than necessary, never narrower.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.bands import is_tabulated, local_level
from dpviz.audit.curve import AttackCurve, bending_vertices
from dpviz.audit.intervals import Side, clopper_pearson
from dpviz.checks import FloatArray
from dpviz.theory.exponentials import times_exp
from dpviz.theory.region import implied_epsilons
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

LARGEST_BAND = 250
"""Thresholds: a staircase has two vertices for each, and a picture takes 512."""
CANDIDATES = 2048
"""Vertices of a long curve among which those that show its bends are looked for."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """How far a claim's curve lies above the upper limit, at most, and where.

    `margin` in [-1, 1] is in units of FNR; not positive means that the band does not contradict
    the claim. A positive one refutes it with the confidence of the band.
    """

    margin: float
    fpr: float
    fnr: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveBand:
    """Simultaneous limits of both error rates at some thresholds of an attack.

    Parameters
    ----------
    confidence_level : float
        Of the whole statement: all limits, at all thresholds, of both rates.
    n_members, n_nonmembers : int
    fpr, fnr : ndarray, shape (k,)
        Measured rates at the thresholds, by increasing FPR.
    fpr_low, fpr_high, fnr_low, fnr_high : ndarray, shape (k,)
        Limits of the true rates there.
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
        """What makes the band wider than it would have to be."""
        each = 1 - (1 - self.confidence_level) / 4
        return tuple(
            f"no local level is tabulated for {size} records at {1 - each:g}: Bonferroni's instead"
            for size in sorted({self.n_members, self.n_nonmembers})
            if not is_tabulated(size, confidence_level=each)
        )

    @cached_property
    def upper(self) -> FloatArray:
        """A line that the attack's true curve lies nowhere above; columns FPR and FNR.

        The curve meant is the smallest FNR at each FPR of an attacker who may choose at random
        between two thresholds: it is convex, and below the corner of every pair of upper limits,
        so it is below the straight lines that join them, too. Of an attacker who uses one threshold
        each time only the corners speak: some threshold has no larger FPR and no larger FNR.
        From (0, 1), nobody accused, to (1, 0), everybody; shape (k, 2) with k <= 252.
        """
        # Of several limits at one FPR the last is the lowest.
        is_last = np.diff(self.fpr_high, append=1.0) > 0
        corners = np.column_stack([self.fpr_high, self.fnr_high])[is_last]
        return checks.read_only(np.vstack([[0.0, 1.0], corners, [1.0, 0.0]]))

    @cached_property
    def lower(self) -> FloatArray:
        """A staircase that the true rates of every threshold lie nowhere below; FPR and FNR.

        A threshold with a true FPR below the lower limit of another one's accuses less than that
        one, hence has at least its FNR. This holds for all thresholds, for those between scores of
        the sample, and where records with the same score are told apart at random. A random choice
        between two thresholds that lie apart is **not** covered: its rates are on the straight line
        between theirs, which cuts a corner of the staircase where the true curve is not convex.
        Nowhere are such rates below the staircase's lower convex hull. Shape (2 k + 2, 2) at most,
        from FPR 0 to 1.
        """
        # By increasing FPR the limits of FNR fall: right of fpr_low[i] the next one holds.
        x = np.concatenate([[0.0], self.fpr_low, [1.0]])
        heights = np.concatenate([self.fnr_low, [0.0]])
        is_step = np.diff(x) > 0
        ends = np.column_stack([x[:-1], x[1:]])[is_step]
        stairs = np.column_stack([ends.ravel(), np.repeat(heights[is_step], 2)])
        return checks.read_only(stairs)

    def smallest_epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 of an (epsilon, delta) claim that the band admits.

        A lower bound: the true epsilon at `delta` of the attack's direction is smaller with
        probability at most ``1 - confidence_level``. `lower_bound` says more about one number.

        Parameters
        ----------
        delta : float
            In [0, 1].
        """
        implied = implied_epsilons(fpr=self.fpr_high, fnr=self.fnr_high, delta=delta)
        return max(0.0, float(np.max(implied[:, :2])))

    def smallest_delta(self, epsilon: float) -> float:
        """The smallest delta of an (epsilon, delta) claim that the band admits; a lower bound.

        Parameters
        ----------
        epsilon : float
            In [0, inf).
        """
        epsilon = checks.real("epsilon", epsilon, 0, np.inf, closed="left")
        sides = ((self.fpr_high, self.fnr_high), (self.fnr_high, self.fpr_high))
        deltas = [1 - alone - times_exp(epsilon, grown) for grown, alone in sides]
        return max(0.0, float(np.max(deltas)))

    def smallest_mu(self) -> float:
        """The smallest mu >= 0 of a Gaussian claim that the band admits; a lower bound."""
        return max(0.0, float(np.max(-ndtri(self.fnr_high) - ndtri(self.fpr_high))))

    def gap(self, claim: TradeoffFunction) -> Gap:
        """The largest height by which a claim's curve lies above the upper limit, and where.

        The claim's curve is convex, so no place between two corners of `upper` shows more.

        Parameters
        ----------
        claim : TradeoffFunction
            Of the pair (non-members, members), in this order.
        """
        margins = checked_tradeoff("claim", claim).beta(self.fpr_high) - self.fnr_high
        best = int(np.argmax(margins))
        return Gap(
            margin=float(margins[best]),
            fpr=float(self.fpr_high[best]),
            fnr=float(self.fnr_high[best]),
        )

    def __repr__(self) -> str:
        return (
            f"CurveBand(confidence_level={self.confidence_level:g}, n_members={self.n_members}, "
            f"n_nonmembers={self.n_nonmembers}, thresholds={self.fpr.size})"
        )


def curve_band(
    curve: AttackCurve, *, confidence_level: float = 0.95, most: int = LARGEST_BAND
) -> CurveBand:
    """Limits of both true rates that hold at all thresholds of an attack at once.

    Parameters
    ----------
    curve : AttackCurve
    confidence_level : float
        In (0, 1). Without a tabulated local level the limits are wider; `CurveBand.notes` says so.
    most : int
        From 16 to 250 thresholds to keep: ends, both tails down to single errors, and bends. The
        limits at each do not depend on which others are kept.

    Returns
    -------
    CurveBand

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    confidence = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    most = checks.whole("most", most, 16, LARGEST_BAND)
    kept = _kept(curve, most)
    fp, tp = curve.false_positives[kept], curve.true_positives[kept]
    n, m = curve.n_members, curve.n_nonmembers
    each = (1 - confidence) / 4

    def limits(counts: Counts, size: int, side: Side) -> FloatArray:
        level = local_level(size, confidence_level=1 - each)
        found = clopper_pearson(counts, size, confidence_level=1 - level, side=side)
        return np.asarray(checks.read_only(found))

    return CurveBand(
        confidence_level=confidence,
        n_members=n,
        n_nonmembers=m,
        fpr=checks.read_only(fp / m),
        fnr=checks.read_only((n - tp) / n),
        fpr_low=limits(fp, m, "lower"),
        fpr_high=limits(fp, m, "upper"),
        fnr_low=limits(n - tp, n, "lower"),
        fnr_high=limits(n - tp, n, "upper"),
    )


def _kept(curve: AttackCurve, most: int) -> Counts:
    """Indices of the thresholds to keep: errors of either kind by geometric steps, then bends."""
    fp, tp = curve.false_positives, curve.true_positives
    n, m, last = curve.n_members, curve.n_nonmembers, fp.size - 1
    if last < most:
        return np.arange(last + 1)
    steps = max(1, most // 4)
    of_nonmembers = np.unique(np.geomspace(1, m, steps).astype(np.int64)) - 1
    of_members = np.unique(np.geomspace(1, n, steps).astype(np.int64)) - 1
    # The most members for so many false positives, the fewest false positives for so many missed.
    most_caught = np.searchsorted(fp, of_nonmembers, side="right") - 1
    fewest_accused = np.searchsorted(tp, n - of_members, side="left")
    tails = np.unique(np.concatenate([most_caught, fewest_accused]))
    candidates = np.linspace(0, last, CANDIDATES).astype(np.int64)
    candidates = np.unique(np.concatenate([candidates, tails]))
    bends = bending_vertices(
        fp[candidates] / m,
        tp[candidates] / n,
        n=most,
        keep=np.searchsorted(candidates, tails).tolist(),
    )
    return candidates[bends]
