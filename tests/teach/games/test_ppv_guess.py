"""The curve of PPV that a student draws, and the true one, from counts of people."""

import numpy as np
import pytest

from dpviz import teach
from dpviz.drawing import theme
from dpviz.teach.games.ppv_guess import PRIORS, PpvGuess, true_places
from tests.teach.games.parts import parts


def test_the_true_curve_counts_the_members_among_the_flagged() -> None:
    """Of 10 000 people with prior p, the test flags 90 % of members and 5 % of the others."""
    for prior, share in true_places(np.array(PRIORS)).tolist():
        members = 10_000 * prior
        assert share == pytest.approx(0.9 * members / (0.9 * members + 0.05 * (10_000 - members)))


def test_the_sentence_names_the_prior_at_which_the_guess_is_farthest_off() -> None:
    near_except_at_one_percent = PpvGuess(login="ada", drawn=(2, 90, 67, 95, 99), is_shown=True)
    assert near_except_at_one_percent.text == (
        "You are farthest off at p = 1 %: you drew 90 %, and 15.4 % of the flagged are members."
    )


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


def test_a_share_above_one_is_named() -> None:
    with pytest.raises(ValueError, match="drawn must be a whole number from 0 to 100, got 101"):
        PpvGuess(login="ada", drawn=(0, 0, 0, 0, 101))
