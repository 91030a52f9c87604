"""The view of Laplace against Gaussian noise over the dimension."""

from typing import Any, ClassVar

from dpviz.analysis import Result
from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.noise import NoisePart, noise_part
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.mechanism import NOISE
from dpviz.widgets.views.figure_view import FigureView


class NoiseView(FigureView):
    """The noise that a query with L2 sensitivity 1 needs at the claim's epsilon and delta.

    Examples
    --------
    >>> from dpviz.widgets import NoiseView
    >>> view = NoiseView(epsilon=1.0, delta=1e-5)
    >>> part = view.result.answers["noise"]
    >>> round(part.gaussian, 3), part.crossing
    (3.731, 7)
    """

    scene = NOISE
    moved_by: ClassVar[tuple[str, ...]] = ("epsilon", "delta")
    try_it = "move δ to 0.01: less Gaussian noise is enough."

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"noise": self._part(result.claim.epsilon, result.claim.delta)}

    @memoised
    def _part(self, epsilon: float, delta: float) -> NoisePart:
        return noise_part(epsilon, delta)
