"""Where the maximum of a fitted Epsilon* lies among the transformed losses."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class MaximumPlace:
    """A line at the threshold of the maximum; at the edge of the picture where it lies beyond."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """A line and a name."""
        self._frame = frame
        self._line = frame.line(
            color=theme.SELECTION, dash="dash_dotted", width=1.5, label="the maximum of Epsilon*"
        )
        self._name = frame.points(color=theme.SELECTION, marker="diamond")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The estimate, and the fit that sets the axis."""
        sample = result.sample
        return (sample and sample.epsilon_star, sample and sample.fit)

    def draw(self, result: Result) -> None:
        """Stand at the place, or hide where nothing exceeds 0."""
        at = result.sample and result.sample.epsilon_star.star.extrapolation
        if not at:
            self._line.draw(NOTHING)
            self._name.draw(NOTHING)
            return
        x, y = self._frame.x, self._frame.y
        place = x.clamp(at.place)
        self._line.draw(np.array([[place, y.low], [place, y.high]]))
        height = y.low + 0.93 * (y.high - y.low)
        beyond = "" if x.low <= at.place <= x.high else " (beyond the axis)"
        name = f"extrapolated{beyond}" if at.is_beyond_data else ""
        is_right = place > (x.low + x.high) / 2
        self._name.draw(np.array([[place, height]]), texts=[name], to_the_left=is_right)
