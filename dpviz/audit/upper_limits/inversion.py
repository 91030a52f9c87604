"""Upper limits of true rates from a set of outcomes, valid for all values of the nuisance rate.

**Statement.** Let T be an order (`dpviz.audit.upper_limits.orders`), v a number, and let the true
rates TPR p and FPR q satisfy ``p >= a + c q``. If ``P(T <= v)`` is at most the level for all such
pairs, "T <= v" refutes ``p - c q >= a``. The limit is a number a that is refuted (or a c, given a);
larger ones are refuted with it, as they allow fewer pairs. It is the limit of Buehler (JASA 52
(1957) 482), the least of all upper limits that are monotone in T, up to `TOLERANCE`.

**No error by a grid.** As P falls with p, only pairs on the line ``p = a + c q`` count. Along it
P = g(q) is a polynomial. Let the records be independent trials with rates r_i, of the n members p,
of the m non-members q; let s_i be the derivative of the logarithm of trial i's probability by q.
It has mean 0 and variance ``c^2 / (p (1 - p))``, respectively ``1 / (q (1 - q))``. All rates are
linear in q, so ``g'' = E(1 sum over i != j of s_i s_j)`` with the indicator 1 of the set. The terms
s_i s_j, i < j, are uncorrelated, so by Cauchy and Schwarz

    ``|g''| <= sqrt(2 g) I`` with ``I = n c^2 / (p (1 - p)) + m / (q (1 - q))``.

I is convex along the line. So on a cell of width h, with the larger values G and I of its ends, a
maximum M of g inside satisfies ``M <= G + k sqrt(M)`` with ``k = sqrt(2) I h^2 / 8``, hence
``sqrt(M) <= (k + sqrt(k^2 + 4 G)) / 2``. Also, as P falls with p and rises with q, M is at most the
P of the least p and the largest q of the cell, which is better next to rates of 0 and 1. If one
bound is at most the level for each of some cells that cover all q, the line is refuted. Cells where
neither is are divided; if the level is exceeded at an end of one, a larger limit is tried. So a
search on a grid suggests a limit, and cells prove it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.upper_limits.outcomes import Outcomes
from dpviz.checks import FloatArray
from dpviz.theory.profile import bisection

TOLERANCE = 0.01  # of a limit, as a fraction of its distance from the rates of the sample
RECORDS_AT_TOLERANCE = 2000  # of a class; more records have a tolerance that grows as their root
DIVISIONS = 30  # of a cell, at most
MOST_CELLS = 5000  # that are divided at once, beside those of the grid
SMALLEST_STEP = 1e-7  # of a limit
ITERATIONS = 30  # of the rule of false position, at most
HALVINGS = 40  # of the unit interval, for a TPR
LARGEST_EPSILON = 40.0  # beyond it an epsilon counts as infinite


@dataclass(frozen=True, kw_only=True)
class Ends:
    """Where a limit is searched: from the number on the sample to the largest possible one."""

    measured: float
    near: float  # a first guess
    most: float


@dataclass(frozen=True, kw_only=True)
class Line:
    """The pairs with ``TPR >= intercept + slope * FPR``."""

    intercept: float
    slope: float  # at least 1

    def tpr(self, fpr: FloatArray) -> FloatArray:
        """Return the least TPR at each FPR, at most 1."""
        return np.minimum(self.intercept + self.slope * fpr, 1.0)

    def grid(self, outcomes: Outcomes) -> FloatArray:
        """Return FPRs from 0 to the last with a TPR, each rate at most a standard deviation on."""
        last = min(1.0, (1 - self.intercept) / self.slope)
        of_fpr = _steps(0.0, last, outcomes.n_nonmembers)
        tpr = _steps(self.intercept, self.intercept + self.slope * last, outcomes.n_members)
        inside = (tpr[1:-1] - self.intercept) / self.slope
        return np.unique(np.concatenate([of_fpr, np.clip(inside, 0.0, last)]))


def _steps(first: float, last: float, trials: int) -> FloatArray:
    """Return rates from the first to the last one, about a standard deviation apart."""
    start, end = (float(np.arcsin(np.sqrt(min(rate, 1.0)))) for rate in (first, last))
    found = np.sin(np.linspace(start, end, int(2 * np.sqrt(trials) * (end - start)) + 12)) ** 2
    found[[0, -1]] = first, last
    return np.asarray(found)


def upper_difference(
    outcomes: Outcomes, slope: float, *, measured: float, near: float, level: float
) -> float:
    """Return the limit of TPR - `slope` FPR at one threshold, given that the outcome is in a set.

    The limit is at least `measured`, the number on the sample; the search begins `near` a guess.
    """
    if measured >= 1 or outcomes.most[0] == outcomes.n_members:
        return 1.0  # with all members and no non-member flagged, nothing is refuted

    def line(intercept: float) -> Line:
        return Line(intercept=intercept, slope=slope)

    ends = Ends(measured=max(measured, 0.0), near=near, most=1.0)
    found = _least_refuted(outcomes, line, ends, level)
    return 1.0 if found is None else found


def upper_slope(
    outcomes: Outcomes, intercept: float, *, measured: float, near: float, level: float
) -> float:
    """Return the limit of log c, at least 0, where ``TPR = intercept + c FPR``; or infinity.

    The limit is at least `measured`, the number on the sample; the search begins `near` a guess.
    """
    if measured >= LARGEST_EPSILON:
        return np.inf

    def line(log_slope: float) -> Line:
        return Line(intercept=intercept, slope=float(np.exp(log_slope)))

    ends = Ends(measured=max(measured, 0.0), near=near, most=LARGEST_EPSILON)
    found = _least_refuted(outcomes, line, ends, level)
    return np.inf if found is None else found


def upper_rate(outcomes: Outcomes, fpr: float, *, level: float) -> float:
    """Return the limit of the TPR at a threshold whose true FPR is at most `fpr`."""

    def is_refuted(tpr: FloatArray) -> NDArray[np.bool_]:
        return outcomes.chance_at_most(tpr, np.full(tpr.size, fpr)) <= level

    high = np.array([1.0])
    if not is_refuted(high).all():
        return 1.0
    return float(bisection(is_refuted, np.array([0.0]), high, halvings=HALVINGS)[1][0])


def largest_chance(outcomes: Outcomes, line: Line) -> float:
    """Return the largest probability of the set on a grid of pairs on a line: an estimate."""
    fpr = line.grid(outcomes)
    return float(outcomes.chance_at_most(line.tpr(fpr), fpr).max())


def is_proved(outcomes: Outcomes, line: Line, *, level: float) -> bool:
    """Return whether cells prove that the set's probability is at most `level` beyond a line."""
    ends = line.grid(outcomes)
    chance = outcomes.chance_at_most(line.tpr(ends), ends)
    left, right = ends[:-1], ends[1:]
    larger = np.maximum(chance[:-1], chance[1:])
    for _ in range(DIVISIONS):
        if larger.size == 0:
            return True
        # No division removes an end; and next to a maximum at the level too many are needed.
        if larger.max() > level or larger.size > MOST_CELLS + ends.size:
            return False
        is_left = _largest_inside(outcomes, line, left, right, larger) > level
        # Next to rates of 0 and 1, where the information is infinite.
        left, right, larger = left[is_left], right[is_left], larger[is_left]
        is_end = (left == ends[0]) | (right == ends[-1])
        corner = outcomes.chance_at_most(line.tpr(left[is_end]), right[is_end])
        is_end[is_end] = corner <= level
        left, right, larger = left[~is_end], right[~is_end], larger[~is_end]
        # Halves of the cells that are left.
        middle = (left + right) / 2
        inside = outcomes.chance_at_most(line.tpr(middle), middle)
        left, right = np.stack([left, middle], 1).ravel(), np.stack([middle, right], 1).ravel()
        larger = np.repeat(np.maximum(larger, inside), 2)
    return False


