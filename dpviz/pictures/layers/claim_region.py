"""The region of the claim."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame, Mark
from dpviz.pictures.layer import Change


class ClaimRegion:
    """Every (FPR, FNR) the claim admits, filled.

    Parameters
    ----------
    as_claimed : bool
        For the claim's own neighbours, not converted to replace-one adjacency.
    """

    def __init__(self, *, as_claimed: bool = False) -> None:
        self._as_claimed = as_claimed
        self.closed_form = not as_claimed

    def build(self, frame: Frame, change: Change) -> None:
        """One area."""
        self._area = frame.area(color=theme.CLAIM, opacity=0.25, label="the claim admits")

    def marks(self) -> dict[str, Mark]:
        """The area."""
        return {"area": self._area}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim."""
        return (result.claim,)

    def draw(self, result: Result) -> None:
        """Move the corners."""
        is_other = self._as_claimed and result.claim.converted
        self._area.draw(result.spec.claim.region() if is_other else result.claim.region)
