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
        if not result.is_claimed:
            label = _without_claim(result)
        elif point.source == "attack":  # measured rates imply no bound: no epsilon is said
            label = WORDS["point.inside" if point.admitted else "point.outside"]
        else:
            place = "allowed" if point.admitted else "not allowed"
            label = WORDS["point"].format(place=place, epsilon=needed(result))
        marker = "diamond" if point.admitted else "cross"
        self._handle.place(point.fpr, point.fnr, marker=marker, text=label)


def _without_claim(result: Result) -> str:
    """What stands beside a point where nothing is claimed."""
    point = result.point
    if point.source == "claim":
        return ""
    kind = "measured" if point.source == "attack" else "chosen"
    return WORDS[f"point.{kind}"].format(epsilon=needed(result))
