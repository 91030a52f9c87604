"""A game: a student draws the curve of PPV against the prior, and then sees the true curve."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dpviz.drawing import AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import percent
from dpviz.teach.games.game import Game, Slider
from dpviz.teach.lessons.base_rates import FPR, TPR, ppv_at_prior

PRIORS = (0.001, 0.01, 0.1, 0.5, 0.9)
LOWEST = 0.0005  # prior of the left end


class PpvGuessLayer(Layer):
    """The curve of PPV that the student draws, and the true curve once it is shown."""

    truth = Line(color=theme.CLAIM, width=3, label="true share")
    drawn = Line(color=theme.ATTACK, dash="dashed", label="your curve")
    handles = Points(color=theme.ATTACK, size=90)

    def draw(self, result: Any) -> None:
        places = np.column_stack([PRIORS, np.array(result.drawn) / 100])
        self.drawn.draw(places)
        self.handles.draw(places)
        if result.is_shown:
            priors = np.geomspace(LOWEST, 1.0, 200).tolist()
            self.truth.draw(np.array([(prior, ppv_at_prior(prior)) for prior in priors]))


def _slider_of_prior(i: int) -> Slider:
    def move(guess: "PpvGuess", share: int) -> "PpvGuess":
        return replace(guess, drawn=(*guess.drawn[:i], share, *guess.drawn[i + 1 :]))

    return Slider(f"p = {percent(PRIORS[i])}", 100, lambda guess: int(guess.drawn[i]), move)


@dataclass(frozen=True, kw_only=True)
class PpvGuess(Game):
    """The share of flagged records that are members, as a student draws it at five priors."""

    drawn: tuple[int, ...] = (50,) * len(PRIORS)  # in percent
    is_shown: bool = False  # whether the true curve is shown

    scene: ClassVar = Scene(
        title="What share of the flagged are members?",
        x=AxisSpec(label="prior p (log scale)", low=LOWEST, scale="log", is_rate=True),
        y=AxisSpec(label="members among the flagged (PPV)", is_rate=True),
        right=28,
        layers=lambda: [PpvGuessLayer()],
    )
    note: ClassVar = f"The test flags {percent(TPR)} of members and {percent(FPR)} of non-members."
    moves: ClassVar = {
        "show the true curve": lambda guess: (
            None if guess.is_shown else replace(guess, is_shown=True)
        ),
        "start again": Game.beginning,
    }
    sliders: ClassVar = tuple(map(_slider_of_prior, range(len(PRIORS))))

    @property
    def text(self) -> str:
        if not self.is_shown:
            return "Draw the curve with the five sliders. Then show the true curve."
        right = [ppv_at_prior(prior) for prior in PRIORS]
        i = int(np.argmax(np.abs(100 * np.array(right) - self.drawn)))
        return (
            f"You are farthest off at p = {percent(PRIORS[i])}: you drew {self.drawn[i]} %, and "
            f"{percent(right[i])} of the flagged are members."
        )
