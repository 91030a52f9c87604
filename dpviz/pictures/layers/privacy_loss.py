"""The privacy loss under both hypotheses beside delta, with an epsilon marked."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.wording import short
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change
from dpviz.pictures.layers.output_laws import Shown


class LossTails:
    """P(L >= x) of a member's and of a non-member's output, and delta(x), over x."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Three curves, a line at epsilon with two markers, and its name."""
        self._frame = frame
        nonmember = frame.line(color=theme.NONMEMBER, label="P(L ≥ x), non-member")
        member = frame.line(color=theme.MEMBER, dash="dashed", label="P(L ≥ x), member")
        delta = frame.line(color=theme.CLAIM, width=2.5, label="δ(x)")
        self._curves = nonmember, member, delta
        self._line = frame.line(color=theme.LEVEL, width=2, label="ε")
        self._marks = [
            frame.points(color=color, marker="diamond") for color in (theme.MEMBER, theme.CLAIM)
        ]
        self._name = frame.points(color=theme.LEVEL, marker="diamond", size=14, raise_text=-4)

    def parts(self, result: Result) -> tuple[object, ...]:
        """The loss."""
        return (self._shown().loss,)

    def draw(self, result: Result) -> None:
        """Set the ranges, then everything; an infinite epsilon stands at the edge."""
        part, x, y = self._shown().loss, self._frame.x, self._frame.y
        x.set_range(*part.span)
        y.set_range(part.floor, 1.0)
        for curve, vertices in zip(
            self._curves, (part.nonmember_tails, part.member_tails, part.deltas), strict=True
        ):
            curve.draw(vertices)
        place = x.clamp(part.epsilon)
        is_inside = place == part.epsilon
        self._line.draw(np.array([[place, y.low], [place, y.high]]))
        for mark, height in zip(self._marks, (part.member_tail, part.delta), strict=True):
            mark.draw(np.array([[place, y.clamp(height)]]) if is_inside else NOTHING)
        name = f"ε = {short(part.epsilon)}{'' if is_inside else ' →'}"
        at = np.array([[place, part.floor**0.5]])
        self._name.draw(at, texts=[name], to_the_left=place > sum(part.span) / 2)
