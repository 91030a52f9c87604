"""A lesson for one student: its questions, its predictions, and the slides of its lecture."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpviz import checks
from dpviz.teach.question import Question


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A question that a student answers by a guess before a picture shows the answer.

    Parameters
    ----------
    text : str, what is to be guessed
    options : tuple of str
    because : str, what the picture shows, said after the guess

    Examples
    --------
    >>> from dpviz import teach
    >>> len(teach.lesson(1, login="ada").predictions["perfect"].options)
    3
    """

    text: str
    options: tuple[str, ...]
    because: str


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson for one student; ``lesson["edge"]`` is a question.

    Parameters
    ----------
    number : int
    title : str
    questions : mapping of str to Question
    predictions : mapping of str to Prediction
    slides : tuple of str, names for `Explorer.present` that show the lesson's pictures in a lecture

    Examples
    --------
    >>> from dpviz import teach
    >>> teach.lesson(1, login="ada").title
    'Two kinds of wrong'
    """

    number: int
    title: str
    questions: Mapping[str, Question]
    predictions: Mapping[str, Prediction]
    slides: tuple[str, ...]

    @classmethod
    def of(cls, number: int, title: str, questions: Iterable[Question], **fields: Any) -> "Lesson":
        """Return a lesson that names questions by their keys without the number, as "edge"."""
        named = {question.key.partition(".")[2]: question for question in questions}
        return cls(number=number, title=title, questions=named, **fields)

    def __getitem__(self, name: str) -> Question:
        return self.questions[checks.choice("question", name, self.questions)]

    @property
    def points(self) -> int:
        """The points of all questions together."""
        return sum(question.points for question in self.questions.values())
