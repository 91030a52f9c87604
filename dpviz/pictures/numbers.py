"""The numbers behind pictures: each vertex and marker that is drawn."""

import csv
import re
from collections.abc import Iterable
from io import StringIO
from typing import NamedTuple

from dpviz.analysis import Result
from dpviz.drawing.axes import Axis, rate_of
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import SvgFrame

HEAD = ("picture", "mark", "x axis", "x", "y axis", "y", "text")  # of the fields below
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


class DrawnPoint(NamedTuple):
    """A vertex or marker that is drawn: x and y as numbers or names, and the text beside it."""

    picture: str
    mark: str
    x_axis: str
    x: float | str
    y_axis: str
    y: float | str
    text: str = ""


def drawn_points(scene: Scene, result: Result) -> list[DrawnPoint]:
    """Return the vertices and markers of all marks that a picture shows, from back to front."""
    frame = SvgFrame(scene)
    frame.draw_layers(scene.layers(), result)
    title, across, up = scene.fixed_title_of(result), frame.x, frame.y
    return [
        DrawnPoint(
            title, name, across.label, _axis_value(across, x), up.label, _axis_value(up, y), text
        )
        for drawn in frame.marks
        for element in [drawn.element_id.removeprefix(f"{frame.name}-")]
        for name in [drawn.mark.label or re.sub("[-_]", " ", element)]
        for x, y, text in drawn.points
    ]


def as_csv(points: Iterable[DrawnPoint]) -> str:
    """Return points as CSV, with an apostrophe before texts that spreadsheets take for formulas."""
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(HEAD)
    for point in points:
        writer.writerow(
            f"'{each}" if isinstance(each, str) and each.startswith(FORMULA_STARTS) else each
            for each in point
        )
    return file.getvalue()


def _axis_value(axis: Axis, position: float) -> float | str:
    """Return the value at a position on an axis: the name of a row, a rate or a number."""
    # Named rows and bars are 1 apart: a place belongs to the tick within half a row.
    if axis.has_names:
        return next((name for at, name in axis.ticks.items() if abs(at - position) < 0.5), "")
    return rate_of(position) if axis.spec.scale == "log-odds" else position
