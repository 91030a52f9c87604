"""Marks as bqplot draws them; they are updated in place, with one message per change."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, cast

import bqplot
import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray
from dpviz.drawing import marks, theme
from dpviz.drawing.frame import Frame
from dpviz.drawing.labels import PathKind
from dpviz.widgets.received import OneAtATime, dragged_place, finite_place, picked_point


class PlotMark(marks.Drawn):
    """The bqplot mark for a mark of a scene, on the axes of `frame`.

    It is made when it first has something to show, or when :attr:`mark` is read: most marks of a
    picture never have, and each would be one more model in the browser. `made` is called then.

    It is visible while it has something to show, unless it is `held_back`.
    """

    kind: ClassVar[type[bqplot.Mark]]
    label_kind: ClassVar[PathKind] = "line"

    def __init__(
        self, mark: Any, frame: Frame, made: Callable[[], None], **options: object
    ) -> None:
        self.of = mark
        self.held_back = self._has_data = False
        self._made = made
        self._mark: bqplot.Mark | None = None
        self._first = {  # traits of the mark when it is made
            "colors": [theme.css_color(mark.color)],
            "visible": False,
            **options,
            **self._look(mark),
        }

    @property
    def is_made(self) -> bool:
        """Whether there is a mark of bqplot already."""
        return self._mark is not None

    @property
    def mark(self) -> bqplot.Mark:
        """The mark of bqplot; made now, if it was not before."""
        if self._mark is None:
            self._mark = self.kind(**self._first)
            self._listen(self._mark)
            self._made()
        return self._mark

    def put(self, **values: object) -> None:
        """Set traits of the mark in one message; of one that is not made, those it begins with."""
        if self._mark is None:
            self._first |= values
        else:
            with self._mark.hold_sync():
                for name, value in values.items():
                    setattr(self._mark, name, value)

    @override
    def hide(self) -> None:
        self.show(has_data=False)

    def show(self, *, has_data: bool, **values: object) -> None:
        """Follow whether there is something to show, and what."""
        self._has_data = has_data
        is_visible = has_data and not self.held_back
        self.put(visible=is_visible, **values)
        if is_visible and not self.is_made:
            _ = self.mark

    def hold_back(self, held_back: bool) -> None:
        """Hide the mark whatever it has to show, or no longer."""
        self.held_back = held_back
        self.show(has_data=self._has_data)

    def scale(self, scale: float) -> None:
        """Follow the size of letters."""

    def _listen(self, mark: bqplot.Mark) -> None:
        """Listen to what a reader does with a mark that was made."""

    @staticmethod
    @abstractmethod
    def _look(mark: Any) -> dict[str, object]:
        """Return the options of bqplot for this mark."""


class PlotLines(PlotMark, marks.DrawnLines):
    """A mark that consists of vertices only."""

    kind = bqplot.Lines

    @override
    def draw(self, vertices: FloatArray) -> None:
        if len(vertices):
            self.show(has_data=True, x=vertices[..., 0], y=vertices[..., 1])
        else:
            self.hide()


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
    def _look(mark: Any) -> dict[str, object]:
        return {
            "marker": mark.marker,
            "default_size": mark.size,
            "names_unique": False,
            "display_names": False,
        }

    @override
    def scale(self, scale: float) -> None:
        self.put(default_size=round(scale * self.of.size))  # an area in square pixels


class PlotPoints(PlotMarkers, marks.DrawnPoints):
    """Fixed markers with optional texts beside them."""

    @staticmethod
    @override
    def _look(mark: Any) -> dict[str, object]:
        look = PlotMarkers._look(mark)
        if mark.opacity < 1:
            look |= {"opacities": [mark.opacity]}
        if mark.outline:
            stroke = theme.css_color(mark.color)
            look |= {"fill": False, "stroke": stroke, "stroke_width": mark.outline}
        return look

    @override
    def _listen(self, mark: bqplot.Mark) -> None:
        if (pick := self.of.on_pick) is not None:
            mark.on_element_click(lambda _, event: pick(picked_point(event, len(mark.x))))

    @override
    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        if len(places):
            names = {} if texts is None else {"names": np.array(texts)}
            self.show(has_data=True, x=places[:, 0], y=places[:, 1], **names)
        else:
            self.hide()


class PlotHandle(PlotMarkers, marks.DrawnHandle):
    """A marker the user drags; one that leaves the axes is brought back.

    During a drag the marker follows the pointer: `place` waits until it is released, otherwise the
    picture would pull the marker out from under the pointer.
    """

    def __init__(
        self, mark: marks.Handle, frame: Frame, made: Callable[[], None], **options: object
    ) -> None:
        super().__init__(mark, frame, made, **options)
        self._x, self._y, self._on_move = frame.x, frame.y, mark.on_move
        self._placing = self._dragging = False
        self._home = (frame.x.low, frame.y.low)

    @staticmethod
    @override
    def _look(mark: Any) -> dict[str, object]:
        return {
            **PlotMarkers._look(mark),
            "stroke": theme.css_color(theme.PAPER),
            "stroke_width": 1.5,
            "enable_move": True,
            "update_on_move": True,
            "restrict_x": mark.only == "x",
            "restrict_y": mark.only == "y",
        }

    @override
    def _listen(self, mark: bqplot.Mark) -> None:
        mark.on_drag_start(self._start)
        mark.on_drag_end(self._end)
        mark.observe(self._moved, names=["x", "y"])

    @override
    def put(self, **values: object) -> None:
        self._placing = True
        try:
            super().put(**values)
        finally:
            self._placing = False

    @override
    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        self._home = (self._x.clamp(x), self._y.clamp(y))
        values = {} if self._dragging else _at(*self._home)
        if marker is not None:
            values["marker"] = marker
        self.show(has_data=True, names=np.array([text] if text else []), **values)

    def _start(self, _mark: object, _content: object) -> None:
        self._dragging = True

    def _end(self, _mark: object, content: object) -> None:
        # A busy front end may still hold back the last position: the message of the end has it.
        self._dragging = False
        try:
            self._report(*dragged_place(content))
        finally:
            self.put(**_at(*self._home))

    def _moved(self, _change: object) -> None:
        if self._placing or not len(self.mark.x) or not len(self.mark.y):
            return
        try:
            raw = finite_place(self.mark.x[0], self.mark.y[0])
        except ValueError:
            self.put(**_at(*self._home))
            raise
        inside = self._x.clamp(raw[0]), self._y.clamp(raw[1])
        if inside != raw:
            self.put(**_at(*inside))
        self._report(*inside)

    def _report(self, x: float, y: float) -> None:
        """Report where the pointer is, unless it has not moved: a click returns rounded places."""
        inside = (self._x.clamp(x), self._y.clamp(y))
        home = self._home
        if not (self._x.coincide(inside[0], home[0]) and self._y.coincide(inside[1], home[1])):
            self._on_move(*inside)


def _at(x: float, y: float) -> dict[str, object]:
    """Return the traits of one marker at a place."""
    return {"x": np.array([x]), "y": np.array([y])}


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
