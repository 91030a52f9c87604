"""What the clip of Epsilon* leaves out."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.axes import decades_of
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class ClipWindow:
    """What the clip leaves out, shaded."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """An area on either side."""
        self._frame = frame
        self._sides = [
            frame.area(color=theme.SHADE, opacity=0.2, outline=False, label=label)
            for label in ("left out by the clip", "")
        ]

    def parts(self, result: Result) -> tuple[object, ...]:
        """Epsilon*."""
        return (result.sample and result.sample.epsilon_star,)

    def draw(self, result: Result) -> None:
        """Shade from the axis' ends to the window; all of it where no threshold survives."""
        if result.sample is None:
            for side in self._sides:
                side.draw(NOTHING)
            return
        part = result.sample.epsilon_star
        window = part.curves.window
        if np.isnan(window[0]):
            low, high = 0.0, 0.0
        else:
            low, high = np.clip(decades_of(np.array(window)), -part.decades, part.decades)
        bottom, top = part.log_ratio_range
        for side, (a, b) in zip(
            self._sides, [(-part.decades, low), (high, part.decades)], strict=True
        ):
            corners = np.array([[a, bottom], [b, bottom], [b, top], [a, top]])
            side.draw(corners if b > a else NOTHING)
