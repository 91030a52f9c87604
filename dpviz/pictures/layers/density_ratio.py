"""The ratio of both output densities, and the band in which pure epsilon-DP keeps it."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.density_ratio import RatioPart
from dpviz.pictures import theme
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Area, Line
from dpviz.theory.outputs.bars import Bars

ROOM = 1.15  # half the axis over the largest finite log ratio
FAR = 4  # an epsilon farther out than so many times that is not drawn


class DensityRatio(Layer):
    """log Q/P over the output; infinite ratios stand at the edge."""

    closed_form = True

    def add_marks(self) -> None:
        self._band = self.add(
            "band",
            Area(color=theme.CLAIM, opacity=0.15, outline=False, label="from e^-ε to e^ε"),
        )
        self._equal = self.add(
            "equal", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="equally likely")
        )
        self._ratio = self.add(
            "ratio", Line(color=theme.CLAIM, width=2.5, label="member against non-member")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers["ratio"],)

    def draw(self, result: Result) -> None:
        part: RatioPart = result.answers["ratio"]
        if part.laws is None or not len(part.curve):
            self.hide()
            return
        x, y, laws = self.x, self.y, part.laws
        if isinstance(laws, Bars):
            x.set_bars(laws.labels, first=laws.first)
        else:
            x.set_range(*laws.span)
        x.set_label(laws.name)
        heights = np.abs(part.curve[:, 1])
        most = float(heights[np.isfinite(heights)].max(initial=0.1))
        is_near = part.epsilon <= FAR * most
        high = ROOM * (max(most, part.epsilon) if is_near else most)
        y.set_range(-high, high)
        limit = min(part.epsilon, high)
        self._band.draw(rectangle(x.low, x.high, -limit, limit) if limit else NOTHING)
        self._equal.draw(self.frame.horizontal(0.0))
        self._ratio.draw(np.clip(part.curve, [-np.inf, -high], [np.inf, high]))
