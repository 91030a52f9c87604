"""Lower bounds on epsilon as horizontal bars, and the claim's epsilon across them."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.bounds import BoundsPart, condition
from dpviz.analysis.bounds_sentences import at_least, label
from dpviz.analysis.wording import short
from dpviz.audit import EpsilonBound
from dpviz.checks import FloatArray
from dpviz.widgets.figures import Curve, Frame, Points, theme
from dpviz.widgets.figures.marks import NOTHING
from dpviz.widgets.layers.layer import Change

Shown = Callable[[], BoundsPart]
"""Gives the bounds to draw: they are asked for by name and are no part of a result."""
HALF = 0.28
"""Half the height of a bar; rows stand 1 apart."""
LEAST_REACH = 4.0
ROOM = 2.0
"""The axis over the longest bar: there is room for its number."""


class BoundBars:
    """One bar for each method, hollow where it holds only under a condition of its own."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Bars and numbers of both kinds."""
        self._frame = frame
        plain = frame.area(color=theme.ATTACK, opacity=0.5, label="lower bound")
        hollow = frame.area(
            color=theme.SELECTION,
            opacity=0,
            label="only under a further assumption (see the table)",
        )
        self._bars: list[Curve] = [plain, hollow]
        self._numbers: list[Points] = [
            frame.points(color=color, marker="diamond", size=14, raise_text=-4)
            for color in (theme.ATTACK, theme.SELECTION)
        ]

    def parts(self, result: Result) -> tuple[object, ...]:
        """The bounds."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """Name the rows and set the range, then the bars; no bars where nothing is computed."""
        part = self._shown()
        methods = part.question.methods
        places = self._frame.y.set_names([label(method) for method in methods])
        place_of = dict(zip(methods, places, strict=True))
        self._frame.x.set_label(f"ε at δ = {short(part.question.delta)}")
        finite = [bound.low for bound in part.bounds if np.isfinite(bound.low)]
        self._frame.x.set_range(0.0, max(LEAST_REACH, ROOM * max(finite, default=0.0)))
        for i, (bars, numbers) in enumerate(zip(self._bars, self._numbers, strict=True)):
            kind = [
                (bound, place_of[bound.method])
                for bound in part.bounds
                if bool(condition(bound.method)) == bool(i)
            ]
            bars.draw(self._outline(kind))
            ends = [[self._end(bound), place] for bound, place in kind]
            # In brackets, so that they differ without colour too.
            texts = [f"({at_least(b)})" if i else at_least(b) for b, _ in kind]
            numbers.draw(np.array(ends) if ends else NOTHING, texts=texts or None)

    def _outline(self, rows: list[tuple[EpsilonBound, float]]) -> FloatArray:
        """All bars in one outline, joined along epsilon 0."""
        corners = [
            corner
            for bound, place in rows
            for corner in (
                (0.0, place + HALF),
                (self._end(bound), place + HALF),
                (self._end(bound), place - HALF),
                (0.0, place - HALF),
            )
        ]
        return np.array(corners) if corners else NOTHING

    def _end(self, bound: EpsilonBound) -> float:
        """Where a bar ends; an infinite one short of the axis' end, where its number has room."""
        return min(bound.low, 0.8 * self._frame.x.high)


class ClaimAcrossBars:
    """The claim's epsilon as a vertical line; at the edge of the picture where it lies beyond."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """A line and a name."""
        self._frame = frame
        self._line = frame.line(color=theme.LEVEL, width=2.5, label="ε of the claim")
        self._name = frame.points(color=theme.LEVEL, marker="diamond", size=14, raise_text=-4)

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim, and what decides the axes."""
        return (result.claim, self._shown())

    def draw(self, result: Result) -> None:
        """Stand at the claim's epsilon."""
        x, y, epsilon = self._frame.x, self._frame.y, result.claim.epsilon
        place = x.clamp(epsilon)
        self._line.draw(np.array([[place, y.low], [place, y.high]]))
        name = f"claim: ε = {short(epsilon)} →" if epsilon > x.high else ""
        at = np.array([[place, y.high - 0.35]])
        self._name.draw(at if name else NOTHING, texts=[name], to_the_left=True)
