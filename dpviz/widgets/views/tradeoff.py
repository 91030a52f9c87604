"""The trade-off view: both errors, or members that are detected against false positives."""

import ipywidgets
import traitlets

from dpviz.pictures.scenes import ROC, TAIL, TRADEOFF
from dpviz.widgets.base.html import fold
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.views.figure_view import OPTIONS, FigureView, ViewParts, place

AXES = {"both errors": "linear", "ROC": "roc", "ROC, log-log": "log-log"}


class TradeoffView(FigureView):
    """The claim's trade-off curve against the attack's, with its band and what chance gives.

    Attributes
    ----------
    axes : {"linear", "roc", "log-log"}
        A trait: FNR against FPR, or TPR against FPR on linear or on logarithmic axes.

    Examples
    --------
    >>> from dpviz.widgets import TradeoffView
    >>> view = TradeoffView(epsilon=1.0)
    >>> view.axes = "log-log"
    >>> view.active_pictures[0].scene.y.scale
    'log'
    """

    scene = TRADEOFF
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "move ε until the claim's curve reaches the attack's."
    further = (ROC, TAIL)
    axes = traitlets.Enum(list(AXES.values()), default_value="linear")

    @property
    def active_pictures(self) -> list[Picture]:
        return [self.pictures[list(AXES.values()).index(self.axes)]]

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        self.pictures += map(self.picture, self.further)
        self.menu = Menu("axes", "axes", AXES, lambda axes: self.set_trait("axes", axes))
        self.place = place(*self.active_pictures)
        parts.words.children += (fold(OPTIONS, [self.menu.widget]),)
        return [parts.title, parts.error, self.place, parts.words]

    @traitlets.observe("axes")
    def _redraw(self, _change: object) -> None:
        if self.pictures:
            self.draw(self.result)
            # bqplot cannot size a figure that is hidden: the other one is not on the page.
            self.place.children = [picture.widget for picture in self.active_pictures]
            self.menu.follow(self)
