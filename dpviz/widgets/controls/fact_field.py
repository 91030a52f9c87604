"""A question of the checklist: a menu of answers, a box for own words, and what follows."""

from typing import Any

from dpviz.analysis import Facts
from dpviz.analysis.facts.answers import NOT_STATED, Fact
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.analysis.spec import Spec
from dpviz.drawing.layer import Change
from dpviz.widgets.base.html import Html, block, stack
from dpviz.widgets.controls.fields import Field, dropdown, text_box


class FactField(Field):
    """The question `name`; `change` requests a change of the spec's facts."""

    def __init__(self, name: str, change: Change) -> None:
        self.name, self._change, self._facts = name, change, Facts()
        self.question = QUESTIONS[name]
        answers = [(each.label, key) for key, each in self.question.choices.items()]
        self.menu = dropdown(self.question.text, [(NOT_STATED, ""), *answers])
        hint = f"own words about: {self.question.subject}"
        self.note = text_box("own words", hint, "")
        self.effect = Html()
        self.widget = stack([self.menu, self.note, self.effect], css_class="dpviz-fact")
        self.on_choice(self.menu, lambda answer: self._request(answer=answer))
        self.on_choice(self.note, lambda note: self._request(note=note))

    def follow(self, spec: Spec) -> None:
        """Show what is stated, and what it changes."""
        self._facts = spec.facts
        fact = spec.facts.get(self.name, Fact())
        with self.following():
            self.menu.value, self.note.value = fact.answer, fact.note
        effect = self.question.choice(fact.answer, spec).effect if fact.answer else ""
        self.effect.value = block("dpviz-warnings", effect) if effect else ""

    def _request(self, **part: Any) -> None:
        fact = self._facts.get(self.name, Fact())
        stated = {"answer": fact.answer, "note": fact.note} | part
        # Facts are checked by the spec, so that an error becomes a line of the view.
        self._change(facts=dict(self._facts) | {self.name: stated})
