"""The two laws of a mechanism's output, the errors of a test under them, and its threshold."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.mechanism import MechanismPart
from dpviz.analysis.tidy import tidy_rate
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change
from dpviz.theory.bars import Bars

Shown = Callable[[], MechanismPart]
"""Gives the mechanism to draw."""
STEPS_PER_BAR = 20
"""A hand on the threshold chooses the share of a bar in such steps."""


class ErrorAreas:
    """What the test accuses of the non-members, and what it misses of the members."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Two areas."""
        self._fpr = frame.area(
            color=theme.NONMEMBER, opacity=0.4, outline=False, label="FPR: non-members accused"
        )
        self._fnr = frame.area(
            color=theme.MEMBER, opacity=0.4, outline=False, label="FNR: members missed"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The test."""
        return (self._shown().decision,)

    def draw(self, result: Result) -> None:
        """Move the outlines."""
        self._fpr.draw(self._shown().decision.fpr_area)
        self._fnr.draw(self._shown().decision.fnr_area)


class OutputCurves:
    """Both densities, or bars."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Two lines."""
        self._frame = frame
        self._nonmember = frame.line(color=theme.NONMEMBER, label="output for a non-member (P)")
        self._member = frame.line(color=theme.MEMBER, dash="dashed", label="for a member (Q)")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The laws."""
        return (self._shown().laws,)

    def draw(self, result: Result) -> None:
        """Name the outputs and set the ranges, then the lines."""
        part = self._shown().laws
        x, y = self._frame.x, self._frame.y
        if isinstance(part.laws, Bars):
            x.set_bars(part.laws.labels, first=part.laws.first)
        else:
            x.set_range(*part.span)
        y.set_range(0.0, 1.08 * part.top)
        x.set_label("output" if part.laws is None else part.laws.name)
        y.set_label("probability" if isinstance(part.laws, Bars) else "density")
        self._nonmember.draw(part.nonmember)
        self._member.draw(part.member)


class OutputThreshold:
    """Where "member" begins to be said: dragged to choose the FPR.

    Where one threshold does not do, the ends of what is accused stand as fixed lines.
    """

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """The fixed lines, and one cursor."""
        self._frame, self._change = frame, change
        self._ends = frame.line(color=theme.SELECTION, dash="dashed", width=1.5)
        self._cursor = frame.cursor(
            on_move=self._moved, label="threshold t", hint="drag it where there is one"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The test, and the laws that set the axis."""
        return (self._shown().decision, self._shown().laws)

    def draw(self, result: Result) -> None:
        """Move the cursor, or the fixed lines."""
        decision, x, y = self._shown().decision.decision, self._frame.x, self._frame.y
        t = None if decision is None else decision.threshold
        if t is not None:
            self._ends.draw(NOTHING)
            self._cursor.place(x.clamp(t))
            return
        self._cursor.hide()
        ends = [] if decision is None else np.ravel(decision.intervals).tolist()
        inside = [end for end in ends if x.low < end < x.high]
        corners = [(end, height) for end in inside for height in (y.low, y.high, y.low)]
        self._ends.draw(np.array(corners) if corners else NOTHING)

    def _moved(self, x: float) -> None:
        laws = self._shown().laws.laws
        if isinstance(laws, Bars):
            at = round(x * STEPS_PER_BAR) / STEPS_PER_BAR
            self._change(fpr=min(1.0, laws.at_least(at).fpr))
        elif laws is not None:
            self._change(fpr=tidy_rate(laws.at_least(x).fpr))
