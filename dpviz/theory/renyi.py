"""What bounds on Rényi divergences allow an attack: the exact region of two Bernoullis.

An attack with FPR x and TPR t turns the two output distributions into Bernoulli(x) and
Bernoulli(t), which lie no further apart. So it is allowed exactly if the Rényi divergences of these
two are below the bounds at every order and both ways (Balle, Barthe, Gaboardi, Hsu and Sato, 2020,
"Hypothesis testing interpretations and Rényi differential privacy", theorem 14). With log-odds
``a`` of x and ``a + c`` of t, and ``s(z) = log(1 + e^z)``,

    (order - 1) D = s(a + order c) - (1 - order) s(a) - order s(a + c).

Below the diagonal FPR = FNR the divergence of the attack's TPR from its FPR is the larger one. For
one order the region is convex, so each of its tangents is an (epsilon, delta) statement that
follows from the bound at that order alone: whichever order is taken, it holds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpviz.checks import FloatArray

SCOUTS, TANGENTS = 100, 450  # of the half of the curve up to the diagonal, at first and then
RARE, RELATIVE = 1e-14, 0.03  # where the TPR is above the one, so much of a relative miss counts
STEEPEST = 700.0  # log-odds of the FPRs where tangents are taken: 1e-304
WIDEST = 1400.0  # c at which even an FPR of 1e-304 has a TPR of 1
ROUNDING = 1e-15  # of the softplus terms; counted against the mechanism
LEAST, MOST = 1e-4, 1e11  # order - 1 where the worst one is sought; below that it is 1

# Of log-odds a and their shift c, the order to take and the bound there.
Choice = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


def softplus(z: FloatArray) -> FloatArray:
    """``log(1 + e^z)``."""
    return np.asarray(np.logaddexp(0.0, z))


def divergence(a: FloatArray, c: FloatArray, order: FloatArray) -> FloatArray:
    """Rényi divergence of Bernoulli(expit(a + c)) from Bernoulli(expit(a)); order 1 is that of
    Kullback and Leibler.
    """
    kl = c * expit(a + c) + softplus(a) - softplus(a + c)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(order == 1, kl, _moment(a, c, order) / (order - 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Tangents:
    """Statements (epsilon, delta) that touch the region at log-odds `a` of the FPR, and `a + c`."""

    a: FloatArray
    c: FloatArray
    epsilon: FloatArray
    delta: FloatArray

    @cached_property
    def missed(self) -> FloatArray:
        """Between neighbours, how far the corner of the tangents is from the chord below it."""
        x, t, slope = expit(self.a), expit(self.a + self.c), np.exp(self.epsilon)
        steep, flat, width = slope[1:], slope[:-1], -np.diff(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = -np.diff(t) / width
            missed = width * (chord - flat) * (steep - chord) / (steep - flat)
        return np.asarray(np.nan_to_num(np.maximum(missed, 0.0), posinf=0.0))

    @property
    def error(self) -> float:
        """How far the region of all orders may lie inside that of the statements."""
        return float(max(self.missed.max(), self.delta[-1]))


def tangents(choose: Choice, diagonal: float) -> Tangents:
    """Tangents up to the diagonal, placed where the curve bends.

    Parameters
    ----------
    choose : callable, the order whose bound is exceeded the most, and that bound
    diagonal : float, the shift c at which FPR = FNR, see `on_diagonal`
    """
    start = -diagonal / 2
    a = start - np.expm1(np.linspace(0.0, np.log1p(STEEPEST + start), SCOUTS))
    found = _touching(choose, a, np.full_like(a, diagonal))
    # A corner's height falls with the square of the distance of its tangents.
    tpr = expit(found.a + found.c)[:-1]
    roots = np.sqrt(found.missed * (1 + RELATIVE / (tpr + RARE)))
    heights = np.concatenate([[0.0], np.cumsum(roots + roots.mean() / 100)])
    a = np.interp(np.linspace(0.0, heights[-1], TANGENTS), heights, a)
    return _touching(choose, a, np.interp(a, found.a[::-1], found.c[::-1]))


def _touching(choose: Choice, a: FloatArray, c: FloatArray) -> Tangents:
    # Each order taken leaves less to exceed, until none is exceeded (Dinkelbach, 1967).
    for _ in range(12):
        order, bound = choose(a, c)
        before, c = c, _largest_shift(a, c, order, bound)
        if np.all(np.abs(c - before) <= 1e-4 * c):
            break
    # tpr = fpr e^loss, and slope = e^loss ratio with loss = log(tpr / fpr).
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.expm1(-order * c) / np.expm1(-(order - 1) * c) * (order - 1) / order
        ratio = np.where(order == 1, -np.expm1(-c) / c, power)
    loss = softplus(-a) - softplus(-(a + c))
    epsilon = np.maximum(loss + np.log(ratio), 0.0)
    return Tangents(a=a, c=c, epsilon=epsilon, delta=expit(a + c) * (1 - ratio))


def on_diagonal(order: FloatArray, bound: FloatArray) -> float:
    """The largest shift c between FPR and TPR = 1 - FPR that the bounds at all orders allow."""
    low, high = np.zeros_like(order), np.full_like(order, WIDEST)
    for _ in range(64):
        middle = (low + high) / 2
        allowed = divergence(-middle / 2, middle, order) <= bound
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    return float(high.min())


def worst_order(a: FloatArray, c: FloatArray) -> FloatArray:
    """The order at which the divergence divided by the order is largest.

    That quotient is a mean of the bump ``c^2 expit'(a + c s)`` over a triangle of s from 0 to the
    order with its peak at 1: it rises, then falls.
    """
    low, high = np.full_like(a, np.log(LEAST)), np.full_like(a, np.log(MOST))
    kept = softplus(a) - softplus(a + c)

    def rises(log_excess: FloatArray) -> NDArray[np.bool]:
        excess = np.exp(log_excess)
        order = 1 + excess
        slope = c * expit(a + order * c) + kept
        return np.asarray(slope * order * excess > _moment(a, c, order) * (order + excess))

    at_one = np.logical_not(rises(low))
    for _ in range(16):
        middle = (low + high) / 2
        up = rises(middle)
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.where(at_one, 1.0, 1 + np.exp((low + high) / 2))


def _moment(a: FloatArray, c: FloatArray, order: FloatArray) -> FloatArray:
    """``log E_P[(q / p)^order]``."""
    return softplus(a + order * c) - (1 - order) * softplus(a) - order * softplus(a + c)


def _largest_shift(
    a: FloatArray, c: FloatArray, order: FloatArray, bound: FloatArray
) -> FloatArray:
    """The c that reaches the bound at one order: Newton's method inside a shrinking bracket."""
    low, high = np.zeros_like(a), -2 * a
    at_a, is_kl = softplus(a), order == 1
    wanted = np.where(is_kl, bound, bound * (order - 1))
    for _ in range(60):
        tpr, gain = expit(a + c), at_a - softplus(a + c)
        z = a + order * c
        value = np.where(is_kl, c * tpr + gain, softplus(z) - at_a + order * gain)
        slope = np.where(is_kl, c * tpr * (1 - tpr), order * (expit(z) - tpr))
        excess = value - wanted - ROUNDING * (1 + np.abs(z))
        low, high = np.where(excess < 0, c, low), np.where(excess < 0, high, c)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = c - excess / slope
        before, c = c, np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(c - before) <= 1e-14 * c):
            break
    return c
