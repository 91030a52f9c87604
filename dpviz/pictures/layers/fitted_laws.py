"""Transformed losses and the laws fitted to them."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class FittedLaws:
    """Histograms of both classes as densities, and the fitted densities over them."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """Two filled steps and two lines."""
        self._frame = frame
        colors = {"non-members": theme.NONMEMBER, "members": theme.MEMBER}
        self._data = [
            frame.line(color=color, steps=True, width=1, fill=0.25, label=name)
            for name, color in colors.items()
        ]
        nonmember = frame.line(color=theme.NONMEMBER, width=2.5, label="fit of non-members")
        member = frame.line(color=theme.MEMBER, dash="dashed", width=2.5, label="fit of members")
        self._laws = [nonmember, member]

    def parts(self, result: Result) -> tuple[object, ...]:
        """The fit."""
        return (result.sample and result.sample.fit,)

    def draw(self, result: Result) -> None:
        """Set the ranges, then steps and lines."""
        if result.sample is None:
            for line in (*self._data, *self._laws):
                line.draw(NOTHING)
            return
        part = result.sample.fit
        edges, bars = part.edges, (part.nonmember, part.member)
        laws = (part.nonmember_density, part.member_density)
        self._frame.x.set_range(float(edges[0]), float(edges[-1]))
        # A law far narrower than a bin goes out of the picture: the data set its height.
        self._frame.y.set_range(0.0, 1.25 * float(max(b.max() for b in bars)))
        what = "transformed " if part.transform == "paper" else "rescaled "
        self._frame.x.set_label(f"{what}{part.kind} (low = member-like)")
        for line, heights in zip(self._data, bars, strict=True):
            line.draw(np.column_stack([edges, np.append(heights, heights[-1])]))
        for line, law in zip(self._laws, laws, strict=True):
            line.draw(law)
