"""The view of many models: privacy against utility, each point a model to load."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.landscape import LandscapePart, landscape_part
from dpviz.analysis.landscape_sentences import CAPTION, HEAD, loaded, summary, table
from dpviz.audit.binned_scores import Scores
from dpviz.audit.fleet import Fleet
from dpviz.audit.frontier import Strategy
from dpviz.audit.resampling import Progress
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.landscape import (
    ChosenStrategy,
    Densities,
    FrontierLine,
    LandscapeAxes,
    StrategyPoints,
)
from dpviz.pictures.scene import Scene
from dpviz.widgets.asked_view import sentence
from dpviz.widgets.fleet_view import FleetView
from dpviz.widgets.view import block, html_table

NONE = ("none", "")
"""What the menu says, and its value: no model has an empty name."""


class LandscapeView(FleetView):
    """Epsilon* against utility for many models; a press on a point loads a model's losses.

    Parameters
    ----------
    fleet : Fleet
        See :func:`dpviz.read_fleet`.
    store : Store, optional
        Of the views that are to show the model that was pressed, such as ``explorer.store``.
    **spec
        As of every view; `delta`, `method` and `clip` are those of Epsilon*.
    """

    asking: ClassVar[str] = "estimate Epsilon* of all models"
    at_work: ClassVar[str] = "an Epsilon* for each model ..."
    at_once: ClassVar[int] = 200

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        self._own: tuple[str, Scores | None] = ("", None)
        self.is_hull_shown = False
        super().__init__(fleet, **view)

    @property
    def part(self) -> LandscapePart | None:
        """What is drawn, once it was computed."""
        return self.answer

    @property
    def loaded(self) -> str:
        """Name of the model whose losses the store has; empty where they are others."""
        name, scores = self._own
        return name if self.store.scores is scores else ""

    @property
    def chosen(self) -> Strategy | None:
        """The strategy of that model, once it was computed."""
        return self.answer.strategy_of(self.loaded) if self.answer and self.loaded else None

    def scene(self) -> Scene:
        """Epsilon* from 0, utility. Axes, densities, frontier, the one that is loaded, points."""
        return Scene(
            title="Many models: utility against Epsilon*",
            x=AxisSpec(label="Epsilon* (estimate, mean of repeats)", high=4),
            y=AxisSpec(label="utility"),
            layers=lambda: [
                LandscapeAxes(lambda: self.answer),
                Densities(lambda: self.answer),
                FrontierLine(lambda: self.answer, lambda: self.is_hull_shown),
                # Under the points, which take the next press.
                ChosenStrategy(lambda: self.answer, lambda: self.chosen),
                StrategyPoints(lambda: self.answer, self.pick),
            ],
        )

    def choices(self) -> list[ipywidgets.Widget]:
        """Which model is loaded, and whether the hull is drawn."""
        self._following = False
        self.menu = ipywidgets.Dropdown(
            options=[NONE, *((name, name) for name in self.fleet.names)],
            description="model",
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="auto", max_width="calc(100% - 4px)"),
        )
        self.menu.observe(self._picked, names="value")
        self.hull = ipywidgets.Checkbox(description="convex hull", indent=False)
        self.hull.observe(self._hull_wanted, names="value")
        self._loaded = ipywidgets.HTML()
        return [self.menu, self.hull, self._loaded]

    def question(self, result: Result) -> dict[str, Any]:
        """What Epsilon* is asked for."""
        spec = result.spec
        return {"delta": result.claim.delta, "method": spec.method, "clip": spec.clip}

    def work(self, subject: Fleet, question: dict[str, Any], progress: Progress) -> LandscapePart:
        """One model after the other."""
        return landscape_part(subject.estimates(**question, progress=progress))

    def said(self, result: Result) -> str:
        """The frontier, and what stands at an edge."""
        return sentence(summary(self.answer))

    def tabled(self) -> str:
        """One row for each strategy."""
        return html_table(CAPTION, HEAD, table(self.answer))

    def draw(self, result: Result) -> None:
        """Say which model is loaded, too."""
        super().draw(result)
        self._show_loaded()

    def pick(self, strategy: Strategy) -> None:
        """Load the first model of a strategy; again, and the next of its repeats."""
        names = self.answer.models_of(strategy)
        now = self.loaded
        self.load(names[(names.index(now) + 1) % len(names)] if now in names else names[0])

    def load(self, name: str) -> None:
        """Show a model's losses in all views of the store."""
        model = next(model for model in self.fleet.models if model.name == name)
        try:
            with self.guarded():
                scores = model.read()
                self.store.load(scores)
                self._own = name, scores
        finally:
            self.draw(self.result)  # after a refusal, the menu goes back to what is loaded

    def _show_loaded(self) -> None:
        self._loaded.value = block("dpviz-sentence", loaded(self.loaded), role="status")
        self._following = True
        try:
            self.menu.value = self.loaded
        finally:
            self._following = False

    def _picked(self, change: Any) -> None:
        if self._following:
            return
        if change["new"]:
            self.load(change["new"])
        else:
            self._show_loaded()

    def _hull_wanted(self, change: Any) -> None:
        self.is_hull_shown = change["new"]
        self.draw(self.result)
