"""The view of one training over its stages: each point a model to load."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.parts.timeline import TimelinePart
from dpviz.analysis.sentences.timeline import NAMELESS
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.models.frontier import Strategy
from dpviz.audit.scores.base import Scores
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.scenes.models import TIMELINE, UTILITY
from dpviz.widgets.controls.fields import dropdown
from dpviz.widgets.views.figure_view import ViewParts, place
from dpviz.widgets.views.fleet import FleetView

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
