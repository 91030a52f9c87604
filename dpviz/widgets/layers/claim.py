"""The claim: its region, or its trade-off curve."""

import numpy as np

from dpviz.analysis import Result
from dpviz.widgets.figures import Frame, theme
from dpviz.widgets.layers.layer import Change


class ClaimRegion:
    """Every (FPR, FNR) the claim admits, filled."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """One area."""
        self._area = frame.area(color=theme.CLAIM, opacity=0.25, label="the claim admits")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Move the corners."""
        self._area.draw(result.claim.region)


class ClaimCurve:
    """The lowest FNR the claim permits at each FPR, over the line of a blind guess."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """Two lines."""
        self._guess = frame.line(
            color=theme.SELECTION, dash="dotted", width=1.5, label="blind guess"
        )
        self._guess.draw(np.array([[0.0, 1.0], [1.0, 0.0]]))
        self._curve = frame.line(color=theme.CLAIM, width=2.5, label="claim: no attack below")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Move the vertices."""
        self._curve.draw(result.claim.curve)
