"""The view of lower bounds on epsilon: all methods side by side, computed on request."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.analysis.parts.bounds import BoundsPart, BoundsQuestion, lower_bounds
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.evidence import BOUNDS
from dpviz.widgets.base.html import Html, block
from dpviz.widgets.controls.fields import Menu, OptionalBox
from dpviz.widgets.views.audit import LEVELS, RECORDS
from dpviz.widgets.views.computed import ComputedView

CAUTIONS = "bounds_cautions"  # in sight
DIRECTIONS = {"as given": "attack", "both": "both"}
PRESET = (
    "in the unit of the scores, and fixed before looking at them; with one, methods that need it "
    "are shown too"
)


class BoundsView(ComputedView):
    """Lower bounds on epsilon of all methods, beside the claim's epsilon and the ceiling.

    Examples
    --------
    >>> from dpviz.widgets import BoundsView
    >>> view = BoundsView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), delta=1e-3)
    >>> view.choose(directions="both")
    >>> view.shown.question.directions, len(view.shown.bounds)  # until they are computed
    ('both', 0)
    """

    scene = BOUNDS
    moved_by = ("epsilon", "delta")
    name = "bounds"
    action: ClassVar[str] = "Compute"
    progress_text: ClassVar[str] = "computing lower bounds ..."
    requirement: ClassVar[str] = (
        "Bounds need scores of members and non-members: load a sample or your own file."
    )
    own = _question = BoundsQuestion()  # `own`: the directions and the threshold that were chosen

    @property
    def shown(self) -> BoundsPart:
        """The question, and the bounds once they are computed."""
        return self.answer or BoundsPart(question=self.result.answers["bounds_question"])

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("applies_to", "data", RECORDS, self.change),
            Menu("directions", "direction", DIRECTIONS, self.choose),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> BoundsQuestion:
        spec = result.spec
        asked = replace(
            self.own,
            delta=result.claim.delta,
            confidence_level=spec.confidence_level,
            applies_to=spec.applies_to,
            method=spec.lower_bound_method,
        )
        if asked != self._question:  # else the same object: there is nothing to draw
            self._question = asked
        return self._question

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return super().answers(result, scores) | {"bounds_question": self.question(result)}

    def work(self, subject: Scores, question: BoundsQuestion, progress: Progress) -> BoundsPart:
        return lower_bounds(subject, question, progress=progress)

    def make_texts(self) -> dict[str, Html]:
        return {name: text for name, text in super().make_texts().items() if name != CAUTIONS}

    def written(self, result: Result) -> str:
        cautions = result.sentences[CAUTIONS]
        return super().written(result) + (block("dpviz-warnings", cautions) if cautions else "")

    def follow_controls(self, result: Result) -> None:
        for control in self.controls:
            control.follow(self.question(result))

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        return {"own": replace(self.own, **choices)}
