"""The view of lower bounds on epsilon: all methods side by side, computed when asked for."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.bounds import BoundsPart, BoundsQuestion, lower_bounds
from dpviz.analysis.bounds_sentences import EACH_ALONE, HEAD, cautions, summary, table
from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.bounds import CeilingAcrossBars, ClaimAcrossBars, bound_bars
from dpviz.pictures.scene import Scene
from dpviz.widgets.asked_view import AskedView, sentence
from dpviz.widgets.audit_view import LEVELS, RECORDS
from dpviz.widgets.controls import Menu, OptionalBox
from dpviz.widgets.view import block, html_table

DIRECTIONS = {"as the attack says": "attack", "both directions": "both"}
PRESET = (
    "in the unit of the scores, and fixed before looking at them; with one, methods that need it "
    "are shown too"
)


class BoundsView(AskedView):
    """Lower bounds on epsilon of all methods, beside the claim's epsilon and the ceiling."""

    asking: ClassVar[str] = "compute bounds"
    at_work: ClassVar[str] = "computing lower bounds ..."
    needs: ClassVar[str] = (
        "Bounds need scores of members and non-members: load a sample or your own file."
    )

    @property
    def shown(self) -> BoundsPart:
        """The question, and the bounds once they are computed."""
        return self.answer or self._unanswered

    def scene(self) -> Scene:
        """Epsilon from 0, methods in rows. Bars, then the ceiling and the claim across them."""
        self._unanswered = BoundsPart(question=BoundsQuestion())
        return Scene(
            title="Lower bounds on ε",
            x=AxisSpec(label="ε", high=4),
            y=AxisSpec(label=""),
            left=200,
            layers=lambda: [
                bound_bars(lambda: self.shown),
                CeilingAcrossBars(lambda: self.shown),
                ClaimAcrossBars(lambda _: (self.shown,)),
            ],
        )

    def choices(self) -> list[ipywidgets.Widget]:
        """Level and records are shared with other views; directions and threshold are not."""
        self.controls: list[Menu | OptionalBox] = [
            Menu("confidence_level", "confidence", LEVELS, self.change),
            Menu("applies_to", "these records are", RECORDS, self.change),
            Menu("directions", "directions", DIRECTIONS, self.choose),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> BoundsQuestion:
        """What all methods are asked."""
        return replace(
            self._unanswered.question,
            delta=result.claim.delta,
            confidence_level=result.spec.confidence_level,
            applies_to=result.spec.applies_to,
        )

    def work(self, subject: Scores, question: BoundsQuestion, progress: Progress) -> BoundsPart:
        """Put the question to all methods."""
        return lower_bounds(subject, question, progress=progress)

    def said(self, result: Result) -> str:
        """What the default shows and how the claim compares, with what to know of the scores."""
        caution = cautions(self.answer)
        return sentence(summary(self.answer, result.claim)) + (
            block("dpviz-warnings", caution) if caution else ""
        )

    def tabled(self) -> str:
        """One row for each method."""
        return html_table(EACH_ALONE, HEAD, table(self.answer))

    def draw(self, result: Result) -> None:
        """The question and its controls follow, too."""
        asked = self.question(result)
        if asked != self._unanswered.question:
            self._unanswered = BoundsPart(question=asked)
        super().draw(result)
        for control in self.controls:
            control.follow(asked)

    def choose(self, **changes: Any) -> None:
        """Ask for other `directions` or with a `threshold`; a refusal becomes the error line."""
        with self.guarded():
            asked = replace(self._unanswered.question, **changes)
            self._unanswered = BoundsPart(question=asked)
            self.draw(self.result)
        for control in self.controls:  # what was refused goes back to what holds
            control.follow(self._unanswered.question)
