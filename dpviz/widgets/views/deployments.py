"""The view of published deployments beside the claim."""

from typing import Any

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics.deployments import DEPLOYMENTS, deployments_by_label, deployments_part
from dpviz.analysis.topics.registry import TABLES
from dpviz.audit.scores.base import Scores
from dpviz.claims.deployments import PER, Per
from dpviz.widgets.base.html import Html, button, html_table, row
from dpviz.widgets.controls.fields import Menu, NumberBox
from dpviz.widgets.views.figure_view import FigureView

UNITS: dict[str, Per] = {
    "a person or user": "person",
    "a user's day or other period": "period",
    "one event": "event",
    "another unit, or not stated": "other",
}


class DeploymentsView(FigureView):
    """The TPR that published guarantees allow at an FPR.

    The view shows one kind of privacy unit at a time.

    Attributes
    ----------
    per : {"person", "period", "event", "other"}, a trait: the kind of unit that is shown
    units : int, a trait, 1 to 1000: how many units of a deployment are taken together
    first, second : str, traits: labels of two deployments, of any unit, shown side by side

    Examples
    --------
    >>> from dpviz.widgets import DeploymentsView
    >>> view = DeploymentsView(epsilon=1.0, fpr=0.01)
    >>> part = view.result.answers["deployments"]
    >>> part.n_tpr_above_half, len(part.rows)
    (13, 16)
    """

    is_wide = True
    scene = DEPLOYMENTS
    moved_by = ("epsilon", "delta", "fpr", "prior")
    try_it = "choose a user's day, then take 7 days together."
    table_name = "deployments"
    per = traitlets.Enum(PER, default_value="person")
    units = traitlets.Any(1)
    first = traitlets.Unicode("Redistricting, US Census")
    second = traitlets.Unicode("Community mobility, Google")

    @traitlets.validate("units")
    def _validated_unit_count(self, proposal: Any) -> int:
        return checks.whole("units", proposal["value"], 1, 1000)

    @traitlets.validate("first", "second")
    def _validated_deployment_label(self, proposal: Any) -> str:
        known = list(deployments_by_label())
        return checks.choice(proposal["trait"].name, proposal["value"], known)

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        spec, own = result.spec, (self.per, self.units, (self.first, self.second))
        return {"deployments": deployments_part(spec.claim, *own, result.fpr, spec.prior)}

    def make_visible_controls(self) -> list[ipywidgets.Widget]:
        self.observe(lambda _: self.store.refresh(), names=["per", "units", "first", "second"])
        known = {label: label for label in sorted(deployments_by_label())}
        hint = "number of units, 1 to 1000, such as the days of one user"
        units = NumberBox("units", "units together", hint, self.choose)
        units.widget.add_class("dpviz-short")
        self.choices: list[Menu | NumberBox] = [
            Menu("per", "unit", UNITS, self.choose),
            units,
            Menu("first", "compare", known, self.choose),
            Menu("second", "with", known, self.choose),
        ]
        hint = "draw both deployments beside the claim in other pictures"
        self.pin = button("Pin both", self._pin_both_deployments, tooltip=hint)
        self.pair_table = Html()
        per, together, first, second = (choice.widget for choice in self.choices)
        return [row([per, together]), row([first, second, self.pin]), self.pair_table]

    def update_controls(self, result: Result) -> None:
        for choice in self.choices:
            choice.update_from(self)
        table = TABLES["deployments_pair"](self.with_answers_of_view(result))
        self.pair_table.value = html_table(*table)

    def _pin_both_deployments(self) -> None:
        part = self.with_answers_of_view(self.result).answers["deployments"]
        self.change(overlays=tuple(dict.fromkeys(row.guarantee for row in part.pair)))
