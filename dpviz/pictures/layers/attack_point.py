"""The attack at the selected FPR."""

import numpy as np

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.layers.bands import OnAxes, as_it_is
from dpviz.pictures.marks import Points


class AttackPoint(SampleLayer):
    """The attack at the selected FPR."""

    def __init__(self, on_axes: OnAxes = as_it_is) -> None:
        self._on_axes = on_axes

    def add_marks(self) -> None:
        self._point = self.add("point", Points(color=theme.ATTACK))

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.at_fpr,)

    def draw_sample(self, sample: SamplePart) -> None:
        at = sample.at_fpr
        self._point.draw(self._on_axes(np.array([[at.fpr, at.fnr]])))
