"""The numbers behind pictures: each vertex and marker that is drawn."""

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
    """A vertex or marker that is drawn: x and y as numbers or names, and the text beside it."""

    picture: str
    mark: str
    x_axis: str
    x: float | str
    y_axis: str
    y: float | str
    text: str = ""


def numbers(scene: Scene, result: Result) -> list[DrawnPoint]:
    """Return the vertices and markers of all marks that a picture shows, from back to front.

    A long curve has at most 512 points, those that are drawn.

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
    title, across, up = scene.fixed_title_of(result), frame.x, frame.y
    return [
        DrawnPoint(
            title, name, across.label, _axis_value(across, x), up.label, _axis_value(up, y), text
        )
        for drawn in frame.marks
        for name in [drawn.mark.label or _name_from_id(drawn, frame)]
        for x, y, text in drawn.points
    ]


def as_csv(points: Iterable[DrawnPoint]) -> str:
    """Return points as CSV, with an apostrophe before texts that spreadsheets take for formulas."""
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(HEAD)
    for point in points:
        values = (getattr(point, field.name) for field in fields(DrawnPoint))
        writer.writerow(
            f"'{each}" if isinstance(each, str) and each.startswith(FORMULA_STARTS) else each
            for each in values
        )
    return file.getvalue()


def _name_from_id(drawn: SvgMark[Any], frame: SvgFrame) -> str:
    return re.sub("[-_]", " ", drawn.element_id.removeprefix(f"{frame.name}-"))


def _axis_value(axis: Axis, position: float) -> float | str:
    """Return what a position on an axis stands for: a row's name, a rate, or the number itself."""
    # Named rows and bars are 1 apart: a place belongs to the tick within half a row.
    if axis.has_names:
        return next((name for at, name in axis.ticks.items() if abs(at - position) < 0.5), "")
    return rate_of(position) if axis.spec.scale == "log-odds" else position
