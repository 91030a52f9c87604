"""Axes, and layers that several pictures use: a cursor, a bar chart, lines with names."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from dpviz.checks import FloatArray
from dpviz.drawing import theme
from dpviz.drawing.axes import LEAST_ODDS, AxisSpec
from dpviz.drawing.frame import Frame, rectangle
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import NOTHING, Area, Cursor, Line, Points
from dpviz.number_format import short

FPR_AXIS = AxisSpec(label="non-members wrongly accused (FPR)", is_rate=True)
FNR_AXIS = AxisSpec(label="members missed (FNR)", is_rate=True)
LOG_ODDS_AXIS = replace(
    FPR_AXIS,
    label="non-members wrongly accused (FPR, log-odds scale)",
    low=-LEAST_ODDS,
    high=LEAST_ODDS,
    scale="log-odds",
)
EPSILON_AXIS = AxisSpec(label="ε", high=4)
ROW_AXIS = AxisSpec(label="")

DIAGONAL = np.array([[0.0, 1.0], [1.0, 0.0]])  # FPR + FNR = 1


def add_guessing_line(frame: Frame, ends: FloatArray = DIAGONAL) -> None:
    """Draw the dotted line of an attacker who guesses at random; `ends` are its two ends."""
    mark = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="random guessing")
    frame.add(mark).draw(ends)


class OverRandomGuessing(Layer):
    """The base of layers that draw the dotted line of random guessing behind their own marks."""

    def add_marks(self) -> None:
        add_guessing_line(self.frame)
        super().add_marks()


class CursorLayer(Layer):
    """A layer with a vertical line of full height; users drag its handle below the x axis."""

    def add_cursor(
        self, label: str, on_move: Callable[[float], None], color: str = theme.SELECTION
    ) -> None:
        """Add the line and its handle; `on_move` is called with an x inside the axis."""
        line = Line(color=color, dash="dashed", width=1.5, label=label)
        self._cursor = self.add("line", line)
        handle = Cursor(color=color, on_move=lambda x, _: on_move(x))
        self._handle = self.add("handle", handle)

    def place_cursor(self, x: float) -> None:
        """Move line and handle to `x`, or to the nearest end of the axis if `x` is outside."""
        self._cursor.draw(self.frame.ends_of_vertical_line(x))
        self._handle.place(self.x.clamp(x), self.y.low)

    def hide_cursor(self) -> None:
        """Hide the line and its handle."""
        self._cursor.hide()
        self._handle.hide()


BAR_HALF_HEIGHT = 0.28  # of a bar; rows are 1 apart
LEAST_AXIS_END = 4.0  # smallest upper end of the epsilon axis
INFINITE_BAR_SHARE = 0.8  # share of the axis for an infinite bar, so that its number has room


@dataclass(frozen=True, kw_only=True)
class BarKind:
    """The look of one kind of bar in a chart, with the label of its bars."""

    color: str
    opacity: float
    label: str = ""
    dash: theme.Dash = "solid"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row of a chart: name, epsilon or None, text beside the bar, index of its `BarKind`."""

    name: str
    epsilon: float | None
    text: str = ""
    kind: int = 0


@dataclass(frozen=True, kw_only=True)
class BarChartData:
    """The bars of a chart; the x axis extends to `reach`, and to `room` times the longest bar."""

    rows: Sequence[Bar]
    delta: float
    room: float
    reach: float = 0.0


