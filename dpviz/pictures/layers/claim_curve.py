"""The trade-off curve of the claim."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.random_guessing import add_random_guessing
from dpviz.pictures.marks import Line


class ClaimCurve(Layer):
    """The lowest FNR that the claim allows at each FPR, and the line of random guessing."""

    closed_form = True

    def add_marks(self) -> None:
        add_random_guessing(self.frame)
        mark = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
        self._curve = self.add("curve", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        self._curve.draw(result.claim.curve)
