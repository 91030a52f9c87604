"""One training, stage by stage: Epsilon*, lower bound, claim and utility."""

from dataclasses import dataclass

import numpy as np

from dpviz.analysis.landscape_sentences import claim, not_read
from dpviz.analysis.wording import lower, percent, short
from dpviz.audit.fleet import FleetBounds, FleetEstimates
from dpviz.audit.frontier import Strategy
from dpviz.checks import FloatArray

HEAD = ("stage", "Epsilon* (estimate)", "ε at least, each alone", "claimed ε", "utility")
CAPTION = (
    "Epsilon* and utility are means over repeats. Each bound holds alone: the largest over stages "
    "is no bound. Claims are as given: their neighbours and their δ may be others than those of "
    "Epsilon*, and an estimate above a claim says nothing against it. What is far above all else "
    "is only in this table."
)
NAMELESS = "models without a strategy"


@dataclass(frozen=True, kw_only=True, eq=False)
class TimelinePart:
    """Estimates and bounds of all models that have a stage.

    Parameters
    ----------
    estimates : FleetEstimates
    bounds : FleetBounds
        Each alone.
    """

    estimates: FleetEstimates
    bounds: FleetBounds

    def stages(self, name: str) -> tuple[Strategy, ...]:
        """One training, by stage; repeats of a stage together."""
        return tuple(each for each in self.estimates.timeline() if each.name == name)

    def lows(self, name: str) -> FloatArray:
        """Stage and lower bound of every model of a training, shape (k, 2)."""
        found = [
            (model.stage, bound.low)
            for model, bound in zip(self.estimates.fleet.models, self.bounds.bounds, strict=True)
            if model.strategy == name and model.stage is not None
        ]
        return np.array(sorted(found)).reshape(-1, 2)

    def first_of(self, stage: Strategy) -> str:
        """The name of the first model of a stage."""
        return self.estimates.fleet.names[self._places(stage)[0]]

    def lows_of(self, stage: Strategy) -> list[float]:
        """The lower bound of every model of a stage."""
        return [self.bounds.bounds[i].low for i in self._places(stage)]

    def _places(self, stage: Strategy) -> list[int]:
        key = (stage.name, stage.stage, stage.claimed_epsilon, stage.claimed_delta)
        return [
            i
            for i, model in enumerate(self.estimates.fleet.models)
            if (model.strategy, model.stage, model.epsilon, model.delta) == key
        ]


def summary(part: TimelinePart, name: str) -> str:
    """From the first stage to the last."""
    stages = part.stages(name)
    if not stages:
        return "No model has a stage: give the fleet a column of epochs or stages."
    first, last = stages[0], stages[-1]
    level = percent(part.bounds.confidence_level)
    delta = part.estimates.estimates[0].suprema.delta
    change = (
        f"at stage {short(first.stage or 0.0)} Epsilon* is {_value(first.epsilon)}"
        if first is last
        else f"from stage {short(first.stage or 0.0)} to {short(last.stage or 0.0)} Epsilon* goes "
        f"from {_value(first.epsilon)} to {_value(last.epsilon)}"
    )
    return (
        f"{name or NAMELESS}: {change} at δ = {short(delta)}: estimates for model instances, "
        f"means over repeats. Lower bounds are at {level} confidence, each alone."
        + _at_the_edge(stages)
        + not_read(part.estimates.fleet)
    )


def table(part: TimelinePart, name: str) -> list[tuple[str, ...]]:
    """One row for each stage, under `HEAD`."""
    return [
        (
            short(each.stage or 0.0),
            _value(each.epsilon),
            "; ".join(short(lower(low)) for low in part.lows_of(each)),
            claim(each),
            "not known" if each.utility is None else short(each.utility),
        )
        for each in part.stages(name)
    ]


def _at_the_edge(stages: tuple[Strategy, ...]) -> str:
    found = [s for s in stages if s.epsilon is None or np.isinf(s.epsilon)]
    if not found:
        return ""
    shown = "; ".join(f"{short(s.stage or 0.0)} ({_value(s.epsilon)})" for s in found)
    return f" At the upper edge, without a finite Epsilon*: stage {shown}."


def _value(value: float | None) -> str:
    return "undefined" if value is None else short(value)
