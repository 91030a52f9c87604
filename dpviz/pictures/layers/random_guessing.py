"""The line of an attacker who guesses at random, which never moves, and a point on it."""

import numpy as np

from dpviz.analysis import Result
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Line, Points

WHOLE = np.array([[0.0, 1.0], [1.0, 0.0]])


def add_random_guessing(frame: Frame, ends: FloatArray = WHOLE) -> None:
    """Draw the line between two ends: those of FPR + FNR = 1 unless others are given."""
    mark = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="random guessing")
    frame.add(mark).draw(ends)


class GuessingPoint(Layer):
    """An attacker who guesses, at the selected FPR."""

    closed_form = True

    def add_marks(self) -> None:
        add_random_guessing(self.frame)
        self._point = self.add("point", Points(color=theme.SELECTION, size=150))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.risk_point,)

    def draw(self, result: Result) -> None:
        self._point.draw(np.array([[result.fpr, 1 - result.fpr]]))
