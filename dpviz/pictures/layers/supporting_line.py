"""Reading epsilon off a curve: the steepest line from 1 - delta that stays below it."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.wording import short
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change
from dpviz.pictures.tidy import tidy_rate


class SupportingLine:
    """The line of slope -e^epsilon from (0, 1 - delta), with the epsilon the claim satisfies.

    Its upper end is dragged along FPR = 0 to choose delta, unless the claim has one of its own.
    """

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """A line, a handle, and what stands in its place where delta is not free."""
        self._line = frame.line(
            color=theme.LEVEL,
            dash="dash_dotted",
            width=1.5,
            label="slope -e^ε from 1 - δ",
        )
        self._end = frame.points(color=theme.LEVEL, marker="diamond")
        self._handle = frame.handle(
            color=theme.LEVEL,
            marker="diamond",
            only="y",
            on_move=lambda _, fnr: change(delta=tidy_rate(1 - fnr)),
            label="its end",
            hint="drag it where δ is free",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim and its delta."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Let the line touch the curve; upright at FPR 0 where no epsilon is enough."""
        claim = result.claim
        top = 1 - claim.delta
        foot = top * float(np.exp(-claim.implied))
        self._line.draw(np.array([[0.0, top], [foot, 0.0]]))
        if "delta" in claim.claim.parameters:
            self._handle.hide()
            self._end.draw(np.array([[0.0, top]]))
        else:
            self._end.draw(NOTHING)
            self._handle.place(0.0, top, text=f"δ = {short(claim.delta)}")
