"""Figures, axes and marks of bqplot; each change of a mark sends the browser one message."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any, ClassVar, cast

import bqplot
import ipywidgets
import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray
from dpviz.drawing import marks, theme
from dpviz.drawing.axes import Axis, AxisSpec
from dpviz.drawing.frame import Frame
from dpviz.drawing.marks import D, Mark
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import css_classes, css_width
from dpviz.widgets.browser_input import ThreadSafeWidget, clicked_index, drag_target, finite_point

PLACEHOLDER = {"x": np.array([0.5]), "y": np.array([0.5])}  # of a mark before it is drawn


class Scatter(ThreadSafeWidget, bqplot.Scatter):
    """Markers of bqplot that hold `WIDGET_LOCK` while they handle a click or a drag."""


class PlotMark(marks.DrawnMark):
    """A mark of a scene, drawn by a bqplot mark on the axes of `frame`."""

    # The bqplot mark is created when data first arrive or :attr:`mark` is read.

    kind: ClassVar[type[bqplot.Mark]]

    def __init__(
        self, mark: Any, frame: Frame, on_created: Callable[[], None], **options: object
    ) -> None:
        self.of = mark
        self.is_kept_hidden = self._has_data = False
        self._on_created = on_created
        self._mark: bqplot.Mark | None = None
        first = {"colors": [theme.css_color(mark.color)], "visible": False}
        self._first: dict[str, object] = {**first, **options, **self._bqplot_options(mark)}

    @property
    def is_created(self) -> bool:
        """Whether the bqplot mark exists."""
        return self._mark is not None

    @property
    def mark(self) -> bqplot.Mark:
        """The bqplot mark; reading this property creates the mark if it does not exist yet."""
        if self._mark is None:
            self._mark = self.kind(**self._first)
            self._connect_events(self._mark)
            self._on_created()
        return self._mark

    def set_traits(self, **values: object) -> None:
        """Set traits of the bqplot mark in one message, or store them until the mark is created."""
        if self._mark is None:
            self._first |= values
        else:
            with self._mark.hold_sync():
                for name, value in values.items():
                    setattr(self._mark, name, value)

    @override
    def hide(self) -> None:
        self.show_if_data(has_data=False)

    @override
    def set_label(self, label: str) -> None:
        self.of = replace(self.of, label=label)

    def show_if_data(self, *, has_data: bool, **values: object) -> None:
        """Set traits of the bqplot mark; show it only if it has data and is not kept hidden."""
        self._has_data = has_data
        is_visible = has_data and not self.is_kept_hidden
        self.set_traits(visible=is_visible, **values)
        if is_visible and not self.is_created:
            _ = self.mark

    def set_kept_hidden(self, hidden: bool) -> None:
        """Hide the mark if `hidden`, even with data; otherwise show the mark if it has data."""
        self.is_kept_hidden = hidden
        self.show_if_data(has_data=self._has_data)

    def _connect_events(self, mark: bqplot.Mark) -> None:
        """Connect functions to clicks and drags, once the bqplot mark is created."""

    @staticmethod
    @abstractmethod
    def _bqplot_options(mark: Any) -> dict[str, object]:
        """Return the bqplot options for a mark's style, such as line width, fill and marker."""


class PlotLines(PlotMark):
    """A mark that joins vertices: a line, a filled outline or separate segments."""

    kind = bqplot.Lines

    @staticmethod
    def _bqplot_options(mark: Any) -> dict[str, object]:
        if isinstance(mark, marks.Segments):
            return {"stroke_width": mark.width}
        look = {"fill_colors": [theme.css_color(mark.color)], "line_style": mark.dash}
        if isinstance(mark, marks.Area):
            look |= {"stroke_width": mark.width if mark.outline else 0, "close_path": True}
            return look | {"fill": "inside", "fill_opacities": [mark.opacity]}
        look |= {"stroke_width": mark.width, "fill": "bottom" if mark.fill else "none"}
        steps = "step-after" if mark.steps else "linear"
        return look | {"interpolation": steps, "fill_opacities": [mark.fill]}

    def draw(self, vertices: FloatArray) -> None:
        """Draw a line of shape (k, 2), or k lines of shape (k, n, 2); hide the mark if k is 0."""
        if len(vertices):
            self.show_if_data(has_data=True, x=vertices[..., 0], y=vertices[..., 1])
        else:
            self.hide()


class PlotPoints(PlotMark):
    """Markers that cannot be dragged, with optional texts."""

    kind = Scatter

    @staticmethod
    def _bqplot_options(mark: Any) -> dict[str, object]:
        look = bqplot_marker_options(mark)
        if mark.opacity < 1:
            look |= {"opacities": [mark.opacity]}
        if mark.outline:
            stroke = theme.css_color(mark.color)
            look |= {"fill": False, "stroke": stroke, "stroke_width": mark.outline}
        return look

    @override
    def _connect_events(self, mark: bqplot.Mark) -> None:
        if (pick := self.of.on_pick) is not None:
            mark.on_element_click(lambda _, event: pick(clicked_index(event, len(mark.x))))

    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        """Draw markers with texts at the rows (x, y) of `places`; without rows, hide the mark."""
        if len(places):
            names = {} if texts is None else {"names": np.array(texts)}
            self.show_if_data(has_data=True, x=places[:, 0], y=places[:, 1], **names)
        else:
            self.hide()


