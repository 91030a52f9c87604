"""The trade-off view: both errors, or members that are detected against false positives."""

from functools import partial

import ipywidgets
import traitlets

from dpviz.analysis import Result
from dpviz.analysis.sentences.registry import TABLES
from dpviz.pictures.scenes.errors import ROC, TAIL, TRADEOFF
from dpviz.widgets.base.html import Html, button, fold, html_table, row, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.views.figure_view import OPTIONS, FigureView, ViewParts, place

RECORDS = {
    "same only where known": None,
    "same as this attack's, same order": True,
    "others": False,
}
REMOVE = "Remove {}"
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

    def make_texts(self) -> dict[str, Html]:
        # One lead is on the page at a time; two scenes have the same.
        leads = dict.fromkeys(scene.lead for scene in (self.scene, *self.further))
        hidden = {name: Html(is_hidden=True) for name in leads}
        return hidden | {name: Html() for name in self.scene.details}

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        self.pictures += map(self.picture, self.further)
        self.menu = Menu("axes", "axes", AXES, lambda axes: self.set_trait("axes", axes))
        self.controls = [Menu("same_records", "records", RECORDS, self.change)]
        self.removals, self.table = row([]), Html()
        self.numbers = fold("Attacks in numbers", [self.table], is_hidden=True)
        self.compared = stack(
            [*(menu.widget for menu in self.controls), self.removals], is_hidden=True
        )
        self.place = place(*self.active_pictures)
        options = fold(OPTIONS, [self.menu.widget, self.compared])
        parts.words.children += (self.numbers, options)
        return [parts.title, parts.error, self.place, parts.words]

    def draw(self, result: Result) -> None:
        super().draw(result)
        lead = self.active_pictures[0].scene.lead
        for scene in (self.scene, *self.further):
            self.texts[scene.lead].is_hidden = scene.lead != lead
        names, shown = [*result.spec.compare], [each.description for each in self.removals.children]
        if [REMOVE.format(name) for name in names] != shown:
            for each in self.removals.children:
                each.close()
            self.removals.children = [
                button(REMOVE.format(name), partial(self._remove, name)) for name in names
            ]
        for each in (self.numbers, self.compared):
            each.is_hidden = not names
        self.table.value = html_table(*TABLES["attacks"](result)) if names else ""

    def _remove(self, name: str) -> None:
        self.change(compare=self.store.spec.compare.without(name))

    @traitlets.observe("axes")
    def _redraw(self, _change: object) -> None:
        if self.pictures:
            self.draw(self.result)
            # bqplot cannot size a figure that is hidden: the other one is not on the page.
            self.place.children = [picture.widget for picture in self.active_pictures]
            self.menu.follow(self)
