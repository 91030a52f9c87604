"""Placement of labels: beside their marks, inside the picture, without overlaps.

Pure geometry in pixels, from the upper left corner of the axes. `js/src/state/labels.ts` is the
same in TypeScript: the browser places labels for the size that a picture has there, and again
whenever a mark moves.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import FloatArray

FONT_SIZE = 12  # of the font, in pixels, at a font scale of 1
LINE_HEIGHT = 1.16  # height of a line of text over the size of its font
LABEL_GAP = 6  # pixels between a mark and its label, and between labels side by side
MARKER_GAP = 4  # pixels between a marker and its label, at least
FARTHEST_VERTEX = 3000  # pixels; vertices farther out are moved to there
ASIDE = 4  # pixels between the y axis and a label that begins there
MARGIN = 3  # pixels around a label in which it should cover nothing
SAMPLE_STEP = 10  # pixels between the points that stand for a line
SHARES_OF_PATH = (0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92)  # along a line: where its label may stand
GRID = 9  # places inside an area, and away from a mark, in either direction
OUTSIDE_COST = 8  # cost of standing beside an area instead of in it
GAPS_BESIDE_AREA = 3  # gaps between an area and a label beside it, which has a leader line
FAR_COST = 20  # cost of standing away from the mark
CROWD_COST = 60  # cost of standing closer beside another label than `LABEL_GAP`
LEADER_COST = 30  # cost of a leader line that crosses another label
COVER_CAP = 12  # more covered points of lines cost no more
CROSSED = 9  # covered points that are as bad as a line through the text, however short
MARKER_WEIGHT = 12  # covered points of a line that are as bad as a covered marker
LEADER_DISTANCE = 12  # pixels from which the label of a line or a point has a leader line
WIDEST_LABEL = 0.5  # share of the width of the axes; a longer label has two lines

# Widths over the size of the font, no smaller than in DejaVu Sans, which is wide.
LETTER_WIDTHS = {
    re.compile(r"[ijlfrtI.,:;'|!()\[\] \-]"): 0.42,
    re.compile(r"[mwMWOQG%@=<>≤≥+−→∞…—]"): 1.0,
    re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uffe6]"): 1.05,
    re.compile(r"[A-Z&]"): 0.78,
}

Box = tuple[float, float, float, float]  # left, top, right, bottom
Pair = tuple[float, float]  # x and y, or width and height
PathKind = Literal["line", "area", "points"]


@dataclass(frozen=True, kw_only=True)
class PathLabel:
    """The text of a label, and the path of its mark as pixels (x, y)."""

    text: str
    path: FloatArray
    kind: PathKind
    gap: float = LABEL_GAP


@dataclass(frozen=True, kw_only=True)
class LabelPlace:
    """The placement of a label: its box, its lines of text and, if needed, a line to its mark."""

    box: Box
    lines: tuple[str, ...]
    leader: Box | None
    at_end: bool = False  # whether the text ends at the box's right edge, near its mark


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return a width in pixels that a text does not exceed in common sans-serif fonts."""
    return size * sum(
        next((width for kind, width in LETTER_WIDTHS.items() if kind.match(letter)), 0.65)
        for letter in text
    )


def label_places(
    labels: Sequence[PathLabel],
    other_lines: Sequence[FloatArray],
    width: float,
    height: float,
    font_size: float,
) -> list[LabelPlace | None]:
    """Return for each label a free place in axes of `width` * `height` pixels, or None."""
    # Earlier labels have the first choice. Each takes the place of least cost: near its mark, away
    # from markers and other labels, and over few points of the marks' lines and of `other_lines`,
    # which have no label.

    # What a label should not cover: points on all paths, each with a margin and a weight.
    paths = [_points_along(label.path, label.kind) for label in labels]
    inside = [_points_inside(p, width, height) for p in (*paths, *map(_points_along, other_lines))]
    margins = [
        (MARGIN + label.gap - MARKER_GAP, MARKER_WEIGHT) if label.kind == "points" else (MARGIN, 1)
        for label in labels
    ]
    margins += [(MARGIN, 1)] * len(other_lines)
    by_point = np.repeat(np.array(margins, float).reshape(-1, 2), [len(p) for p in inside], axis=0)
    obstacles = np.column_stack([np.vstack([np.empty((0, 2)), *inside]), by_point])
    # Labels are placed in turn; later ones avoid those that have a place, and their leader lines.
    taken: list[Box] = []
    leaders: list[Box] = []
    places: list[LabelPlace | None] = []
    for label, path, points in zip(labels, paths, inside, strict=False):
        lines = _label_lines(label.text, width, font_size)
        widths = [text_width(line, font_size) for line in lines]
        extent = (max(widths), LINE_HEIGHT * font_size * len(lines))
        boxes, costs = _candidate_boxes_and_costs(label, path, points, extent, width, height)
        leader_to = partial(_leader_line, label.kind, path, points, taken)
        box = _best_box(boxes, costs, obstacles, taken, leaders, (width, height), leader_to)
        if box is None:
            places.append(None)
            continue
        line, length = leader_to(box)
        leader = line if length else None
        places.append(LabelPlace(box=box, lines=lines, leader=leader, at_end=line[0] >= box[2]))
        taken.append(box)
        leaders += [line] if length else []
    return places


