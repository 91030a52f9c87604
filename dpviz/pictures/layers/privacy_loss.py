"""The privacy loss under both hypotheses and delta, with an epsilon marked."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import short
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.output_laws import mechanism
from dpviz.pictures.marks import NOTHING, Line, Points


class LossTails(Layer):
    """P(L >= x) of a member's and of a non-member's output, and delta(x), over x."""

    def add_marks(self) -> None:
        self._curves = self.add_each(
            "curve",
            Line(color=theme.NONMEMBER, label="P(L ≥ x), non-member"),
            Line(color=theme.MEMBER, dash="dashed", label="P(L ≥ x), member"),
            Line(color=theme.CLAIM, width=2.5, label="δ(x)"),
        )
        self._line = self.add("line", Line(color=theme.LEVEL, dash="dash_dotted"))
        self._points = self.add_each(
            "point",
            Points(color=theme.MEMBER, marker="diamond"),
            Points(color=theme.CLAIM, marker="diamond"),
        )
        self._name = self.add("name", Points(color=theme.LEVEL, marker="diamond", size=14))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (mechanism(result).loss,)

    def draw(self, result: Result) -> None:
        part, x, y = mechanism(result).loss, self.x, self.y
        x.set_range(*part.span)
        y.set_range(part.floor, 1.0)
        curves = (part.nonmember_tails, part.member_tails, part.deltas)
        for curve, vertices in zip(self._curves, curves, strict=True):
            curve.draw(vertices)
        place = x.clamp(part.epsilon)  # an infinite epsilon stands at the edge
        is_inside = place == part.epsilon
        self._line.draw(self.frame.vertical(place))
        for mark, height in zip(self._points, (part.member_tail, part.delta), strict=True):
            mark.draw(np.array([[place, y.clamp(height)]]) if is_inside else NOTHING)
        name = f"ε = {short(part.epsilon)}{'' if is_inside else ' →'}"
        at = np.array([[place, part.floor**0.5]])
        self._name.draw(at, texts=[name])
