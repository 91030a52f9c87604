"""The attack of least expected cost on the trade-off curve."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import short
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.marks import Line, Points


class LeastCost(ClaimLayer):
    """The point of least cost, and all points of the same cost: a line of slope -gamma."""

    closed_form = True

    def add_marks(self) -> None:
        line = Line(color=theme.ATTACK, dash="dashed", width=1.5, label="equal cost")
        self._line = self.add("line", line)
        self._point = self.add(
            "point", Points(color=theme.ATTACK, marker="diamond", size=150, label="least cost")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.costs, result.claim)

    def draw(self, result: Result) -> None:
        at = result.costs
        gamma = min(max(at.gamma, 1e-300), 1e300)
        # From where the line enters the plane, at FNR 1 or FPR 0, to where it leaves it.
        left = max(0.0, at.fpr - (1 - at.fnr) / gamma)
        right = min(1.0, at.fpr + at.fnr / gamma)
        ends = [(x, at.fnr + gamma * (at.fpr - x)) for x in (left, right)]
        self._line.draw(np.array(ends))
        self._point.draw(np.array([[at.fpr, at.fnr]]), texts=[f"γ = {short(at.gamma)}"])