def _label_lines(text: str, axes_width: float, font_size: float) -> tuple[str, ...]:
    """Return the lines of a label: a long text is split at the space nearest to its middle."""
    spaces = [i for i, letter in enumerate(text) if letter == " "]
    if text_width(text, font_size) <= WIDEST_LABEL * axes_width or not spaces:
        return (text,)
    at = min(spaces, key=lambda i: abs(2 * i + 1 - len(text)))
    return (text[:at], text[at + 1 :])


def _points_along(path: FloatArray, kind: PathKind = "line") -> FloatArray:
    """Return points every `SAMPLE_STEP` pixels along a path; for kind "points", its vertices."""
    path = np.clip(path, -FARTHEST_VERTEX, FARTHEST_VERTEX)
    # The outline of an area is closed: its last vertex is joined to the first.
    if kind == "area" and len(path):
        path = np.vstack([path, path[:1]])
    if kind == "points" or len(path) < 2:
        return path
    # The length of the path up to each vertex, between which points are interpolated.
    lengths = np.append(0, np.cumsum(_broadcast_distances(path[1:], path[:-1])))
    at = np.arange(0, lengths[-1] + 1e-9, SAMPLE_STEP)
    return np.column_stack([np.interp(at, lengths, path[:, 0]), np.interp(at, lengths, path[:, 1])])


