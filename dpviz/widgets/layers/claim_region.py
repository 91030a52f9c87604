"""The region of the claim."""

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
