"""Marks as bqplot draws them; they are updated in place, with one message per change."""

from abc import abstractmethod
from typing import Any, ClassVar, cast

import bqplot
import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray
from dpviz.pictures import marks, theme
from dpviz.pictures.frame import Frame


class PlotMark(marks.Drawn):
    """The bqplot mark `mark` for a mark of a scene, on the axes of `frame`."""

    kind: ClassVar[type[bqplot.Mark]]

    def __init__(self, mark: Any, frame: Frame, **options: object) -> None:
        self.mark = self.kind(colors=[theme.css_color(mark.color)], **options, **self._look(mark))

    @override
    def hide(self) -> None:
        self.mark.visible = False

    @staticmethod
    @abstractmethod
    def _look(mark: Any) -> dict[str, object]:
        """Return the options of bqplot for this mark."""


class PlotLines(PlotMark, marks.DrawnLines):
    """A mark that consists of vertices only."""

    kind = bqplot.Lines

    def __init__(self, mark: Any, frame: Frame, **options: object) -> None:
        super().__init__(mark, frame, visible=False, **options)

    @override
    def draw(self, vertices: FloatArray) -> None:
        with self.mark.hold_sync():
            self.mark.visible = len(vertices) > 0
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


class PlotMarkers(PlotMark):
    """Equal markers."""

    kind = bqplot.Scatter

    @staticmethod
    def _look(mark: marks.Points | marks.Handle) -> dict[str, object]:
        return {"marker": mark.marker, "default_size": mark.size, "names_unique": False}


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
        super().__init__(mark, frame, label_display_vertical_offset=mark.raise_text, **options)
        if (pick := mark.on_pick) is not None:
            self.mark.on_element_click(lambda _, event: pick(int(event["data"]["index"])))

    @override
    def draw(
        self, places: FloatArray, *, texts: list[str] | None = None, to_the_left: bool = False
    ) -> None:
        with self.mark.hold_sync():
            self.mark.visible = len(places) > 0
            if len(places):
                self.mark.x, self.mark.y = places[:, 0], places[:, 1]
                if texts is not None:
                    self.mark.names = np.array(texts)
                    longest = max(map(len, texts))
                    self.mark.label_display_horizontal_offset = _offset(longest, to_the_left)


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
            self.mark.visible = True
            if marker is not None:
                self.mark.marker = marker
            if text:
                self.mark.names = np.array([text])
                self._put_text_inside(text)
        if not self._dragging:
            self._set(*self._home)

    def _put_text_inside(self, text: str) -> None:
        """Put the text beside the marker, on the side where there is room for it."""
        x, y = self._home
        is_right = x > (self._x.low + self._x.high) / 2
        is_high = y > self._y.low + 0.85 * (self._y.high - self._y.low)
        self.mark.label_display_horizontal_offset = _offset(len(text), is_right)
        self.mark.label_display_vertical_offset = -16.0 if is_high else 8.0

    def _set(self, x: float, y: float) -> None:
        self._placing = True
        try:
            with self.mark.hold_sync():
                self.mark.x, self.mark.y = np.array([x]), np.array([y])
        finally:
            self._placing = False

    def _start(self, _mark: object, _content: object) -> None:
        self._dragging = True

    def _end(self, _mark: object, content: dict[str, Any]) -> None:
        # A busy front end may still hold back the last position: the message of the end has it.
        self._dragging = False
        self._report(content["point"]["x"], content["point"]["y"])
        self._set(*self._home)

    def _moved(self, _change: object) -> None:
        if self._placing or not len(self.mark.x) or not len(self.mark.y):
            return
        raw = float(self.mark.x[0]), float(self.mark.y[0])
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


def _offset(n_letters: int, to_the_left: bool) -> float:
    """Pixels from a marker to the beginning of its text."""
    return -6.2 * n_letters - 10 if to_the_left else 14.0
