"""Figures, axes and marks of bqplot: marks are updated in place, with one message per change."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from html import escape
from typing import Any, ClassVar, cast

import bqplot
import ipywidgets
import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray
from dpviz.drawing import marks, theme
from dpviz.drawing.axes import Axis
from dpviz.drawing.frame import Frame
from dpviz.drawing.labels import PathKind
from dpviz.drawing.marks import D, Mark
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import classes_of, place_of
from dpviz.widgets.received import OneAtATime, dragged_place, finite_place, picked_point

PLACEHOLDER = {"x": np.array([0.5]), "y": np.array([0.5])}  # of a mark before it is drawn


class Scatter(OneAtATime, bqplot.Scatter):
    """Markers that can be dragged and clicked on."""


class PlotMark(marks.Drawn):
    """The bqplot mark for a mark of a scene, on the axes of `frame`.

    The bqplot mark is made, and `made` is called, when there is first something to show, or when
    :attr:`mark` is read: most marks of a picture never show anything, and each would be one more
    model in the browser. It is visible while it has data, unless it is `held_back`.
    """

    kind: ClassVar[type[bqplot.Mark]]

    def __init__(
        self, mark: Any, frame: Frame, made: Callable[[], None], **options: object
    ) -> None:
        self.of = mark
        self.held_back = self._has_data = False
        self._made = made
        self._mark: bqplot.Mark | None = None
        # The traits with which the mark is made.
        self._first = {
            "colors": [theme.css_color(mark.color)],
            "visible": False,
            **options,
            **self._look(mark),
        }

    @property
    def is_made(self) -> bool:
        """Whether the mark of bqplot exists."""
        return self._mark is not None

    @property
    def mark(self) -> bqplot.Mark:
        """The mark of bqplot; it is made now if it does not exist yet."""
        if self._mark is None:
            self._mark = self.kind(**self._first)
            self._listen(self._mark)
            self._made()
        return self._mark

    def put(self, **values: object) -> None:
        """Set traits of the mark in one message; before it is made, those that it starts with."""
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
        """Set traits of the mark, and make it visible if it has data and is not held back."""
        self._has_data = has_data
        is_visible = has_data and not self.held_back
        self.put(visible=is_visible, **values)
        if is_visible and not self.is_made:
            _ = self.mark

    def hold_back(self, held_back: bool) -> None:
        """Hide the mark even if it has data, or end that."""
        self.held_back = held_back
        self.show(has_data=self._has_data)

    @property
    def label_kind(self) -> PathKind:
        """How the browser places the label of the mark."""
        if isinstance(self.of, marks.Area):
            return "area"
        return "points" if self.kind is Scatter else "line"

    def scale(self, scale: float) -> None:
        """Make markers as much larger than at first as letters are."""
        if self.kind is Scatter:
            self.put(default_size=round(scale * self.of.size))  # an area in square pixels

    def _listen(self, mark: bqplot.Mark) -> None:
        """Listen to clicks and drags on the mark of bqplot, once it is made."""

    @staticmethod
    @abstractmethod
    def _look(mark: Any) -> dict[str, object]:
        """Return the options of bqplot for this mark."""


class PlotLines(PlotMark):
    """A line, a filled outline or segments: a mark that consists of vertices only."""

    kind = bqplot.Lines

    @staticmethod
    def _look(mark: Any) -> dict[str, object]:
        if isinstance(mark, marks.Segments):
            return {"stroke_width": mark.width}
        fill = {"fill_colors": [theme.css_color(mark.color)]}
        if isinstance(mark, marks.Area):
            return fill | {
                "line_style": mark.dash,
                "stroke_width": mark.width if mark.outline else 0,
                "fill": "inside",
                "close_path": True,
                "fill_opacities": [mark.opacity],
            }
        return fill | {
            "line_style": mark.dash,
            "stroke_width": mark.width,
            "interpolation": "step-after" if mark.steps else "linear",
            "fill": "bottom" if mark.fill else "none",
            "fill_opacities": [mark.fill],
        }

    def draw(self, vertices: FloatArray) -> None:
        """Show vertices, as of :class:`marks.DrawnLines`."""
        if len(vertices):
            self.show(has_data=True, x=vertices[..., 0], y=vertices[..., 1])
        else:
            self.hide()


class PlotPoints(PlotMark):
    """Fixed markers with optional texts beside them."""

    kind = Scatter

    @staticmethod
    def _look(mark: Any) -> dict[str, object]:
        look = marker_look(mark)
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

    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        """Show markers, as of :class:`marks.DrawnPoints`."""
        if len(places):
            names = {} if texts is None else {"names": np.array(texts)}
            self.show(has_data=True, x=places[:, 0], y=places[:, 1], **names)
        else:
            self.hide()


class PlotHandle(PlotMark):
    """A marker the user drags; one that leaves the axes is brought back.

    During a drag the marker follows the pointer: `place` waits until it is released, otherwise the
    picture would pull the marker out from under the pointer.
    """

    kind = Scatter

    def __init__(
        self, mark: marks.Handle, frame: Frame, made: Callable[[], None], **options: object
    ) -> None:
        super().__init__(mark, frame, made, **options)
        self._x, self._y, self._on_move = frame.x, frame.y, mark.on_move
        self._placing = self._dragging = False
        self._home = (frame.x.low, frame.y.low)

    @staticmethod
    def _look(mark: Any) -> dict[str, object]:
        return {
            **marker_look(mark),
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
        # Python moves the marker: observers of its place must not take that for a drag.
        self._placing = True
        try:
            super().put(**values)
        finally:
            self._placing = False

    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        """Move the marker, as of :class:`marks.DrawnHandle`."""
        self._home = (self._x.clamp(x), self._y.clamp(y))
        # During a drag the place is only remembered, as the pointer has the marker.
        values = {} if self._dragging else _at(*self._home)
        if marker is not None:
            values["marker"] = marker
        self.show(has_data=True, names=np.array([text] if text else []), **values)

    def _start(self, _mark: object, _content: object) -> None:
        self._dragging = True

    def _end(self, _mark: object, content: object) -> None:
        # A busy browser may not have sent the last position: the message of the end has it.
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
        # A marker that leaves the axes comes back to their edge.
        inside = self._x.clamp(raw[0]), self._y.clamp(raw[1])
        if inside != raw:
            self.put(**_at(*inside))
        self._report(*inside)

    def _report(self, x: float, y: float) -> None:
        """Report the place of the pointer, unless it only clicked: a click gives rounded places."""
        inside = (self._x.clamp(x), self._y.clamp(y))
        home = self._home
        if not (self._x.coincide(inside[0], home[0]) and self._y.coincide(inside[1], home[1])):
            self._on_move(*inside)


def marker_look(mark: Any) -> dict[str, object]:
    """Return the options of bqplot that all markers have."""
    return {
        "marker": mark.marker,
        "default_size": mark.size,
        "names_unique": False,
        "display_names": False,
    }


def _at(x: float, y: float) -> dict[str, object]:
    """Return the traits of one marker at a place."""
    return {"x": np.array([x]), "y": np.array([y])}


PLOT_MARKS: dict[type[marks.Mark[Any]], type[PlotMark]] = {
    marks.Line: PlotLines,
    marks.Area: PlotLines,
    marks.Segments: PlotLines,
    marks.Points: PlotPoints,
    marks.Handle: PlotHandle,
}


def model_of(mark: marks.Drawn) -> bqplot.Mark:
    """Return the mark of bqplot behind a mark of a layer."""
    return cast(PlotMark, mark).mark


def is_held_back(mark: marks.Drawn) -> bool:
    """Whether a mark of a layer is an extra one that is not shown now."""
    return cast(PlotMark, mark).held_back


class PlotAxis:
    """A scale and an axis of bqplot, which follow an :class:`Axis`; equal values send nothing."""

    def __init__(
        self, *, is_log: bool, vertical: bool, visible: bool = True, label_offset: str | None = None
    ) -> None:
        self.scale = bqplot.LogScale() if is_log else bqplot.LinearScale()
        self.axis = bqplot.Axis(
            scale=self.scale,
            side="left" if vertical else "bottom",
            grid_lines="none",
            label_offset=label_offset or ("4em" if vertical else "2.4em"),
            visible=visible,
        )

    def follow(self, axis: Axis) -> None:
        """Show label, range and ticks."""
        self.axis.label = axis.label
        with self.scale.hold_sync():
            self.scale.min, self.scale.max = axis.low, axis.high
        # Labels first, in a separate message: bqplot draws new values with the labels it has.
        self.axis.tick_labels = {_as_javascript(value): text for value, text in axis.ticks.items()}
        self.axis.tick_values = np.array(sorted(axis.ticks))


def _as_javascript(value: float) -> str:
    """`String(value)` in JavaScript, by which bqplot finds the label of a tick."""
    # JavaScript writes exponents from 1e21 on and below 1e-6, and no point without decimals.
    if abs(value) >= 1e21:
        return repr(value)
    if value == int(value):
        return str(int(value))
    text = np.format_float_positional(value, trim="-")
    return text if abs(value) >= 1e-6 else repr(value).replace("e-0", "e-")


class PlotFrame(Frame):
    """A bqplot figure with the axes of a scene; layers use it as a `Frame`.

    `axes` maps "x" and "y" to the axis and to the bqplot scale and axis that follow it.
    """

    def __init__(self, scene: Scene) -> None:
        x, y = (
            PlotAxis(
                is_log=spec.scale == "log",
                vertical=spec is scene.y,
                visible=spec.visible,
                label_offset=scene.label_offset if spec is scene.y else None,
            )
            for spec in (scene.x, scene.y)
        )
        # The figure with its two axes; marks come with the layers.
        self.drawn: list[PlotMark] = []
        self._margins = scene.margins
        self._show_extra = False
        self.figure = bqplot.Figure(
            axes=[x.axis, y.axis],
            fig_margin=scene.margins,
            display_toolbar=False,
            legend_style={"fill": "white", "stroke": "gray"},
            padding_x=0,
            padding_y=0,
            _view_count=0,  # counted, so that the browser can name each element
            scale_x=x.scale,  # bqplot would make two more for marks that have none
            scale_y=y.scale,
            layout=ipywidgets.Layout(**place_of(scene)),
            _dom_classes=classes_of(scene),
        )
        # The axes of the scene set label, range and ticks: one message for each widget.
        with ExitStack() as one_message:
            for widget in (self.figure, x.axis, y.axis):
                one_message.enter_context(widget.hold_sync())
            self.x = Axis(scene.x, partial(self._follow, x))
            self.y = Axis(scene.y, partial(self._follow, y))
        self.axes = {"x": (self.x, x.scale, x.axis), "y": (self.y, y.scale, y.axis)}

    @override
    def add(self, mark: Mark[D]) -> D:
        drawn = PLOT_MARKS[type(mark)](
            mark,
            self,
            self._place_marks,
            scales={name: scale for name, (_, scale, _) in self.axes.items()},
            preserve_domain={"x": True, "y": True},
            **PLACEHOLDER,
        )
        drawn.hold_back(mark.extra and not self._show_extra)
        self.drawn.append(drawn)
        return cast(D, drawn)

    @property
    def made(self) -> list[PlotMark]:
        """The marks that bqplot has, from back to front."""
        return [drawn for drawn in self.drawn if drawn.is_made]

    def _place_marks(self) -> None:
        self.figure.marks = [drawn.mark for drawn in self.made]

    def scale(self, scale: float) -> None:
        """Make margins and markers as much larger than at first as letters are."""
        margins = self._margins.items()
        self.figure.fig_margin = {side: round(scale * size) for side, size in margins}
        for drawn in self.drawn:
            drawn.scale(scale)

    def key(self) -> str:
        """A sample and the label of each mark that is shown, as HTML; of equal ones, one."""
        named = [drawn.of for drawn in self.made if drawn.of.label and drawn.mark.visible]
        rows = [f"<span>{mark.sample}{escape(self.label_of(mark))}</span>" for mark in named]
        return f'<div class="dpviz-key">{"".join(dict.fromkeys(rows))}</div>'

    @property
    def show_extra(self) -> bool:
        """Whether marks that are `extra` are drawn."""
        return self._show_extra

    @show_extra.setter
    def show_extra(self, show: bool) -> None:
        self._show_extra = show
        for drawn in self.drawn:
            drawn.hold_back(drawn.of.extra and not show)

    def _follow(self, drawn: PlotAxis, axis: Axis) -> None:
        drawn.follow(axis)
        # A place between named bars has no meaning, so the browser shows no number for it.
        is_read = axis.spec.visible and not axis.has_names
        set_class = self.figure.remove_class if is_read else self.figure.add_class
        set_class(f"dpviz-named-{drawn.axis.side}")
