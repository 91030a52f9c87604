"""Sentences about one training over its stages: the change of Epsilon*, and a table."""

import math
from typing import TYPE_CHECKING

from dpviz.analysis.number_format import lower, percent, short
from dpviz.analysis.sentences.landscape import claim, not_read
from dpviz.audit.models.frontier import Strategy

if TYPE_CHECKING:  # the part is computed only when its view is shown
    from dpviz.analysis.parts.timeline import TimelinePart

HEAD = ("stage", "Epsilon* (estimate)", "ε at least, each alone", "claimed ε", "utility")
CAPTION = (
    "Epsilon* and utility are means over repeats. Each lower bound holds by itself: the largest "
    "over the stages is not a valid bound. Claims may use another adjacency and δ than Epsilon*; "
    "an estimate above a claim does not contradict it. Values outside the axis are listed here "
    "only."
)
NAMELESS = "models without a strategy"


def summary(part: "TimelinePart", name: str) -> str:
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
        f"{name or NAMELESS}: {change} at δ = {short(delta)}: estimates for trained models, "
        f"means over repeats. Lower bounds are at {level} confidence, each alone."
        + _at_the_edge(stages)
        + not_read(part.estimates.fleet)
    )


def table(part: "TimelinePart", name: str) -> list[tuple[str, ...]]:
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
    found = [s for s in stages if s.epsilon is None or math.isinf(s.epsilon)]
    if not found:
        return ""
    shown = "; ".join(f"{short(s.stage or 0.0)} ({_value(s.epsilon)})" for s in found)
    return f" Drawn at the upper edge, without a finite Epsilon*: stage {shown}."


def _value(value: float | None) -> str:
    return "undefined" if value is None else short(value)
