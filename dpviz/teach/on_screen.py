"""Widgets for students: an explorer that records an answer, and a picture shown after a guess."""

from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.teach.ask import LESSON_CSS, option_buttons, question_html
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Picture, Question
from dpviz.widgets import Explorer, Store
from dpviz.widgets.base.html import Html, css_widget, div, stack


def explore(question: Question) -> Explorer:
    """Return the explorer of a question, with a button "Record answer".

    Parameters
    ----------
    question : Question, one that is answered with a picture

    Raises
    ------
    ValueError, if it is answered in another way

    Examples
    --------
    >>> from dpviz import teach
    >>> question = teach.lesson(1, login="ada")["edge"]
    >>> explorer = teach.explore(question)
    >>> explorer.fpr, explorer.fnr = 0.3, 0.3
    >>> teach.check(explorer.answer(), question).points
    0
    """
    if not isinstance(question.kind, Picture):
        kind = type(question.kind).__name__
        raise checks.fail("question.kind", "a Picture", kind, "teach.ask shows other questions")
    store = Store(question.kind.scores, question.kind.start)
    explorer = Explorer(store=store, layout=question.kind.views)
    explorer.question = question.label
    return explorer


def predict(prediction: Prediction, then: Any = None) -> ipywidgets.Widget:
    """Return a widget in which a student guesses before a picture is shown.

    Parameters
    ----------
    prediction : Prediction
    then : widget, optional, the picture; it is shown once a guess was made

    Raises
    ------
    TypeError, if `then` is no widget

    Examples
    --------
    >>> from dpviz import teach
    >>> prediction = teach.lesson(1, login="ada").predictions["perfect"]
    >>> shown = teach.predict(prediction)
    >>> [each.description for each in shown.children[2].children]
    ['8 or more', '50 or more', 'all 100']
    """
    if then is not None and not isinstance(then, ipywidgets.Widget):
        raise TypeError(f"`then` must be an ipywidgets widget or None, got {type(then).__name__}")
    answer = Html()

    def guess(_option: str) -> None:
        # There is one guess; the buttons stay, and the chosen one stays marked.
        for option_button in buttons.children:
            option_button.disabled = True
        answer.value = div("dpviz-sentence dpviz-because", prediction.because, role="status")
        if then is not None:
            shown.children = [*shown.children, then]

    buttons = option_buttons(prediction.options, guess)
    parts = [css_widget(LESSON_CSS), question_html(prediction.text), buttons, answer]
    shown = stack(parts, css_class="dpviz dpviz-lesson")
    return shown
