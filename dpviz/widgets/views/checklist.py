"""The validity checklist: questions with menus, and what the answers change."""

from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.audit.scores.base import Scores
from dpviz.data.check_inputs import check_inputs
from dpviz.widgets.base.html import Html, columns, fold, heading, row, sentence
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fact_field import FactField

TITLE = "What is stated about this audit?"


class ChecklistView(View):
    """The questions of the checklist, folded away in an explorer, and how many are answered.

    Examples
    --------
    >>> from dpviz.widgets import ChecklistView
    >>> view = ChecklistView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]))
    >>> view.facts = {"population": "different"}
    >>> view.result.sentences["checklist_stated"]
    'Stated: population: no.'
    """

    is_wide = True
    needs_scores = True

    def contents(self) -> list[ipywidgets.Widget]:
        """Return the title, the state of the answers, and the questions."""
        self.controls = [FactField(name, self.change) for name in QUESTIONS]
        self.text, self.noticed = Html(), Html()
        questions = columns([each.widget for each in self.controls])
        if self.is_alone:
            self.add_class("dpviz-unfolded")
        title = Html(heading(TITLE))
        inside = fold("Answer the checklist", [self.noticed, questions])
        # In one line, so that the tab is low; below each other where the page is narrow.
        head = row([title, self.text], align_items="baseline", grid_gap="0 14px")
        return [head, self.error_line, inside]

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        """Return what a machine notices about the scores, or about all that `check` got."""
        if scores is None:
            return {}
        if self.store.answer_to("inputs", scores) is None:
            self.store.keep("inputs", scores, check_inputs(scores))
        return {"inputs": self.store.answer_to("inputs", scores)}

    def draw(self, result: Result) -> None:
        """Show what is stated, and what was noticed."""
        self.text.value = sentence(result.sentences.get("checklist", ""))
        self.noticed.value = sentence(result.sentences.get("inputs", ""))
        self.follow_controls(result)

    def check(self, **known: Any) -> None:
        """Look at more than the scores: `covariates`, `ids` and `order` of `dpviz.check_inputs`.

        ValueError without scores, or as of `check_inputs`.
        """
        scores = self.store.scores
        if scores is None:
            raise ValueError("scores must be loaded for this, got None")
        self.store.answer("inputs", scores, check_inputs(scores, **known))
