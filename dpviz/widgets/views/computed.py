"""Views whose answer takes a while: computed on request, kept by the store."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.topics.registry import (
    SENTENCES,
    TABLES,
    lead_of,
    sentences_of,
)
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.widgets.base.html import Html, button, fold, html_table, row, sentence
from dpviz.widgets.base.job import Job
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.views.figure_view import OPTIONS, FigureView, ViewParts

NUMBERS = "Numbers"


class ComputedView(FigureView):
    """A figure and a button, the answer as one sentence; all else is folded away.

    An answer belongs to a subject (the scores) and a question about it. The store keeps it, and
    every result in which they are the same has it as `result.answers[name]`.
    """

    needs_scores: ClassVar[bool] = True
    name: ClassVar[str]  # of the answer, its sentences and its table
    action: ClassVar[str]  # text of the button
    progress_text: ClassVar[str]
    requirement: ClassVar[str]  # text where `can_compute` is False

    def question(self, result: Result) -> Any:
        """Return what would be computed now; equal questions have equal answers."""
        raise NotImplementedError

    def subject(self, scores: Scores | None) -> Any:
        """Return what the question is about: the loaded scores."""
        return scores

    def can_compute(self) -> bool:
        """Whether the subject has what the question needs."""
        return self.store.scores is not None

    def work(self, subject: Any, question: Any, progress: Progress) -> Any:
        """Return the answer; called in any thread."""
        raise NotImplementedError

    def choices(self) -> list[ipywidgets.Widget]:
        return []

    @property
    def answer(self) -> Any:
        """The answer that is shown; None before it is computed."""
        return self.result.answers.get(self.name)

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        asked = (self.subject(scores), self.question(result))
        return {self.name: self.store.answer_to(self.name, asked)}

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        at_work = row([self.button, self.job.widget])
        self.numbers, self._place = fold(NUMBERS, [self.table], is_hidden=True), parts.figure
        parts.words.children = self.below(at_work, parts.controls)
        return [parts.title, parts.error, parts.figure, parts.words]

    def below(
        self, at_work: ipywidgets.Widget, choices: tuple[ipywidgets.Widget, ...]
    ) -> list[ipywidgets.Widget]:
        """What stands below the figure, from top to bottom."""
        return [self.text, self.why, at_work, fold(OPTIONS, choices), self.numbers]

    def make_texts(self) -> dict[str, Html]:
        """Return places for the folded sentences: the lead shares the place of the progress."""
        return {name: Html() for name in sentences_of(self.scene) if SENTENCES[name].is_folded}

    def make_controls(self) -> list[ipywidgets.Widget]:
        self._asked: tuple[Any, Any] = (None, None)
        self._tabled: tuple[Any, Any] = (None, None)
        self.button = button(self.action, self.compute, align_self="flex-start")
        self.text, self.table = Html(), Html()
        self.job = Job(self._say)
        self.observe(lambda _: self.job.cancel(), names="comm")  # closed
        return [row(self.choices())]

    def draw(self, result: Result) -> None:
        asked = (self.subject(self.store.scores), self.question(result))
        if asked != self._asked:
            if self.job.is_running:
                self.job.cancel()
            self._asked = asked
        super().draw(result)
        answer = result.answers.get(self.name)
        self.button.disabled = not self.can_compute() or answer is not None
        self.numbers.is_hidden = answer is None
        pictures = [picture.widget for picture in self.to_save()]
        if self._place.children != tuple(pictures):  # an empty frame would look like an answer
            self._place.children = pictures
        if answer is not None:
            self.text.value = self.written(result)
        elif not self.job.is_running:
            self._say(
                f"Press “{self.action}”: nothing is computed for these scores and choices."
                if self.can_compute()
                else self.requirement
            )
        tabled = (answer, result.claim)
        if any(new is not old for new, old in zip(tabled, self._tabled, strict=True)):
            self._tabled = tabled
            self.table.value = "" if answer is None else html_table(*TABLES[self.name](result))

    def written(self, result: Result) -> str:
        """Return what is in sight of the answer, in HTML."""
        return sentence(result.sentences[lead_of(self.scene)], "dpviz-bounds")

    def to_save(self) -> list[Picture]:
        return super().to_save() if self.answer is not None else []

    def compute(self) -> None:
        """Compute the answer, in the background where there is an event loop."""
        # Not what was drawn last: the view may rest on a hidden tab.
        asked = subject, question = self.subject(self.store.scores), self.question(self.result)
        if self.can_compute():
            self.job.run(
                self.progress_text,
                lambda progress: self.work(subject, question, progress),
                lambda answer: self.store.answer(self.name, asked, answer),
            )

    def choose(self, **choices: Any) -> None:
        """Set choices of this view; an error becomes the error line and sets none."""
        with self.guarded():
            chosen = self.checked_choices(**choices)
            before = {name: getattr(self, name) for name in chosen}
            self._set(chosen)
            try:
                self.store.refresh()
            except Exception:
                self._set(before)
                raise
        self.follow_controls(self.result)

    def _set(self, choices: dict[str, Any]) -> None:
        for name, value in choices.items():
            setattr(self, name, value)

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        """Return attributes of this view and their values, or raise ValueError."""
        return choices

    def _say(self, text: str) -> None:
        self.text.value = sentence(text, "dpviz-bounds")
