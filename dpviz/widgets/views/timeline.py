"""The view of one training over its stages: each point a model to load."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.timeline import CAPTION, HEAD, NAMELESS, TimelinePart, summary, table
from dpviz.audit.fleet import Fleet
from dpviz.audit.frontier import Strategy
from dpviz.audit.resampling import Progress
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.timeline import EpsilonOverStages, UtilityOverStages
from dpviz.pictures.scene import Scene
from dpviz.widgets.asked_view import sentence
from dpviz.widgets.fleet_view import FleetView
from dpviz.widgets.picture import Picture
from dpviz.widgets.view import html_table

FAR_APART = 20


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
    """

    asking: ClassVar[str] = "estimate and bound every stage"
    at_work: ClassVar[str] = "an Epsilon* and a bound for each stage ..."
    at_once: ClassVar[int] = 50

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        staged = tuple(model for model in fleet.models if model.stage is not None)
        if not staged:
            raise ValueError("fleet must have models with a stage, got none")
        self.training = staged[0].strategy
        super().__init__(Fleet(models=staged, errors=fleet.errors), **view)

    def scene(self) -> Scene:
        """Epsilon over the stages. Estimates, bounds, claim."""
        return Scene(
            title="One training over its stages",
            x=self._stages(),
            y=AxisSpec(label="ε", high=4),
            layers=lambda: [EpsilonOverStages(self._shown, self.load)],
        )

    def contents(self) -> list[ipywidgets.Widget]:
        """The picture of utility under that of epsilon."""
        contents = super().contents()
        scene = Scene(
            title="Utility over the stages",
            x=self._stages(),
            y=AxisSpec(label="utility"),
            layers=lambda: [UtilityOverStages(self._shown)],
        )
        below = Picture(scene, self)
        left = self.pictures[0].widget
        left.children = [*left.children, below.widget]
        self.pictures.append(below)
        return contents

    def choices(self) -> list[ipywidgets.Widget]:
        """Which training, and what a press on a point does."""
        names = dict.fromkeys(model.strategy for model in self.fleet.models)
        self.menu = ipywidgets.Dropdown(
            options=[(name or NAMELESS, name) for name in names],
            description="training",
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="auto", max_width="calc(100% - 4px)"),
        )
        self.menu.observe(self._chosen, names="value")
        self.stages = ipywidgets.Dropdown(
            description="load the model of stage",
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="auto", max_width="calc(100% - 4px)"),
        )
        self.stages.observe(self._stage_chosen, names="value")
        return [self.menu, self.stages]

    def question(self, result: Result) -> dict[str, Any]:
        """What Epsilon* and the bounds are asked for."""
        spec = result.spec
        return {
            "delta": result.claim.delta,
            "method": spec.method,
            "clip": spec.clip,
            "confidence_level": spec.confidence_level,
        }

    def work(self, subject: Fleet, question: dict[str, Any], progress: Progress) -> TimelinePart:
        """Estimates, then bounds."""
        asked = dict(question)
        level = asked.pop("confidence_level")
        return TimelinePart(
            estimates=subject.estimates(**asked, progress=progress),
            bounds=subject.bounds(delta=asked["delta"], confidence_level=level, progress=progress),
        )

    def said(self, result: Result) -> str:
        """From the first stage to the last."""
        return sentence(summary(self.answer, self.training))

    def tabled(self) -> str:
        """One row for each stage."""
        return html_table(CAPTION, HEAD, table(self.answer, self.training))

    def draw(self, result: Result) -> None:
        """The menu of stages follows, too."""
        super().draw(result)
        stages = self.answer.stages(self.training) if self.answer else ()
        options = (("none", None), *((_named(stage), stage) for stage in stages))
        if options != self.stages.options:
            self.stages.options = options

    def load(self, stage: Strategy) -> None:
        """Show the first model of a stage in all views of the store."""
        name = self.answer.first_of(stage)
        model = next(model for model in self.fleet.models if model.name == name)
        with self.guarded():
            self.store.load(model.read())

    def _stages(self) -> AxisSpec:
        """Logarithmic where the stages are far apart, as epochs often are."""
        stages = [model.stage for model in self.fleet.models if model.stage is not None]
        low, high = min(stages), max(stages)
        if low > 0 and high / low >= FAR_APART:
            return AxisSpec(label="stage (log scale)", low=low, high=high, scale="log")
        return AxisSpec(label="stage")

    def _shown(self) -> tuple[TimelinePart | None, str]:
        return self.answer, self.training

    def _chosen(self, change: Any) -> None:
        self.training = change["new"]
        if self.answer is not None:
            self.table.value = self.tabled()
        self.draw(self.result)

    def _stage_chosen(self, change: Any) -> None:
        if change["new"] is not None:
            self.load(change["new"])


def _named(stage: Strategy) -> str:
    claimed = "" if stage.claimed_epsilon is None else f", claimed ε = {stage.claimed_epsilon:g}"
    return f"{stage.stage:g}{claimed}"
