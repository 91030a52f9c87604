"""The most advantage and PPV that the claim permits."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame, Mark
from dpviz.pictures.layer import Change


class RiskBounds:
    """The most advantage and PPV the claim permits, over the prior as a base line."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """Two bounds and the level of the prior."""
        self._frame = frame
        self._prior = frame.line(color=theme.SELECTION, dash="dotted", width=1.5, label="prior p")
        self._ppv = frame.line(color=theme.CLAIM, width=2.5, label="PPV: at most (claim)")
        self._advantage = frame.line(
            color=theme.NONMEMBER, width=2.5, label="advantage: at most (claim)"
        )

    def marks(self) -> dict[str, Mark]:
        """All lines."""
        return {"prior": self._prior, "ppv": self._ppv, "advantage": self._advantage}

    def parts(self, result: Result) -> tuple[object, ...]:
        """Claim and prior."""
        return (result.risk,)

    def draw(self, result: Result) -> None:
        """Set the range so that the cliff of delta shows, then the lines."""
        risk, prior = result.risk, result.spec.prior
        self._frame.x.set_range(risk.lowest_fpr, 1.0)
        self._prior.draw(np.array([[risk.lowest_fpr, prior], [1.0, prior]]))
        self._ppv.draw(risk.ppv)
        self._advantage.draw(risk.advantage)
