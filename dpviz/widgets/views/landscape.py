"""The view of many models: privacy against utility, each point a model to load."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.parts.landscape import LandscapePart, landscape_part
from dpviz.analysis.sentences.landscape import loaded
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.models.frontier import Strategy
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.models import LANDSCAPE
from dpviz.widgets.base.html import Checkbox, Html, sentence
from dpviz.widgets.controls.fields import Field, dropdown
from dpviz.widgets.views.fleet import FleetView


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

    Examples
    --------
    >>> import dpviz
    >>> from dpviz.widgets import LandscapeView
    >>> view = LandscapeView(dpviz.read_sample_fleet("landscape"))
    >>> view.load(view.fleet.names[0])
    >>> view.loaded == view.fleet.names[0]
    True
    """

    scene = LANDSCAPE
    name = "landscape"
    action: ClassVar[str] = "estimate Epsilon* of all models"
    progress_text: ClassVar[str] = "an Epsilon* for each model ..."
    at_once: ClassVar[int] = 200
    is_hull_shown = False

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        self._own: tuple[str, Scores | None] = ("", None)
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

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        found = super().answers(result, scores)
        part, (name, own) = found["landscape"], self._own
        is_shown = part is not None and name and scores is own
        return found | {
            "landscape_hull": self.is_hull_shown,
            "landscape_chosen": part.strategy_of(name) if is_shown else None,
        }

    def change(self, **changes: Any) -> None:
        """Request a change of the spec; a strategy loads its next model."""
        if "strategy" in changes:
            self.pick(changes["strategy"])
        else:
            super().change(**changes)

    def choices(self) -> list[ipywidgets.Widget]:
        models = ((name, name) for name in self.fleet.names)
        self.menu = dropdown("model", [("none", ""), *models])  # no model has an empty name
        self._field = Field()
        self._field.on_choice(self.menu, self._choose_model)
        self.hull = Checkbox(description="convex hull", indent=False)
        self.hull.observe(lambda change: self.choose(is_hull_shown=change["new"]), names="value")
        self.loaded_text = Html()
        return [self.menu, self.hull, self.loaded_text]

    def follow_controls(self, result: Result) -> None:
        self.loaded_text.value = sentence(loaded(self.loaded))
        with self._field.following():
            self.menu.value = self.loaded

    def question(self, result: Result) -> dict[str, Any]:
        spec = result.spec
        return {"delta": result.claim.delta, "method": spec.method, "clip": spec.clip}

    def work(self, subject: Fleet, question: dict[str, Any], progress: Progress) -> LandscapePart:
        return landscape_part(subject.estimates(**question, progress=progress))

    def pick(self, strategy: Strategy) -> None:
        """Load the first model of a strategy; again, and the next of its repeats."""
        names = self.answer.models_of(strategy)
        now = self.loaded
        self.load(names[(names.index(now) + 1) % len(names)] if now in names else names[0])

    def load(self, name: str) -> None:
        """Show a model's losses in all views of the store."""
        try:
            with self.guarded():
                scores = self.read(name)
                before, self._own = self._own, (name, scores)
                try:
                    self.store.load(scores)
                except Exception:
                    self._own = before
                    raise
        finally:
            self.follow_controls(self.result)  # after an error, back to what is loaded

    def _choose_model(self, loaded: str) -> None:
        if loaded:
            self.load(loaded)
        else:
            self.follow_controls(self.result)
