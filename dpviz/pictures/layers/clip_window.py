"""The thresholds that the clip of Epsilon* leaves out."""

from dataclasses import replace

import numpy as np

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.axes import decades_of
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import NOTHING, Area


class ClipWindow(SampleLayer):
    """Shaded areas on either side of the window; all is shaded where no threshold is left."""

    def add_marks(self) -> None:
        label = "left out by the clip"
        left = Area(color=theme.SHADE, opacity=0.2, outline=False, label=label, extra=True)
        self._sides = self.add_each("side", left, replace(left, label=""))

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.epsilon_star,)

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.epsilon_star
        low, high = 0.0, 0.0
        if not np.isnan(part.curves.window[0]):
            decades = decades_of(np.array(part.curves.window))
            low, high = np.clip(decades, -part.decades, part.decades)
        ends = (-part.decades, low), (high, part.decades)
        for side, (a, b) in zip(self._sides, ends, strict=True):
            side.draw(rectangle(a, b, *part.log_ratio_range) if b > a else NOTHING)
