"""Marks as SVG elements. They keep data, not pixels: a later layer may still set the axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.pictures import marks, theme
from dpviz.pictures.svg.plot import Plot
from dpviz.pictures.svg.shapes import at_places, outline, pieces_of, steps


@dataclass(frozen=True, kw_only=True)
class Note:
    """A text beside a marker at pixels `x`, `y`, its base line `up` pixels higher."""

    name: str
    x: float
    y: float
    up: float
    text: str
    to_the_left: bool


class SvgMark(marks.Drawn):
    """One element of a picture, with the same id in every document of that picture.

    If `kept`, it is written although there is nothing to show, for a script to move.
    """

    def __init__(self, mark: Any, element_id: str, plot: Plot, *, kept: bool) -> None:
        self.mark, self.element_id, self.is_kept = mark, element_id, kept
        self._plot = plot
        self._data: FloatArray = marks.NOTHING

    @property
    def is_shown(self) -> bool:
        """Whether there is something to show."""
        return len(self._data) > 0

    @property
    def points(self) -> list[tuple[float, float, str]]:
        """What it shows, in data: each vertex, end or marker, and the text beside it."""
        return [(float(x), float(y), "") for x, y in self._data.reshape(-1, 2)]

    def svg(self) -> str:
        """The element; empty where there is nothing to show, unless it is kept."""
        path = self._path(self._plot.to_pixels(self._data)) if self.is_shown else ""
        if not path and not self.is_kept:
            return ""
        shown = "" if path else ' display="none"'
        return f'<path id="{self.element_id}" d="{path or "M0 0"}"{shown} {self._look()}/>'

    def notes(self) -> list[Note]:
        """Texts beside it."""
        return []

    @override
    def hide(self) -> None:
        self._data = marks.NOTHING

    def _keep(self, data: FloatArray) -> None:
        if not np.isfinite(data).all():
            raise checks.fail("vertices", "finite", data[~np.isfinite(data)].flat[0])
        self._data = np.array(data, float)

    def _look(self) -> str:
        """Presentation attributes."""
        raise NotImplementedError

    def _path(self, pixels: FloatArray) -> str:
        raise NotImplementedError


class SvgLines(SvgMark, marks.DrawnLines):
    """A mark that is vertices and nothing else."""

    @override
    def draw(self, vertices: FloatArray) -> None:
        self._keep(vertices)


class SvgLine(SvgLines):
    """A line; where it is filled, both ends stand on the lower edge of the picture."""

    mark: marks.Line

    def _look(self) -> str:
        mark = self.mark
        return _fill(mark.color, mark.fill) + _stroke(mark.color, mark.width, mark.dash)

    def _path(self, pixels: FloatArray) -> str:
        corners = steps(pixels) if self.mark.steps else pixels
        if self.mark.fill:
            feet = corners[[0, -1]].copy()
            feet[:, 1] = self._plot.bottom
            corners = np.vstack([feet[:1], corners, feet[1:]])
        return outline(corners)


class SvgArea(SvgLines):
    """A filled outline."""

    mark: marks.Area

    def _look(self) -> str:
        mark = self.mark
        stroke = _stroke(mark.color, mark.width, mark.dash) if mark.outline else ""
        return _fill(mark.color, mark.opacity) + stroke

    def _path(self, pixels: FloatArray) -> str:
        return outline(pixels, closed=True)


class SvgSegments(SvgLines):
    """Separate straight segments."""

    mark: marks.Segments

    def _look(self) -> str:
        return _fill(self.mark.color, 0) + _stroke(self.mark.color, self.mark.width)

    def _path(self, pixels: FloatArray) -> str:
        return pieces_of(pixels)


class SvgMarkers(SvgMark):
    """Equal markers; those inside the axes are written."""

    mark: marks.Points | marks.Handle
    _shape = ""
    _texts: Sequence[str] = ()
    _to_the_left = False
    _raised: float = 0

    @property
    @override
    def points(self) -> list[tuple[float, float, str]]:
        places = super().points
        if not self._texts or not places:  # a hidden mark keeps its texts
            return places
        return [(x, y, text) for (x, y, _), text in zip(places, self._texts, strict=True)]

    @override
    def notes(self) -> list[Note]:
        if not self._texts or not self.is_shown:
            return []
        places = self._plot.to_pixels(self._data)
        return [
            Note(
                name=f"{self.element_id}-note-{i}",
                x=float(x),
                y=float(y),
                up=self._raised,
                text=text,
                to_the_left=self._to_the_left,
            )
            for i, ((x, y), text) in enumerate(zip(places, self._texts, strict=True))
            if text
        ]

    def _look(self) -> str:
        return _fill(self.mark.color, 1)

    def _path(self, pixels: FloatArray) -> str:
        return at_places(
            pixels[self._plot.shows(pixels)], self._shape or self.mark.marker, self.mark.size
        )


class SvgPoints(SvgMarkers, marks.DrawnPoints):
    """Fixed markers."""

    mark: marks.Points

    def _look(self) -> str:
        color, outline = self.mark.color, self.mark.outline
        if outline:
            return _fill(color, 0) + _stroke(color, outline)
        return _fill(color, self.mark.opacity)

    def shape(self) -> str:
        """The path of one marker at (0, 0)."""
        return at_places(np.zeros((1, 2)), self.mark.marker, self.mark.size)

    @override
    def draw(
        self, places: FloatArray, *, texts: list[str] | None = None, to_the_left: bool = False
    ) -> None:
        self._keep(places)
        self._texts, self._to_the_left = texts or (), to_the_left
        self._raised = self.mark.raise_text


class SvgHandle(SvgMarkers, marks.DrawnHandle):
    """A marker that the user of a widget could drag, where it stands now."""

    mark: marks.Handle

    @override
    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        plot = self._plot
        at = np.array([[plot.x.clamp(x), plot.y.clamp(y)]])
        self._keep(at)
        right, high = plot.x.share(at[0, 0]), plot.y.share(at[0, 1])
        self._shape = marker or self._shape
        self._texts, self._to_the_left = [text], bool(right > 0.5)
        self._raised = -16 if high > 0.85 else 8

    def _look(self) -> str:
        return super()._look() + ' stroke="#ffffff" stroke-width="1.5"'


SVG_MARKS: dict[type[marks.Mark[Any]], type[SvgMark]] = {
    marks.Line: SvgLine,
    marks.Area: SvgArea,
    marks.Segments: SvgSegments,
    marks.Points: SvgPoints,
    marks.Handle: SvgHandle,
}


def _fill(color: str, opacity: float) -> str:
    if not opacity:
        return 'fill="none"'
    return f'fill="{color}"' + (f' fill-opacity="{opacity:g}"' if opacity < 1 else "")


def _stroke(color: str, width: float, dash: theme.Dash = "solid") -> str:
    dashes = theme.SVG_DASHES[dash]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f' stroke="{color}" stroke-width="{width:g}"{dashed}'
