"""The attack at the selected FPR."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.log_log import on_axes
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class AttackPoint:
    """The attack at the selected FPR.

    Parameters
    ----------
    on_tail : bool
        Whether the picture shows the TPR, on logarithmic axes.
    """

    closed_form = False

    def __init__(self, *, on_tail: bool = False) -> None:
        self._on_tail = on_tail

    def build(self, frame: Frame, change: Change) -> None:
        """One marker."""
        self._points = frame.points(color=theme.ATTACK, label="at the selected FPR")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The operating point."""
        return (result.sample and result.sample.at_fpr,)

    def draw(self, result: Result) -> None:
        """Show the marker, or nothing without scores."""
        if result.sample is None:
            self._points.draw(NOTHING)
        else:
            at = result.sample.at_fpr
            place = np.array([[at.fpr, at.tpr if self._on_tail else at.fnr]])
            self._points.draw(on_axes(place) if self._on_tail else place)
