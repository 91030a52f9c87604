"""Quantiles of the data against those of the fitted distributions."""

import numpy as np

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import Line, Points

LEAST_REACH = 4.0  # standard deviations that the axes reach to
MOST_REACH = 12.0  # farther points lie beyond the edge


class Quantiles(SampleLayer):
    """Quantiles of members and non-members, the line of a perfect fit and the maximum on it."""

    def add_marks(self) -> None:
        self._diagonal = self.add(
            "diagonal", Line(color=theme.SELECTION, dash="dashed", label="perfect fit")
        )
        self._points = self.add_each(
            "points",
            Points(color=theme.NONMEMBER, size=16, label="non-members"),
            Points(color=theme.MEMBER, marker="triangle-up", size=16, label="members"),
        )
        self._maxima = self.add_each(
            "maximum",
            Points(color=theme.NONMEMBER, marker="diamond", label="place of Epsilon*"),
            Points(color=theme.MEMBER, marker="diamond"),
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.fit, sample.epsilon_star)

    def draw_sample(self, sample: SamplePart) -> None:
        part, at = sample.fit, sample.epsilon_star.star.extrapolation
        if not len(part.member_quantiles):
            self.hide()
            return
        pairs = (part.nonmember_quantiles, part.member_quantiles)
        places = (at.z_nonmember, at.z_member) if at else ()
        farthest = max(float(np.abs(np.concatenate(pairs)).max()), *np.abs(places), LEAST_REACH)
        reach = float(np.ceil(min(farthest, MOST_REACH)))
        self.x.set_range(-reach, reach)
        self.y.set_range(-reach, reach)
        self._diagonal.draw(np.array([[-reach, -reach], [reach, reach]]))
        # Points beyond the axes stand at their ends.
        for points, pair in zip(self._points, pairs, strict=True):
            points.draw(np.clip(pair, -reach, reach))
        for i, mark in enumerate(self._maxima):
            at_edge = np.clip(places[i : i + 1], -reach, reach)
            mark.draw(np.column_stack([at_edge, at_edge]))
