"""One figure: two axes and the marks that layers ask for, drawn in the order of asking."""

from collections.abc import Callable
from typing import Literal

import bqplot
import ipywidgets
import numpy as np

from dpviz.widgets.figures import theme
from dpviz.widgets.figures.axes import AxisSpec, PlotAxis
from dpviz.widgets.figures.marks import Cursor, Curve, Handle, Points, Segments

MARGINS = {"top": 12, "bottom": 46, "left": 62, "right": 18}
PLACEHOLDER = {"x": np.array([0.5]), "y": np.array([0.5])}


class Frame:
    """A bqplot figure behind a small vocabulary; no layer sees bqplot.

    Parameters
    ----------
    x, y : AxisSpec
    left : int
        Pixels left of the y axis, for its ticks.
    label_offset : str, optional
        How far from the y axis its name stands, where ticks are long.
    """

    def __init__(
        self,
        *,
        x: AxisSpec,
        y: AxisSpec,
        left: int = MARGINS["left"],
        label_offset: str | None = None,
    ) -> None:
        self.x = PlotAxis(x, vertical=False)
        self.y = PlotAxis(y, vertical=True)
        if label_offset is not None:
            self.y.axis.label_offset = label_offset
        self.legend: list[str] = []
        self.figure = bqplot.Figure(
            axes=[self.x.axis, self.y.axis],
            fig_margin={**MARGINS, "left": left},
            display_toolbar=False,
            padding_x=0,
            padding_y=0,
            layout=ipywidgets.Layout(width="100%", height="330px", min_width="0"),
        )

    def line(
        self,
        *,
        color: str,
        dash: theme.Dash = "solid",
        width: float = 2,
        steps: bool = False,
        fill: float = 0,
        label: str = "",
    ) -> Curve:
        """A line; `steps` holds each value until the next x; `fill` is the opacity down to 0."""
        mark = self._lines(
            colors=[color],
            line_style=dash,
            stroke_width=width,
            interpolation="step-after" if steps else "linear",
            fill="bottom" if fill else "none",
            fill_colors=[color],
            fill_opacities=[fill],
        )
        self._explain(label, theme.swatch(color, dash=dash, fill=fill))
        return Curve(mark)

    def area(
        self,
        *,
        color: str,
        opacity: float,
        outline: bool = True,
        dash: theme.Dash = "solid",
        width: float = 2,
        label: str = "",
    ) -> Curve:
        """A filled outline."""
        mark = self._lines(
            colors=[color],
            line_style=dash,
            stroke_width=width if outline else 0,
            fill="inside",
            close_path=True,
            fill_colors=[color],
            fill_opacities=[opacity],
        )
        self._explain(label, theme.swatch(color, dash=dash if outline else None, fill=opacity))
        return Curve(mark)

    def segments(self, *, color: str, width: float = 1, label: str = "") -> Segments:
        """Straight pieces that do not hang together, such as error bars."""
        mark = self._lines(colors=[color], stroke_width=width)
        self._explain(label, theme.swatch(color))
        return Segments(mark)

    def points(
        self,
        *,
        color: str,
        marker: str = "circle",
        size: int = 55,
        raise_text: float = 0,
        on_pick: Callable[[int], None] | None = None,
        label: str = "",
    ) -> Points:
        """Fixed markers; `size` is an area in pixels, texts stand `raise_text` pixels higher.

        `on_pick` gets the number of a marker that was clicked.
        """
        mark = self._scatter(
            colors=[color],
            marker=marker,
            default_size=size,
            label_display_vertical_offset=raise_text,
        )
        if on_pick is not None:
            mark.on_element_click(lambda _, event: on_pick(int(event["data"]["index"])))
        self._explain(label, theme.marker(color, marker))
        return Points(mark)

    def handle(
        self,
        *,
        color: str,
        marker: str,
        on_move: Callable[[float, float], None],
        only: Literal["x", "y"] | None = None,
        label: str = "",
    ) -> Handle:
        """A marker to drag, along one axis only if asked; `on_move` gets places inside the axes."""
        mark = self._scatter(
            colors=[color],
            marker=marker,
            default_size=150,
            stroke="#ffffff",
            stroke_width=1.5,
            enable_move=True,
            update_on_move=True,
            restrict_x=only == "x",
            restrict_y=only == "y",
        )
        self._explain(label, theme.marker(color, marker))
        return Handle(mark, self.x, self.y, on_move)

    def cursor(self, *, on_move: Callable[[float], None], label: str) -> Cursor:
        """A vertical line to drag along x; `on_move` gets an x inside the axis."""
        line = self.line(color=theme.SELECTION, dash="dashed", width=1.5)
        handle = self.handle(
            color=theme.SELECTION,
            marker="triangle-up",
            on_move=lambda x, _: on_move(x),
            only="x",
            label=label,
        )
        return Cursor(line, handle, self.y)

    def _lines(self, **options: object) -> bqplot.Lines:
        mark = bqplot.Lines(
            scales={"x": self.x.scale, "y": self.y.scale},
            preserve_domain={"x": True, "y": True},
            visible=False,
            **PLACEHOLDER,
            **options,
        )
        return self._add(mark)

    def _scatter(self, **options: object) -> bqplot.Scatter:
        mark = bqplot.Scatter(
            scales={"x": self.x.scale, "y": self.y.scale},
            preserve_domain={"x": True, "y": True},
            names_unique=False,
            **PLACEHOLDER,
            **options,
        )
        return self._add(mark)

    def _add(self, mark: bqplot.Mark) -> bqplot.Mark:
        self.figure.marks = [*self.figure.marks, mark]
        return mark

    def _explain(self, label: str, swatch: str) -> None:
        if label:
            self.legend.append(f"<span>{swatch}{label}</span>")
