"""The view of published deployments beside the claim."""

from typing import Any

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics.deployments import DEPLOYMENTS, Deployments
from dpviz.analysis.topics.registry import TABLES
from dpviz.audit.scores.base import Scores
from dpviz.claims.deployments import PER, Per
from dpviz.widgets.base.html import Html, button, fold, html_table, row
from dpviz.widgets.controls.fields import Menu, OptionalBox
from dpviz.widgets.views.figure_view import FigureView, ViewParts

UNITS: dict[str, Per] = {
    "a person or user": "person",
    "a user's day or other period": "period",
    "one event": "event",
    "another unit, or not stated": "other",
}


class DeploymentsView(FigureView):
    """What 34 published guarantees allow at an FPR, by unit of privacy, and any two of them.

    Attributes
    ----------
    per : {"person", "period", "event", "other"}
        A trait: the kind of unit that is shown.
    units : int
        A trait, 1 to 1000: how many units of a deployment are taken together.
    first, second : str
        Traits: labels of two deployments, of any unit, that are shown side by side.

    Examples
    --------
    >>> from dpviz.widgets import DeploymentsView
    >>> view = DeploymentsView(epsilon=1.0, fpr=0.01)
    >>> part = view.result.answers["deployments"]
    >>> part.exposed, len(part.rows)
    (13, 16)
    """

    is_wide = True
    scene = DEPLOYMENTS
    moved_by = ("epsilon", "delta", "fpr", "prior")
    try_it = "choose a user's day, then take 7 days together."
    per = traitlets.Enum(PER, default_value="person")
    units = traitlets.Any(1)
    first = traitlets.Unicode("Redistricting, US Census")
    second = traitlets.Unicode("Community mobility, Google")

    @traitlets.validate("units")
    def _check_units(self, proposal: Any) -> int:
        return checks.whole("units", proposal["value"], 1, 1000)

    @traitlets.validate("first", "second")
    def _check_label(self, proposal: Any) -> str:
        return checks.choice(proposal["trait"].name, proposal["value"], list(Deployments().known))

    @traitlets.observe("per", "units", "first", "second")
    def _refresh(self, _change: object) -> None:
        if self.pictures:
            self.store.refresh()

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        spec, pair = result.spec, (self.first, self.second)
        found = self._deployments.part(
            spec.claim, self.per, self.units, pair, result.example_fpr, spec.prior
        )
        return {"deployments": found}

    def contents(self) -> list[ipywidgets.Widget]:
        self._deployments = Deployments()
        return super().contents()

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        known = {label: label for label in sorted(self._deployments.known)}
        self.unit_menu = Menu("per", "unit", UNITS, self.choose)
        self.units_box = OptionalBox(
            "units",
            "units together",
            "1 to 1000, such as the days of one user",
            self.choose,
        )
        self.units_box.widget.add_class("dpviz-short")
        self.pair_menus = [
            Menu("first", "compare", known, self.choose),
            Menu("second", "with", known, self.choose),
        ]
        self.pin = button(
            "Pin both", self._pin, tooltip="draw both beside the claim in the other pictures"
        )
        self.pair_table, self.table = Html(), Html()
        lead, *others = parts.words.children
        parts.words.children = (
            lead,
            row([self.unit_menu.widget, self.units_box.widget]),
            row([*(menu.widget for menu in self.pair_menus), self.pin]),
            self.pair_table,
            *others,
            fold("Numbers", [self.table]),
        )
        return [parts.title, parts.error, parts.figure, parts.words]

    def choose(self, **changes: Any) -> None:
        """Set the unit, how many count together, or one of the two, on behalf of the user."""
        with self.guarded():
            for name, value in changes.items():
                setattr(self, name, value)
        self.follow_controls(self.result)

    def follow_controls(self, result: Result) -> None:
        super().follow_controls(result)
        self.unit_menu.follow(self)
        self.units_box.follow(self)
        for menu in self.pair_menus:
            menu.follow(self)
        own = self.with_own(result)
        self.pair_table.value = html_table(*TABLES["deployments_pair"](own))
        self.table.value = html_table(*TABLES["deployments"](own))

    def _pin(self) -> None:
        """Make the two the overlays, so that their curves are drawn beside the claim's."""
        part = self.with_own(self.result).answers["deployments"]
        self.change(overlays=tuple(dict.fromkeys(row.guarantee for row in part.pair)))
