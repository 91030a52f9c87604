"""The attack at the selected FPR."""

import numpy as np

from dpviz.analysis.parts.log_log import on_axes
from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import Points


class AttackPoint(SampleLayer):
    """The attack at the selected FPR; its TPR on logarithmic axes if `on_tail`."""

    def __init__(self, *, on_tail: bool = False) -> None:
        self._on_tail = on_tail

    def add_marks(self) -> None:
        self._point = self.add("point", Points(color=theme.ATTACK))

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.at_fpr,)

    def draw_sample(self, sample: SamplePart) -> None:
        at = sample.at_fpr
        place = np.array([[at.fpr, at.tpr if self._on_tail else at.fnr]])
        self._point.draw(on_axes(place) if self._on_tail else place)
