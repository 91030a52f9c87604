"""The edge of the region that an attack reaches, random choices between two thresholds included."""

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import Line


class AttackHull(SampleLayer):
    """The convex hull of the measured (FPR, FNR), towards the best corner: a mark behind "⋯".

    It lies below the measured curve, so on its own it would make the attack look stronger.
    """

    def add_marks(self) -> None:
        mark = Line(
            color=theme.ATTACK, width=1.5, dash="dashed", label="mixing two thresholds", extra=True
        )
        self._edge = self.add("edge", mark)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.attack,)

    def draw_sample(self, sample: SamplePart) -> None:
        self._edge.draw(sample.attack.hull)
