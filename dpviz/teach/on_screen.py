"""What a student sees: an explorer with a Record button, a guess before the picture, a game."""

from functools import partial
from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.number_format import short
from dpviz.teach.ask import LESSON_CSS, option_buttons, question_text
from dpviz.teach.duel import Duel
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Picture, Question
from dpviz.widgets import Explorer, Store
from dpviz.widgets.base.html import CSS, Html, button, css_widget, div, row, sentence_html, stack

ROUND_SENTENCES = {  # by whether somebody was flagged, and was a member
    (True, True): "You flagged a member.",
    (True, False): "You flagged somebody whose record was never used: {cost} lost.",
    (False, True): "You let a member go: 1 lost.",
    (False, False): "You let go somebody whose record was never used.",
}


def explore(question: Question) -> Explorer:
    """Return the explorer of a question, with a button "Record answer".

    Parameters
    ----------
    question : Question, one that is answered with a picture

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
    """Return a widget in which a student guesses before a picture is shown.

    Parameters
    ----------
    prediction : Prediction
    then : widget, optional, the picture; it is shown once a guess was made

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
    >>> [each.description for each in shown.children[2].children]
    ['8 or more', '50 or more', 'all 100']
    """
    if then is not None and not isinstance(then, ipywidgets.Widget):
        raise TypeError(f"then must be a widget, got {type(then).__name__}")
    answer = Html()

    def guess(option: str) -> None:
        # There is one guess; the buttons stay, but do nothing any more.
        for option_button in buttons.children:
            option_button.disabled = True
        said = f"You said: {option}. {prediction.because}"
        answer.value = div("dpviz-sentence dpviz-because", said, role="status")
        if then is not None:
            shown.children = [*shown.children, then]

    buttons = option_buttons(prediction.options, guess)
    parts = [css_widget(LESSON_CSS), question_text(prediction.text), buttons, answer]
    shown = stack(parts, css_class="dpviz dpviz-lesson")
    return shown


def play(duel: Duel) -> ipywidgets.Widget:
    """Return the membership game to be played against the best attacker.

    Parameters
    ----------
    duel : Duel

    Returns
    -------
    ipywidgets.Widget

    Examples
    --------
    >>> from dpviz import teach, theory
    >>> duel = teach.duel.Duel(claim=theory.GaussianDP(mu=2.0), login="ada", prior=0.2)
    >>> shown = teach.play(duel)
    >>> [each.description for each in shown.children[2].children]
    ['flag: a member', 'let go']
    """
    text, score = Html(), Html()

    def answer(flag: bool) -> None:
        nonlocal duel
        # A second press may have been on its way when the game ended.
        if not duel.is_over:
            duel = duel.after(flag=flag)
            show_round()

    def show_round() -> None:
        seen = f"All {duel.rounds} rounds are over."
        if not duel.is_over:
            output = short(float(duel.outputs[duel.played]))
            seen = f"Round {duel.played + 1} of {duel.rounds}. The output is {output}."
        text.value = sentence_html(seen)
        score.value = div("dpviz-sentence", _round_outcome_text(duel), role="status")
        for flag_button in buttons.children:
            flag_button.disabled = duel.is_over

    answers = {"flag: a member": True, "let go": False}
    buttons = row(button(label, partial(answer, flag)) for label, flag in answers.items())
    show_round()
    return stack([css_widget(CSS), text, buttons, score], css_class="dpviz")


def _round_outcome_text(duel: Duel) -> str:
    if not duel.played:
        return ""
    last = duel.played - 1
    flagged, best = duel.flagged[last], duel.best_flags[last]
    said = ROUND_SENTENCES[flagged, duel.members[last]].format(cost=short(duel.cost_false_alarm))
    other = "did the same" if best == flagged else ("flagged" if best else "let go")
    said += f" The best attacker {other}. You have lost {short(duel.cost)}, the best attacker "
    said += f"{short(duel.best_cost)}."
    if duel.is_over:
        said += (
            f" In {duel.rounds} rounds the best attacker loses "
            f"{short(duel.rounds * duel.best.cost)} on average, and who never looks "
            f"at the output {short(duel.rounds * duel.best.blind_cost)}."
        )
    return said
