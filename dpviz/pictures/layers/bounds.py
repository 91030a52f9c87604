"""Lower bounds on epsilon as horizontal bars, the ceiling and the claim's epsilon across them."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.bounds import BoundsPart, condition
from dpviz.analysis.bounds_sentences import at_least, label
from dpviz.analysis.wording import short
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change
from dpviz.pictures.layers.bars import Bar, BarChart, Bars, Kind

Shown = Callable[[], BoundsPart]
"""Gives the bounds to draw: they are asked for by name and are no part of a result."""
Decides = Callable[[Result], tuple[object, ...]]
"""What of the result, or beside it, decides the axes that a line stands on."""
ROOM = 2.0
ROOM_OF_CEILING = 1.1
KINDS = (
    Kind(color=theme.ATTACK, opacity=0.5, label="lower bound"),
    Kind(
        color=theme.SELECTION,
        opacity=0,
        label="only under a further assumption (see the table)",
    ),
)


def bound_bars(shown: Shown) -> Bars:
    """One bar for each method, hollow where it holds only under a condition of its own."""
    return Bars(KINDS, lambda _: _chart(shown()), lambda _: (shown(),))


def _chart(part: BoundsPart) -> BarChart:
    found = {bound.method: bound for bound in part.bounds}
    rows = []
    for method in part.question.methods:
        is_conditional = bool(condition(method))
        bound = found.get(method)
        said = "" if bound is None else at_least(bound)
        rows.append(
            Bar(
                name=label(method),
                epsilon=None if bound is None else bound.low,
                # In brackets, so that they differ without colour too.
                text=f"({said})" if is_conditional else said,
                kind=int(is_conditional),
            )
        )
    most = part.ceiling
    reach = 0.0 if most is None or np.isinf(most) else ROOM_OF_CEILING * most
    return BarChart(rows=rows, delta=part.question.delta, room=ROOM, reach=reach)


class CeilingAcrossBars:
    """The most that these numbers of records could certify, as a vertical line."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """One line."""
        self._frame = frame
        self._line = frame.line(
            color=theme.CLAIM,
            dash="dash_dotted",
            width=1.5,
            label="ceiling: a perfect attack on this many records (ranks)",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The bounds."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """Stand at the ceiling once it is known."""
        y, most = self._frame.y, self._shown().ceiling
        if most is None:
            self._line.draw(NOTHING)
            return
        place = self._frame.x.clamp(most)
        self._line.draw(np.array([[place, y.low], [place, y.high]]))


class ClaimAcrossBars:
    """The claim's epsilon as a vertical line; at the edge of the picture where it lies beyond."""

    closed_form = False

    def __init__(self, axes: Decides) -> None:
        self._axes = axes

    def build(self, frame: Frame, change: Change) -> None:
        """A line and a name."""
        self._frame = frame
        self._line = frame.line(color=theme.LEVEL, width=2.5, label="ε of the claim")
        self._name = frame.points(color=theme.LEVEL, marker="diamond", size=14, raise_text=-4)

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim, and what decides the axes."""
        return (result.claim, *self._axes(result))

    def draw(self, result: Result) -> None:
        """Stand at the claim's epsilon."""
        x, y, epsilon = self._frame.x, self._frame.y, result.claim.epsilon
        place = x.clamp(epsilon)
        self._line.draw(np.array([[place, y.low], [place, y.high]]))
        name = f"claim: ε = {short(epsilon)} →" if epsilon > x.high else ""
        at = np.array([[place, y.high - 0.35]])
        self._name.draw(at if name else NOTHING, texts=[name], to_the_left=True)
