"""The view of the validity checklist: questions with menus, and the effects of the answers."""

from typing import Any

import ipywidgets

from dpviz.analysis import Facts, Result, Spec
from dpviz.analysis.facts.answers import NOT_STATED, Fact
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.audit.scores.base import Scores
from dpviz.data.check_inputs import check_inputs
from dpviz.drawing.layer import Change
from dpviz.widgets.base.html import Html, columns, div, fold, heading_html, sentence_html, stack
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import InputControl, dropdown, text_box


class ChecklistView(View):
    """The questions of the validity checklist, and a list of the unanswered questions.

    Examples
    --------
    >>> from dpviz.widgets import ChecklistView
    >>> view = ChecklistView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]))
    >>> view.facts = {"population": "different"}
    >>> view.result.sentences["checklist_stated"]
    'Stated: same population: no.'
    """

    fixed_title = "What is stated about this audit?"
    is_short = True
    needs_scores = True

    def make_children(self) -> list[ipywidgets.Widget]:
        self.controls = [QuestionControls(name, self.change) for name in QUESTIONS]
        self.text, self.noticed = Html(), Html()
        questions = columns([each.widget for each in self.controls])
        if self.is_alone:
            self.add_class("dpviz-unfolded")
        title = Html(heading_html(self.fixed_title))
        inside = fold("Answer the checklist", [self.noticed, questions])
        return [title, self.error_line, self.text, inside]

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        """Return a dict with remarks on the scores, under the key "inputs".

        The remarks come from the last call of `check`, or from the scores alone before it.
        """
        if scores is None:
            return {}
        # Earlier remarks stay: `check` may have examined more than the scores.
        if self.store.cached_answer("inputs", scores) is None:
            self.store.cache_answer("inputs", scores, check_inputs(scores))
        return {"inputs": self.store.cached_answer("inputs", scores)}

    def draw(self, result: Result) -> None:
        self.text.value = sentence_html(result.sentences.get("checklist", ""))
        self.noticed.value = sentence_html(result.sentences.get("inputs", ""))
        self.update_controls(result)

    def check(self, **known: Any) -> None:
        """Run `check_inputs` on the loaded scores.

        The arguments are `covariates`, `ids` or `order`. Raises ValueError if no scores are loaded.
        """
        scores = self.store.scores
        if scores is None:
            raise ValueError("scores must be loaded before a check, got None")
        self.store.add_answer("inputs", scores, check_inputs(scores, **known))


class QuestionControls(InputControl):
    """The controls of one question of the checklist; `change` is called with the user's answers."""

    def __init__(self, name: str, change: Change) -> None:
        self.name, self._change, self._facts = name, change, Facts()
        self.question = QUESTIONS[name]
        answers = [(each.label, key) for key, each in self.question.choices.items()]
        self.menu = dropdown(self.question.text, [(NOT_STATED, ""), *answers])
        self.note = text_box("own words", f"own words about: {self.question.subject}", "")
        self.effect = Html()
        self.widget = stack([self.menu, self.note, self.effect], css_class="dpviz-fact")
        self.on_choice(self.menu, lambda answer: self._request_change(answer=answer))
        self.on_choice(self.note, lambda note: self._request_change(note=note))

    def update_from(self, spec: Spec) -> None:
        """Show the spec's answer to the question, and the effect of the answer on the audit."""
        self._facts = spec.facts
        fact = spec.facts.get(self.name, Fact())
        with self.setting_by_program():
            self.menu.value, self.note.value = fact.answer, fact.note
        effect = self.question.chosen_option(fact.answer, spec).effect if fact.answer else ""
        self.effect.value = div("dpviz-warnings", effect) if effect else ""

    def _request_change(self, **answer_or_note: Any) -> None:
        fact = self._facts.get(self.name, Fact())
        stated = {"answer": fact.answer, "note": fact.note} | answer_or_note
        # The spec checks the facts, so that an error becomes a line of the view.
        self._change(facts=dict(self._facts) | {self.name: stated})
