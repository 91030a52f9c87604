"""The attack at the selected FPR."""

import numpy as np

from dpviz.analysis import Result
from dpviz.widgets.figures import Frame, theme
from dpviz.widgets.figures.marks import NOTHING
from dpviz.widgets.layers.layer import Change


class AttackPoint:
    """The attack at the selected FPR."""

    closed_form = False

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
            self._points.draw(np.array([[at.fpr, at.fnr]]))