class PlotHandle(PlotMark):
    """A marker that users can drag within the axes; `place` waits for the end of a drag."""

    kind = Scatter

    def __init__(
        self, mark: marks.Handle, frame: Frame, on_created: Callable[[], None], **options: object
    ) -> None:
        super().__init__(mark, frame, on_created, **options)
        self._x, self._y, self._on_move = frame.x, frame.y, mark.on_move
        self._placing = self._dragging = False
        self._home = (frame.x.low, frame.y.low)

    @staticmethod
    def _bqplot_options(mark: Any) -> dict[str, object]:
        look = bqplot_marker_options(mark) | _fill_traits(hollow=False) | {"stroke_width": 1.5}
        only = {"restrict_x": mark.only == "x", "restrict_y": mark.only == "y"}
        # The count of views lets the browser label the elements that a user can drag.
        return {**look, "enable_move": True, "update_on_move": True, "_view_count": 0, **only}

    @override
    def _connect_events(self, mark: bqplot.Mark) -> None:
        mark.on_drag_start(self._start_drag)
        mark.on_drag_end(self._end_drag)
        mark.observe(self._clamp_and_report_move, names=["x", "y"])

    @override
    def set_traits(self, **values: object) -> None:
        # Python moves the marker: observers of its place must not take that for a drag.
        self._placing = True
        try:
            super().set_traits(**values)
        finally:
            self._placing = False

    def place(
        self, x: float, y: float, *, marker: str | None = None, text: str = "", hollow: bool = False
    ) -> None:
        """Move the marker to (x, y), clamped to the axes, and set its text, fill and shape."""
        self._home = (self._x.clamp(x), self._y.clamp(y))
        # During a drag the marker follows the pointer; `_end_drag` moves it to this place.
        values = {} if self._dragging else _coordinate_traits(*self._home)
        if marker is not None:
            values["marker"] = marker
        values |= _fill_traits(hollow=hollow)
        self.show_if_data(has_data=True, names=np.array([text] if text else []), **values)

    def _start_drag(self, _mark: object, _content: object) -> None:
        self._dragging = True

    def _end_drag(self, _mark: object, content: object) -> None:
        # A busy browser may not have sent the last position: the message of the end has it.
        self._dragging = False
        try:
            self._call_on_move(*drag_target(content))
        finally:
            self.set_traits(**_coordinate_traits(*self._home))

    def _clamp_and_report_move(self, _change: object) -> None:
        x, y = np.ravel(self.mark.x), np.ravel(self.mark.y)  # None if the browser sent a text
        if self._placing or not x.size or not y.size:
            return
        try:
            raw = finite_point(x[0], y[0])
        except ValueError:
            self.set_traits(**_coordinate_traits(*self._home))
            raise
        inside = self._x.clamp(raw[0]), self._y.clamp(raw[1])
        if inside != raw:
            self.set_traits(**_coordinate_traits(*inside))
        self._call_on_move(*inside)

    def _call_on_move(self, x: float, y: float) -> None:
        """Call `on_move` with (x, y) clamped to the axes, unless the marker is there already."""
        inside = (self._x.clamp(x), self._y.clamp(y))
        home = self._home
        if not (self._x.are_close(inside[0], home[0]) and self._y.are_close(inside[1], home[1])):
            self._on_move(*inside)


def bqplot_marker_options(mark: Any) -> dict[str, object]:
    """Return the bqplot options that fixed and draggable markers share."""
    return {
        "marker": mark.marker,
        "default_size": mark.size,
        "names_unique": False,
        "display_names": False,
    }


def _fill_traits(*, hollow: bool) -> dict[str, object]:
    """Return bqplot options of a draggable marker: hollow, or filled and with a pale edge."""
    return {"fill": not hollow, "stroke": None if hollow else theme.css_color(theme.PAPER)}


def _coordinate_traits(x: float, y: float) -> dict[str, object]:
    return {"x": np.array([x]), "y": np.array([y])}


PLOT_MARKS: dict[type[marks.Mark[Any]], type[PlotMark]] = {
    **dict.fromkeys((marks.Line, marks.Area, marks.Segments), PlotLines),
    **{marks.Points: PlotPoints, marks.Handle: PlotHandle, marks.Cursor: PlotHandle},
}


class PlotAxis:
    """A bqplot scale and a bqplot axis, which take range, ticks and label from an :class:`Axis`."""

    def __init__(
        self, *, is_log: bool, side: str, visible: bool = True, label_offset: str | None = None
    ) -> None:
        self.scale = bqplot.LogScale() if is_log else bqplot.LinearScale()
        offset = "4em" if side == "left" else "2.4em"
        look = {"grid_lines": "none", "label_offset": label_offset or offset, "visible": visible}
        self.axis = bqplot.Axis(scale=self.scale, side=side, **look)

    def update_from(self, axis: Axis) -> None:
        """Set label, range and ticks of the bqplot axis to those of `axis`."""
        self.axis.label = axis.label
        with self.scale.hold_sync():
            self.scale.min, self.scale.max = axis.low, axis.high
        # Labels first, in a separate message: bqplot draws new values with the labels it has.
        self.axis.tick_labels = {_js_number_text(value): text for value, text in axis.ticks.items()}
        self.axis.tick_values = np.array(sorted(axis.ticks))


