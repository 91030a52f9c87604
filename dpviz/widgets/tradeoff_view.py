"""The trade-off view: FNR against FPR, or TPR against FPR where both are small."""

from typing import Any, ClassVar, Literal

import ipywidgets
import traitlets

from dpviz.analysis import Result
from dpviz.analysis.log_log import LOWEST, on_axes
from dpviz.widgets.controls import Menu
from dpviz.widgets.figures import AxisSpec, Frame
from dpviz.widgets.layers.attack_curve import AttackCurveLayer
from dpviz.widgets.layers.attack_point import AttackPoint
from dpviz.widgets.layers.bands import RuledOut, as_tail, attack_band, null_band
from dpviz.widgets.layers.claim_curve import ClaimCurve
from dpviz.widgets.layers.layer import Layer
from dpviz.widgets.layers.log_log import AttackTail, ClaimTail, on_tail
from dpviz.widgets.layers.overlays import Overlays, on_curve
from dpviz.widgets.layers.selected_fpr import SelectedFpr
from dpviz.widgets.layers.supporting_line import SupportingLine
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

    title: ClassVar[str] = "Trade-off of FPR and FNR"
    sentences: ClassVar[tuple[str, ...]] = ("tradeoff", "comparison", "band")
    axes = traitlets.Enum(["linear", "log-log"], default_value="linear")

    def frame(self) -> Frame:
        """The unit square."""
        fpr = AxisSpec(label="FPR: non-members accused")
        return Frame(x=fpr, y=AxisSpec(label="FNR: members missed"))

    def layers(self) -> list[Layer]:
        """Bands, claim, overlays, attack, selected FPR, the line that reads epsilon off."""
        return [
            RuledOut(),
            null_band(),
            attack_band(),
            ClaimCurve(),
            Overlays(lambda overlay: overlay.curve, on_curve),
            AttackCurveLayer(),
            SelectedFpr(),
            AttackPoint(),
            SupportingLine(),
        ]

    def contents(self) -> list[ipywidgets.Widget]:
        """The picture of the chosen axes; bqplot cannot size one that is hidden."""
        title, error, _, *rest = super().contents()
        self._by_axes = {"linear": self.pictures[0], "log-log": self._log_log()}
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

    def _log_log(self) -> Picture:
        """TPR against FPR; claims are limits from above there."""
        rate: dict[str, Any] = {"low": LOWEST, "scale": "log"}
        frame = Frame(
            x=AxisSpec(label="FPR: non-members accused (log scale)", **rate),
            y=AxisSpec(label="TPR: members caught (log scale)", **rate),
        )
        layers: list[Layer] = [
            RuledOut(as_tail, beyond=LOWEST),
            null_band(as_tail),
            attack_band(as_tail),
            ClaimTail(),
            Overlays(lambda overlay: on_axes(overlay.tail), on_tail),
            AttackTail(),
            SelectedFpr(),
            AttackPoint(on_tail=True),
        ]
        return Picture(frame, layers, self.change)
