"""Views of many models: Epsilon* paper's Theorem 2, Epsilon* against utility, training stages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.topics import landscape
from dpviz.analysis.topics.averaged import BOTH_SIDES
from dpviz.analysis.topics.timeline import NAMELESS, TIMELINE, UTILITY, TimelinePart
from dpviz.audit.epsilon_star.ratio_curves import FPR_GRID, checked_fpr_grid
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.aggregate import BothSides, both_sides
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.models.frontier import Strategy
from dpviz.audit.scores.base import Scores
from dpviz.drawing.axes import AxisSpec
from dpviz.number_format import exact
from dpviz.widgets.base.html import Checkbox, Html, row, sentence_html
from dpviz.widgets.controls.fields import InputControl, TextBox, dropdown
from dpviz.widgets.views.figure_view import ComputeTexts, FigureView

AT_ONCE, STAGES_AT_ONCE = 200, 50  # largest numbers of models that are computed without a button
GRID_HINT = "FPRs in ascending order, such as 0.01, 0.1, 0.5"
LOG_AXIS_RATIO = 20  # ratio of the last stage to the first from which the axis is logarithmic


class FleetView(FigureView):
    """The base of views of a `fleet` of models; a small fleet is computed immediately."""

    most_at_once: ClassVar[int] = AT_ONCE

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        checks.must_be_a("fleet", fleet, Fleet, "a Fleet, as dpviz.read_fleet gives")
        self.fleet = fleet
        super().__init__(**view)
        self._compute_if_few_models()

    def input_data(self, scores: Scores | None) -> Fleet:
        return self.fleet

    def _compute_if_few_models(self) -> None:
        if len(self.fleet.models) <= self.most_at_once:
            self.compute()


class BothSidesView(FleetView):
    """Both sides of the Epsilon* paper's Theorem 2: Epsilon* of mean rates <= log E[e^Epsilon*].

    Parameters
    ----------
    fleet : Fleet, as :func:`dpviz.read_fleet` returns
    grid : sequence of float, optional, the FPRs t1, ..., tk at which every model is measured

    Examples
    --------
    >>> import dpviz
    >>> from dpviz.widgets import BothSidesView
    >>> view = BothSidesView(dpviz.read_sample_fleet("landscape"), grid=[0.01, 0.1, 0.5])
    >>> view.answer.left <= view.answer.right
    True
    """

    scene = BOTH_SIDES
    computation = ComputeTexts("both_sides", "average the rates", "averaging the rates ...")

    def __init__(self, fleet: Fleet, *, grid: Sequence[float] = FPR_GRID, **view: Any) -> None:
        checks.must_be_a("fleet", fleet, Fleet, "a Fleet, as dpviz.read_fleet gives")
        self.grid: tuple[float, ...] = tuple(checked_fpr_grid(grid).tolist())
        sizes = [model.strategy for model in fleet.models]
        # The first of the strategies with the most models.
        self.strategy = max(dict.fromkeys(sizes), key=sizes.count)
        super().__init__(fleet, **view)

    def option_widgets(self) -> list[ipywidgets.Widget]:
        names = dict.fromkeys(model.strategy for model in self.fleet.models)
        self.menu = dropdown("models of", [(name or NAMELESS, name) for name in names])
        self._field = InputControl()
        self._field.on_choice(self.menu, lambda name: self.choose(strategy=name))
        self.grid_box = TextBox("t", GRID_HINT, lambda text: self.choose(grid=text))
        return [row([self.menu, self.grid_box.widget])]

    def choose(self, **choices: Any) -> None:
        """Set attributes of this view to chosen values.

        Computes at once if there are at most `AT_ONCE` models.
        """
        super().choose(**choices)
        if not self.error:
            self._compute_if_few_models()

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        if isinstance(grid := choices.get("grid"), str):
            choices["grid"] = [number_or_text(text.strip()) for text in grid.split(",")]
        if "grid" in choices:
            choices["grid"] = tuple(checked_fpr_grid(choices["grid"]).tolist())
        return choices

    def question(self, result: Result) -> dict[str, Any]:
        return {"delta": result.claim.delta, "grid": self.grid, "strategy": self.strategy}

    def compute_answer(
        self, subject: Fleet, question: dict[str, Any], progress: Progress
    ) -> BothSides:
        chosen = [each for each in subject.models if each.strategy == question["strategy"]]
        scores = [chosen[i].read() for i in progress(range(len(chosen)))]
        return both_sides(scores, delta=question["delta"], grid=question["grid"])

    def update_controls(self, result: Result) -> None:
        with self._field.setting_by_program():
            self.menu.value = self.strategy
        self.grid_box.show_text(", ".join(map(exact, self.grid)))


class LandscapeView(FleetView):
    """Epsilon* against utility for many models.

    A click on a point loads the losses of a model.

    Parameters
    ----------
    fleet : Fleet, as :func:`dpviz.read_fleet` returns
    store : Store, optional, into which a click loads losses, such as ``explorer.store``
    **spec, as of every view; `delta`, `method` and `clip` are those of Epsilon*

    Examples
    --------
    >>> import dpviz
    >>> from dpviz.widgets import LandscapeView
    >>> view = LandscapeView(dpviz.read_sample_fleet("landscape"))
    >>> view.load(view.fleet.names[0])
    >>> view.loaded_model_name == view.fleet.names[0]
    True
    """

    scene = landscape.LANDSCAPE
    computation = ComputeTexts(
        "landscape", "estimate Epsilon* of all models", "estimating Epsilon* ..."
    )
    is_hull_shown = False
    _own: tuple[str, Scores | None] = ("", None)  # the last loaded model: its name and scores

    @property
    def loaded_model_name(self) -> str:
        """The name of the model whose losses the store has loaded.

        The name is empty if the store has other scores.
        """
        name, scores = self._own
        return name if self.store.scores is scores else ""

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        answers = super().answers(result, scores)
        part, (name, own) = answers["landscape"], self._own
        is_shown = part is not None and name and scores is own
        return answers | {
            "landscape_hull": self.is_hull_shown,
            "landscape_chosen": part.strategy_of(name) if is_shown else None,
        }

    def change(self, **changes: Any) -> None:
        """Change the spec, or load the losses of another model.

        `strategy=s` loads the losses of the next model of strategy s.
        """
        if "strategy" in changes:
            names, now = self.answer.models_of(changes["strategy"]), self.loaded_model_name
            self.load(names[(names.index(now) + 1) % len(names)] if now in names else names[0])
        else:
            super().change(**changes)

    def option_widgets(self) -> list[ipywidgets.Widget]:
        models = ((name, name) for name in self.fleet.names)
        self.menu = dropdown("model", [("none", ""), *models])  # no model has an empty name
        self._field = InputControl()
        self._field.on_choice(self.menu, self._load_chosen_model)
        self.hull = Checkbox(description="convex hull", indent=False)
        self.hull.observe(lambda change: self.choose(is_hull_shown=change["new"]), names="value")
        self.loaded_text = Html()
        return [row([self.menu, self.hull, self.loaded_text])]

    def update_controls(self, result: Result) -> None:
        self.loaded_text.value = sentence_html(landscape.loaded_model_text(self.loaded_model_name))
        with self._field.setting_by_program():
            self.menu.value = self.loaded_model_name

    def question(self, result: Result) -> dict[str, Any]:
        spec = result.spec
        return {"delta": result.claim.delta, "method": spec.method, "clip": spec.clip}

    def compute_answer(
        self, subject: Fleet, question: dict[str, Any], progress: Progress
    ) -> landscape.LandscapePart:
        return landscape.landscape_part(subject.estimates(**question, progress=progress))

    def load(self, name: str) -> None:
        """Load a model's losses into the store."""
        try:
            with self.showing_errors():
                scores = _scores_of_model(self.fleet, name)
                # Set first: while the store draws, `answers` compares its scores with these.
                before, self._own = self._own, (name, scores)
                try:
                    self.store.load(scores)
                except Exception:
                    self._own = before
                    raise
        finally:
            self.update_controls(self.result)

    def _load_chosen_model(self, model_name: str) -> None:
        if model_name:
            self.load(model_name)
        else:
            self.update_controls(self.result)


