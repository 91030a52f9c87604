"""The attack's measured curve."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class AttackCurveLayer:
    """The empirical (FPR, FNR) curve of the loaded scores."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One line."""
        self._curve = frame.line(
            color=theme.ATTACK, dash="dashed", label="this attack, measured (estimate)"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The attack's curve."""
        return (result.sample and result.sample.attack,)

    def draw(self, result: Result) -> None:
        """Show the curve, or nothing without scores."""
        self._curve.draw(NOTHING if result.sample is None else result.sample.attack.curve)
