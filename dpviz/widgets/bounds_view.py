"""The view of lower bounds on epsilon: all methods side by side, computed when asked for."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.bounds import BoundsPart, BoundsQuestion, lower_bounds
from dpviz.analysis.bounds_sentences import EACH_ALONE, HEAD, cautions, summary, table
from dpviz.audit import AttackScores
from dpviz.widgets.controls import Menu, OptionalBox
from dpviz.widgets.figures import AxisSpec, Frame
from dpviz.widgets.job import Job
from dpviz.widgets.layers.bounds import BoundBars, ClaimAcrossBars
from dpviz.widgets.layers.layer import Layer
from dpviz.widgets.view import FigureView, block, columns, html_table

LEVELS = {"0.9": 0.9, "0.95": 0.95, "0.99": 0.99}
RECORDS = {
    "train and hold-out losses of one model": "instance",
    "one canary in and out of retrainings, or random inclusion": "mechanism",
}
DIRECTIONS = {"as the attack says": "attack", "both directions": "both"}
PRESET = (
    "in the unit of the scores, and fixed before looking at them; with one, methods that need it "
    "are shown too"
)
INVITATION = "Nothing computed for these scores and choices: press “compute bounds”."
NO_SCORES = "Bounds need scores of members and non-members: load a sample or your own file."


class BoundsView(FigureView):
    """Lower bounds on epsilon of all methods, beside the claim's epsilon.

    An answer holds for the scores and the question (delta and level among it) it was asked for:
    when they change, answer and work go.
    """

    title: ClassVar[str] = "Lower bounds on ε"
    sentences: ClassVar[tuple[str, ...]] = ()
    is_wide: ClassVar[bool] = True

    @property
    def shown(self) -> BoundsPart:
        """The question, and the bounds once they are computed."""
        return self._shown

    def contents(self) -> list[ipywidgets.Widget]:
        """The picture and what to ask on one side, the answer in words on the other."""
        title, error, picture, *extras = super().contents()
        boxes = [
            ipywidgets.VBox(widgets, layout=ipywidgets.Layout(min_width="0", overflow="hidden"))
            for widgets in ([picture, *extras[:-2]], extras[-2:])
        ]
        return [title, error, columns(boxes, narrowest=380)]

    def frame(self) -> Frame:
        """Epsilon from 0, methods in rows."""
        return Frame(x=AxisSpec(label="ε", high=4), y=AxisSpec(label=""), left=200)

    def layers(self) -> list[Layer]:
        """Bars, then the claim across them."""
        self._shown = BoundsPart(question=BoundsQuestion())
        self._scores: AttackScores | None = None
        return [BoundBars(lambda: self._shown), ClaimAcrossBars(lambda: self._shown)]

    def extras(self) -> list[ipywidgets.Widget]:
        """What to ask, the button, the answer in words and as a table."""
        self.controls: list[Menu | OptionalBox] = [
            Menu("confidence_level", "confidence", LEVELS, self.choose),
            Menu("applies_to", "these records are", RECORDS, self.choose),
            Menu("directions", "directions", DIRECTIONS, self.choose),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self.choose),
        ]
        self._follow_question()
        self.button = ipywidgets.Button(
            description="compute bounds",
            layout=ipywidgets.Layout(width="auto", align_self="flex-start"),
        )
        self.button.on_click(lambda _: self.compute())
        self.text, self.table = ipywidgets.HTML(), ipywidgets.HTML()
        self.job = Job(self._say)
        row = ipywidgets.Layout(flex_flow="row wrap")
        return [
            ipywidgets.HBox([control.widget for control in self.controls], layout=row),
            self.button,
            self.job.widget,
            self.text,
            self.table,
        ]

    def draw(self, result: Result) -> None:
        """Forget answers to what is no longer asked; say how the claim compares now."""
        self._ask(replace(self._shown.question, delta=result.claim.delta))
        super().draw(result)
        self.button.disabled = self._scores is None or self._shown.is_answered
        if self._shown.is_answered:
            caution = cautions(self._shown)
            self.text.value = _sentence(summary(self._shown, result.claim)) + (
                block("dpviz-warnings", caution) if caution else ""
            )
        elif not self.job.is_running:
            self._say(NO_SCORES if self._scores is None else INVITATION)

    def choose(self, **changes: Any) -> None:
        """Ask something else: fields of `BoundsQuestion`; a refusal becomes the error line."""
        with self.guarded():
            self._ask(replace(self._shown.question, **changes))
            self.draw(self.result)
        self._follow_question()  # what was refused goes back to what holds

    def compute(self) -> None:
        """Put the question to all methods, in the background."""
        scores, question = self._scores, self._shown.question
        if scores is not None:
            self.job.run(
                "computing lower bounds ...",
                lambda progress: lower_bounds(scores, question, progress=progress),
                self._answer,
            )

    def _follow_question(self) -> None:
        for control in self.controls:
            control.follow(self._shown.question)

    def _ask(self, question: BoundsQuestion) -> None:
        scores = self.store.scores
        if question == self._shown.question and scores is self._scores:
            return
        if self.job.is_running:
            self.job.cancel()
        self._shown, self._scores = BoundsPart(question=question), scores
        self.table.value = ""

    def _answer(self, part: BoundsPart) -> None:
        self._shown = part
        self.table.value = html_table(EACH_ALONE, HEAD, table(part))
        self.draw(self.result)

    def _say(self, text: str) -> None:
        self.text.value = _sentence(text)


def _sentence(text: str) -> str:
    return block("dpviz-sentence dpviz-bounds", text, role="status")
