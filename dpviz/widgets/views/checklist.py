"""The validity checklist: questions with menus, and what the answers change."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.facts.registry import QUESTIONS
from dpviz.widgets.base.html import columns, fold, heading, sentence
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fact_field import FactField

TITLE = "What do people know about these records?"
NARROWEST = 280  # pixels of a question


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
        self.text = ipywidgets.HTML()
        questions = columns([each.widget for each in self.controls], narrowest=NARROWEST)
        if self.is_alone:
            self.add_class("dpviz-unfolded")
        title = ipywidgets.HTML(heading(TITLE))
        return [title, self.error_line, self.text, fold("Answer the checklist", [questions])]

    def draw(self, result: Result) -> None:
        """Show what is stated."""
        self.text.value = sentence(result.sentences.get("checklist", ""))
        self.follow_controls(result)
