"""Marks as SVG elements. They keep data, not pixels: a later layer may still set the axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.pictures import marks, theme
from dpviz.pictures.labels import PathKind, PathLabel
from dpviz.pictures.svg.labels import MarkLabel
from dpviz.pictures.svg.plot import Plot
from dpviz.pictures.svg.shapes import at_places, outline, pieces_of, steps


class SvgMark(marks.Drawn):
    """One element of a picture, with the same id in every document of that picture.

    If `kept`, it is written although there is nothing to show, for a script to move; if `left_out`,
    it is not written at all.
    """

    kind: PathKind = "line"

    def __init__(
        self, mark: Any, element_id: str, plot: Plot, *, kept: bool, left_out: bool
    ) -> None:
        self.mark, self.element_id = mark, element_id
        self.is_kept, self._left_out = kept and not left_out, left_out
        self._plot = plot
        self._data: FloatArray = marks.NOTHING

    @property
    def is_shown(self) -> bool:
        """Whether there is something to show."""
        return len(self._data) > 0 and not self._left_out

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

    @property
    def texts(self) -> Sequence[str]:
        """The texts beside it: its label, or one for each of its markers."""
        return [self.mark.label] if self.mark.label else []

    def labels(self) -> list[MarkLabel]:
        """The texts beside it as labels."""
        return self._labels(self.texts, [self.corners()] * len(self.texts))

    def told(self) -> dict[str, Any]:
        """What a script needs to write its labels."""
        return {
            "mark": self.element_id,
            "texts": list(self.texts),
            "kind": self.kind,
            "gap": self.mark.gap,
            "color": theme.text_color(self.mark.color),
            "places": self._data.tolist() if self.kind == "points" else [],
        }

    def corners(self) -> FloatArray:
        """The vertices of what is seen of it, in pixels."""
        return self._plot.to_pixels(self._data)

    def _labels(self, texts: Sequence[str], paths: Sequence[FloatArray]) -> list[MarkLabel]:
        color = theme.text_color(self.mark.color)
        return [
            MarkLabel(
                name=f"{self.element_id}-label-{i}",
                color=color,
                label=PathLabel(text=text, path=path, kind=self.kind, gap=self.mark.gap),
            )
            for i, (text, path) in enumerate(zip(texts, paths, strict=True))
            if text
        ]

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

    @override
    def corners(self) -> FloatArray:
        corners = super().corners()
        return steps(corners) if self.mark.steps else corners

    def _look(self) -> str:
        mark = self.mark
        return _fill(mark.color, mark.fill) + _stroke(mark.color, mark.width, mark.dash)

    def _path(self, pixels: FloatArray) -> str:
        corners = self.corners()
        if self.mark.fill:
            feet = corners[[0, -1]].copy()
            feet[:, 1] = self._plot.bottom
            corners = np.vstack([feet[:1], corners, feet[1:]])
        return outline(corners)


class SvgArea(SvgLines):
    """A filled outline."""

    mark: marks.Area
    kind = "area"

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
    kind = "points"
    _shape = ""
    _texts: Sequence[str] = ()

    @property
    @override
    def texts(self) -> Sequence[str]:
        return self._texts or super().texts

    @property
    @override
    def points(self) -> list[tuple[float, float, str]]:
        places = super().points
        if not self._texts or not places:  # a hidden mark keeps its texts
            return places
        return [(x, y, text) for (x, y, _), text in zip(places, self._texts, strict=True)]

    @override
    def labels(self) -> list[MarkLabel]:
        places = list(self.corners()[:, None])
        return self._labels(self._texts, places) if self._texts else super().labels()

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
    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        self._keep(places)
        self._texts = (texts or ()) if len(places) else ()


class SvgHandle(SvgMarkers, marks.DrawnHandle):
    """A marker that the user of a widget could drag, where it stands now."""

    mark: marks.Handle

    @override
    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        self._keep(np.array([[self._plot.x.clamp(x), self._plot.y.clamp(y)]]))
        self._shape = marker or self._shape
        self._texts = [text] if text else ()

    def _look(self) -> str:
        return super()._look() + f' stroke="{theme.PAPER}" stroke-width="1.5"'


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
