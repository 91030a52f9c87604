"""The largest advantage and PPV that the claim allows."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Line


class RiskBounds(Layer):
    """The largest advantage and PPV that the claim allows, and the prior as a base line."""

    closed_form = True

    def add_marks(self) -> None:
        self._prior = self.add(
            "prior", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="prior p")
        )
        self._ppv = self.add(
            "ppv", Line(color=theme.CLAIM, width=2.5, label="PPV: limit of the claim")
        )
        self._advantage = self.add(
            "advantage", Line(color=theme.LEVEL, width=2.5, label="advantage: limit of the claim")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.risk,)

    def draw(self, result: Result) -> None:
        self.x.set_range(result.risk.lowest_fpr, 1.0)  # so that the cliff of delta shows
        self._prior.draw(self.frame.horizontal(result.spec.prior))
        self._ppv.draw(result.risk.ppv)
        self._advantage.draw(result.risk.advantage)