def _js_number_text(value: float) -> str:
    """Return a number as JavaScript writes it: bqplot finds the label of a tick by this text."""
    # JavaScript writes exponents from 1e21 on and below 1e-6, and no point without decimals.
    if abs(value) >= 1e21:
        return repr(value)
    if value == int(value):
        return str(int(value))
    text = np.format_float_positional(value, trim="-")
    return text if abs(value) >= 1e-6 else repr(value).replace("e-0", "e-")


class PlotFrame(Frame):
    """A bqplot figure on which layers draw; `axes["x"]` is (`Axis`, bqplot scale, bqplot axis)."""

    def __init__(self, scene: Scene) -> None:
        x, y = (
            PlotAxis(
                is_log=spec.scale == "log",
                side="left" if spec is scene.y else "bottom",
                visible=spec.visible,
                label_offset=scene.label_offset if spec is scene.y else None,
            )
            for spec in (scene.x, scene.y)
        )
        above = [PlotAxis(is_log=False, side="top")] if scene.has_top else []
        self.drawn: list[PlotMark] = []
        self._margins = scene.margins
        self._shows_extra_marks = False
        self.figure = bqplot.Figure(
            axes=[each.axis for each in (x, y, *above)],
            fig_margin=scene.margins,
            display_toolbar=False,
            legend_style={"fill": "white", "stroke": "gray"},
            padding_x=0,
            padding_y=0,
            _view_count=0,  # counted, so that the browser can name each element
            scale_x=x.scale,  # bqplot would make two more for marks that have none
            scale_y=y.scale,
            layout=ipywidgets.Layout(**css_width(scene)),
            _dom_classes=css_classes(scene),
        )
        # One message for each widget has its label, range and ticks.
        with ExitStack() as one_message:
            for widget in (self.figure, x.axis, y.axis):
                one_message.enter_context(widget.hold_sync())
            self.x = Axis(scene.x, partial(self._update_axis, x))
            self.y = Axis(scene.y, partial(self._update_axis, y))
        for each in above:
            self.top = Axis(AxisSpec(label=""), each.update_from)
        self.axes = {"x": (self.x, x.scale, x.axis), "y": (self.y, y.scale, y.axis)}

    @override
    def add(self, mark: Mark[D]) -> D:
        scales = {name: scale for name, (_, scale, _) in self.axes.items()}
        options = {"scales": scales, "preserve_domain": {"x": True, "y": True}, **PLACEHOLDER}
        drawn = PLOT_MARKS[type(mark)](mark, self, self._update_figure_marks, **options)
        drawn.set_kept_hidden(mark.extra and not self._shows_extra_marks)
        self.drawn.append(drawn)
        return cast(D, drawn)

    @property
    def created_marks(self) -> list[PlotMark]:
        """The marks whose bqplot marks exist, from back to front."""
        return [drawn for drawn in self.drawn if drawn.is_created]

    def clear(self) -> list[bqplot.Mark]:
        """Forget all marks, so that others can be drawn, and return the figures' marks."""
        old = [drawn.mark for drawn in self.created_marks]
        self.drawn.clear()
        return old

    def _update_figure_marks(self) -> None:
        self.figure.marks = [drawn.mark for drawn in self.created_marks]

    def scale_margins_and_markers(self, factor: float) -> None:
        """Set margins and marker sizes to `factor` times the original sizes, to fit the text."""
        margins = self._margins.items()
        self.figure.fig_margin = {side: round(factor * size) for side, size in margins}
        for drawn in self.drawn:
            if drawn.kind is Scatter:
                drawn.set_traits(default_size=round(factor * drawn.of.size))  # square pixels

    def legend_html(self) -> str:
        """Return the legend of the visible marks as HTML, without repeated rows."""
        named = [drawn.of for drawn in self.created_marks if drawn.of.label and drawn.mark.visible]
        rows = [f"<span>{mark.legend_svg}{escape(self.label_of(mark))}</span>" for mark in named]
        return f'<div class="dpviz-key">{"".join(dict.fromkeys(rows))}</div>'

    def show_extra_marks(self, show: bool) -> None:
        """Show the extra marks, which are hidden at first, or hide these marks again."""
        self._shows_extra_marks = show
        for drawn in self.drawn:
            drawn.set_kept_hidden(drawn.of.extra and not show)

    def _update_axis(self, plot_axis: PlotAxis, axis: Axis) -> None:
        plot_axis.update_from(axis)
        # A place between named bars has no meaning, so the browser shows no number there.
        is_read = axis.spec.visible and not axis.has_names
        set_class = self.figure.remove_class if is_read else self.figure.add_class
        set_class(f"dpviz-named-{plot_axis.axis.side}")
