"""A figure that stays as it is: title, key of its lines, picture, one sentence, what is assumed."""

from collections.abc import Sequence

import ipywidgets

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.frame import Frame
from dpviz.pictures.layers.simulation import Series, draw_series
from dpviz.pictures.scene import WIDEST_SQUARE, Scene, Shape
from dpviz.pictures.svg.frame import SvgFrame
from dpviz.pictures.svg.page import SvgPicture, page
from dpviz.widgets.base.html import Html, block, fold, heading, rules
from dpviz.widgets.base.saving import SavingMixin
from dpviz.widgets.figures.style import CSS
from dpviz.widgets.views.figure_view import WHY


class FixedView(SavingMixin, ipywidgets.VBox):
    """A figure of series that does not follow a claim.

    Parameters
    ----------
    title, sentence : str
    x, y : AxisSpec
    series : sequence of Series
        From back to front.
    shape : {"wide", "square"}
    details : str
        Why this is so, and what is assumed: folded away.
    names : sequence of str
        Instead of numbers along x: of the places 0.5, 1.5, ...

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.pictures.axes import AxisSpec
    >>> from dpviz.pictures.layers.simulation import Series
    >>> from dpviz.widgets.views.fixed import FixedView
    >>> line = Series(label="identity", places=np.array([[0.0, 0.0], [1.0, 1.0]]), color="#000000")
    >>> axes = {"x": AxisSpec(label="x"), "y": AxisSpec(label="y")}
    >>> view = FixedView(title="Identity", sentence="y = x.", series=[line], **axes)
    >>> view.svg().startswith("<svg")
    True
    """

    def __init__(
        self,
        *,
        title: str,
        sentence: str,
        x: AxisSpec,
        y: AxisSpec,
        series: Sequence[Series],
        shape: Shape = "wide",
        details: str = "",
        names: Sequence[str] = (),
    ) -> None:
        from dpviz.widgets.figures.frame import PlotFrame  # slow to import: bqplot, with pandas

        self.scene, self.sentence = Scene(title=title, x=x, y=y, shape=shape, layers=list), sentence
        self.frame, self.series = PlotFrame(self.scene), tuple(series)
        self.names = tuple(names)
        self._draw(self.frame)
        super().__init__(
            [
                rules(CSS),
                Html(heading(title)),
                Html(self.frame.key()),
                self.frame.figure,
                Html(block("dpviz-sentence", sentence)),
                fold(WHY, [Html(block("dpviz-sentence", details))], is_hidden=not details),
            ],
            layout=ipywidgets.Layout(
                min_width="0",
                max_width=f"{WIDEST_SQUARE}px" if shape == "square" else None,
                overflow="hidden",
            ),
        )
        self.add_class("dpviz")
        self.add_class(f"dpviz-{type(self).__name__}")

    def svg(self, prefix: str = "") -> str:
        """The picture as an SVG document, whose ids begin with `prefix`."""
        frame = SvgFrame(self.scene, f"{prefix}fixed")
        self._draw(frame)
        return page([SvgPicture(frame, self.scene.title, [self.sentence])])

    def _draw(self, frame: Frame) -> None:
        for one in self.series:
            draw_series(frame, one)
        if self.names:
            frame.x.set_bars(self.names, first=0)
