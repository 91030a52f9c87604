"""The trade-off view: FNR against FPR, or TPR against FPR where both are small."""

from typing import Literal

import ipywidgets
import traitlets

from dpviz.analysis import Result
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import TAIL, TRADEOFF
from dpviz.widgets.controls import Menu
from dpviz.widgets.picture import Picture
from dpviz.widgets.view import FigureView

Axes = Literal["linear", "log-log"]
AXES = {"FNR against FPR": "linear", "TPR against FPR, log-log": "log-log"}


class TradeoffView(FigureView):
    """The claim's trade-off curve against the attack's, with its band and what chance gives.

    Attributes
    ----------
    axes : {"linear", "log-log"}
        A trait. Logarithmic axes show the TPR: where few are accused, the FNR is flat.
    """

    axes = traitlets.Enum(["linear", "log-log"], default_value="linear")

    def scene(self) -> Scene:
        """On linear axes."""
        return TRADEOFF

    def contents(self) -> list[ipywidgets.Widget]:
        """The picture of the chosen axes; bqplot cannot size one that is hidden."""
        title, error, _, *rest = super().contents()
        self._by_axes = {"linear": self.pictures[0], "log-log": Picture(TAIL, self)}
        self._menu = Menu("axes", "axes", AXES, self._choose)
        self._place = ipywidgets.VBox(layout=ipywidgets.Layout(min_width="0", overflow="hidden"))
        return [title, error, self._menu.widget, self._place, *rest]

    def draw(self, result: Result) -> None:
        """Draw the picture that is shown, and the sentences."""
        self.pictures = [self._by_axes[self.axes]]
        super().draw(result)
        self._place.children = [self.pictures[0].widget]
        self._menu.follow(self)

    @traitlets.observe("axes")
    def _redraw(self, _change: object) -> None:
        self.draw(self.result)

    def _choose(self, axes: Axes) -> None:
        self.axes = axes
