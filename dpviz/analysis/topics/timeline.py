"""Epsilon*, lower bounds, claimed epsilon and utility at the stages of a training run."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.landscape import claimed_dp_text, positive_length, unread_models_text
from dpviz.analysis.words import capitalised
from dpviz.audit.models.fleet import FleetBounds, FleetEstimates
from dpviz.audit.models.frontier import Strategy
from dpviz.checks import FloatArray
from dpviz.drawing import EPSILON_AXIS, AnswerLayer, AxisSpec, Scene, theme, thinned
from dpviz.drawing.marks import Line, Points, Segments
from dpviz.number_format import lower, percent, short


@dataclass(frozen=True, kw_only=True, eq=False)
class TimelinePart:
    """Epsilon* and lower bounds of models saved at stages (such as epochs) of training runs."""

    estimates: FleetEstimates
    bounds: FleetBounds
    training: str = ""

    def stages_of(self, training_name: str) -> tuple[Strategy, ...]:
        """Return a training run's stages in order, each with means over the models of the stage."""
        return tuple(each for each in self.estimates.timeline() if each.name == training_name)

    def bounds_by_stage(self, training_name: str) -> FloatArray:
        """Return rows (stage, lower bound) for all models of a training run, in order of stages."""
        bounds = [
            (model.stage, bound.low)
            for model, bound in zip(self.estimates.fleet.models, self.bounds.bounds, strict=True)
            if model.training_name == training_name and model.stage is not None
        ]
        return np.array(sorted(bounds)).reshape(-1, 2)

    def first_model_name(self, stage: Strategy) -> str:
        """Return the name of the first model of a stage."""
        return self.estimates.fleet.names[self.model_indices(stage)[0]]

    def model_indices(self, stage: Strategy) -> list[int]:
        """Return the indices of a stage's models in the list of all models."""
        key = (stage.name, stage.stage, stage.claimed_epsilon, stage.claimed_delta)
        return [
            i
            for i, model in enumerate(self.estimates.fleet.models)
            if (model.training_name, model.stage, model.epsilon, model.delta) == key
        ]


NO_STAGE = "No model has a stage: add a column of epochs or stages to the table of models."


def lead(part: TimelinePart) -> str:
    """Say Epsilon* at the first stage and at the last stage of the training run."""
    stages = part.stages_of(part.training)
    if not stages:
        return NO_STAGE
    estimates = "an estimate" if len(stages) == 1 else "estimates"
    return f"{capitalised(_epsilon_change_clause(stages))} ({estimates})."


def _epsilon_change_clause(stages: tuple[Strategy, ...]) -> str:
    """Return a clause that says Epsilon* at the first stage and at the last stage."""
    first, last = stages[0], stages[-1]
    if first is last:
        return f"at stage {_stage_text(first)} Epsilon* is {_epsilon_text(first.epsilon)}"
    change = " to ".join(_epsilon_text(stage.epsilon) for stage in (first, last))
    return f"from stage {_stage_text(first)} to {_stage_text(last)} Epsilon* goes from {change}"


def summary(part: TimelinePart) -> str:
    """Say Epsilon* at the first and last stage, and the confidence level of the bounds."""
    stages = part.stages_of(part.training)
    if not stages:
        return NO_STAGE
    level = percent(part.bounds.confidence_level)
    name, delta = part.training or NAMELESS, part.estimates.estimates[0].suprema.delta
    return (
        f"{name}: {_epsilon_change_clause(stages)} at δ = {short(delta)}. These are estimates for "
        f"trained models, averaged over repeats. Each lower bound holds by itself at {level} "
        "confidence."
        + _nonfinite_epsilon_sentence(stages)
        + unread_models_text(part.estimates.fleet)
    )


def _nonfinite_epsilon_sentence(stages: tuple[Strategy, ...]) -> str:
    at_edge = [s for s in stages if s.epsilon is None or math.isinf(s.epsilon)]
    listed = "; ".join(f"{_stage_text(s)} ({_epsilon_text(s.epsilon)})" for s in at_edge)
    text = f" Drawn at the upper edge because Epsilon* is not finite: stage {listed}."
    return text if at_edge else ""


def _stage_text(strategy: Strategy) -> str:
    return short(strategy.stage or 0.0)


def _epsilon_text(epsilon: float | None) -> str:
    return "undefined" if epsilon is None else short(epsilon)


NAMELESS = "models without a strategy"

CAPTION = (
    "Epsilon* and utility are means over repeats. Each lower bound holds by itself: the largest "
    "bound over the stages is not valid. Claims may use another adjacency and δ than Epsilon*; an "
    "estimate above a claim does not contradict the claim. Values outside the axis are listed here "
    "only."
)
HEAD = ("stage", "Epsilon* (estimate)", "ε at least (each alone)", "claimed ε", "utility")


def table(part: TimelinePart) -> Table:
    """Return the table of stages, with Epsilon*, lower bounds, claimed epsilon and utility."""
    rows = []
    for each in part.stages_of(part.training):
        lows = "; ".join(short(lower(part.bounds.bounds[i].low)) for i in part.model_indices(each))
        utility = "not known" if each.utility is None else short(each.utility)
        cells = lows, claimed_dp_text(each), utility
        rows.append((_stage_text(each), _epsilon_text(each.epsilon), *cells))
    return Table(CAPTION, HEAD, rows)


