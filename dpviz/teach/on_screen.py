"""What a student sees: an explorer with a Record button, and a guess before the picture."""

from functools import partial
from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Picture, Question
from dpviz.widgets import Explorer, Store
from dpviz.widgets.base.html import Html, button, row, sentence, stack


def explore(question: Question) -> Explorer:
    """Return the explorer of a question, with the button "Record answer" in its strip.

    Parameters
    ----------
    question : Question
        One that is answered with a picture.

    Returns
    -------
    Explorer

    Raises
    ------
    ValueError
        If it is answered in another way.

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
        raise checks.fail("question", "one that is answered with a picture", kind)
    store = Store(question.kind.scores, question.kind.start)
    explorer = Explorer(store=store, layout=question.kind.views)
    explorer.question = question.label
    return explorer


def predict(prediction: Prediction, then: Any = None) -> ipywidgets.Widget:
    """Return a guess to be made before a picture is shown.

    Parameters
    ----------
    prediction : Prediction
    then : widget, optional
        The picture; it is shown once a guess was made.

    Returns
    -------
    ipywidgets.Widget

    Raises
    ------
    TypeError
        If `then` is no widget.

    Examples
    --------
    >>> from dpviz import teach
    >>> prediction = teach.lesson(1, login="ada").predictions["perfect"]
    >>> shown = teach.predict(prediction)
    >>> len(shown.children)
    2
    """
    if then is not None and not isinstance(then, ipywidgets.Widget):
        raise TypeError(f"then must be a widget, got {type(then).__name__}")
    text = Html(sentence(prediction.text))

    def guess(option: str) -> None:
        for each in buttons.children:
            each.disabled = True
        said = sentence(f"You said: {option}") + sentence(prediction.because)
        shown.children = [text, buttons, Html(said), *([] if then is None else [then])]

    buttons = row(button(option, partial(guess, option)) for option in prediction.options)
    shown = stack([text, buttons])
    shown.add_class("dpviz")
    return shown