class Bars(Layer):
    """A layer that draws a bar chart, computed from a result by the function `chart`."""

    def __init__(
        self, kinds: Sequence[BarKind], chart: Callable[[Any], BarChartData], of: tuple[str, ...]
    ) -> None:
        self._kinds, self._chart, self.of = kinds, chart, of

    def add_marks(self) -> None:
        self._pairs = []
        for i, kind in enumerate(self._kinds):
            bars = Area(color=kind.color, opacity=kind.opacity, dash=kind.dash, label=kind.label)
            numbers = Points(color=kind.color, marker="diamond", size=14)
            self._pairs.append((self.add(f"bars {i}", bars), self.add(f"numbers {i}", numbers)))

    def draw(self, result: Any) -> None:
        chart = self._chart(result)
        places = self.y.set_row_names([row.name for row in chart.rows])
        self.x.set_label(f"ε at δ = {short(chart.delta)}")
        known = [row.epsilon for row in chart.rows if row.epsilon is not None]
        longest = max((epsilon for epsilon in known if np.isfinite(epsilon)), default=0.0)
        self.x.set_range(0.0, max(LEAST_AXIS_END, chart.room * longest, chart.reach))
        # All bars of a kind are one outline, all their numbers one mark at the ends.
        for i, (bars, numbers) in enumerate(self._pairs):
            drawn = [
                (min(row.epsilon, INFINITE_BAR_SHARE * self.x.high), place, row.text)
                for row, place in zip(chart.rows, places, strict=True)
                if row.kind == i and row.epsilon is not None and not np.isnan(row.epsilon)
            ]
            bars.draw(outline_of([(end, place) for end, place, _ in drawn]))
            ends = np.array([[end, place] for end, place, _ in drawn])
            numbers.draw(ends if drawn else NOTHING, texts=[text for *_, text in drawn] or None)


def outline_of(bar_ends: Sequence[tuple[float, float]]) -> FloatArray:
    """Return the corners of all bars as one outline; a bar runs from x = 0 to its end."""
    bars = [rectangle(0.0, end, y + BAR_HALF_HEIGHT, y - BAR_HALF_HEIGHT) for end, y in bar_ends]
    return np.vstack(bars) if bars else NOTHING


LONGEST_NAME = 22  # letters that fit on one side of the middle
Style = tuple[str, theme.Dash, float]  # colour, dash and width
Part = TypeVar("Part")


class NamedLines(Layer, Generic[Part]):
    """Lines with names beside them: open lines, closed outlines or step functions."""

    styles: ClassVar[Sequence[Style]]

    def __init__(
        self,
        vertices_of: Callable[[Part], FloatArray],
        name_point: Callable[[Part, int], tuple[float, float]],
        names_to_axes: Callable[[FloatArray], FloatArray] = np.asarray,
        *,
        closed: bool = False,
        steps: bool = False,
    ) -> None:
        self._vertices_of, self._name_point = vertices_of, name_point
        self._names_to_axes = names_to_axes  # from the coordinates that `name_point` returns
        self._closed, self._steps = closed, steps

    @abstractmethod
    def named_parts(self, result: Any) -> Sequence[tuple[str, Part]]:
        """Return (name, part of the result) for each line that is drawn."""

    def add_marks(self) -> None:
        self._pairs = []
        for i, (color, dash, width) in enumerate(self.styles):
            mark = (
                Area(color=color, opacity=0, dash=dash, width=width)
                if self._closed
                else Line(color=color, dash=dash, width=width, steps=self._steps)
            )
            label = Points(color=color, marker="diamond", size=30)
            self._pairs.append((self.add(f"line {i}", mark), self.add(f"name {i}", label)))

    def draw(self, result: Any) -> None:
        named = self.named_parts(result)
        for line, label in self._pairs[len(named) :]:
            line.hide()
            label.hide()
        for i, ((name, part), (line, label)) in enumerate(zip(named, self._pairs, strict=False)):
            line.draw(self.frame.cropped(self._vertices_of(part)))
            place = self._names_to_axes(np.array([self._name_point(part, i)]))
            label.draw(place, texts=[abbreviated(name, LONGEST_NAME)])


def abbreviated(name: str, most: int) -> str:
    """Return a name; a name of more than `most` letters is cut and ends with an ellipsis."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def point_at_fnr(curve: FloatArray, fnr: float) -> tuple[float, float]:
    """Return the point (FPR, FNR) of a curve at `fnr`; its first point if all FNRs are lower."""
    fprs, fnrs = curve.T
    fnr = min(fnr, float(fnrs[0]))
    return float(np.interp(-fnr, -fnrs, fprs)), fnr
