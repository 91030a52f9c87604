"""What is wanted of all attacks, and the curves of the claim now and with enough noise."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.for_risk import RiskNeeds, RiskQuestion
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.random_guessing import add_random_guessing
from dpviz.pictures.marks import NOTHING, Line, Points


class WhatIsEnough(Layer):
    """The claim's curve, the one that is enough, and the place that it must not fall below."""

    def add_marks(self) -> None:
        add_random_guessing(self.frame)
        self._now = self.add("now", Line(color=theme.CLAIM, width=2.5, label="the claim now"))
        self._enough = self.add(
            "enough", Line(color=theme.LEVEL, dash="dashed", width=2.5, label="enough")
        )
        self._line = self.add("line", Line(color=theme.SELECTION, width=1.5, label="wanted"))
        self._point = self.add("point", Points(color=theme.SELECTION, marker="diamond", size=110))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("for_risk"),)

    def draw(self, result: Result) -> None:
        part: RiskNeeds | None = result.answers.get("for_risk")
        if part is None:  # not computed yet
            self.hide()
            return
        self._now.draw(part.now)
        self._enough.draw(NOTHING if part.enough is None else part.enough)
        wanted = _wanted(part.question)
        is_point = len(wanted) == 1
        self._line.draw(NOTHING if is_point else wanted)
        self._point.draw(wanted if is_point else NOTHING, texts=["wanted"] if is_point else None)


def _wanted(question: RiskQuestion) -> FloatArray:
    """The lowest FNR that is wanted, at one FPR or, of an advantage, at each."""
    if question.wish == "advantage":
        return np.array([[0.0, 1 - question.limit], [1 - question.limit, 0.0]])
    fpr, tpr = question.place
    return np.array([[fpr, max(1 - tpr, 0.0)]])
