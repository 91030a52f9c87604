"""Lower bounds on epsilon as horizontal bars, the ceiling and the claim's epsilon across them."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import short
from dpviz.analysis.parts.answer import answer_of
from dpviz.analysis.parts.bounds import BoundsPart, BoundsQuestion, condition
from dpviz.analysis.sentences.bounds import at_least, label
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.bars import Bar, BarChart, Bars, Kind
from dpviz.pictures.marks import NOTHING, Line, Points

ROOM = 2.0  # length of the axis over that of the longest bar
ROOM_OF_CEILING = 1.1  # and over the ceiling
ABOVE = 0.35  # rows from the upper end of the axis to the name of the claim's line
KINDS = (
    Kind(color=theme.ATTACK, opacity=0.5),
    Kind(color=theme.SELECTION, opacity=0, label="conditional"),
)


def bound_bars() -> Bars:
    """One bar for each method, hollow where the bound needs a condition of its own."""
    return Bars(KINDS, _chart, bounds_parts)


def bounds_parts(result: Result) -> tuple[object, ...]:
    """The parts of a result that decide the bars, and so the axis."""
    answers = result.answers
    return (answers.get("bounds"), answers.get("bounds_question"), result.claim.delta)


def _part(result: Result) -> BoundsPart:
    """The bounds; before they are computed, only the question."""
    asked = result.answers.get("bounds_question") or BoundsQuestion(delta=result.claim.delta)
    return result.answers.get("bounds") or BoundsPart(question=asked)


def _chart(result: Result) -> BarChart:
    part = _part(result)
    found = {bound.method: bound for bound in part.bounds}
    rows = []
    for method in part.question.methods:
        is_conditional = bool(condition(method))
        bound = found.get(method)
        text = "" if bound is None else f"≥ {at_least(bound)}"
        rows.append(
            Bar(
                name=label(method),
                epsilon=None if bound is None else bound.low,
                # In brackets, so that they differ without colour too.
                text=f"({text})" if is_conditional else text,
                kind=int(is_conditional),
            )
        )
    most = part.ceiling
    reach = 0.0 if most is None or np.isinf(most) else ROOM_OF_CEILING * most
    return BarChart(rows=rows, delta=part.question.delta, room=ROOM, reach=reach)


class CeilingAcrossBars(Layer):
    """The largest bound that these numbers of records could give, as a vertical line."""

    def add_marks(self) -> None:
        line = Line(color=theme.SELECTION, dash="dash_dotted", width=1.5, label="ceiling")
        self._line = self.add("line", line)

    def parts(self, result: Result) -> tuple[object, ...]:
        return bounds_parts(result)

    def draw(self, result: Result) -> None:
        ceiling = _part(result).ceiling
        self._line.draw(NOTHING if ceiling is None else self.frame.vertical(ceiling))


class ClaimAcrossBars(Layer):
    """The claim's epsilon as a vertical line, named above all bars, if anything is claimed.

    `axes` returns the parts of a result that decide the axes.
    """

    def __init__(self, axes: Callable[[Result], tuple[object, ...]]) -> None:
        self._axes = axes

    def add_marks(self) -> None:
        self._line = self.add("line", Line(color=theme.LEVEL, width=2.5))
        self._name = self.add("name", Points(color=theme.LEVEL, size=5))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim, *self._axes(result))

    def draw(self, result: Result) -> None:
        epsilon = answer_of(result).claimed
        if epsilon is None:
            self._line.draw(NOTHING)
            self._name.draw(NOTHING)
            return
        self._line.draw(self.frame.vertical(epsilon))
        beyond = " →" if epsilon > self.x.high else ""
        at = np.array([[self.x.clamp(epsilon), self.y.high - ABOVE]])
        self._name.draw(at, texts=[f"claimed ε = {short(epsilon)}{beyond}"])
