"""Transformed losses and the distributions fitted to them."""

import numpy as np

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import Line


class FittedLaws(SampleLayer):
    """Histograms of members and non-members as densities, and the fitted densities over them."""

    def add_marks(self) -> None:
        self._data = self.add_each(
            "data",
            Line(color=theme.NONMEMBER, steps=True, width=1, fill=0.2),
            Line(color=theme.MEMBER, steps=True, width=1, fill=0.4),
        )
        self._fits = self.add_each(
            "fit",
            Line(color=theme.NONMEMBER, width=2.5, label="fit of non-members"),
            Line(color=theme.MEMBER, dash="dashed", width=2.5, label="fit of members"),
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.fit,)

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.fit
        edges, bars = part.edges, (part.nonmember, part.member)
        self.x.set_range(float(edges[0]), float(edges[-1]))
        # The data set the height: a density far narrower than a bin leaves the picture.
        self.y.set_range(0.0, 1.25 * float(max(b.max() for b in bars)))
        what = "transformed " if part.transform == "paper" else "rescaled "
        label = f"{what}{part.kind} (low = member-like)"
        self.x.set_label(self.frame.naming.on_axis(label))
        for line, heights in zip(self._data, bars, strict=True):
            line.draw(np.column_stack([edges, np.append(heights, heights[-1])]))
        for line, density in zip(
            self._fits, (part.nonmember_density, part.member_density), strict=True
        ):
            line.draw(density)
