"""The point that a test makes beside the trade-off curve."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.mechanism_sentences import point_label
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change
from dpviz.pictures.layers.output_laws import Shown


class DecisionPoint:
    """The test's (FPR, FNR), and how far above the curve it lies."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """A marker with its rates, and a line down to the curve."""
        self._gap = frame.line(color=theme.ATTACK, dash="dotted", width=2.5)
        self._point = frame.points(
            color=theme.ATTACK, marker="diamond", size=120, label="this test"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The test."""
        return (self._shown().decision,)

    def draw(self, result: Result) -> None:
        """Move both."""
        at = self._shown().decision
        place = np.array([[at.fpr, at.fnr]])
        gap = np.array([[at.fpr, at.best_fnr], [at.fpr, at.fnr]])
        self._gap.draw(gap if at.gap > 0 else NOTHING)
        self._point.draw(place, texts=[point_label(at)], to_the_left=at.fpr > 0.5)
