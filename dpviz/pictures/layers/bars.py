"""Named horizontal bars from epsilon 0, with their numbers: whatever compares epsilons in rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.wording import short
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Curve, Frame, Points
from dpviz.pictures.layer import Change

HALF = 0.28
"""Half the height of a bar; rows stand 1 apart."""
LEAST_REACH = 4.0
LONGEST = 0.8
"""Share of the axis that an infinite bar takes: there is room for its number."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How bars look: filled for a bound, hollow where less, or more, is needed to read it."""

    color: str
    opacity: float
    label: str
    dash: theme.Dash = "solid"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row: its name, its epsilon if there is one, what stands beside it, and its kind."""

    name: str
    epsilon: float | None
    text: str = ""
    kind: int = 0


@dataclass(frozen=True, kw_only=True)
class BarChart:
    """What `Bars` draws: the rows from the top, the delta they are at, what else must fit.

    `reach` is an epsilon that the axis has to show beside the bars; `room` the share of the longest
    bar that the axis is long.
    """

    rows: Sequence[Bar]
    delta: float
    room: float
    reach: float = 0.0


class Bars:
    """One bar for each row that has an epsilon.

    Parameters
    ----------
    kinds : sequence of Kind
    chart : callable
        What to draw of a result.
    parts : callable
        What of the result, or beside it, decides that.
    """

    closed_form = False

    def __init__(
        self,
        kinds: Sequence[Kind],
        chart: Callable[[Result], BarChart],
        parts: Callable[[Result], tuple[object, ...]],
    ) -> None:
        self._kinds, self._chart, self._parts = kinds, chart, parts

    def build(self, frame: Frame, change: Change) -> None:
        """Bars and numbers of each kind."""
        self._frame = frame
        self._bars: list[Curve] = []
        self._numbers: list[Points] = []
        for kind in self._kinds:
            self._bars.append(
                frame.area(color=kind.color, opacity=kind.opacity, dash=kind.dash, label=kind.label)
            )
            self._numbers.append(
                frame.points(color=kind.color, marker="diamond", size=14, raise_text=-4)
            )

    def parts(self, result: Result) -> tuple[object, ...]:
        """What decides the rows."""
        return self._parts(result)

    def draw(self, result: Result) -> None:
        """Name the rows and set the range, then the bars."""
        chart = self._chart(result)
        places = self._frame.y.set_names([row.name for row in chart.rows])
        self._frame.x.set_label(f"ε at δ = {short(chart.delta)}")
        known = [row.epsilon for row in chart.rows if row.epsilon is not None]
        longest = max((epsilon for epsilon in known if np.isfinite(epsilon)), default=0.0)
        self._frame.x.set_range(0.0, max(LEAST_REACH, chart.room * longest, chart.reach))
        for i, (bars, numbers) in enumerate(zip(self._bars, self._numbers, strict=True)):
            shown = [
                (self._end(row.epsilon), place, row.text)
                for row, place in zip(chart.rows, places, strict=True)
                if row.kind == i and row.epsilon is not None and not np.isnan(row.epsilon)
            ]
            bars.draw(_outline(shown))
            ends = np.array([[end, place] for end, place, _ in shown])
            numbers.draw(ends if shown else NOTHING, texts=[text for *_, text in shown] or None)

    def _end(self, epsilon: float) -> float:
        """Where a bar ends; an infinite one short of the axis' end, where its number has room."""
        return min(epsilon, LONGEST * self._frame.x.high)


def _outline(shown: Sequence[tuple[float, float, str]]) -> FloatArray:
    """All bars in one outline, joined along epsilon 0."""
    corners = [
        corner
        for end, place, _ in shown
        for corner in (
            (0.0, place + HALF),
            (end, place + HALF),
            (end, place - HALF),
            (0.0, place - HALF),
        )
    ]
    return np.array(corners) if corners else NOTHING
