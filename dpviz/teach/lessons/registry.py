"""The registry of lessons, by number."""

from collections.abc import Callable

from dpviz import checks
from dpviz.teach.lesson import Lesson
from dpviz.teach.lessons import (
    base_rates,
    is_this_code_private,
    noise_and_zoom,
    one_number,
    the_audit,
    two_kinds_of_wrong,
    what_delta_buys,
)

# By number: functions of a login.
LESSONS: dict[int, Callable[[str], Lesson]] = {
    1: two_kinds_of_wrong.lesson,
    2: what_delta_buys.lesson,
    3: noise_and_zoom.lesson,
    4: base_rates.lesson,
    5: one_number.lesson,
    6: the_audit.lesson,
    7: is_this_code_private.lesson,
}


def lesson(number: int, *, login: str) -> Lesson:
    """Return a lesson with the numbers of a student.

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
    return LESSONS[number](login)
