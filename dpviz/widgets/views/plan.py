"""The view of the planner: how many records would certify the claim's epsilon."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.analysis.parts.plan import POWERS, PlanPart, PlanQuestion, record_plan
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.evidence import PLAN
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.views.audit import LEVELS
from dpviz.widgets.views.computed import ComputedView


class PlanView(ComputedView):
    """Numbers of records with the power that they give an audit by an attack like this one.

    Examples
    --------
    >>> from dpviz.widgets import PlanView
    >>> view = PlanView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=0.5)
    >>> view.choose(power=0.9)
    >>> view.question(view.result).power
    0.9
    """

    scene = PLAN
    moved_by = ("epsilon", "delta")
    name = "plan"
    action: ClassVar[str] = "Plan"
    progress_text: ClassVar[str] = "simulating audits ..."
    requirement: ClassVar[str] = "A plan needs scores of an attack: load a sample or your own file."
    power: float = 0.8

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("power", "probability", {percent(p): p for p in POWERS}, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> PlanQuestion:
        return PlanQuestion(
            epsilon=result.claim.epsilon,
            delta=result.claim.delta,
            confidence_level=result.spec.confidence_level,
            power=self.power,
        )

    def work(self, subject: Scores, question: PlanQuestion, progress: Progress) -> PlanPart:
        return record_plan(subject, question, progress=progress)

    def follow_controls(self, result: Result) -> None:
        for control in self.controls:
            control.follow(self.question(result))

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices
