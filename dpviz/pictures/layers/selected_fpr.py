"""An FPR as a cursor: one shared number, movable in every view."""

import numpy as np
from typing_extensions import override

from dpviz.analysis import Result
from dpviz.analysis.number_format import tidy_rate
from dpviz.pictures.axes import decades_of, rate_of
from dpviz.pictures.layers.cursor import CursorLayer


class SelectedFpr(CursorLayer):
    """The line at the selected FPR, on an x axis of any scale."""

    closed_form = True
    label = "selected FPR"

    def add_marks(self) -> None:
        self._is_odds = self.x.spec.scale == "log-odds"
        self.add_cursor(
            on_move=lambda x: self.change(fpr=tidy_rate(rate_of(x) if self._is_odds else x)),
            label=self.label,
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        # What sets the x axis is a part, too.
        star = None if result.sample is None else result.sample.epsilon_star
        return (result.risk_point, result.risk, star)

    def draw(self, result: Result) -> None:
        fpr = self.fpr_of(result)
        self.place_cursor(float(decades_of(np.array(fpr))) if self._is_odds else fpr)

    def fpr_of(self, result: Result) -> float:
        """Return the FPR at which the line stands."""
        return result.fpr


class ExampleFpr(SelectedFpr):
    """The same line where the claim alone is explained: at 1 % until an FPR is chosen."""

    label = "this FPR"

    @override
    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.example_fpr,)

    @override
    def fpr_of(self, result: Result) -> float:
        return result.example_fpr
