"""The curve of PPV that a student draws, and the true one, from counts of people."""

import pytest

from dpviz import teach
from dpviz.drawing import theme
from dpviz.teach.games.ppv_guess import PpvGuess
from tests.teach.games.parts import parts


@pytest.mark.parametrize(("i", "prior"), [*enumerate((0.001, 0.01, 0.1, 0.5, 0.9))])
def test_the_truth_counts_the_members_among_the_flagged(i: int, prior: float) -> None:
    """Of 10 000 people with prior p, the test flags 90 % of members and 5 % of the others."""
    members = 10_000 * prior
    share = 0.9 * members / (0.9 * members + 0.05 * (10_000 - members))
    drawn = [2, 15, 67, 95, 99]
    drawn[i] = 40 if share < 0.4 else 10
    text = PpvGuess(login="ada", drawn=tuple(drawn), is_shown=True).text
    assert f"at p = {100 * prior:g} %: you drew {drawn[i]} %, and {100 * share:.3g} % of" in text


def test_the_true_curve_is_hidden_until_the_button_is_pressed() -> None:
    shown = teach.game(4, login="ada")
    picture, sliders, _, text = parts(shown)
    assert theme.CLAIM not in picture.value  # the colour of the true curve
    assert "15.4" not in picture.value + text.value
    for slider, height in zip(sliders, (2, 16, 67, 95, 30), strict=True):
        slider.value = height
    assert shown.game.drawn == (2, 16, 67, 95, 30)
    shown.press("show the true curve")
    assert "true share" in picture.value
    assert "at p = 90 %: you drew 30 %, and 99.4 %" in shown.game.text
    shown.press("show the true curve")  # pressed twice: nothing more
    shown.press("start again")
    assert [slider.value for slider in sliders] == [50] * 5
    assert "true share" not in picture.value
