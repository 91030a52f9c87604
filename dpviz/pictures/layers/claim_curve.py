"""The trade-off curve of the claim."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame, Mark
from dpviz.pictures.layer import Change


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

    def marks(self) -> dict[str, Mark]:
        """The curve; the line of a blind guess stays."""
        return {"curve": self._curve}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Move the vertices."""
        self._curve.draw(result.claim.curve)
