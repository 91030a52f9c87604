"""What a layer can put on a frame. Marks are updated in place, one message per change."""

from collections.abc import Callable
from typing import Any, cast

import bqplot
import numpy as np

from dpviz.checks import FloatArray
from dpviz.pictures.axes import Axis
from dpviz.pictures.frame import Mark


class PlotCurve:
    """A line or a filled outline through vertices."""

    def __init__(self, mark: bqplot.Lines) -> None:
        self.mark = mark

    def draw(self, vertices: FloatArray) -> None:
        """Show these vertices, shape (k, 2); none at all hides the line."""
        with self.mark.hold_sync():
            self.mark.visible = len(vertices) > 0
            if len(vertices):
                self.mark.x, self.mark.y = vertices[:, 0], vertices[:, 1]


class PlotSegments:
    """Straight pieces, each with two ends."""

    def __init__(self, mark: bqplot.Lines) -> None:
        self.mark = mark

    def draw(self, pieces: FloatArray) -> None:
        """Show these pieces, shape (k, 2, 2): piece, end, coordinate; none at all hides them."""
        with self.mark.hold_sync():
            self.mark.visible = len(pieces) > 0
            if len(pieces):
                self.mark.x, self.mark.y = pieces[:, :, 0], pieces[:, :, 1]


class PlotPoints:
    """Fixed markers with optional texts beside them."""

    def __init__(self, mark: bqplot.Scatter) -> None:
        self.mark = mark

    def draw(
        self, places: FloatArray, *, texts: list[str] | None = None, to_the_left: bool = False
    ) -> None:
        """Show markers at these places, shape (k, 2), with texts on one side."""
        with self.mark.hold_sync():
            self.mark.visible = len(places) > 0
            if len(places):
                self.mark.x, self.mark.y = places[:, 0], places[:, 1]
                if texts is not None:
                    self.mark.names = np.array(texts)
                    longest = max(map(len, texts))
                    self.mark.label_display_horizontal_offset = _offset(longest, to_the_left)


class PlotHandle:
    """A marker the user drags; what leaves the axes is brought back.

    While a drag lasts the marker belongs to the hand: `place` waits until it is let go, otherwise
    the picture would pull the marker out from under the pointer.
    """

    def __init__(
        self,
        mark: bqplot.Scatter,
        x: Axis,
        y: Axis,
        on_move: Callable[[float, float], None],
    ) -> None:
        self.mark, self._x, self._y, self._on_move = mark, x, y, on_move
        self._placing = self._dragging = False
        self._home = (x.low, y.low)
        mark.on_drag_start(self._start)
        mark.on_drag_end(self._end)
        mark.observe(self._moved, names=["x", "y"])

    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        """Put the marker where the state says, inside the axes, with a text beside it."""
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
        """Beside the marker, on the side where there is room for it."""
        x, y = self._home
        is_right = x > (self._x.low + self._x.high) / 2
        is_high = y > self._y.low + 0.85 * (self._y.high - self._y.low)
        self.mark.label_display_horizontal_offset = _offset(len(text), is_right)
        self.mark.label_display_vertical_offset = -16.0 if is_high else 8.0

    def hide(self) -> None:
        """Take the marker away until it is placed again."""
        self.mark.visible = False

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
        # A busy front end may still hold the last position back: the message of the end has it.
        self._dragging = False
        self._hand_over(content["point"]["x"], content["point"]["y"])
        self._set(*self._home)

    def _moved(self, _change: object) -> None:
        if self._placing or not len(self.mark.x) or not len(self.mark.y):
            return
        raw = float(self.mark.x[0]), float(self.mark.y[0])
        inside = self._x.clamp(raw[0]), self._y.clamp(raw[1])
        if inside != raw:
            self._set(*inside)
        self._hand_over(*inside)

    def _hand_over(self, x: float, y: float) -> None:
        """Tell where the hand is, unless it has not moved: a click comes back with roundings."""
        inside = (self._x.clamp(x), self._y.clamp(y))
        home = self._home
        if not (self._x.coincide(inside[0], home[0]) and self._y.coincide(inside[1], home[1])):
            self._on_move(*inside)


def _offset(n_letters: int, to_the_left: bool) -> float:
    """Pixels from a marker to the beginning of its text."""
    return -6.2 * n_letters - 10 if to_the_left else 14.0


def model_of(mark: Mark) -> bqplot.Mark:
    """The mark of bqplot behind what a layer draws on."""
    return cast(PlotCurve | PlotSegments | PlotPoints | PlotHandle, mark).mark
