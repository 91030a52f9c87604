"""A frame that bqplot shows."""

from contextlib import ExitStack
from functools import partial
from html import escape
from typing import cast

import bqplot
import ipywidgets
import numpy as np
from typing_extensions import override

from dpviz.drawing.axes import Axis
from dpviz.drawing.frame import Frame
from dpviz.drawing.marks import D, Mark
from dpviz.drawing.scene import Scene
from dpviz.widgets.figures.marks import PLOT_MARKS, PlotMark
from dpviz.widgets.figures.still import classes_of, place_of


class PlotAxis:
    """A scale and an axis of bqplot, which follow an :class:`Axis`; equal values send nothing."""

    def __init__(
        self,
        *,
        is_log: bool,
        vertical: bool,
        visible: bool = True,
        label_offset: str | None = None,
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
    if abs(value) >= 1e21:
        return repr(value)
    if value == int(value):
        return str(int(value))
    text = np.format_float_positional(value, trim="-")
    return text if abs(value) >= 1e-6 else repr(value).replace("e-0", "e-")


# A frame that bqplot shows.

PLACEHOLDER = {"x": np.array([0.5]), "y": np.array([0.5])}  # of a mark before it is drawn


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
        is_read = axis.spec.visible and not axis.has_names
        set_class = self.figure.remove_class if is_read else self.figure.add_class
        set_class(f"dpviz-named-{drawn.axis.side}")
