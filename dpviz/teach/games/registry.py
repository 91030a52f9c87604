"""The registry of games, by the number of the lesson."""

import ipywidgets

from dpviz import checks
from dpviz.teach.games.game import Game, GameWidget
from dpviz.teach.games.runs import Runs
from dpviz.teach.games.shuffles import Shuffles
from dpviz.teach.games.trials import Trials

GAMES: dict[int, type[Game]] = {1: Trials, 2: Runs, 5: Shuffles}


def game(number: int, *, login: str) -> ipywidgets.Widget:
    """Return the game of a lesson: random events at the press of a button, and their picture.

    Lesson 1 has trials of an attack, lesson 2 runs of two programs, lesson 5 shuffled labels.

    Parameters
    ----------
    number : int, of the lesson: 1, 2 or 5
    login : str, of 1 to 100 characters; the same login gives the same random events

    Returns
    -------
    ipywidgets.Widget, whose `game` is the present state

    Raises
    ------
    ValueError
        If the lesson has no game, or the login is no such text.

    Examples
    --------
    >>> from dpviz import teach
    >>> shown = teach.game(1, login="ada")
    >>> shown.press("train ten more")
    >>> shown.game.n  # trials on each side
    20
    """
    if number not in GAMES:
        raise checks.fail("number", f"one of {', '.join(map(str, GAMES))}", number)
    return GameWidget(GAMES[number](login=login))
