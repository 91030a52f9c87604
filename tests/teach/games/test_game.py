"""The widget of a game: buttons that go on, a picture that follows, a text for screen readers."""

import pytest

from dpviz import teach
from dpviz.teach.games.runs import Runs
from tests.teach.games.parts import parts


@pytest.mark.parametrize("number", [*range(1, 6), pytest.param(6, marks=pytest.mark.slow)])
def test_each_button_goes_on_or_is_hidden(number: int) -> None:
    shown = teach.game(number, login="ada")
    picture, _, buttons, text = parts(shown)
    first = shown.game
    for name, button in buttons.items():
        drawn, after = picture.value, first.moves[name](shown.game)
        assert button.is_hidden == (after is None)
        button.click()
        # A second press may have been on its way when the button was hidden.
        if after is not None:
            assert shown.game == after
            assert picture.value != drawn
        assert 'role="status"' in text.value
    shown.press("start again")
    assert shown.game == first
    assert buttons["start again"].is_hidden


@pytest.mark.parametrize("number", [1, 2])
def test_other_students_see_other_random_events(number: int) -> None:
    ada, bob = (teach.game(number, login=login).game for login in ("ada", "bob"))
    for name in list(ada.moves)[:2] * 2:
        ada, bob = ada.moves[name](ada), bob.moves[name](bob)
    assert ada.text != bob.text


def test_a_login_is_needed_and_a_lesson() -> None:
    with pytest.raises(ValueError, match="login must be a text of 1 to 100 characters"):
        teach.game(1, login=" ")
    with pytest.raises(ValueError, match="number must be a whole number from 1 to 6, got 7"):
        teach.game(7, login="ada")


def test_only_readers_who_accept_motion_see_a_flash() -> None:
    rule, reduced = Runs.css.index("animation"), Runs.css.index("no-preference")
    assert reduced < rule
    shown = teach.game(2, login="ada")
    assert Runs.css in shown.children[0].value
