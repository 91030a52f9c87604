"""Marks as bqplot draws them; they are updated in place, with one message per change."""

from abc import abstractmethod
from typing import Any, ClassVar, cast

import bqplot
import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray
from dpviz.pictures import marks, theme
from dpviz.pictures.frame import Frame
from dpviz.pictures.labels import PathKind
from dpviz.widgets.one_at_a_time import OneAtATime
from dpviz.widgets.received import dragged_place, finite_place, picked_point


class PlotMark(marks.Drawn):
    """The bqplot mark `mark` for a mark of a scene, on the axes of `frame`.

    It is visible while it has something to show, unless it is `held_back`.
    """

    kind: ClassVar[type[bqplot.Mark]]
    label_kind: ClassVar[PathKind] = "line"

    def __init__(self, mark: Any, frame: Frame, **options: object) -> None:
        self.of = mark
        self.held_back = self._has_data = False
        self.mark = self.kind(
            colors=[theme.css_color(mark.color)], visible=False, **options, **self._look(mark)
        )

    @override
    def hide(self) -> None:
        self.show(has_data=False)

    def show(self, *, has_data: bool) -> None:
        """Follow whether there is something to show."""
        self._has_data = has_data
        self.mark.visible = has_data and not self.held_back

    def hold_back(self, held_back: bool) -> None:
        """Hide the mark whatever it has to show, or no longer."""
        self.held_back = held_back
        self.show(has_data=self._has_data)

    @staticmethod
    @abstractmethod
    def _look(mark: Any) -> dict[str, object]:
        """Return the options of bqplot for this mark."""


class PlotLines(PlotMark, marks.DrawnLines):
    """A mark that consists of vertices only."""

    kind = bqplot.Lines

    @override
    def draw(self, vertices: FloatArray) -> None:
        with self.mark.hold_sync():
            self.show(has_data=len(vertices) > 0)
            if len(vertices):
                self.mark.x, self.mark.y = vertices[..., 0], vertices[..., 1]


class PlotLine(PlotLines):
    """A line."""

    @staticmethod
    def _look(mark: marks.Line) -> dict[str, object]:
        return {
            "line_style": mark.dash,
            "stroke_width": mark.width,
            "interpolation": "step-after" if mark.steps else "linear",
            "fill": "bottom" if mark.fill else "none",
            "fill_colors": [theme.css_color(mark.color)],
            "fill_opacities": [mark.fill],
        }


class PlotArea(PlotLines):
    """A filled outline."""

    label_kind = "area"

    @staticmethod
    def _look(mark: marks.Area) -> dict[str, object]:
        return {
            "line_style": mark.dash,
            "stroke_width": mark.width if mark.outline else 0,
            "fill": "inside",
            "close_path": True,
            "fill_colors": [theme.css_color(mark.color)],
            "fill_opacities": [mark.opacity],
        }


class PlotSegments(PlotLines):
    """Separate straight segments."""

    @staticmethod
    def _look(mark: marks.Segments) -> dict[str, object]:
        return {"stroke_width": mark.width}


class Scatter(OneAtATime, bqplot.Scatter):
    """Markers that can be dragged and clicked on."""


class PlotMarkers(PlotMark):
    """Equal markers."""

    kind = Scatter
    label_kind = "points"

    @staticmethod
    def _look(mark: marks.Points | marks.Handle) -> dict[str, object]:
        return {
            "marker": mark.marker,
            "default_size": mark.size,
            "names_unique": False,
            "display_names": False,
        }


class PlotPoints(PlotMarkers, marks.DrawnPoints):
    """Fixed markers with optional texts beside them."""

    def __init__(self, mark: marks.Points, frame: Frame, **options: object) -> None:
        if mark.opacity < 1:
            options |= {"opacities": [mark.opacity]}
        if mark.outline:
            options |= {
                "fill": False,
                "stroke": theme.css_color(mark.color),
                "stroke_width": mark.outline,
            }
        super().__init__(mark, frame, **options)
        if (pick := mark.on_pick) is not None:
            self.mark.on_element_click(lambda _, event: pick(picked_point(event, len(self.mark.x))))

    @override
    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        with self.mark.hold_sync():
            self.show(has_data=len(places) > 0)
            if len(places):
                self.mark.x, self.mark.y = places[:, 0], places[:, 1]
                if texts is not None:
                    self.mark.names = np.array(texts)


class PlotHandle(PlotMarkers, marks.DrawnHandle):
    """A marker the user drags; one that leaves the axes is brought back.

    During a drag the marker follows the pointer: `place` waits until it is released, otherwise the
    picture would pull the marker out from under the pointer.
    """

    def __init__(self, mark: marks.Handle, frame: Frame, **options: object) -> None:
        super().__init__(
            mark,
            frame,
            stroke="#ffffff",
            stroke_width=1.5,
            enable_move=True,
            update_on_move=True,
            restrict_x=mark.only == "x",
            restrict_y=mark.only == "y",
            **options,
        )
        self._x, self._y, self._on_move = frame.x, frame.y, mark.on_move
        self._placing = self._dragging = False
        self._home = (frame.x.low, frame.y.low)
        self.mark.on_drag_start(self._start)
        self.mark.on_drag_end(self._end)
        self.mark.observe(self._moved, names=["x", "y"])

    @override
    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        self._home = (self._x.clamp(x), self._y.clamp(y))
        with self.mark.hold_sync():
            self.show(has_data=True)
            if marker is not None:
                self.mark.marker = marker
            self.mark.names = np.array([text] if text else [])
        if not self._dragging:
            self._set(*self._home)

    def _set(self, x: float, y: float) -> None:
        self._placing = True
        try:
            with self.mark.hold_sync():
                self.mark.x, self.mark.y = np.array([x]), np.array([y])
        finally:
            self._placing = False

    def _start(self, _mark: object, _content: object) -> None:
        self._dragging = True

    def _end(self, _mark: object, content: object) -> None:
        # A busy front end may still hold back the last position: the message of the end has it.
        self._dragging = False
        try:
            self._report(*dragged_place(content))
        finally:
            self._set(*self._home)

    def _moved(self, _change: object) -> None:
        if self._placing or not len(self.mark.x) or not len(self.mark.y):
            return
        try:
            raw = finite_place(self.mark.x[0], self.mark.y[0])
        except ValueError:
            self._set(*self._home)
            raise
        inside = self._x.clamp(raw[0]), self._y.clamp(raw[1])
        if inside != raw:
            self._set(*inside)
        self._report(*inside)

    def _report(self, x: float, y: float) -> None:
        """Report where the pointer is, unless it has not moved: a click returns rounded places."""
        inside = (self._x.clamp(x), self._y.clamp(y))
        home = self._home
        if not (self._x.coincide(inside[0], home[0]) and self._y.coincide(inside[1], home[1])):
            self._on_move(*inside)


PLOT_MARKS: dict[type[marks.Mark[Any]], type[PlotMark]] = {
    marks.Line: PlotLine,
    marks.Area: PlotArea,
    marks.Segments: PlotSegments,
    marks.Points: PlotPoints,
    marks.Handle: PlotHandle,
}


def model_of(mark: marks.Drawn) -> bqplot.Mark:
    """Return the mark of bqplot behind a mark of a layer."""
    return cast(PlotMark, mark).mark


def is_held_back(mark: marks.Drawn) -> bool:
    """Whether a mark of a layer is an extra one that is not shown now."""
    return cast(PlotMark, mark).held_back
