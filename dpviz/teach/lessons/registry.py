"""The registry of lessons by number; each lesson is a module with questions and predictions."""

from importlib import import_module

from dpviz import checks
from dpviz.teach.lesson import Lesson
from dpviz.teach.question import QuestionMaker

TITLES = {
    "two_kinds_of_wrong": "Two kinds of wrong",
    "what_delta_buys": "What δ buys",
    "noise_and_zoom": "Noise, zoom and a survey",
    "base_rates": "Base rates",
    "one_number": "One number of one model",
    "the_audit": "The audit",
    "is_this_code_private": "Is this code private?",
}  # by the name of the module
LESSONS = dict(enumerate(TITLES, start=1))


def lesson(number: int, *, login: str) -> Lesson:
    """Return a lesson, whose random numbers depend on the login of a student.

    Parameters
    ----------
    number : int, a key of `LESSONS`
    login : str, of 1 to 100 characters; the same login gives the same numbers

    Raises
    ------
    ValueError, if there is no such lesson, or the login is no such text

    Examples
    --------
    >>> from dpviz import teach
    >>> list(teach.lesson(1, login="ada").questions)
    ['edge', 'names', 'trials', 'inside']
    """
    if number not in LESSONS:
        raise checks.fail("number", f"one of {', '.join(map(str, LESSONS))}", number)
    name = LESSONS[number]
    module = import_module(f"dpviz.teach.lessons.{name}")
    questions = {
        key: make(QuestionMaker(f"{number}.{key}", login)) for key, make in module.QUESTIONS.items()
    }
    predictions = module.predictions()
    return Lesson(number=number, title=TITLES[name], questions=questions, predictions=predictions)
