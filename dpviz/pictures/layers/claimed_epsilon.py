"""The epsilon of the claim, beside the estimate."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class ClaimedEpsilon:
    """The claim's epsilon as a level, to compare the estimate with."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One level line."""
        self._frame = frame
        self._line = frame.line(color=theme.LEVEL, width=2.5, label="ε of the claim")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim, and what decides the axes."""
        return (result.claim, result.sample and result.sample.epsilon_star)

    def draw(self, result: Result) -> None:
        """Move the level; above the picture it is not drawn."""
        x, y, epsilon = self._frame.x, self._frame.y, result.claim.epsilon
        inside = epsilon <= y.high
        self._line.draw(np.array([[x.low, epsilon], [x.high, epsilon]]) if inside else NOTHING)
