"""The scores themselves: a histogram of members and one of non-members."""

import numpy as np

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import Line


class Histogram(SampleLayer):
    """Shares of members and non-members per bin."""

    def add_marks(self) -> None:
        self._member = self.add(
            "members",
            Line(color=theme.MEMBER, width=1.5, steps=True, fill=0.5, label="members"),
        )
        self._nonmember = self.add(
            "non-members",
            Line(color=theme.NONMEMBER, width=1.5, steps=True, fill=0.25, label="non-members"),
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.histogram,)

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.histogram
        self.x.set_range(float(part.edges[0]), float(part.edges[-1]))
        self.y.set_range(0.0, 1.05 * float(max(part.member.max(), part.nonmember.max())))
        end = "low" if part.kind == "loss" else "high"
        self.x.set_label(self.frame.naming.on_axis(f"{part.kind} ({end} = member-like)"))
        for line, shares in ((self._member, part.member), (self._nonmember, part.nonmember)):
            line.draw(np.column_stack([part.edges, np.append(shares, shares[-1])]))
