"""The noise that Laplace and Gaussian mechanisms need, over the dimension."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.noise import NoisePart
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Line, Points


class NoiseOverDimension(Layer):
    """Both deviations, and the dimension from which on the Gaussian one is no larger."""

    def add_marks(self) -> None:
        self._laplace = self.add(
            "laplace", Line(color=theme.LEVEL, dash="dashed", label="Laplace, δ = 0")
        )
        self._gaussian = self.add(
            "gaussian", Line(color=theme.CLAIM, width=2.5, label="Gaussian, with δ")
        )
        self._crossing = self.add("crossing", Points(color=theme.CLAIM, marker="diamond"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers["noise"],)

    def draw(self, result: Result) -> None:
        part: NoisePart = result.answers["noise"]
        if part.crossing is None:
            self.hide()
            return
        low, high = part.laplace[[0, -1], 1]
        ends = np.log10([min(low, part.gaussian), max(high, part.gaussian)])
        self.y.set_range(float(10 ** np.floor(ends[0])), float(10 ** np.ceil(ends[1])))
        self._laplace.draw(part.laplace)
        self._gaussian.draw(self.frame.horizontal(part.gaussian))
        is_shown = part.crossing <= self.x.high
        place = np.array([[part.crossing, part.gaussian]])
        self._crossing.draw(place if is_shown else NOTHING, texts=[f"d = {part.crossing}"])
