"""The errors that delta allows by itself."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.layers.random_guessing import add_random_guessing
from dpviz.pictures.marks import NOTHING, Area
from dpviz.theory import TotalVariation


class DeltaBand(ClaimLayer):
    """Every (FPR, FNR) of an attacker with advantage at most delta: allowed even at epsilon 0."""

    closed_form = True

    def add_marks(self) -> None:
        label = "allowed by δ alone"
        self._area = self.add(
            "area", Area(color=theme.BAND, opacity=0.45, outline=False, label=label, extra=True)
        )
        add_random_guessing(self.frame)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        # Only a claim with a delta of its own has this band.
        delta = result.claim.claim.parameters.get("delta", 0.0)
        self._area.draw(TotalVariation(delta=delta).region() if delta > 0 else NOTHING)
