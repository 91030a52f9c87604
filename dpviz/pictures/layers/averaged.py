"""Both sides of Theorem 2 over a grid of FPRs."""

import numpy as np

from dpviz.analysis import Result
from dpviz.audit.models.averaged import BothSides
from dpviz.pictures import theme
from dpviz.pictures.axes import decades_of
from dpviz.pictures.frame import thinned
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Line, Points

ROOM = 1.15  # length of the axis over the largest finite value
EDGE = 0.4  # decades of odds beyond the ends of the grid


class AveragedRates(Layer):
    """The largest log ratio at each FPR, of each model and of the averaged rates; both sides.

    What is infinite stands at the upper edge.
    """

    def add_marks(self) -> None:
        self._models = self.add(
            "models", Points(color=theme.NONMEMBER, size=30, outline=1, label="each model")
        )
        self._averaged = self.add(
            "averaged",
            Points(color=theme.ATTACK, marker="diamond", label="rates averaged over models"),
        )
        self._left = self.add("left", Line(color=theme.ATTACK, label="ε-bar, their largest"))
        self._right = self.add(
            "right", Line(color=theme.LIMIT, dash="dashed", label="log of the mean of e^ε*")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("both_sides"),)

    def draw(self, result: Result) -> None:
        found: BothSides | None = result.answers.get("both_sides")
        if found is None:
            self.hide()
            return
        decades = decades_of(found.averaged.grid)
        largest = [np.maximum(each.log_ratios.max(axis=1), 0) for each in found.models]
        averaged = np.maximum(found.averaged.log_ratios.max(axis=1), 0)
        values = np.concatenate([*largest, averaged, [found.left, found.right]])
        high = ROOM * float(values[np.isfinite(values)].max(initial=0.1))
        self.x.set_range(float(decades[0]) - EDGE, float(decades[-1]) + EDGE)
        self.y.set_range(0.0, high)
        places = np.vstack([np.column_stack([decades, np.minimum(e, high)]) for e in largest])
        self._models.draw(thinned(places))
        self._averaged.draw(thinned(np.column_stack([decades, np.minimum(averaged, high)])))
        self._left.draw(self.frame.horizontal(min(found.left, high)))
        self._right.draw(self.frame.horizontal(min(found.right, high)))
