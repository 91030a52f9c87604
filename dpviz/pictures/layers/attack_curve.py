"""The attack's measured curve."""

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.layers.bands import OnAxes, as_it_is
from dpviz.pictures.marks import Line


class AttackCurveLayer(SampleLayer):
    """The empirical curve of the scores."""

    def __init__(self, on_axes: OnAxes = as_it_is) -> None:
        self._on_axes = on_axes

    def add_marks(self) -> None:
        mark = Line(color=theme.ATTACK, width=2.5, label="this attack (95 % band)")
        self._curve = self.add("curve", mark)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.attack,)

    def draw_sample(self, sample: SamplePart) -> None:
        self._curve.draw(self._on_axes(sample.attack.curve))
