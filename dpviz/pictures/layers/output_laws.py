"""The two distributions of a mechanism's output, the errors of a test on it, its threshold."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import tidy_rate
from dpviz.analysis.parts.mechanism import LawsPart, MechanismPart
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.cursor import CursorLayer
from dpviz.pictures.marks import NOTHING, Area, Line
from dpviz.theory.outputs.bars import Bars

STEPS_PER_BAR = 20  # a dragged threshold randomises on a bar in such steps


class ErrorAreas(Layer):
    """The non-members that the test flags, and the members that it misses."""

    def add_marks(self) -> None:
        self._fpr = self.add("fpr", _area(theme.ATTACK, "wrongly accused (FPR)"))
        self._fnr = self.add("fnr", _area(theme.MEMBER, "missed (FNR)"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (mechanism(result).decision,)

    def draw(self, result: Result) -> None:
        decision = mechanism(result).decision
        self._fpr.draw(decision.fpr_area)
        self._fnr.draw(decision.fnr_area)


class OutputCurves(Layer):
    """Both densities, or both probability functions as bars.

    `laws` takes them from a result; `nonmember` and `member` are the names of the two.
    """

    def __init__(
        self,
        laws: Callable[[Result], LawsPart] = lambda result: mechanism(result).laws,
        *,
        nonmember: str = "non-member (P)",
        member: str = "member (Q)",
    ) -> None:
        self._of, self._names = laws, (nonmember, member)

    def add_marks(self) -> None:
        nonmember, member = self._names
        self._nonmember = self.add("non-member", Line(color=theme.NONMEMBER, label=nonmember))
        self._member = self.add("member", Line(color=theme.MEMBER, dash="dashed", label=member))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (self._of(result),)

    def draw(self, result: Result) -> None:
        part = self._of(result)
        x, y = self.x, self.y
        if isinstance(part.laws, Bars):
            x.set_bars(part.laws.labels, first=part.laws.first)
        else:
            x.set_range(*part.span)
        y.set_range(0.0, 1.08 * part.top)
        x.set_label("output" if part.laws is None else part.laws.name)
        y.set_label("probability" if isinstance(part.laws, Bars) else "density")
        self._nonmember.draw(part.nonmember)
        self._member.draw(part.member)


class OutputThreshold(CursorLayer):
    """The threshold from which outputs are flagged, dragged to choose the FPR.

    Where the test needs more than one threshold, the ends of its intervals are fixed lines.
    """

    def add_marks(self) -> None:
        self._ends = self.add("ends", Line(color=theme.SELECTION, dash="dashed", width=1.5))
        self.add_cursor(on_move=self._moved, label="threshold t")

    def parts(self, result: Result) -> tuple[object, ...]:
        part = mechanism(result)
        return (part.decision, part.laws)  # the distributions set the axis

    def draw(self, result: Result) -> None:
        part, x, y = mechanism(result), self.x, self.y
        decision, self._laws = part.decision.decision, part.laws.laws
        if decision is not None and decision.threshold is not None:
            self._ends.hide()
            self.place_cursor(decision.threshold)
            return
        self.hide_cursor()
        ends = [] if decision is None else np.ravel(decision.intervals).tolist()
        inside = [end for end in ends if x.low < end < x.high]
        corners = [(end, height) for end in inside for height in (y.low, y.high, y.low)]
        self._ends.draw(np.array(corners) if corners else NOTHING)

    def _moved(self, x: float) -> None:
        laws = self._laws
        if isinstance(laws, Bars):
            at = round(x * STEPS_PER_BAR) / STEPS_PER_BAR
            self.change(fpr=min(1.0, laws.at_least(at).fpr))
        elif laws is not None:
            self.change(fpr=tidy_rate(laws.at_least(x).fpr))


def mechanism(result: Result) -> MechanismPart:
    part: MechanismPart = result.answers["mechanism"]
    return part


def _area(color: str, label: str) -> Area:
    return Area(color=color, opacity=0.2, outline=False, label=label)
