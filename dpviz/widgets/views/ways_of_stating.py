"""The view of one guarantee in every way of stating it."""

from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.parts.ways_of_stating import Ways
from dpviz.analysis.sentences.registry import TABLES
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.guarantee import WAYS_OF_STATING
from dpviz.widgets.base.html import Html, fold, html_table
from dpviz.widgets.views.figure_view import FigureView, ViewParts


class WaysOfStatingView(FigureView):
    """What μ, ρ, Rényi divergences and (ε, δ) each allow, beside the guarantee they state.

    The guarantee is stated as it is given, for its own adjacency.

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism
    >>> from dpviz.widgets import WaysOfStatingView
    >>> view = WaysOfStatingView(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01)
    >>> [round(allowed, 3) for allowed in view.result.answers["ways_of_stating"].allowed if allowed]
    [0.092, 0.092, 0.125, 0.125, 0.796, 0.991]
    """

    scene = WAYS_OF_STATING
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "choose Gaussian noise as the claim, and compare its ρ with its (ε, δ)."

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        spec = result.spec
        return {
            "ways_of_stating": self._ways.part(spec.claim, result.claim.delta, result.example_fpr)
        }

    def contents(self) -> list[ipywidgets.Widget]:
        self._ways = Ways()
        return super().contents()

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        self.table = Html()
        parts.words.children += (fold("Numbers", [self.table]),)
        return super().arrange(parts)

    def follow_controls(self, result: Result) -> None:
        super().follow_controls(result)
        self.table.value = html_table(*TABLES["ways_of_stating"](self.with_own(result)))
