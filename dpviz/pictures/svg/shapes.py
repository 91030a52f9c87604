"""SVG paths through pixels, exact to 0.01 pixels."""

import math

import numpy as np

from dpviz.checks import FloatArray

# Corners of markers with area 1; a circle has none.
UNIT_MARKERS = {
    "diamond": [(0, -0.7071), (0.7071, 0), (0, 0.7071), (-0.7071, 0)],
    "triangle-up": [(0, -0.8774), (0.7598, 0.4387), (-0.7598, 0.4387)],
    "cross": [
        *((-0.2236, -0.6708), (0.2236, -0.6708), (0.2236, -0.2236), (0.6708, -0.2236)),
        *((0.6708, 0.2236), (0.2236, 0.2236), (0.2236, 0.6708), (-0.2236, 0.6708)),
        *((-0.2236, 0.2236), (-0.6708, 0.2236), (-0.6708, -0.2236), (-0.2236, -0.2236)),
    ],
}
FARTHEST = 1e5  # pixels; vertices farther out are moved to there
NEAR = 0.05  # pixels; a vertex this close to the line of its neighbours is left out


def outline(pixels: FloatArray, *, closed: bool = False) -> str:
    """A path through vertices of shape (k, 2), without those on a straight line."""
    corners = _without_straight(_rounded(pixels))
    before = corners[0]
    parts = [f"M{before[0]:g} {before[1]:g}"]
    for x, y in corners[1:]:
        if y == before[1]:
            parts.append(f"H{x:g}")
        elif x == before[0]:
            parts.append(f"V{y:g}")
        else:
            parts.append(f"L{x:g} {y:g}")
        before = [x, y]
    return "".join(parts) + ("Z" if closed else "")


def pieces_of(pixels: FloatArray) -> str:
    """A path of separate segments, shape (k, 2, 2)."""
    return "".join(f"M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}" for a, b in _rounded(pixels).tolist())


def steps(pixels: FloatArray) -> FloatArray:
    """Vertices of a line that holds each height until the next x."""
    twice = np.repeat(pixels, 2, axis=0)
    return np.column_stack([twice[1:, 0], twice[:-1, 1]])


def at_places(pixels: FloatArray, marker: str, size: float) -> str:
    """A path of equal markers of `size` square pixels at places of shape (k, 2)."""
    if marker == "circle":
        radius = f"{np.sqrt(size / np.pi):.2f}"
        across = f"{2 * float(radius):g}"
        arcs = f"a{radius} {radius} 0 1 0 {across} 0a{radius} {radius} 0 1 0 -{across} 0"
        starts = _rounded(pixels - [float(radius), 0]).tolist()
    else:
        corners = np.sqrt(size) * np.array(UNIT_MARKERS[marker])
        moves = np.round(np.diff(corners, axis=0), 2) + 0.0
        arcs = "".join(f"l{x:g} {y:g}" for x, y in moves.tolist()) + "z"
        starts = _rounded(pixels + corners[0]).tolist()
    return "".join(f"M{x:g} {y:g}{arcs}" for x, y in starts)


def _rounded(pixels: FloatArray) -> FloatArray:
    inside = np.clip(pixels, -FARTHEST, FARTHEST)
    return np.asarray(np.round(inside, 2) + 0.0, np.float64)  # + 0.0: no "-0"


def _without_straight(corners: FloatArray) -> list[list[float]]:
    """Corners without those that lie within `NEAR` of the line that is drawn instead."""
    is_new = np.append(True, (np.diff(corners, axis=0) != 0).any(axis=1))
    points: list[list[float]] = corners[is_new].tolist()
    kept, i = points[:1], 0
    while i < len(points) - 1:
        i = _end_of_straight(points, i)
        kept.append(points[i])
    return kept


def _end_of_straight(points: list[list[float]], i: int) -> int:
    """The farthest corner to which a straight line from the i-th passes all others closely.

    Each corner on the way narrows the interval of slopes at which the line passes it within `NEAR`.
    """
    (x0, y0), (x1, y1) = points[i], points[i + 1]
    length = math.hypot(x1 - x0, y1 - y0)
    right, down = (x1 - x0) / length, (y1 - y0) / length
    low, high, before = -math.inf, math.inf, 0.0
    end = i + 1
    for j in range(i + 1, len(points)):
        x, y = points[j][0] - x0, points[j][1] - y0
        along, aside = x * right + y * down, y * right - x * down
        if along <= before or not low <= aside / along <= high:
            break
        low, high = max(low, (aside - NEAR) / along), min(high, (aside + NEAR) / along)
        before, end = along, j
    return end
