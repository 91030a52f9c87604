"""A test of the mechanism's output beside the trade-off curve."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.sentences.mechanism import point_label
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.output_laws import mechanism
from dpviz.pictures.marks import NOTHING, Line, Points


class DecisionPoint(Layer):
    """The (FPR, FNR) of the test, and its distance from the curve below."""

    def add_marks(self) -> None:
        self._gap = self.add("gap", Line(color=theme.ATTACK, dash="dotted", width=2.5))
        self._point = self.add(
            "point", Points(color=theme.ATTACK, marker="diamond", size=120, label="this test")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (mechanism(result).decision,)

    def draw(self, result: Result) -> None:
        at = mechanism(result).decision
        gap = np.array([[at.fpr, at.best_fnr], [at.fpr, at.fnr]])
        self._gap.draw(gap if at.gap > 0 else NOTHING)
        self._point.draw(gap[1:], texts=[point_label(at)])