def _largest_inside(
    outcomes: Outcomes, line: Line, left: FloatArray, right: FloatArray, larger: FloatArray
) -> FloatArray:
    """Return an upper bound of g in each cell, given its larger value at the ends of the cell."""

    def information(fpr: FloatArray) -> FloatArray:
        tpr = line.tpr(fpr)
        of_members = outcomes.n_members * line.slope**2 / (tpr * (1 - tpr))
        return np.asarray(of_members + outcomes.n_nonmembers / (fpr * (1 - fpr)))

    with np.errstate(divide="ignore", over="ignore"):
        most = np.maximum(information(left), information(right))
        k = np.sqrt(2) / 8 * most * (right - left) ** 2
        return np.asarray((k + np.sqrt(k * k + 4 * larger)) ** 2 / 4)


def _least_refuted(
    outcomes: Outcomes, line: Callable[[float], Line], ends: Ends, level: float
) -> float | None:
    """Return about the least number whose line is refuted, or None if none below `most` is."""

    def excess(number: float) -> float:
        return float(np.log(max(largest_chance(outcomes, line(number)), 1e-300) / level))

    # A bracket around a guess, which the order gives, and the rule of false position in it.
    low, high = ends.measured, ends.most
    guess = min(max(ends.near, low), high)
    step = max((guess - low) / 16, SMALLEST_STEP)
    above = excess(guess)
    below = above
    low = high = guess
    while above > 0 and high < ends.most:
        low, below = high, above
        high, step = min(high + step, ends.most), 2 * step
        above = excess(high)
    while below <= 0 and low > ends.measured:
        high, above = low, below
        low, step = max(low - step, ends.measured), 2 * step
        below = excess(low)
    if above > 0:
        return None
    size = max(outcomes.n_members, outcomes.n_nonmembers, RECORDS_AT_TOLERANCE)
    tolerance = TOLERANCE * float(np.sqrt(size / RECORDS_AT_TOLERANCE))
    for _ in range(ITERATIONS):
        if below <= 0 or high - low <= tolerance / 8 * (high - ends.measured):
            break
        middle = low + (high - low) * min(max(below / (below - above), 0.02), 0.98)
        if (at_middle := excess(middle)) > 0:
            low, below, above = middle, at_middle, above / 2
        else:
            high, above, below = middle, at_middle, below / 2
    if below <= 0 and is_proved(outcomes, line(ends.measured), level=level):
        return ends.measured
    # The grid suggests this limit; cells prove it, or a larger one.
    step = max(tolerance * (high - ends.measured), SMALLEST_STEP)
    while (found := high + step) < ends.most:
        if is_proved(outcomes, line(found), level=level):
            return found
        step *= 2
    return None
