"""Named horizontal bars from epsilon 0, with their numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import short
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Area, Points

HALF = 0.28  # half the height of a bar; rows are 1 apart
LEAST_REACH = 4.0  # smallest upper end of the epsilon axis
LONGEST = 0.8  # share of the axis for an infinite bar, so that its number has room


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How bars look: filled for a bound, hollow for what needs a further assumption."""

    color: str
    opacity: float
    label: str = ""
    dash: theme.Dash = "solid"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row: its name, its epsilon if it is known, the text beside it, the index of its kind."""

    name: str
    epsilon: float | None
    text: str = ""
    kind: int = 0


@dataclass(frozen=True, kw_only=True)
class BarChart:
    """Rows from the top, and the delta of their epsilons.

    The epsilon axis reaches to `room` times the longest finite bar and at least to `reach`.
    """

    rows: Sequence[Bar]
    delta: float
    room: float
    reach: float = 0.0


class Bars(Layer):
    """One bar for each row that has an epsilon; `parts` returns what decides the chart."""

    def __init__(
        self,
        kinds: Sequence[Kind],
        chart: Callable[[Result], BarChart],
        parts: Callable[[Result], tuple[object, ...]],
    ) -> None:
        self._kinds, self._chart, self._parts = kinds, chart, parts

    def add_marks(self) -> None:
        self._pairs = []
        for i, kind in enumerate(self._kinds):
            bars = Area(color=kind.color, opacity=kind.opacity, dash=kind.dash, label=kind.label)
            numbers = Points(color=kind.color, marker="diamond", size=14)
            self._pairs.append((self.add(f"bars {i}", bars), self.add(f"numbers {i}", numbers)))

    def parts(self, result: Result) -> tuple[object, ...]:
        return self._parts(result)

    def draw(self, result: Result) -> None:
        chart = self._chart(result)
        places = self.y.set_names([row.name for row in chart.rows])
        self.x.set_label(f"ε at δ = {short(chart.delta)}")
        known = [row.epsilon for row in chart.rows if row.epsilon is not None]
        longest = max((epsilon for epsilon in known if np.isfinite(epsilon)), default=0.0)
        self.x.set_range(0.0, max(LEAST_REACH, chart.room * longest, chart.reach))
        for i, (bars, numbers) in enumerate(self._pairs):
            shown = [
                (min(row.epsilon, LONGEST * self.x.high), place, row.text)
                for row, place in zip(chart.rows, places, strict=True)
                if row.kind == i and row.epsilon is not None and not np.isnan(row.epsilon)
            ]
            bars.draw(outline_of([(end, place) for end, place, _ in shown]))
            ends = np.array([[end, place] for end, place, _ in shown])
            numbers.draw(ends if shown else NOTHING, texts=[text for *_, text in shown] or None)


def outline_of(ends: Sequence[tuple[float, float]]) -> FloatArray:
    """Bars from 0 to an end, at a place, in one outline that is joined along 0."""
    bars = [rectangle(0.0, end, place + HALF, place - HALF) for end, place in ends]
    return np.vstack(bars) if bars else NOTHING
