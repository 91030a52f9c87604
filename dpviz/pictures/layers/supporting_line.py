"""Reading epsilon off a curve: the steepest line from 1 - delta that stays below it."""

from dataclasses import replace

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import short, tidy_rate
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.marks import NOTHING, Handle, Line

LINE = Line(
    color=theme.LEVEL, dash="dash_dotted", width=1.5, label="line that reads ε off the curve"
)


class ClaimSlope(ClaimLayer):
    """The lines of slopes -e^epsilon and -e^-epsilon of a claim that has a delta of its own.

    The first begins at (0, 1 - delta); the second has the two errors exchanged.
    """

    closed_form = True

    def add_marks(self) -> None:
        steep, flat = (replace(LINE, label=f"slope {s}", extra=True) for s in ("-e^ε", "-e^-ε"))
        self._line, self._back = self.add("line", steep), self.add("back", flat)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        vertices = _vertices(result) if _has_delta(result) else NOTHING
        self._line.draw(vertices)
        self._back.draw(vertices[::-1, ::-1])


class SupportingLine(ClaimLayer):
    """The same line of any other claim, which touches its curve; it is upright at infinite epsilon.

    Its upper end is dragged along FPR = 0 to choose delta.
    """

    def add_marks(self) -> None:
        self._line = self.add("line", LINE)
        self._handle = self.add(
            "handle",
            Handle(
                color=theme.LEVEL,
                marker="diamond",
                only="y",
                on_move=lambda _, fnr: self.change(delta=tidy_rate(1 - fnr)),
            ),
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        if _has_delta(result):
            self.hide()
        else:
            self._line.draw(_vertices(result))
            delta = result.claim.delta
            self._handle.place(0.0, 1 - delta, text=f"δ = {short(delta)}")


def _has_delta(result: Result) -> bool:
    return "delta" in result.claim.claim.parameters


def _vertices(result: Result) -> FloatArray:
    top = 1 - result.claim.delta
    return np.array([[0.0, top], [top * float(np.exp(-result.claim.implied)), 0.0]])
