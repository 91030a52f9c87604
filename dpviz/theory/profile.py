"""Numerical conversion between a convex curve and its privacy profile delta(epsilon).

``delta(epsilon) = sup_x tpr(x) - e^epsilon x`` and ``tpr(x) = inf_epsilon delta(epsilon) +
e^epsilon x`` are conjugates of each other (Dong, Roth and Su, proposition 2.12), for any real
epsilon. Each optimised function has one peak: a grid brackets the peak, then a search refines it.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, hyp1f1

from dpviz.checks import FloatArray

__all__ = ["delta_of_tpr", "epsilon_of_delta", "epsilon_of_tpr", "tpr_of_delta"]
Function = Callable[[FloatArray], FloatArray]
Condition = Callable[[FloatArray], NDArray[np.bool]]
WholeNumbers = NDArray[np.int64]
Kinks = tuple[float, ...]  # FPRs where a curve has corners

# Grid of the search for an FPR: 1e-304 to 1 - 2e-16
LOG_ODDS = np.concatenate([np.linspace(-700, -40, 111)[:-1], np.linspace(-40, 36, 229)])
# Grid of the search for a loss; e^700 is near the largest float
LOSS_GRID = np.concatenate([-np.geomspace(700, 1e-6, 240), [0.0], np.geomspace(1e-6, 700, 240)])
LARGEST_EPSILON = 1e4  # `epsilon_of_delta` returns inf for anything larger
HALVINGS = 64  # of an interval, until its ends are neighbouring floats
SAME_LOSS_TOLERANCE = 1e-10  # smaller differences of losses on a piece of a curve are rounding
RELATIVE_STEP = 1e-3  # step of a difference quotient, relative to the distance from FPR 0 or 1
FORWARD = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12  # five-point difference, fourth order


def delta_of_tpr(tpr: Function, epsilon: FloatArray, *, kinks: Kinks) -> FloatArray:
    """Return delta at each epsilon, ``sup_x tpr(x) - e^epsilon x`` over x in [0, 1].

    Parameters
    ----------
    tpr : callable, largest TPR at each FPR: concave, from arrays to arrays
    epsilon : array, any real numbers
    kinks : tuple of float, FPRs where `tpr` has corners

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.theory import profile
    >>> profile.delta_of_tpr(np.sqrt, np.array([0.0, 1.0]), kinks=()).round(4)
    array([0.25 , 0.092])
    """

    def negative_delta(log_odds: FloatArray, at_epsilon: FloatArray) -> FloatArray:
        x = expit(log_odds)
        return times_exp(at_epsilon, x) - tpr(x)

    flat = epsilon.ravel()
    best = -minima_over_x(negative_delta, LOG_ODDS, flat)
    corners = np.array([0.0, *kinks, 1.0])
    at_corners = tpr(corners) - times_exp(flat[:, None], corners)
    best = np.maximum(best, at_corners.max(axis=1))
    # A bound on what smaller FPRs than those of the grid can give.
    best = np.maximum(best, tpr(expit(LOG_ODDS[:1])))
    return np.asarray(np.clip(best, 0.0, 1.0).reshape(epsilon.shape))


def tpr_of_delta(delta: Function, fpr: FloatArray) -> FloatArray:
    """Return an upper bound on the TPR at each FPR, ``inf_epsilon delta(epsilon) + e^epsilon fpr``.

    Parameters
    ----------
    delta : callable, delta at each real epsilon: from arrays to arrays
    fpr : array, in [0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.theory import PureDP, profile
    >>> profile.tpr_of_delta(PureDP(epsilon=1.0).delta, np.array([0.1])).round(4)
    array([0.2718])
    """

    def tpr_bound(loss: FloatArray, at_fpr: FloatArray) -> FloatArray:
        return delta(loss) + times_exp(loss, at_fpr)

    best = minima_over_x(tpr_bound, LOSS_GRID, fpr.ravel()).reshape(fpr.shape)
    # At FPR 0 the TPR is the mass of an infinite loss.
    best = np.where(fpr == 0, delta(np.array(np.inf)), best)
    return np.clip(best, fpr, 1.0)


def epsilon_of_tpr(tpr: Function, delta: FloatArray, *, kinks: Kinks) -> FloatArray:
    """Return the epsilon of a trade-off curve at each delta.

    This is ``sup_x log((tpr(x) - delta) / x)``, or 0 if the supremum is negative. Epsilon is inf
    where delta is below the TPR at FPR 0.

    Parameters
    ----------
    tpr, kinks : as in `delta_of_tpr`
    delta : array, in [0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.theory import profile
    >>> profile.epsilon_of_tpr(np.sqrt, np.array([0.1]), kinks=()).round(4)
    array([0.9163])
    """

    def negative_epsilon(x: FloatArray, deltas: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            # Finite, for the search, where the TPR is at most delta.
            return np.asarray(np.where(tpr(x) > deltas, np.log(x) - np.log(tpr(x) - deltas), 1e4))

    flat = delta.ravel()
    best = -minima_over_x(lambda z, at: negative_epsilon(expit(z), at), LOG_ODDS, flat)
    for x in np.array([*kinks, 1.0]):
        best = np.maximum(best, -negative_epsilon(x, flat))
    beyond = flat < float(tpr(expit(LOG_ODDS[:1]))[0])  # the TPR at the least FPR of the grid
    return np.where(beyond, np.inf, np.maximum(best, 0.0)).reshape(delta.shape)


def epsilon_of_delta(profile: Function, delta: FloatArray) -> FloatArray:
    """Return the least epsilon >= 0 with ``profile(epsilon) <= delta``.

    The result is inf if there is no such epsilon.

    Parameters
    ----------
    profile : callable, delta at each epsilon: from arrays to arrays
    delta : array, in [0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.theory import PureDP, profile
    >>> profile.epsilon_of_delta(PureDP(epsilon=1.0).delta, np.array([0.1])).round(4)
    array([0.8529])
    """
    target = delta.ravel()
    low, high = np.zeros_like(target), np.full_like(target, LARGEST_EPSILON)
    is_reached = profile(high) <= target
    is_at_0 = profile(low) <= target
    _, smallest = bisection(lambda epsilon: profile(epsilon) <= target, low, high)
    return np.where(is_reached, np.where(is_at_0, 0.0, smallest), np.inf).reshape(delta.shape)


def fpr_of_loss(tpr: Function, beta: Function, epsilon: FloatArray, *, kinks: Kinks) -> FloatArray:
    """Return the largest FPR at which the slope of the curve ``tpr`` is at least e^epsilon."""

    def is_flatter(x: FloatArray) -> NDArray[np.bool]:
        return loss_at(tpr, beta, x, kinks=kinks) < epsilon

    end = least_log_odds_where(is_flatter, epsilon.shape)
    x = expit(end)
    # Difference quotients find kinks only approximately.
    for kink in kinks:
        x = np.where(np.isclose(x, kink, rtol=1e-5, atol=0), kink, x)
    at_once = is_flatter(np.full(epsilon.shape, expit(LOG_ODDS[0])))
    x = np.where(at_once, 0.0, np.where(end == np.inf, 1.0, x))
    # Losses along a straight piece differ only by rounding.
    for begin, stop in pairwise([0.0, *sorted(kinks), 1.0]):
        losses = loss_at(tpr, beta, begin + (stop - begin) * np.array([0.2, 0.5, 0.8]), kinks=kinks)
        if np.all(np.abs(losses - losses[1]) < SAME_LOSS_TOLERANCE):
            x = np.where(epsilon < losses[1] + SAME_LOSS_TOLERANCE, np.maximum(x, stop), x)
    return x


def least_log_odds_where(condition: Condition, shape: Any) -> FloatArray:
    """Return the log-odds of the least rate at which `condition` holds; inf if there is none."""
    low, high = np.full(shape, LOG_ODDS[0]), np.full(shape, LOG_ODDS[-1])
    is_never = ~condition(expit(high))
    _, smallest = bisection(lambda log_odds: condition(expit(log_odds)), low, high)
    return np.where(is_never, np.inf, smallest)


def bisection(
    condition: Condition, low: FloatArray, high: FloatArray, *, halvings: int = HALVINGS
) -> tuple[FloatArray, FloatArray]:
    """Narrow the brackets (low, high) of the points at which `condition` becomes true."""
    for _ in range(halvings):
        middle = (low + high) / 2
        is_true = condition(middle)
        low, high = np.where(is_true, low, middle), np.where(is_true, middle, high)
    return low, high


def first_whole_numbers_where(
    condition: Callable[[WholeNumbers], NDArray[np.bool]], low: WholeNumbers, high: WholeNumbers
) -> WholeNumbers:
    """Return the least whole numbers in (low, high] at which `condition` holds."""
    while (apart := high - low > 1).any():
        middle = (low + high) // 2
        is_true = condition(middle)
        high = np.where(apart & is_true, middle, high)
        low = np.where(apart & ~is_true, middle, low)
    return high


def loss_at(tpr: Function, beta: Function, fpr: FloatArray, *, kinks: Kinks) -> FloatArray:
    """Return the log of the slope of ``tpr`` to the right of `fpr`, to about 11 digits."""
    corners = np.array([*sorted(kinks), np.inf])
    room = corners[np.searchsorted(corners, fpr, side="right")] - fpr
    step = np.minimum(RELATIVE_STEP * np.minimum(fpr, 1 - fpr), room / 4)
    x = fpr[..., None] + step[..., None] * np.arange(5)
    rising = np.array(tpr(x))
    is_near_1 = rising[..., 0] > 0.5
    rising[is_near_1] = -beta(x[is_near_1])  # the smaller rate is more accurate
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(np.maximum((rising * FORWARD).sum(axis=-1), 0.0)) - np.log(step))


def largest_loss(tpr: Function, beta: Function) -> float:
    """Return the limit of the loss at FPR 0; inf unless the curve begins with a straight line."""
    if float(tpr(np.array(0.0))) > 0:
        return np.inf
    first = loss_at(tpr, beta, np.array([1e-280, 1e-140, 1e-70]), kinks=())
    straight = np.all(np.isfinite(first)) and first.max() - first.min() < 1e-6
    return float(np.maximum(first[0], 0.0)) if straight else np.inf


def minima_over_x(
    function: Callable[[FloatArray, FloatArray], FloatArray], grid: FloatArray, fixed: FloatArray
) -> FloatArray:
    """Return the minimum of ``function(x, a)`` over x within `grid`, for each a in `fixed`."""
    from scipy.optimize import elementwise  # slow to import, and needed only here

    values = function(grid[None, :], fixed[:, None])
    place = np.clip(values.argmin(axis=1), 1, len(grid) - 2)
    bracket = grid[place - 1], grid[place], grid[place + 1]
    with np.errstate(all="ignore"):
        refined = elementwise.find_minimum(function, bracket, args=(fixed,)).f_x
    return np.asarray(np.fmin(refined, values.min(axis=1)))


def times_exp(epsilon: float | FloatArray, rates: FloatArray) -> FloatArray:
    """Return ``e^epsilon * rates`` for rates >= 0: 0 where the rate is 0, and inf on overflow."""
    # Two factors that are finite; the smallest rate times e^1418 is far above 1.
    half = np.exp(np.minimum(np.asarray(epsilon) / 2, 709.0))
    with np.errstate(over="ignore", under="ignore"):
        return rates * half * half


def log_diff_exp(a: FloatArray, b: float | FloatArray) -> FloatArray:
    """Return ``log(e^a - e^b)``; -inf where a does not exceed b."""
    half = -np.log(2)  # each form of log(1 - e^(b - a)) keeps its digits on its side of this
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        gap = np.minimum(b - a, 0.0)
        near, far = np.log(-np.expm1(gap)), np.log1p(-np.exp(np.minimum(gap, half)))
        return np.where(a > b, a + np.where(gap > half, near, far), -np.inf)


def exp_above_tangent(x: FloatArray) -> FloatArray:
    """Return ``e^x - 1 - x``, which is at least 0, without cancellation."""
    inside = np.clip(x, -1.0, 1.0)
    near_0 = inside * inside / 2 * hyp1f1(1, 3, inside)
    return np.where(np.abs(x) < 1, near_0, np.expm1(x) - x)


def __dir__() -> list[str]:
    return __all__
