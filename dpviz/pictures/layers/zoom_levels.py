"""What averages at several zoom levels give away, each alone and all together."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.sentences.zoom_levels import SYMBOLS
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Line, Points
from dpviz.theory.calibration import Norm
from dpviz.theory.zoom_levels import ZoomLevels


class EpsilonOfLevels(Layer):
    """A point for each level, and a line for all together."""

    def add_marks(self) -> None:
        self._all = self.add("all", Line(color=theme.CLAIM, label="all maps together"))
        self._each = self.add("each", Points(color=theme.LEVEL, size=90, label="each map alone"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers["zoom_levels"], result.answers["zoom_norm"])

    def draw(self, result: Result) -> None:
        levels: ZoomLevels = result.answers["zoom_levels"]
        norm: Norm = result.answers["zoom_norm"]
        regions, epsilons = np.array(levels.regions, float), levels.epsilons
        together = levels.sensitivity(norm) / levels.scale
        self.y.set_label(f"{SYMBOLS[norm]} (log scale)")
        self.x.set_range(0.5, 2 * float(regions[-1]))
        ends = np.log10([epsilons[0], together])
        low, high = np.floor(ends[0] - 0.2), np.ceil(ends[1] + 0.2)
        self.y.set_range(float(10.0**low), float(10.0**high))
        self._all.draw(self.frame.horizontal(together))
        self._each.draw(np.column_stack([regions, epsilons]))
