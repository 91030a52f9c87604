"""A curve of PPV over the prior that a student draws before the true curve is shown."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.drawing import NOTHING, AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import percent
from dpviz.teach.games.game import Game, Slider
from dpviz.teach.lessons.base_rates import FPR, TPR, ppv_at_prior

PRIORS = (0.001, 0.01, 0.1, 0.5, 0.9)
LOWEST = 0.0005  # prior of the left end
CURVE = np.geomspace(LOWEST, 1.0, 200)


class PpvGuessLayer(Layer):
    """The drawn curve through its handles, and the true curve once it is shown."""

    truth = Line(color=theme.CLAIM, width=3, label="true share")
    drawn = Line(color=theme.ATTACK, dash="dashed", label="your curve")
    handles = Points(color=theme.ATTACK, size=90)
    right = Points(color=theme.CLAIM, marker="diamond", size=70)

    def draw(self, result: Any) -> None:
        places = np.column_stack([PRIORS, np.array(result.drawn) / 100])
        self.drawn.draw(places)
        self.handles.draw(places)
        true = NOTHING if not result.is_shown else true_places(CURVE)
        self.truth.draw(true)
        self.right.draw(true_places(np.array(PRIORS)) if result.is_shown else NOTHING)


def true_places(priors: FloatArray) -> FloatArray:
    """Return rows (prior, PPV) of the lesson's test."""
    return np.column_stack([priors, [ppv_at_prior(prior) for prior in priors.tolist()]])


def _handle(i: int, guess: "PpvGuess") -> int:
    return guess.drawn[i]


def _with_handle(i: int, guess: "PpvGuess", height: int) -> "PpvGuess":
    return replace(guess, drawn=(*guess.drawn[:i], height, *guess.drawn[i + 1 :]))


@dataclass(frozen=True, kw_only=True)
class PpvGuess(Game):
    """The share of flagged records that are members, as a student draws it at five priors.

    Parameters
    ----------
    login : str
    drawn : tuple of int, five shares in percent, at the priors 0.1, 1, 10, 50 and 90 %
    is_shown : bool, whether the true curve is shown
    """

    drawn: tuple[int, ...] = (50,) * len(PRIORS)
    is_shown: bool = False

    scene: ClassVar = Scene(
        title="What share of the flagged are members?",
        x=AxisSpec(label="prior p (log scale)", low=LOWEST, scale="log", is_rate=True),
        y=AxisSpec(label="members among the flagged (PPV)", is_rate=True),
        right=28,
        layers=lambda: [PpvGuessLayer()],
    )
    note: ClassVar = (
        f"The test flags {percent(TPR)} of members and {percent(FPR)} of non-members, "
        "at every prior."
    )
    moves: ClassVar = {
        "show the true curve": lambda guess: (
            None if guess.is_shown else replace(guess, is_shown=True)
        ),
        "start again": lambda guess: (
            PpvGuess(login=guess.login) if guess != PpvGuess(login=guess.login) else None
        ),
    }
    sliders: ClassVar = tuple(
        Slider(
            label=f"p = {percent(prior)}",
            high=100,
            value=partial(_handle, i),
            move=partial(_with_handle, i),
        )
        for i, prior in enumerate(PRIORS)
    )

    def __post_init__(self) -> None:
        for height in self.drawn:
            checks.whole("drawn", height, 0, 100)

    @property
    @override
    def text(self) -> str:
        if not self.is_shown:
            return "Draw the curve with the five sliders. Then show the true one."
        right = [ppv_at_prior(prior) for prior in PRIORS]
        away = [abs(100 * share - drawn) for share, drawn in zip(right, self.drawn, strict=True)]
        i = int(np.argmax(away))
        return (
            f"You are farthest off at p = {percent(PRIORS[i])}: you drew {self.drawn[i]} %, and "
            f"{percent(right[i])} of the flagged are members."
        )