def _broadcast_distances(points: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(np.hypot(*np.moveaxis(points - others, -1, 0)), np.float64)


def _points_inside(points: FloatArray, width: float, height: float) -> FloatArray:
    x, y = points.T
    kept = (x >= -0.5) & (x <= width + 0.5) & (y >= -0.5) & (y <= height + 0.5)
    return np.asarray(points[kept])


def _candidate_boxes_and_costs(
    label: PathLabel, path: FloatArray, points: FloatArray, size: Pair, width: float, height: float
) -> tuple[FloatArray, FloatArray]:
    """Return candidate boxes for a label, and costs that depend only on the label's own mark."""
    long, high = size
    corners: list[FloatArray] = [np.empty((0, 2))]  # left upper ones
    costs: list[FloatArray] = [np.empty(0)]
    # Boxes in a grid over the whole axes, each around the centre of its cell.
    cells = np.column_stack([axis.ravel() for axis in np.meshgrid(range(GRID), range(GRID))])
    centres = (cells + 0.5) * np.array([width / GRID, height / GRID])
    half = np.array([long / 2, high / 2])
    # At an edge of the axes a box is moved inwards, instead of leaving the axes.
    grid = np.clip(centres - half, (ASIDE, 1), np.array([width - long - 1, height - high - 1]))
    # In an area: each corner outside costs something.
    if label.kind == "area":
        ends = [[0, 0], [long, 0], [long, high], [0, high]]
        outside = np.array([~_are_inside(grid + np.array(end), path) for end in ends])
        cost = 3.0 * outside.sum(axis=0)
        within = _are_inside(centres, path)
        corners.append(grid[within])
        costs.append(cost[within])
    # Beside the mark, in the middle of its path at best; then anywhere, at a cost that grows.
    if len(points):
        n = len(points)
        gap = label.gap * (GAPS_BESIDE_AREA if label.kind == "area" else 1)
        for rank, (x, y) in enumerate(points[[int(share * (n - 1)) for share in SHARES_OF_PATH]]):
            beside = _corners_beside(float(x), float(y), size, gap, (width, height))
            corners.append(np.array(beside))
            aside = rank + (OUTSIDE_COST if label.kind == "area" else 0)
            costs.append(np.array([aside + 0.5 * i for i in range(len(beside))]))
        far = _broadcast_distances(centres[:, None], points).min(axis=1)
        corners.append(grid)
        costs.append(FAR_COST + far / 10)
    starts = np.vstack(corners)
    return np.column_stack([starts, starts + np.array(size)]), np.concatenate(costs)


def _corners_beside(x: float, y: float, size: Pair, gap: float, axes: Pair) -> list[Pair]:
    """Return the upper left corners of boxes at `gap` pixels from (x, y), the best box first."""
    long, high = size
    left, right, above, below = x - gap - long, x + gap, y - gap - high, y + gap
    # At an edge of the axes a box slides along its side of the point, instead of leaving the axes.
    centre = min(max(x - long / 2, ASIDE), axes[0] - long - 1)
    middle = min(max(y - high / 2, 1), axes[1] - high - 1)
    return [
        *((right, middle), (left, middle)),
        *((centre, above), (centre, below)),
        *((right, above), (right, below), (left, above), (left, below)),
    ]


def _are_inside(points: FloatArray, outline: FloatArray) -> NDArray[np.bool]:
    """Return whether each point is inside an outline, by the even-odd rule."""
    x, y = points[:, :1], points[:, 1:]
    (x1, y1), (x2, y2) = outline.T, np.roll(outline, -1, axis=0).T
    # An edge spans the ray's x if exactly one of its ends is to the right of it.
    spans = (x1 > x) != (x2 > x)
    # A vertical edge divides by zero, but spans no x.
    with np.errstate(divide="ignore", invalid="ignore"):
        height = y1 + (x - x1) * (y2 - y1) / (x2 - x1)
    return np.asarray((spans & (height < y)).sum(axis=1) % 2 == 1)


def _best_box(
    boxes: FloatArray,
    costs: FloatArray,
    obstacles: FloatArray,
    taken: Sequence[Box],
    leaders: Sequence[Box],
    axes: Pair,
    leader_to: Callable[[Box], tuple[Box, float]],
) -> Box | None:
    """Return the box of least cost that is in the axes and overlaps none of `taken`, or None."""
    # Each row of `obstacles` is a point to keep free: x, y, its margin, its weight in the cost.
    left, top, right, bottom = boxes.T
    free = (left >= 1) & (top >= 1) & (right <= axes[0] - 1) & (bottom <= axes[1] - 1)
    crowded = np.zeros(len(boxes), bool)
    for box in taken:
        free &= _are_apart(box, boxes)
        crowded |= ~_are_apart(box, boxes, LABEL_GAP)
    if not free.any():
        return None
    left, top, right, bottom = (side[free, None] for side in (left, top, right, bottom))
    x, y, margin, weight = obstacles.T
    # A box covers the points within their margin of it.
    distance = np.maximum(np.maximum(left - x, x - right), np.maximum(top - y, y - bottom))
    is_covered = distance < margin
    covered = is_covered @ np.where(weight > 1, weight, 0)
    # A line through a text is worse than a line beside it.
    beside, through = ((met & (weight <= 1)).sum(axis=1) for met in (is_covered, distance < 0))
    covered += np.minimum(beside, COVER_CAP) + np.minimum(through, COVER_CAP)
    covered += CROSSED * (through > 0)
    # Rounded, so that the browser finds the same minimum.
    total = np.round((costs + CROWD_COST * crowded)[free] + 3 * covered, 6)
    # Leader lines are computed for the best box only, until it is the best with theirs.
    with_leaders: dict[int, Box] = {}
    while (best := int(total.argmin())) not in with_leaders:
        left, top, right, bottom = boxes[free][best].tolist()
        with_leaders[best] = box = (left, top, right, bottom)
        is_crossed = _cross(np.reshape(leaders, (-1, 4)), box).any()
        if is_crossed or leader_to(box)[1] > FARTHEST_VERTEX:
            total[best] += LEADER_COST
    return with_leaders[best]


def _are_apart(box: Box, boxes: FloatArray, side_gap: float = 0) -> NDArray[np.bool]:
    """Return whether each box is above `box`, below it, or at least `side_gap` pixels beside it."""
    left, top, right, bottom = boxes.T
    beside = (left >= box[2] + side_gap) | (box[0] >= right + side_gap)
    return np.asarray(beside | (top >= box[3]) | (box[1] >= bottom))


def _leader_line(
    kind: PathKind, path: FloatArray, points: FloatArray, others: Sequence[Box], box: Box
) -> tuple[Box, float]:
    """Return the shortest line (x0, y0, x1, y1) from one of `points` to the box, and its length.

    A line that crosses one of the `others` counts as `FARTHEST_VERTEX` longer. The length is 0 if
    the box is in the mark or near it, and needs no line.
    """
    if not len(points):
        return box, 0
    at = np.column_stack(
        [np.clip(points[:, 0], box[0], box[2]), np.clip(points[:, 1], box[1], box[3])]
    )
    lines = np.hstack([points, at])
    lengths = np.round(_broadcast_distances(points, at), 6)
    for other in others:
        lengths[_cross(lines, other)] += FARTHEST_VERTEX
    shortest = int(lengths.argmin())
    x0, y0, x1, y1 = lines[shortest].tolist()
    centre = np.array([[(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]])
    is_area = kind == "area"
    is_near = _are_inside(centre, path).all() if is_area else lengths[shortest] < LEADER_DISTANCE
    return (x0, y0, x1, y1), 0 if is_near else float(lengths[shortest])


def _cross(lines: FloatArray, box: Box) -> NDArray[np.bool]:
    """Return whether each line goes through a box."""
    # Two convex sets are apart if an axis or the line's normal separates them.
    left, top, right, bottom = box
    starts, ends = lines[:, :2], lines[:, 2:]
    around = np.hstack([np.minimum(starts, ends), np.maximum(starts, ends)])
    (x0, y0), (dx, dy) = starts.T, (ends - starts).T
    off = np.abs(dx * (top + bottom - 2 * y0) - dy * (left + right - 2 * x0))
    is_met = off < np.abs(dx) * (bottom - top) + np.abs(dy) * (right - left)
    return np.asarray(is_met & ~_are_apart(box, around))
