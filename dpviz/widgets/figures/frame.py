"""A frame that bqplot shows."""

from collections.abc import Callable
from typing import Literal

import bqplot
import ipywidgets
import numpy as np

from dpviz.pictures import theme
from dpviz.pictures.axes import Axis
from dpviz.pictures.frame import Frame
from dpviz.pictures.scene import MARGINS, Scene
from dpviz.widgets.figures.marks import PlotCurve, PlotHandle, PlotPoints, PlotSegments
from dpviz.widgets.figures.plot_axis import PlotAxis

PLACEHOLDER = {"x": np.array([0.5]), "y": np.array([0.5])}


class PlotFrame(Frame):
    """A bqplot figure behind the vocabulary of frames; no layer sees bqplot.

    Parameters
    ----------
    scene : Scene
        Whose axes are shown.

    Attributes
    ----------
    axes : dict
        By "x" and "y": the axis, and the scale and the axis of bqplot that follow it.
    """

    def __init__(self, scene: Scene) -> None:
        x = PlotAxis(is_log=scene.x.scale == "log", vertical=False)
        y = PlotAxis(is_log=scene.y.scale == "log", vertical=True)
        self._x, self._y = x.scale, y.scale
        if scene.label_offset is not None:
            y.axis.label_offset = scene.label_offset
        self.legend: list[str] = []
        self.figure = bqplot.Figure(
            axes=[x.axis, y.axis],
            fig_margin={**MARGINS, "left": scene.left},
            display_toolbar=False,
            legend_style={"fill": "white", "stroke": "gray"},
            padding_x=0,
            padding_y=0,
            _view_count=0,  # counted, so that the browser can name each element
            layout=ipywidgets.Layout(width="100%", height="330px", min_width="0"),
        )
        self.x, self.y = Axis(scene.x, self._follower(x)), Axis(scene.y, self._follower(y))
        self.axes = {"x": (self.x, x.scale, x.axis), "y": (self.y, y.scale, y.axis)}

    def line(
        self,
        *,
        color: str,
        dash: theme.Dash = "solid",
        width: float = 2,
        steps: bool = False,
        fill: float = 0,
        label: str = "",
    ) -> PlotCurve:
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
        return PlotCurve(mark)

    def area(
        self,
        *,
        color: str,
        opacity: float,
        outline: bool = True,
        dash: theme.Dash = "solid",
        width: float = 2,
        label: str = "",
    ) -> PlotCurve:
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
        return PlotCurve(mark)

    def segments(self, *, color: str, width: float = 1, label: str = "") -> PlotSegments:
        """Straight pieces that do not hang together, such as error bars."""
        mark = self._lines(colors=[color], stroke_width=width)
        self._explain(label, theme.swatch(color))
        return PlotSegments(mark)

    def points(
        self,
        *,
        color: str,
        marker: str = "circle",
        size: int = 55,
        raise_text: float = 0,
        on_pick: Callable[[int], None] | None = None,
        label: str = "",
        hint: str = "",
    ) -> PlotPoints:
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
        self._explain(label, theme.marker(color, marker), hint)
        return PlotPoints(mark)

    def handle(
        self,
        *,
        color: str,
        marker: str,
        on_move: Callable[[float, float], None],
        only: Literal["x", "y"] | None = None,
        label: str = "",
        hint: str = "",
    ) -> PlotHandle:
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
        self._explain(label, theme.marker(color, marker), hint)
        return PlotHandle(mark, self.x, self.y, on_move)

    def _follower(self, drawn: PlotAxis) -> Callable[[Axis], None]:
        def follow(axis: Axis) -> None:
            drawn.follow(axis)
            say = self.figure.add_class if axis.has_names else self.figure.remove_class
            say(f"dpviz-named-{drawn.axis.side}")

        return follow

    def _lines(self, **options: object) -> bqplot.Lines:
        mark = bqplot.Lines(
            scales={"x": self._x, "y": self._y},
            preserve_domain={"x": True, "y": True},
            visible=False,
            **PLACEHOLDER,
            **options,
        )
        return self._add(mark)

    def _scatter(self, **options: object) -> bqplot.Scatter:
        mark = bqplot.Scatter(
            scales={"x": self._x, "y": self._y},
            preserve_domain={"x": True, "y": True},
            names_unique=False,
            **PLACEHOLDER,
            **options,
        )
        return self._add(mark)

    def _add(self, mark: bqplot.Mark) -> bqplot.Mark:
        self.figure.marks = [*self.figure.marks, mark]
        return mark

    def _explain(self, label: str, swatch: str, hint: str = "") -> None:
        if label:
            text = f"{label}: {hint}" if hint else label
            self.legend.append(f"<span>{swatch}{text}</span>")
