"""The trade-off curve of the claim."""

from typing_extensions import override

from dpviz.analysis import Result
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.layers.bands import as_roc
from dpviz.pictures.layers.random_guessing import WHOLE, add_random_guessing
from dpviz.pictures.marks import Line


class ClaimCurve(ClaimLayer):
    """The lowest FNR that the claim allows at each FPR, and the line of random guessing."""

    closed_form = True

    def on_axes(self, curve: FloatArray) -> FloatArray:
        """Return a curve, with columns FPR and FNR, as the picture has it."""
        return curve

    def add_marks(self) -> None:
        add_random_guessing(self.frame, self.on_axes(WHOLE))
        mark = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
        self._curve = self.add("curve", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        self._curve.draw(self.on_axes(result.claim.curve))


class ClaimRoc(ClaimCurve):
    """The largest TPR that the claim allows at each FPR."""

    @override
    def on_axes(self, curve: FloatArray) -> FloatArray:
        return as_roc(curve)
