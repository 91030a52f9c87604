"""Between a convex curve and its privacy profile, numerically and both ways.

``delta(epsilon) = sup_x tpr(x) - e^epsilon x`` and ``tpr(x) = inf_epsilon delta(epsilon) +
e^epsilon x`` are conjugates of each other (Dong, Roth and Su, proposition 2.12), for any real
epsilon. Each optimum is that of a function with one peak: bracketed on a grid, then refined, so any
convex curve will do. Mechanisms with closed forms do not come here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.theory.exponentials import times_exp

Function = Callable[[FloatArray], FloatArray]

LOG_ODDS = np.concatenate([np.linspace(-700, -40, 111)[:-1], np.linspace(-40, 36, 229)])
"""Where FPRs are sought: 1e-304 to 1 - 2e-16."""
LOSSES = np.concatenate([-np.geomspace(700, 1e-6, 240), [0.0], np.geomspace(1e-6, 700, 240)])
"""Where privacy losses are sought; e^700 is near the largest float."""
WIDEST = 1e4
"""Largest epsilon an `epsilon_of_delta` looks for; beyond it the answer is inf."""
HALVINGS = 64


def delta_of_tpr(tpr: Function, epsilon: FloatArray, *, kinks: tuple[float, ...]) -> FloatArray:
    """``sup_x tpr(x) - e^epsilon x`` over x in [0, 1]."""

    def lack(log_odds: FloatArray, at: FloatArray) -> FloatArray:
        x = expit(log_odds)
        return times_exp(at, x) - tpr(x)

    flat = epsilon.ravel()
    best = -lowest(lack, LOG_ODDS, flat)
    corners = np.array([0.0, *kinks, 1.0])
    at_corners = tpr(corners) - times_exp(flat[:, None], corners)
    best = np.maximum(best, at_corners.max(axis=1))
    # At FPRs below those sought no more than this can be gained: a bound where it matters.
    best = np.maximum(best, tpr(expit(LOG_ODDS[:1])))
    return np.asarray(np.clip(best, 0.0, 1.0).reshape(epsilon.shape))


def tpr_of_delta(delta: Function, fpr: FloatArray) -> FloatArray:
    """``inf_epsilon delta(epsilon) + e^epsilon fpr`` over real epsilon: from above, so safe."""

    def bound(loss: FloatArray, at: FloatArray) -> FloatArray:
        return delta(loss) + times_exp(loss, at)

    best = lowest(bound, LOSSES, fpr.ravel()).reshape(fpr.shape)
    best = np.where(fpr == 0, delta(np.array(np.inf)), best)
    return np.clip(best, fpr, 1.0)


def epsilon_of_tpr(tpr: Function, delta: FloatArray, *, kinks: tuple[float, ...]) -> FloatArray:
    """``sup_x log((tpr(x) - delta) / x)``, at least 0; inf below what is revealed at FPR 0."""

    def lack(x: FloatArray, at: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            # Finite where delta is not even reached: the search interpolates.
            return np.asarray(np.where(tpr(x) > at, np.log(x) - np.log(tpr(x) - at), 1e4))

    flat = delta.ravel()
    best = -lowest(lambda log_odds, at: lack(expit(log_odds), at), LOG_ODDS, flat)
    for x in np.array([*kinks, 1.0]):
        best = np.maximum(best, -lack(x, flat))
    beyond = flat < float(tpr(expit(LOG_ODDS[:1]))[0])  # by FPRs below every float
    return np.where(beyond, np.inf, np.maximum(best, 0.0)).reshape(delta.shape)


def epsilon_of_delta(profile: Function, delta: FloatArray) -> FloatArray:
    """Smallest epsilon >= 0 with ``profile(epsilon) <= delta``; inf when there is none."""
    target = delta.ravel()
    low, high = np.zeros_like(target), np.full_like(target, WIDEST)
    reachable = profile(high) <= target
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = profile(middle) <= target
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    found = np.where(profile(np.zeros_like(target)) <= target, 0.0, high)
    return np.where(reachable, found, np.inf).reshape(delta.shape)


def fpr_of_loss(tpr: Function, epsilon: FloatArray, *, kinks: tuple[float, ...]) -> FloatArray:
    """Largest x at which the curve is still as steep as e^epsilon; about 7 digits."""
    end = log_odds_where(lambda x: loss_at(tpr, x) < epsilon, epsilon.shape)
    x = expit(end)
    for kink in kinks:
        x = np.where(np.isclose(x, kink, rtol=1e-5, atol=0), kink, x)
    at_once = loss_at(tpr, np.full(epsilon.shape, expit(LOG_ODDS[0]))) < epsilon
    return np.where(at_once, 0.0, np.where(end == np.inf, 1.0, x))


def log_odds_where(enough: Callable[[FloatArray], NDArray[np.bool]], shape: Any) -> FloatArray:
    """Log-odds of the smallest x in (0, 1) from which on `enough` holds; inf if nowhere."""
    low, high = np.full(shape, LOG_ODDS[0]), np.full(shape, LOG_ODDS[-1])
    never = ~enough(expit(high))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        there = enough(expit(middle))
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return np.where(never, np.inf, high)


def loss_at(tpr: Function, fpr: FloatArray) -> FloatArray:
    """Log of the slope of ``tpr`` right of `fpr`, by a difference; about 7 digits."""
    step = 1e-7 * np.minimum(fpr, 1 - fpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(tpr(fpr + step) - tpr(fpr)) - np.log(step))


def largest_loss(tpr: Function) -> float:
    """Limit of the loss as the FPR goes to 0; inf unless the curve begins with a straight piece."""
    if float(tpr(np.array(0.0))) > 0:
        return np.inf
    first = loss_at(tpr, np.array([1e-280, 1e-140, 1e-70]))
    straight = np.all(np.isfinite(first)) and first.max() - first.min() < 1e-6
    return float(np.maximum(first[0], 0.0)) if straight else np.inf


def lowest(
    function: Callable[[FloatArray, FloatArray], FloatArray], grid: FloatArray, at: FloatArray
) -> FloatArray:
    """Smallest value of ``function(., at)``, which has one valley, for every entry of `at`."""
    from scipy.optimize import elementwise  # slow to import, and needed only here

    values = function(grid[None, :], at[:, None])
    lowest = np.clip(values.argmin(axis=1), 1, len(grid) - 2)
    bracket = grid[lowest - 1], grid[lowest], grid[lowest + 1]
    with np.errstate(all="ignore"):
        refined = elementwise.find_minimum(function, bracket, args=(at,)).f_x
    return np.asarray(np.fmin(refined, values.min(axis=1)))
