"""What delta admits by itself."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame, Mark
from dpviz.pictures.layer import Change
from dpviz.theory import TotalVariation


class DeltaBand:
    """Every (FPR, FNR) of an attacker with advantage delta, whatever epsilon is.

    The band from FPR + FNR = 1 - delta to 1, and its mirror image: admitted even at epsilon 0.
    """

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """One area, and the line of a blind guess in its middle."""
        self._area = frame.area(
            color=theme.BAND,
            opacity=0.45,
            outline=False,
            label="δ alone admits this, even at ε = 0",
        )

        guess = frame.line(color=theme.SELECTION, dash="dotted", width=1.5, label="blind guess")
        guess.draw(np.array([[0.0, 1.0], [1.0, 0.0]]))

    def marks(self) -> dict[str, Mark]:
        """The area; the line of a blind guess stays."""
        return {"area": self._area}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Show the band of a claim that has a delta of its own."""
        delta = result.claim.claim.parameters.get("delta", 0.0)
        self._area.draw(TotalVariation(delta=delta).region() if delta > 0 else NOTHING)
