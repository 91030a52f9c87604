"""Polylines of curves: the few vertices that carry a convex curve, and the lower hull of points."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.theory.profile import Function

# FPRs from 1e-300 to 1 - 2e-16, evenly spread in log-odds where a picture can show them
DENSE_FPRS = expit(np.concatenate([np.linspace(-690, -36, 328)[:-1], np.linspace(-36, 36, 4001)]))


def spread_vertices(beta: Function, *, kinks: Sequence[float], n: int) -> FloatArray:
    """At most `n` points of a convex curve, shape (k, 2), with both ends and every kink."""
    x = np.union1d(DENSE_FPRS, [0.0, *kinks, 1.0])
    return thinned(np.column_stack([x, beta(x)]), n, kept=np.searchsorted(x, kinks).tolist())


def thinned(points: FloatArray, n: int, *, kept: Sequence[int] = ()) -> FloatArray:
    """Return at most `n` points of a convex polyline, with its ends and, if few, those `kept`.

    They are equally spaced in (share of the length + share of the turning), so m chords miss the
    curve by at most about ``(4 / m) (pi / m) / 8``: 6e-6 at m = 512.
    """
    if len(points) <= n:
        return points
    if len(kept) > n / 2:
        kept = ()
    # The way along the curve, in shares of its length and of its turning.
    dx, dy = np.diff(points, axis=0).T
    length = np.hypot(dx, dy)
    turning = np.concatenate([[0.0], np.abs(np.diff(np.arctan2(-dy, dx)))])
    smallest = np.finfo(float).tiny
    steps = length / max(length.sum(), smallest) + turning / max(turning.sum(), smallest)
    travelled = np.concatenate([[0.0], np.cumsum(steps)])
    targets = np.linspace(0, travelled[-1], max(2, n - len(kept)))
    # Points at equal distances on that way.
    chosen = np.searchsorted(travelled, targets[1:-1])
    # Two or more steps lead from a corner to the same point after it: one of them stands for it.
    corners = np.flatnonzero(steps > 2 * targets[1])
    chosen = np.concatenate([chosen, corners])
    indices = np.unique(np.concatenate([[0, len(points) - 1], chosen, kept]).astype(int))
    return distinct_vertices(points[indices])


def distinct_vertices(points: FloatArray) -> FloatArray:
    """Drop points equal to the one before; shape (k, 2)."""
    moved = np.any(np.diff(points, axis=0) != 0, axis=1)
    return np.asarray(points[np.concatenate([[True], moved])])


def lower_hull(points: FloatArray) -> FloatArray:
    """Corners of the greatest convex function below the points; shape (k, 2), sorted by x."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    hull: list[tuple[float, float]] = []
    for x, y in ordered.tolist():
        if hull and x == hull[-1][0]:  # the lowest at each x came first
            continue
        while len(hull) >= 2 and _turns_down(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return np.array(hull)


def _turns_down(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) <= (c[0] - a[0]) * (b[1] - a[1])


def corner_height(x: FloatArray, y: FloatArray) -> float:
    """Largest height of a corner of a concave polyline above the chord of its neighbours.

    A concave curve that touches every segment touches both segments that meet at a corner, so at
    the corner it is above the chord between the neighbouring corners.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(x[2:] > x[:-2], (x[1:-1] - x[:-2]) / (x[2:] - x[:-2]), 1.0)
    chord = y[:-2] + share * (y[2:] - y[:-2])
    return float(np.max(y[1:-1] - chord, initial=0.0))
