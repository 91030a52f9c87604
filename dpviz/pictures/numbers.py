"""The numbers behind pictures: every mark that is drawn, point by point."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from io import StringIO
from typing import Any

from dpviz.analysis import Result
from dpviz.drawing.axes import Axis, rate_of
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import SvgFrame, SvgMark

HEAD = ("picture", "mark", "x axis", "x", "y axis", "y", "text")  # of the fields below
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


@dataclass(frozen=True)
class DrawnPoint:
    """A point of a mark: x and y in the units of the axes, or as names on an axis of names.

    A line has a point for each vertex, a segment for each end. `text` stands beside the point.
    """

    picture: str
    mark: str
    x_axis: str
    x: float | str
    y_axis: str
    y: float | str
    text: str = ""


def numbers(scene: Scene, result: Result) -> list[DrawnPoint]:
    """Return the points of all marks that a picture shows, from back to front.

    Of long curves at most 512 points, as drawn.

    Examples
    --------
    >>> from dpviz import analyze
    >>> from dpviz.pictures.numbers import numbers
    >>> from dpviz.analysis.topics.region import REGION
    >>> corner = numbers(REGION, analyze(epsilon=1.0, delta=0.0))[1]
    >>> corner.mark, round(corner.x, 3), round(corner.y, 3)
    ('allowed by the claim', 0.269, 0.269)
    """
    frame = SvgFrame(scene)
    frame.draw(scene.layers(), result)
    title, across, up = scene.name_of(result), frame.x, frame.y
    return [
        DrawnPoint(title, name, across.label, _reading(across, x), up.label, _reading(up, y), text)
        for drawn in frame.marks
        for name in [drawn.mark.label or _own_name(drawn, frame)]
        for x, y, text in drawn.points
    ]


def as_csv(points: Iterable[DrawnPoint]) -> str:
    """Return points as the text of a CSV file; numbers have full precision.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(HEAD)
    for point in points:
        values = (getattr(point, field.name) for field in fields(DrawnPoint))
        writer.writerow([_harmless(v) if isinstance(v, str) else repr(v) for v in values])
    return file.getvalue()


def _own_name(drawn: SvgMark[Any], frame: SvgFrame) -> str:
    return re.sub("[-_]", " ", drawn.element_id.removeprefix(f"{frame.name}-"))


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _reading(axis: Axis, place: float) -> float | str:
    """Return what the axis reads at a place: the name of a row, a rate or the number itself."""
    # Named rows and bars are 1 apart: a place belongs to the tick within half a row.
    if axis.has_names:
        return next((name for at, name in axis.ticks.items() if abs(at - place) < 0.5), "")
    return rate_of(place) if axis.spec.scale == "log-odds" else place
