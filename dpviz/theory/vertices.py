"""Few points that carry a convex curve, and e^epsilon times a rate without overflow."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray


def times_exp(epsilon: float | FloatArray, rates: FloatArray) -> FloatArray:
    """``e^epsilon * rates`` for rates >= 0; 0 stays 0, what exceeds the largest float is inf."""
    # In two steps, each finite: the smallest rate times e^1418 is far above 1 already.
    half = np.exp(np.minimum(np.asarray(epsilon) / 2, 709.0))
    with np.errstate(over="ignore", under="ignore"):
        return rates * half * half


def log1mexp(x: FloatArray) -> FloatArray:
    """``log(1 - e^x)`` for x <= 0, accurate near 0 and far below."""
    with np.errstate(divide="ignore", under="ignore"):
        near = np.log(-np.expm1(x))
        far = np.log1p(-np.exp(np.minimum(x, -np.log(2))))
    return np.where(x > -np.log(2), near, far)


def logsubexp(a: FloatArray, b: FloatArray) -> FloatArray:
    """``log(e^a - e^b)`` for a >= b."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(b), a, a + log1mexp(np.minimum(b - a, 0.0)))


# Few points that carry a convex curve: exact at its kinks, close everywhere else.


# FPRs from 1e-300 to 1 - 2e-16, evenly spread in log-odds where a picture can show them
DENSE = expit(np.concatenate([np.linspace(-690, -36, 328)[:-1], np.linspace(-36, 36, 4001)]))


def spread_vertices(
    beta: Callable[[FloatArray], FloatArray], *, kinks: Sequence[float], n: int
) -> FloatArray:
    """At most `n` points of a convex curve, shape (k, 2), with both ends and every kink."""
    x = np.union1d(DENSE, [0.0, *kinks, 1.0])
    return thinned(np.column_stack([x, beta(x)]), n, kept=np.searchsorted(x, kinks).tolist())


def thinned(points: FloatArray, n: int, *, kept: Sequence[int] = ()) -> FloatArray:
    """At most `n` of the points of a convex polyline, with its ends and (up to n / 2) those `kept`.

    Equal steps of (share of the length + share of the turning) bound both on each arc, so with m
    arcs the chords miss the curve by at most about ``(4 / m) (pi / m) / 8``: 6e-6 at m = 512.
    """
    if len(points) <= n:
        return points
    if len(kept) > n / 2:
        kept = ()
    dx, dy = np.diff(points, axis=0).T
    length = np.hypot(dx, dy)
    turning = np.concatenate([[0.0], np.abs(np.diff(np.arctan2(-dy, dx)))])
    smallest = np.finfo(float).tiny
    steps = length / max(length.sum(), smallest) + turning / max(turning.sum(), smallest)
    travelled = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.linspace(0, travelled[-1], max(2, n - len(kept)))
    chosen = np.searchsorted(travelled, wanted[1:-1])
    # Two or more steps lead from a corner to the same point after it: one of them stands for it.
    corners = np.flatnonzero(steps > 2 * wanted[1])
    chosen = np.concatenate([chosen, corners])
    indices = np.unique(np.concatenate([[0, len(points) - 1], chosen, kept]).astype(int))
    return distinct_vertices(points[indices])


def distinct_vertices(points: FloatArray) -> FloatArray:
    """Drop points equal to the one before; shape (k, 2)."""
    moved = np.any(np.diff(points, axis=0) != 0, axis=1)
    return np.asarray(points[np.concatenate([[True], moved])])
