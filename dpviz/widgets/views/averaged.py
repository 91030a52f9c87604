"""The view of both sides of Theorem 2 for models of one training method."""

from collections.abc import Sequence
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.number_format import exact
from dpviz.analysis.sentences.timeline import NAMELESS
from dpviz.audit.epsilon_star.on_grid import GRID, checked_grid
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.averaged import BothSides, both_sides
from dpviz.audit.models.fleet import Fleet
from dpviz.pictures.scenes.models import BOTH_SIDES
from dpviz.widgets.controls.fields import Field, TextBox, dropdown
from dpviz.widgets.views.fleet import FleetView

EXPLANATION = "FPRs t1, ..., tk, ascending, such as 0.01, 0.1, 0.5"


class BothSidesView(FleetView):
    """Rates averaged over the models of a strategy, beside each model's Epsilon*, on one grid.

    Parameters
    ----------
    fleet : Fleet
        See :func:`dpviz.read_fleet`.
    grid : sequence of float, optional
        The FPRs t1, ..., tk at which every model is measured.
    **view
        As of every view.

    Examples
    --------
    >>> import dpviz
    >>> from dpviz.widgets import BothSidesView
    >>> view = BothSidesView(dpviz.read_sample_fleet("landscape"), grid=[0.01, 0.1, 0.5])
    >>> view.answer.left <= view.answer.right
    True
    """

    scene = BOTH_SIDES
    name = "both_sides"
    action: ClassVar[str] = "average the rates"
    progress_text: ClassVar[str] = "rates of each model ..."
    at_once: ClassVar[int] = 200

    def __init__(self, fleet: Fleet, *, grid: Sequence[float] = GRID, **view: Any) -> None:
        self.grid: tuple[float, ...] = tuple(checked_grid(grid).tolist())
        sizes = [model.strategy for model in fleet.models]
        self.strategy = max(dict.fromkeys(sizes), key=sizes.count)  # the first with the most models
        super().__init__(fleet, **view)

    def choices(self) -> list[ipywidgets.Widget]:
        names = dict.fromkeys(model.strategy for model in self.fleet.models)
        self.menu = dropdown("models of", [(name or NAMELESS, name) for name in names])
        self._field = Field()
        self._field.on_choice(self.menu, lambda name: self.choose(strategy=name))
        self.grid_box = TextBox("t", EXPLANATION, lambda text: self.choose(grid=text))
        return [self.menu, self.grid_box.widget]

    def choose(self, **choices: Any) -> None:
        """Set choices of this view, and compute with them at once where there are few models."""
        super().choose(**choices)
        if not self.error and len(self.fleet.models) <= self.at_once:
            self.compute()

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        if isinstance(grid := choices.get("grid"), str):
            choices["grid"] = [number_or_text(text.strip()) for text in grid.split(",")]
        if "grid" in choices:
            choices["grid"] = tuple(checked_grid(choices["grid"]).tolist())
        return choices

    def question(self, result: Result) -> dict[str, Any]:
        return {"delta": result.claim.delta, "grid": self.grid, "strategy": self.strategy}

    def work(self, subject: Fleet, question: dict[str, Any], progress: Progress) -> BothSides:
        chosen = [each for each in subject.models if each.strategy == question["strategy"]]
        scores = [chosen[i].read() for i in progress(range(len(chosen)))]
        return both_sides(scores, delta=question["delta"], grid=question["grid"])

    def follow_controls(self, result: Result) -> None:
        with self._field.following():
            self.menu.value = self.strategy
        self.grid_box.show(", ".join(map(exact, self.grid)))
