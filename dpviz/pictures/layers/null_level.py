"""How large Epsilon* gets by chance alone."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class NullLevel:
    """What 95 in 100 estimates stay below where nothing leaks, as a level; counted ratios only."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One level line."""
        self._frame = frame
        self._line = frame.line(
            color=theme.SELECTION,
            dash="dash_dotted",
            width=1.5,
            label="no leakage: 95 in 100 estimates stay below (simulated)",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """What chance alone gives, the form of the estimate, and what decides the axes."""
        sample = result.sample
        return (sample and sample.audit.null, result.spec.method, sample and sample.epsilon_star)

    def draw(self, result: Result) -> None:
        """Move the level; above the picture it is not drawn."""
        null = result.sample and result.sample.audit.null
        if not null or result.spec.method != "empirical":
            self._line.draw(NOTHING)
            return
        x, y, level = self._frame.x, self._frame.y, null.quantile("epsilon_star")
        inside = y.low <= level <= y.high
        self._line.draw(np.array([[x.low, level], [x.high, level]]) if inside else NOTHING)
