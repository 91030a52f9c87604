"""Widgets for a question of a lesson: inputs for the answer, a button "Record" and a check."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from html import escape
from pathlib import Path

import ipywidgets

from dpviz.analysis.spec import CONTROLS
from dpviz.analysis.state.recording import answer_as_line
from dpviz.analysis.words import TERMS
from dpviz.teach.check import check
from dpviz.teach.question import LONGEST_ANSWER, Choice, Number, Picture, Question
from dpviz.widgets import Store
from dpviz.widgets.base import html
from dpviz.widgets.base.html import Html, Row, button, row
from dpviz.widgets.controls.fields import InputControl, text_box
from dpviz.widgets.views.registry import view_classes_by_name

LESSON_CSS = html.CSS + Path(__file__).with_name("lesson.css").read_text(encoding="utf-8")


def ask(question: Question) -> "AskedQuestion":
    """Return a widget in which a student answers a question.

    The widget checks the answer, too. Its `answer` is what was recorded last, as :func:`check`
    takes it; "" before.

    Parameters
    ----------
    question : Question

    Examples
    --------
    >>> from dpviz import teach
    >>> asked = teach.ask(teach.lesson(1, login="ada")["trials"])
    >>> asked.record("100")
    >>> asked.answer
    '100'
    """
    return AskedQuestion(question)


class AskedQuestion(html.Stack):
    """A question, the widgets by which a student answers it, and the message of the check."""

    def __init__(self, question: Question) -> None:
        self.question, self.answer = question, ""
        self.message = Html()
        parts = [html.css_widget(LESSON_CSS), question_html(question.text), *self._inputs()]
        super().__init__(parts, _dom_classes=["dpviz", "dpviz-lesson", "dpviz-asked"])

    def record(self, answer: str) -> None:
        """Record an answer, and show whether it is right, with the reason or a hint."""
        self.answer = answer
        feedback = check(answer, self.question)
        self._show(str(feedback), "dpviz-right" if feedback.is_right else "dpviz-not-yet")

    def _inputs(self) -> Iterator[ipywidgets.Widget]:
        """Yield the widgets by which a student answers, and the message of the check."""
        kind = self.question.kind
        if isinstance(kind, Choice):
            letters = {text: letter for letter, text in kind.options.items()}
            yield option_buttons(letters, lambda text: self.record(letters[text]))
        elif isinstance(kind, Picture):
            store = Store(kind.scores, kind.start)
            self.view = view = view_classes_by_name()[kind.views[0]](store=store)
            numbers = view.number_controls(name for name in kind.moved_by if name in CONTROLS)
            for number in numbers:
                number.update_from(view.result)
            menus = [menu for menu in view.controls if menu.name in kind.moved_by]
            line = partial(answer_as_line, question=self.question.label)
            record = button("Record", lambda: self.record(line(store.spec, store.scores)))
            moved = [*(each.widget for each in (*numbers, *menus)), record, self.message]
            yield row([view, html.stack(moved)], css_class="dpviz-pictured")
        elif isinstance(kind, Number):
            yield self._box_row(f"Your answer ({kind.unit})", "a number", self.record)
        else:
            yield self._box_row("Your report", "a file, such as audit.json", self._record_report)
        if not isinstance(kind, Picture):
            yield self.message  # of a picture it stands beside, with the button

    def _box_row(self, label: str, hint: str, record: Callable[[str], None]) -> Row:
        """Return a row with a text box and a button; Enter and the button record the text."""
        box = text_box(label, hint, hint)
        InputControl().on_choice(box, record)
        return row([box, button("Record", lambda: record(box.value))], css_class="dpviz-typed")

    def _record_report(self, typed: str) -> None:
        """Record the typed text if it is JSON, otherwise the text of the file at the typed path."""
        text = typed.strip()
        try:
            if text and not text.startswith("{"):
                with Path(text).expanduser().open(encoding="utf-8") as file:
                    text = file.read(LONGEST_ANSWER + 1)
        except (OSError, ValueError) as error:
            self._show(f"The file cannot be read: {error}", "dpviz-not-yet")
        else:
            self.record(text)

    def _show(self, message: str, css_class: str) -> None:
        self.message.value = html.div(f"dpviz-sentence {css_class}", message, role="status")


def option_buttons(options: Iterable[str], choose: Callable[[str], object]) -> Row:
    """Return a button for each option; a pressed button is marked, and calls `choose(option)`."""

    def choose_and_mark(option: str) -> None:
        for each in buttons.children:
            (each.add_class if each.description == option else each.remove_class)("dpviz-chosen")
        choose(option)

    made = (button(each, partial(choose_and_mark, each)) for each in options)
    buttons = row(made, css_class="dpviz-options")
    return buttons


def question_html(text: str) -> Html:
    """Return a question in bold letters; pointing at FPR, FNR or PPV shows the term's meaning."""
    explained = re.sub(
        "FPR|FNR|PPV", lambda t: html.explained_term_html(t[0], TERMS[t[0]]), escape(text)
    )
    return Html(f'<div class="dpviz-question">{explained}</div>')
