"""Polylines: curves approximated by few vertices, and the lower hull of points."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.theory.profile import Function

Point = tuple[float, float]
# FPRs from 1e-300 to 1 - 2e-16; those that a picture can show are equidistant in log-odds
DENSE_FPRS = expit(np.concatenate([np.linspace(-690, -36, 328)[:-1], np.linspace(-36, 36, 4001)]))


def curve_vertices(beta: Function, *, kinks: Sequence[float], n: int) -> FloatArray:
    """Return at most `n` points (FPR, FNR) of a convex curve, including its ends and kinks."""
    x = np.union1d(DENSE_FPRS, [0.0, *kinks, 1.0])
    return thinned_curve(np.column_stack([x, beta(x)]), n, kept=np.searchsorted(x, kinks).tolist())


def thinned_curve(points: FloatArray, n: int, *, kept: Sequence[int] = ()) -> FloatArray:
    """Return at most `n` of a convex polyline's points, with its ends and the points at `kept`.
    The others are equally spaced in (share of the length + share of the turning angle). m chords
    are at most about ``(4 / m) (pi / m) / 8`` away from the curve: 6e-6 at m = 512.
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
    targets = np.linspace(0, travelled[-1], max(2, n - len(kept)))
    chosen = np.searchsorted(travelled, targets[1:-1])
    # A step that spans two targets begins at a corner, which the search above may skip.
    corners = np.flatnonzero(steps > 2 * targets[1])
    chosen = np.concatenate([chosen, corners])
    indices = np.unique(np.concatenate([[0, len(points) - 1], chosen, kept]).astype(int))
    return distinct_vertices(points[indices])


def distinct_vertices(points: FloatArray) -> FloatArray:
    """Return the points without consecutive repetitions; shape (k, 2)."""
    moved = np.any(np.diff(points, axis=0) != 0, axis=1)
    return np.asarray(points[np.concatenate([[True], moved])])


def lower_hull(points: FloatArray) -> FloatArray:
    """Return the corners, sorted by x, of the greatest convex function below `points`."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    hull: list[Point] = []
    for x, y in ordered.tolist():
        if hull and x == hull[-1][0]:  # the lowest point at this x came first
            continue
        while len(hull) >= 2 and _is_mid_on_or_above_chord(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return np.array(hull)


def _is_mid_on_or_above_chord(left: Point, mid: Point, right: Point) -> bool:
    return (mid[0] - left[0]) * (right[1] - left[1]) <= (right[0] - left[0]) * (mid[1] - left[1])


def largest_height_above_neighbours(x: FloatArray, y: FloatArray) -> float:
    """Return the largest height of a concave polyline's corner above its neighbours' chord."""
    # A concave curve that touches every segment is nowhere further below the polyline.
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(x[2:] > x[:-2], (x[1:-1] - x[:-2]) / (x[2:] - x[:-2]), 1.0)
    chord = y[:-2] + share * (y[2:] - y[:-2])
    return float(np.max(y[1:-1] - chord, initial=0.0))
