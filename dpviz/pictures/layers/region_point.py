"""The point in the region: dragged to see what an attack with these errors would need."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import tidy_rate
from dpviz.analysis.sentences.rates import needed
from dpviz.analysis.sentences.templates import WORDS
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Handle, Points


class FlippedPoint(Layer):
    """The point of the attack that gives the opposite answers."""

    closed_form = True

    def add_marks(self) -> None:
        self._point = self.add(
            "point", Points(color=theme.ATTACK, outline=1.5, label="answers flipped", extra=True)
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.point,)

    def draw(self, result: Result) -> None:
        self._point.draw(np.array([[1 - result.point.fpr, 1 - result.point.fnr]]))


class RegionPoint(Layer):
    """A draggable (FPR, FNR): a diamond where the claim allows it, a cross where it does not."""

    closed_form = True

    def add_marks(self) -> None:
        self._handle = self.add(
            "handle",
            Handle(
                color=theme.ATTACK,
                marker="diamond",
                on_move=lambda fpr, fnr: self.change(
                    fpr=tidy_rate(fpr, digits=4), fnr=tidy_rate(fnr, digits=4)
                ),
            ),
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.point, result.claim)

    def draw(self, result: Result) -> None:
        point = result.point
        # Of measured rates the label says no epsilon and no place: a cross that chance alone may
        # put outside must not read as the answer.
        if point.source == "attack":
            label = WORDS["point.measured"]
        elif result.is_claimed:
            place = "allowed" if point.admitted else "not allowed"
            label = WORDS["point"].format(place=place, epsilon=needed(result))
        elif point.source == "chosen":
            label = WORDS["point.chosen"].format(epsilon=needed(result))
        else:
            label = ""
        marker = "diamond" if point.admitted else "cross"
        self._handle.place(point.fpr, point.fnr, marker=marker, text=label)
