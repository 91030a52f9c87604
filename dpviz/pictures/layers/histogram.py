"""The scores themselves: one histogram per class."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class Histogram:
    """Shares of members and non-members per bin."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """Two filled steps."""
        self._frame = frame
        self._nonmember = frame.line(
            color=theme.NONMEMBER, steps=True, fill=0.25, label="non-members"
        )
        self._member = frame.line(
            color=theme.MEMBER, dash="dashed", steps=True, fill=0.25, label="members"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The histogram."""
        return (result.sample and result.sample.histogram,)

    def draw(self, result: Result) -> None:
        """Set the ranges, then the steps."""
        if result.sample is None:
            self._member.draw(NOTHING)
            self._nonmember.draw(NOTHING)
            return
        part = result.sample.histogram
        self._frame.x.set_range(float(part.edges[0]), float(part.edges[-1]))
        self._frame.y.set_range(0.0, 1.05 * float(max(part.member.max(), part.nonmember.max())))
        self._frame.x.set_label(
            f"{part.kind} ({'low' if part.kind == 'loss' else 'high'} = member-like)"
        )
        for line, shares in ((self._member, part.member), (self._nonmember, part.nonmember)):
            line.draw(np.column_stack([part.edges, np.append(shares, shares[-1])]))
