"""Reading epsilon off a curve: the steepest line from 1 - delta that stays below it."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.tidy import tidy_rate
from dpviz.analysis.wording import short
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Curve, Frame, Mark
from dpviz.pictures.layer import Change


class ClaimSlope:
    """The line of slope -e^epsilon from (0, 1 - delta), of a claim that has a delta of its own."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """A line."""
        self._line = _line(frame, label="slope -e^ε from 1 - δ")

    def marks(self) -> dict[str, Mark]:
        """The line."""
        return {"line": self._line}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim and its delta."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Along the steep edge of the claim."""
        own = "delta" in result.claim.claim.parameters
        self._line.draw(_vertices(result) if own else NOTHING)


class SupportingLine:
    """The same line of any other claim, touching its curve: epsilon is read off at a free delta.

    Its upper end is dragged along FPR = 0 to choose delta.
    """

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """A line and a handle."""
        self._line = _line(frame)
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
        """Upright at FPR 0 where no epsilon is enough."""
        if "delta" in result.claim.claim.parameters:
            self._line.draw(NOTHING)
            self._handle.hide()
        else:
            self._line.draw(_vertices(result))
            delta = result.claim.delta
            self._handle.place(0.0, 1 - delta, text=f"δ = {short(delta)}")


def _line(frame: Frame, *, label: str = "") -> Curve:
    return frame.line(color=theme.LEVEL, dash="dash_dotted", width=1.5, label=label)


def _vertices(result: Result) -> FloatArray:
    top = 1 - result.claim.delta
    return np.array([[0.0, top], [top * float(np.exp(-result.claim.implied)), 0.0]])