class TimelineView(FleetView):
    """Epsilon*, lower bound, claim and utility at the stages of a training.

    Parameters
    ----------
    fleet : Fleet, of models with a `stage`; those without are left out
    store : Store, optional, into which a click loads losses

    Examples
    --------
    >>> import dpviz
    >>> from dpviz.widgets import TimelineView
    >>> TimelineView(dpviz.read_sample_fleet("timeline")).training
    'time line, plain'
    """

    computation = ComputeTexts(
        "timeline", "estimate and bound every stage", "estimating and bounding stages ..."
    )
    most_at_once = STAGES_AT_ONCE

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        checks.must_be_a("fleet", fleet, Fleet, "a Fleet, as dpviz.read_fleet gives")
        staged = tuple(model for model in fleet.models if model.stage is not None)
        if not staged:
            raise ValueError("fleet must have models with a stage, got none")
        self.training = staged[0].strategy
        self.scene = replace(TIMELINE, x=_stage_axis([model.stage or 0.0 for model in staged]))
        super().__init__(Fleet(models=staged, errors=fleet.errors), **view)

    def widgets_in_order(self) -> list[ipywidgets.Widget]:
        self.pictures.append(self.new_picture(replace(UTILITY, x=self.scene.x)))
        self.figure.children = [picture.widget for picture in self.pictures]
        return super().widgets_in_order()

    def option_widgets(self) -> list[ipywidgets.Widget]:
        names = dict.fromkeys(model.training_name for model in self.fleet.models)
        self.menu = dropdown("training", [(name or NAMELESS, name) for name in names])
        self.menu.observe(lambda change: self.choose(training=change["new"]), names="value")
        self.stages = dropdown("load the model of stage")
        self.stages.observe(self._load_chosen_stage, names="value")
        return [row([self.menu, self.stages])]

    def question(self, result: Result) -> dict[str, Any]:
        names = ("method", "clip", "confidence_level")
        return {"delta": result.claim.delta, **{name: getattr(result.spec, name) for name in names}}

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        part = super().answers(result, scores)["timeline"]
        # Another training is part of the same answer: nothing is computed again.
        if part is not None and part.training != self.training:
            part = replace(part, training=self.training)
            self.store.cache_answer("timeline", (self.fleet, self.question(result)), part)
        return {"timeline": part}

    def compute_answer(
        self, subject: Fleet, question: dict[str, Any], progress: Progress
    ) -> TimelinePart:
        asked = dict(question)
        level = asked.pop("confidence_level")
        estimates, delta = subject.estimates(**asked, progress=progress), asked["delta"]
        bounds = subject.bounds(delta=delta, confidence_level=level, progress=progress)
        return TimelinePart(estimates=estimates, bounds=bounds, training=self.training)

    def update_controls(self, result: Result) -> None:
        part = result.answers.get("timeline")
        stages = part.stages_of(self.training) if part else ()
        options = (("none", None), *((_stage_title(stage), stage) for stage in stages))
        if options != self.stages.options:
            self.stages.options = options

    def change(self, **changes: Any) -> None:
        """Change the spec, or load the losses of another model.

        `stage=s` loads the losses of the first model of stage s.
        """
        if "stage" in changes:
            self.load(changes["stage"])
        else:
            super().change(**changes)

    def load(self, stage: Strategy) -> None:
        """Load the losses of a stage's first model into the store."""
        with self.showing_errors():
            self.store.load(_scores_of_model(self.fleet, self.answer.first_model_name(stage)))

    def _load_chosen_stage(self, change: Any) -> None:
        if change["new"] is not None:
            self.load(change["new"])


def _scores_of_model(fleet: Fleet, model_name: str) -> Scores:
    models = {model.name: model for model in fleet.models}
    return models[checks.choice("name", model_name, models)].read()


def _stage_axis(stages: list[float]) -> AxisSpec:
    """Return the axis of stages, logarithmic if their max / min is at least `LOG_AXIS_RATIO`."""
    low, high = min(stages), max(stages)
    if low > 0 and high / low >= LOG_AXIS_RATIO:
        return AxisSpec(label="stage (log scale)", low=low, high=high, scale="log")
    return TIMELINE.x


def _stage_title(stage: Strategy) -> str:
    claimed = "" if stage.claimed_epsilon is None else f", claimed ε = {stage.claimed_epsilon:g}"
    return f"{stage.stage:g}{claimed}"
