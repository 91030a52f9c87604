"""The audit in one view: what these records show of the claim, and what they could have shown."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.analysis.sentences.registry import TABLES
from dpviz.pictures.scenes.evidence import EVIDENCE
from dpviz.widgets.base.audit_job import AuditJob
from dpviz.widgets.base.html import Html, fold, html_table, row
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.views.figure_view import OPTIONS, FigureView, ViewParts

LEVELS = {percent(level): level for level in (0.9, 0.95, 0.99)}
RECORDS = {
    "one model, train against hold-out": "instance",
    "many trainings with and without a canary, or random inclusion": "mechanism",
}

NEIGHBOURS = {
    "automatic": None,
    "add or remove one": "add_remove",
    "replace one record": "replace_one",
}


class AuditView(FigureView):
    """The claim against the lower bound, the ceiling of these records, and chance.

    The slow parts are computed by the store's :class:`AuditJob`.

    Examples
    --------
    >>> from dpviz.widgets import AuditView
    >>> view = AuditView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=1.0)
    >>> view.result.sample.audit.bound is None  # until it is computed
    True
    """

    scene = EVIDENCE
    moved_by = ("epsilon", "delta")
    try_it = "move ε to the lower bound: from there on the claim is not contradicted."

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        parts.words.children += (
            *([self.audit.widget] if self.is_alone else []),  # else the answer has it
            fold(OPTIONS, parts.controls),
            fold("Numbers", [self.table]),
        )
        return [parts.title, parts.error, parts.figure, parts.words]

    def make_controls(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("applies_to", "data", RECORDS, self.change),
            Menu("neighbours", "compared under", NEIGHBOURS, self.change),
        ]
        self.table = Html()
        self.audit = self.store.shared(AuditJob)
        self.audit.watch(self)
        menus = row(control.widget for control in self.controls)
        return [menus]

    def compute(self) -> None:
        """Compute what is not known yet, in the background where there is an event loop."""
        self.audit.compute()

    def draw(self, result: Result) -> None:
        super().draw(result)
        self.table.value = html_table(*TABLES["rates"](result)) if result.sample else ""
