"""The region of the claim."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.marks import Area


class ClaimRegion(ClaimLayer):
    """Every (FPR, FNR) that the claim allows, filled; converted to replace-one adjacency unless
    `as_claimed`.
    """

    def __init__(self, *, as_claimed: bool = False) -> None:
        self._as_claimed = as_claimed
        self.closed_form = not as_claimed

    def add_marks(self) -> None:
        mark = Area(color=theme.CLAIM, opacity=0.25, label="allowed by the claim")
        self._area = self.add("area", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        is_other = self._as_claimed and result.claim.converted
        self._area.draw(result.spec.claim.region() if is_other else result.claim.region)
