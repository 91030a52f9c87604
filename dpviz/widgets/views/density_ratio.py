"""The view of the ratio of both output densities."""

from typing import Any, ClassVar

from dpviz.analysis import Result
from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.density_ratio import RatioPart, ratio_part
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.mechanism import RATIO
from dpviz.theory import TradeoffFunction
from dpviz.widgets.views.figure_view import FigureView


class RatioView(FigureView):
    """How much more likely each output is for a member, and the band of pure epsilon-DP.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.widgets import RatioView
    >>> view = RatioView(claim=GaussianDP(mu=1.0), delta=1e-5)
    >>> round(view.result.answers["ratio"].epsilon, 3)
    4.377
    """

    scene = RATIO
    moved_by: ClassVar[tuple[str, ...]] = ("epsilon", "delta")
    try_it = "make δ larger: the band narrows, and more outputs leave it."

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"ratio": self._part(result.claim.claim, result.claim.epsilon)}

    @memoised
    def _part(self, claim: TradeoffFunction, epsilon: float) -> RatioPart:
        return ratio_part(claim, epsilon)
