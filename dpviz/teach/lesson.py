"""A lesson for one student: its questions and its predictions."""

from collections.abc import Mapping
from dataclasses import dataclass

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
    """A lesson for one student, with questions and predictions.

    ``lesson[name]`` is the question with this name.

    Parameters
    ----------
    number : int
    title : str
    questions : mapping of str to Question
    predictions : mapping of str to Prediction

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

    def __getitem__(self, name: str) -> Question:
        return self.questions[checks.choice("question", name, self.questions)]

    @property
    def points(self) -> int:
        """The sum of the points of all questions."""
        return sum(question.points for question in self.questions.values())