AXIS_FACTOR = 1.1  # length of the axis divided by the largest value
FAR_CLAIM = 4.0  # a claim this many times as large as the largest estimate is not drawn


class EpsilonOverStages(AnswerLayer[TimelinePart]):
    """Epsilon* and lower bounds against the stage; a click on a point selects its stage."""

    answer = "timeline"

    def add_marks(self) -> None:
        self._stages: tuple[Strategy, ...] = ()
        claim = Line(color=theme.LEVEL, dash="dotted", label="claimed ε, as given")
        self._claim = self.add("claim", claim)
        lows = Points(color=theme.CLAIM, marker="triangle-up", label="lower bound (each alone)")
        self._lows = self.add("lower bounds", lows)
        self._ranges = self.add("ranges", Segments(color=theme.ATTACK))
        line = Line(color=theme.ATTACK, dash="dashed", label="Epsilon* (estimate)")
        self._line = self.add("line", line)

        points = Points(
            color=theme.ATTACK, size=70, on_pick=lambda i: self.change(stage=self._stages[i])
        )
        self._points = self.add("points", points)

    def draw_answer(self, part: TimelinePart) -> None:
        x, y, stages = self.x, self.y, _thinned_stages(part.stages_of(part.training))
        self._stages, lows = stages, thinned(part.bounds_by_stage(part.training))
        # Unknown and infinite numbers are drawn at the upper edge, far claims not at all.
        positions = np.array([s.stage or 0.0 for s in stages])
        epsilons, claims = (
            np.array([np.inf if value is None else value for value in values])
            for values in zip(*((s.epsilon, s.claimed_epsilon) for s in stages), strict=True)
        )
        ranges = np.array([s.epsilon_range or (np.inf, np.inf) for s in stages])
        values = np.concatenate([ranges.ravel(), lows[:, 1], [1 / AXIS_FACTOR]])
        most = values[np.isfinite(values)].max()
        is_drawn = claims <= FAR_CLAIM * most
        most = max(most, claims[is_drawn].max(initial=0.0))
        x.set_range(*_stage_axis_range(positions, is_log=x.spec.scale == "log"))
        y.set_range(0.0, float(AXIS_FACTOR * most))
        points = np.column_stack([positions, np.minimum(epsilons, y.high)])
        self._line.draw(points)
        self._points.draw(points)
        self._lows.draw(np.minimum(lows, [np.inf, y.high]))
        self._claim.draw(np.column_stack([positions, claims])[is_drawn])
        bars = [np.column_stack([positions, np.minimum(end, y.high)]) for end in ranges.T]
        ends = np.stack(bars, axis=1)
        # A vertical bar is drawn where repeats differ and begin below the edge.
        self._ranges.draw(ends[ends[:, 0, 1] < ends[:, 1, 1]])


class UtilityOverStages(AnswerLayer[TimelinePart]):
    """The utility against the stage, for stages with a known utility."""

    answer = "timeline"
    line = Line(color=theme.SELECTION, label="utility")
    points = Points(color=theme.SELECTION, marker="diamond")

    def draw_answer(self, part: TimelinePart) -> None:
        stages = _thinned_stages(part.stages_of(part.training))
        known = [(s.stage or 0.0, s.utility) for s in stages if s.utility is not None]
        points: FloatArray = np.array(known).reshape(-1, 2)
        if len(points):
            places, x = np.array([s.stage or 0.0 for s in stages]), self.x
            x.set_range(*_stage_axis_range(places, is_log=x.spec.scale == "log"))
            low, high = points[:, 1].min(), points[:, 1].max()
            room = (AXIS_FACTOR - 1) * positive_length(low, high)
            self.y.set_range(float(low - room), float(high + room))
        self.line.draw(points)
        self.points.draw(points)


def _thinned_stages(stages: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
    return tuple(stages[int(i)] for i in thinned(np.arange(float(len(stages)))))


def _stage_axis_range(stages: FloatArray, *, is_log: bool) -> tuple[float, float]:
    """Return the ends of an axis that shows all stages, with some room on either side."""
    low, high = float(stages.min()), float(stages.max())
    if is_log:
        room = max((high / low) ** 0.05, 1.1)
        return low / room, high * room
    beside = 0.05 * (high - low) or 1.0
    return low - beside, high + beside


TIMELINE = Scene(
    title="How does Epsilon* change during training?",
    needs="timeline",
    x=AxisSpec(label="stage"),
    y=EPSILON_AXIS,
    layers=lambda: [EpsilonOverStages()],
)

UTILITY = Scene(
    title="How does utility change during training?",
    topic="utility",
    needs="timeline",
    x=AxisSpec(label="stage"),
    y=AxisSpec(label="utility"),
    layers=lambda: [UtilityOverStages()],
)

TOPIC = replace(
    answer_topic(TIMELINE, lead, summary, table, user_text=True),
    scenes={"timeline": TIMELINE, "utility": UTILITY},
)
