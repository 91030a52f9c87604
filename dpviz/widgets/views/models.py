"""Views of many models: the landscape, both sides of Theorem 2, one training."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.topics.averaged import BOTH_SIDES
from dpviz.analysis.topics.landscape import LANDSCAPE, LandscapePart, landscape_part, loaded
from dpviz.analysis.topics.timeline import NAMELESS, TIMELINE, UTILITY, TimelinePart
from dpviz.audit.epsilon_star.ratio_curves import GRID, checked_grid
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.aggregate import BothSides, both_sides
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.models.frontier import Strategy
from dpviz.audit.scores.base import Scores
from dpviz.drawing.axes import AxisSpec
from dpviz.number_format import exact
from dpviz.widgets.base.html import Checkbox, Html, sentence
from dpviz.widgets.controls.fields import Field, TextBox, dropdown
from dpviz.widgets.views.computed import ComputedView
from dpviz.widgets.views.figure_view import ViewParts, place


class FleetView(ComputedView):
    """A view of a fleet; at most `at_once` models are computed without a press of the button.

    A press on a model loads its scores into the store, such as ``explorer.store``.
    """

    at_once: ClassVar[int]  # number of models up to which no button has to be pressed

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        self.fleet = fleet
        super().__init__(**view)
        if len(fleet.models) <= self.at_once:
            self.compute()

    def can_compute(self) -> bool:
        return True

    def subject(self, scores: Scores | None) -> Fleet:
        return self.fleet

    def read(self, name: str) -> Scores:
        """Return the scores of a model."""
        models = {model.name: model for model in self.fleet.models}
        return models[checks.choice("name", name, models)].read()


# The view of both sides of Theorem 2 for models of one training method.

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


# The view of many models: privacy against utility, each point a model to load.


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


# The view of one training over its stages: each point a model to load.

FAR_APART = 20  # ratio of the last stage to the first from which the axis is logarithmic


class TimelineView(FleetView):
    """Epsilon*, lower bound, claim and utility over the stages of a training.

    Parameters
    ----------
    fleet : Fleet
        Models with a `stage`; those without are left out.
    store : Store, optional
        Of the views that are to show the model that was pressed.
    **spec
        As of every view.

    Examples
    --------
    >>> import dpviz
    >>> from dpviz.widgets import TimelineView
    >>> TimelineView(dpviz.read_sample_fleet("timeline")).training
    'time line, plain'
    """

    name = "timeline"
    action: ClassVar[str] = "estimate and bound every stage"
    progress_text: ClassVar[str] = "an Epsilon* and a bound for each stage ..."
    at_once: ClassVar[int] = 50

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        staged = tuple(model for model in fleet.models if model.stage is not None)
        if not staged:
            raise ValueError("fleet must have models with a stage, got none")
        self.training = staged[0].strategy
        self.scene = replace(TIMELINE, x=_axis([model.stage or 0.0 for model in staged]))
        super().__init__(Fleet(models=staged, errors=fleet.errors), **view)

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        """Arrange the parts with the picture of utility under that of epsilon."""
        self.pictures.append(self.picture(replace(UTILITY, x=self.scene.x)))
        return super().arrange(replace(parts, figure=place(*self.pictures)))

    def choices(self) -> list[ipywidgets.Widget]:
        names = dict.fromkeys(model.training for model in self.fleet.models)
        self.menu = dropdown("training", [(name or NAMELESS, name) for name in names])
        self.menu.observe(lambda change: self.choose(training=change["new"]), names="value")
        self.stages = dropdown("load the model of stage")
        self.stages.observe(self._stage_chosen, names="value")
        return [self.menu, self.stages]

    def question(self, result: Result) -> dict[str, Any]:
        spec = result.spec
        return {
            "delta": result.claim.delta,
            "method": spec.method,
            "clip": spec.clip,
            "confidence_level": spec.confidence_level,
        }

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        found = super().answers(result, scores)[self.name]
        if found is not None and found.training != self.training:
            found = replace(found, training=self.training)
            self.store.keep(self.name, (self.fleet, self.question(result)), found)
        return {self.name: found}

    def work(self, subject: Fleet, question: dict[str, Any], progress: Progress) -> TimelinePart:
        asked = dict(question)
        level = asked.pop("confidence_level")
        return TimelinePart(
            estimates=subject.estimates(**asked, progress=progress),
            bounds=subject.bounds(delta=asked["delta"], confidence_level=level, progress=progress),
            training=self.training,
        )

    def follow_controls(self, result: Result) -> None:
        part = result.answers.get(self.name)
        stages = part.stages(self.training) if part else ()
        options = (("none", None), *((_named(stage), stage) for stage in stages))
        if options != self.stages.options:
            self.stages.options = options

    def change(self, **changes: Any) -> None:
        """Request a change of the spec; a stage loads its first model."""
        if "stage" in changes:
            self.load(changes["stage"])
        else:
            super().change(**changes)

    def load(self, stage: Strategy) -> None:
        """Show the first model of a stage in all views of the store."""
        with self.guarded():
            self.store.load(self.read(self.answer.first_of(stage)))

    def _stage_chosen(self, change: Any) -> None:
        if change["new"] is not None:
            self.load(change["new"])


def _axis(stages: list[float]) -> AxisSpec:
    """Logarithmic where the stages are far apart, as epochs often are."""
    low, high = min(stages), max(stages)
    if low > 0 and high / low >= FAR_APART:
        return AxisSpec(label="stage (log scale)", low=low, high=high, scale="log")
    return TIMELINE.x


def _named(stage: Strategy) -> str:
    claimed = "" if stage.claimed_epsilon is None else f", claimed ε = {stage.claimed_epsilon:g}"
    return f"{stage.stage:g}{claimed}"
