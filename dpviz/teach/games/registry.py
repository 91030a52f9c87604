"""The registry of games, one for each of lessons 1 to 6."""

import ipywidgets

from dpviz import checks
from dpviz.teach.games.game import Game, GameWidget
from dpviz.teach.games.maps import Maps
from dpviz.teach.games.more_records import MoreRecords
from dpviz.teach.games.ppv_guess import PpvGuess
from dpviz.teach.games.runs import Runs
from dpviz.teach.games.shuffles import Shuffles
from dpviz.teach.games.trials import Trials

# By the number of the lesson.
GAMES: dict[int, type[Game]] = {1: Trials, 2: Runs, 3: Maps}
GAMES |= {4: PpvGuess, 5: Shuffles, 6: MoreRecords}


def game(number: int, *, login: str) -> ipywidgets.Widget:
    """Return a widget with the game of a lesson.

    The widget has a picture with buttons or sliders. Its attribute `game` is the present state of
    the game. Lesson 1 has trials of an attack, lesson 2 runs of two programs, lesson 3 maps of
    average incomes, lesson 4 a curve of PPV drawn by the student, lesson 5 shuffled labels, lesson
    6 audits of ever more records. Lesson 4 has a second game, :func:`play`.

    Parameters
    ----------
    number : int, of the lesson, from 1 to 6
    login : str, of 1 to 100 characters; the same login gives the same random numbers

    Raises
    ------
    ValueError, if there is no such lesson, or the login is no such text

    Examples
    --------
    >>> from dpviz import teach
    >>> shown = teach.game(1, login="ada")
    >>> shown.press("train ten more")
    >>> shown.game.n  # trials on each side
    20
    """
    return GameWidget(GAMES[checks.whole("number", number, 1, len(GAMES))](login=login))
