"""Strategies as points to click, their error bars, the frontier, densities along the edges."""

from functools import partial

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.landscape import PLAIN, PRIVATE, LandscapePart, kind_of
from dpviz.audit.models.frontier import Strategy
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import Axis
from dpviz.pictures.frame import thinned
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Area, Line, Points, Segments

LOOKS = (
    (PLAIN, theme.ATTACK, "circle", "trained without a claim"),
    (PRIVATE, theme.CLAIM, "diamond", "trained to a claim (ε, δ)"),
)
MARGIN = 0.12  # share of the axis that a density takes
ROOM = 1.15  # length of the axis over the largest value


class LandscapeAxes(Layer):
    """Sets the ranges of both axes and has no marks; it is the first layer, so others find them."""

    def add_marks(self) -> None:
        pass

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result),)

    def draw(self, result: Result) -> None:
        part = _part(result)
        if part is not None:
            low, high = part.utilities
            room = (ROOM - 1) * length(low, high)
            self.x.set_range(0.0, max(1.0, ROOM * part.largest))
            self.y.set_range(low - 2 * room, high + room)  # below: room for a density


class Densities(Layer):
    """Kernel density estimates of either kind of strategies, along the lower and right edge."""

    def add_marks(self) -> None:
        self._areas = {}
        for kind, color, _, label in LOOKS:
            area = Area(color=color, opacity=0.15, outline=False)
            self._areas[kind] = self.add_each(label, area, area)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result),)

    def draw(self, result: Result) -> None:
        part, x, y = _part(result), self.x, self.y
        for kind, (below, right) in self._areas.items():
            of_epsilon, of_utility = (NOTHING, NOTHING) if part is None else part.densities(kind)
            of_epsilon = _inside(of_epsilon, x)
            of_utility = _inside(of_utility, y)
            heights = y.low + MARGIN * (y.high - y.low) * of_epsilon[:, 1]
            below.draw(_down_to(np.column_stack([of_epsilon[:, 0], heights]), y.low, axis=1))
            depths = x.high - MARGIN * (x.high - x.low) * of_utility[:, 1]
            right.draw(_down_to(np.column_stack([depths, of_utility[:, 0]]), x.high, axis=0))


class FrontierLine(Layer):
    """The best utility at each allowed Epsilon*, as steps; and the hull: mixtures of strategies."""

    def add_marks(self) -> None:
        color, label = theme.SELECTION, "no other strategy beats these"
        self._steps = self.add("steps", Line(color=color, dash="dashed", steps=True, label=label))
        label = "convex hull (mixtures)"
        self._hull = self.add("hull", Line(color=color, dash="dotted", width=1.5, label=label))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result), result.answers.get("landscape_hull"))

    def draw(self, result: Result) -> None:
        part = _part(result)
        frontier = part and part.landscape.frontier
        if not frontier:
            self.hide()
            return
        edge = self.x.high
        steps = np.minimum(frontier.points[frontier.indices], [edge, np.inf])
        self._steps.draw(thinned(np.vstack([steps, [edge, steps[-1, 1]]])))
        hull = frontier.points[frontier.hull]
        # No line to an infinite Epsilon*: every mixture with it is infinite, too.
        hull = hull[np.isfinite(hull[:, 0])]
        self._hull.draw(thinned(hull) if result.answers.get("landscape_hull") else NOTHING)


class StrategyPoints(Layer):
    """One marker for each strategy, with the range of its repeats; a click selects it."""

    def add_marks(self) -> None:
        self._strategies: dict[int, list[Strategy]] = {}
        self._bars, self._points = {}, {}
        for kind, color, marker, label in LOOKS:
            self._bars[kind] = self.add(f"bars {kind}", Segments(color=color))
            on_pick = partial(self._picked, kind)
            points = Points(color=color, marker=marker, size=70, on_pick=on_pick, label=label)
            self._points[kind] = self.add(f"points {kind}", points)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result),)

    def draw(self, result: Result) -> None:
        part = _part(result)
        if part is None:
            self.hide()
            return
        # Strategies without a finite Epsilon*, or without a utility, stand at the edge.
        edge, bottom = self.x.high, self.y.low
        for kind, points in self._points.items():
            chosen = [s for s in part.landscape.strategies if kind_of(s) == kind]
            self._strategies[kind] = chosen
            places = [part.place(s, edge=edge, bottom=bottom) for s in chosen]
            points.draw(np.array(places) if places else NOTHING)
            pieces = [
                piece
                for strategy, place in zip(chosen, places, strict=True)
                for piece in _bars(strategy, place, edge=edge)
            ]
            self._bars[kind].draw(np.array(pieces) if pieces else NOTHING)

    def _picked(self, kind: int, i: int) -> None:
        self.change(strategy=self._strategies[kind][i])


class ChosenStrategy(Layer):
    """A marker with a name at the strategy whose model is loaded."""

    def add_marks(self) -> None:
        mark = Points(color=theme.LEVEL, marker="diamond", size=260)
        self._point = self.add("point", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result), result.answers.get("landscape_chosen"))

    def draw(self, result: Result) -> None:
        part, strategy = _part(result), result.answers.get("landscape_chosen")
        if part is None or strategy is None:
            self.hide()
            return
        place = part.place(strategy, edge=self.x.high, bottom=self.y.low)
        text = part.label(strategy)[:32]
        self._point.draw(np.array([place]), texts=[text])


def _part(result: Result) -> LandscapePart | None:
    return result.answers.get("landscape")


def _bars(
    strategy: Strategy, place: tuple[float, float], *, edge: float
) -> list[list[list[float]]]:
    """Error bars from the smallest to the largest repeat, in both directions."""
    found = []
    if strategy.epsilon_range is not None:
        low, high = (min(end, edge) for end in strategy.epsilon_range)
        found.append([[low, place[1]], [high, place[1]]])
    if strategy.utility_range is not None:
        found.append([[place[0], end] for end in strategy.utility_range])
    return [piece for piece in found if piece[0] != piece[1]]


def length(low: float, high: float) -> float:
    """The length of a range of utilities, positive also where they are equal."""
    return max(high - low, 1e-3 * max(abs(high), 1e-3))


def _inside(density: FloatArray, axis: Axis) -> FloatArray:
    return density[(density[:, 0] >= axis.low) & (density[:, 0] <= axis.high)]


def _down_to(line: FloatArray, edge: float, *, axis: int) -> FloatArray:
    """The outline between a line and an edge of the picture."""
    if not len(line):
        return NOTHING
    ends = line[[-1, 0]].copy()
    ends[:, axis] = edge
    return np.vstack([line, ends])
