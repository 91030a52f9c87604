"""The place of the maximum of a fitted Epsilon* among the transformed losses."""

import numpy as np

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import Line, Points


class MaximumPlace(SampleLayer):
    """A line at the threshold of the maximum; at the edge of the picture where it lies beyond."""

    def add_marks(self) -> None:
        color = theme.SELECTION
        self._line = self.add(
            "line", Line(color=color, dash="dash_dotted", width=1.5, label="place of Epsilon*")
        )
        self._name = self.add("name", Points(color=color, marker="diamond"))

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.epsilon_star, sample.fit)  # the fit sets the axes

    def draw_sample(self, sample: SamplePart) -> None:
        at = sample.epsilon_star.star.extrapolation
        if not at:  # there is no maximum where nothing exceeds 0
            self.hide()
            return
        x, y = self.x, self.y
        line = self.frame.vertical(at.place)
        self._line.draw(line)
        height = y.low + 0.93 * (y.high - y.low)
        beyond = "" if x.low <= at.place <= x.high else " (beyond the axis)"
        name = f"extrapolated{beyond}" if at.is_beyond_data else ""
        place = line[0, 0]
        self._name.draw(np.array([[place, height]]), texts=[name])
