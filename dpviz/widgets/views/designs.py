"""The view of several designs of an audit: how many records each needs."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.analysis.parts.designs import Compared, DesignsPart, DesignsQuestion, audit_designs
from dpviz.analysis.parts.plan import POWERS
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.evidence import DESIGNS
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.views.audit import LEVELS
from dpviz.widgets.views.computed import ComputedView

MENU: dict[str, Compared] = {"ways to audit": "designs", "several ε": "epsilons"}


class DesignsView(ComputedView):
    """The power of several audits over their number of records, with an attack like this one.

    Without scores the attack is the best one that the claim allows.

    Examples
    --------
    >>> from dpviz.widgets import DesignsView
    >>> view = DesignsView(epsilon=1.0, delta=0.0)
    >>> view.choose(compared="epsilons")
    >>> view.question(view.result).compared
    'epsilons'
    """

    scene = DESIGNS
    needs_scores: ClassVar[bool] = False
    moved_by = ("epsilon", "delta")
    name = "designs"
    action: ClassVar[str] = "Plan"
    progress_text: ClassVar[str] = "simulating audits ..."
    requirement: ClassVar[str] = "A plan needs a claim, or scores of an attack."
    power: float = 0.8
    compared: Compared = "designs"

    def can_compute(self) -> bool:
        return self.store.scores is not None or self.result.is_claimed

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("compared", "compare", MENU, self.choose),
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("power", "probability", {percent(p): p for p in POWERS}, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> DesignsQuestion:
        return DesignsQuestion(
            claim=result.claim.claim if self.store.scores is None else None,
            epsilon=result.claim.epsilon,
            delta=result.claim.delta,
            confidence_level=result.spec.confidence_level,
            power=self.power,
            compared=self.compared,
        )

    def work(
        self, subject: Scores | None, question: DesignsQuestion, progress: Progress
    ) -> DesignsPart:
        return audit_designs(subject, question, progress=progress)

    def follow_controls(self, result: Result) -> None:
        for control in self.controls:
            control.follow(self.question(result))

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices
