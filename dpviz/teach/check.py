"""Checks of answers: points, and a message that helps without giving the answer away."""

from dataclasses import dataclass
from typing import Protocol

from dpviz import checks
from dpviz.analysis import Result
from dpviz.teach.question import PLACEHOLDER, Picture, Question, escape_stars

EMPTY_ANSWERS = (None, "", ...)  # what stands in a cell that nobody has filled in


class ShownExplorer(Protocol):
    """The properties of a student's explorer that `check` reads."""

    @property
    def result(self) -> Result:
        """The result that the explorer shows."""

    @property
    def last_recorded(self) -> str:
        """The line of text with the student's last recorded answer; "" if nothing is recorded."""


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """Points for an answer, and a message.

    Parameters
    ----------
    points, out_of : int, points that the answer got, and points of the question
    message : str, why the answer is right, or what to look at

    Examples
    --------
    >>> from dpviz import teach
    >>> question = teach.lesson(1, login="ada")["trials"]
    >>> print(teach.check("one hundred", question))
    Not yet (0 of 2 points). The answer is a number. Write a number such as 0.5 or 50 %.
    """

    points: int
    out_of: int
    message: str

    @property
    def is_right(self) -> bool:
        """Whether the answer got all points."""
        return self.points == self.out_of

    def __str__(self) -> str:
        verdict = "Right" if self.is_right else "Not yet"
        return f"{verdict} ({self.points} of {self.out_of} points). {self.message}"

    def _repr_markdown_(self) -> str:
        verdict, rest = escape_stars(str(self)).split(" (", 1)
        return f"**{verdict}** ({rest}"


def check(answer: object, question: Question, shown: ShownExplorer | None = None) -> Feedback:
    """Return the points for an answer to a question, with the reason or a hint.

    Parameters
    ----------
    answer : object
        A recorded line, a number, a letter or a report, as the question requires. Anything else
        gets no points and a message, never an exception; nothing in it is executed.
    question : Question
    shown : Explorer, optional, that of the question; it improves the message on a missing answer

    Raises
    ------
    TypeError, if `question` is no question

    Examples
    --------
    >>> from dpviz import teach
    >>> question = teach.lesson(1, login="ada")["trials"]
    >>> [teach.check(n, question).points for n in (10, 100, 1000, 10_000)]
    [0, 2, 0, 0]
    """
    try:
        value = _read_answer(answer, question, shown)
    except ValueError as error:
        return Feedback(points=0, out_of=question.points, message=str(error))
    for rule in question.properties:
        try:
            holds = rule.holds(value)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # such as 10^400 as a float
            holds = False
        if not holds:
            return Feedback(points=0, out_of=question.points, message=rule.hint)
    return Feedback(points=question.points, out_of=question.points, message=question.because)


def received(answer: object, question: Question, shown: ShownExplorer | None = None) -> str:
    """Return a sentence that says whether an answer can be read.

    The sentence does not grade the answer.

    Parameters
    ----------
    answer, question, shown : as of :func:`check`

    Raises
    ------
    TypeError, if `question` is no question

    Examples
    --------
    >>> from dpviz import teach
    >>> teach.received("100", teach.lesson(1, login="ada")["trials"])
    'This answer can be read, and will be graded.'
    """
    try:
        _read_answer(answer, question, shown)
    except ValueError as error:
        return str(error)
    return "This answer can be read, and will be graded."


def _read_answer(answer: object, question: Question, shown: ShownExplorer | None) -> object:
    if not isinstance(question, Question):
        raise TypeError(f"question must be a Question, got {type(question).__name__}")
    if question.login == PLACEHOLDER:
        raise ValueError("Write your own login into the first cell, and run all cells again.")
    with checks.naming_foreign_errors("answer", answer):
        is_blank = isinstance(answer, str) and not answer.strip("\"' \n")
        # Compared by identity: an answer may be of a class with an equality of its own.
        if is_blank or any(answer is empty for empty in EMPTY_ANSWERS):
            raise ValueError(_missing_answer_message(question, shown))
        return question.kind.read(answer, question)


def _missing_answer_message(question: Question, shown: ShownExplorer | None) -> str:
    if not isinstance(question.kind, Picture):
        return "There is no answer yet."
    if shown is not None and shown.last_recorded:
        return "You recorded an answer. Now paste the recorded line between the quotes."
    said = "No answer is recorded yet. Drag a point or a slider,"
    if shown is not None and shown.result.spec != question.kind.start:
        said = "You moved the picture but recorded no answer:"
    return f"{said} press Record answer, and paste the line between the quotes."
