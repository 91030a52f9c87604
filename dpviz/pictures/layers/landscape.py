"""Strategies as points to press, their error bars, the frontier, densities along the edges."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.landscape import PLAIN, PRIVATE, LandscapePart, kind_of
from dpviz.audit.frontier import Strategy
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import Axis
from dpviz.pictures.frame import NOTHING, Frame, Points, Segments, thinned
from dpviz.pictures.layer import Change

Shown = Callable[[], LandscapePart | None]
LOOKS = (
    (PLAIN, theme.ATTACK, "circle", "trained without a claim"),
    (PRIVATE, theme.CLAIM, "diamond", "trained to a claim (ε, δ)"),
)
NO_PIECES = np.empty((0, 2, 2))
MARGIN = 0.12
"""Share of the axis that a density takes."""
ROOM = 1.15


class LandscapeAxes:
    """Ranges of both axes; the first layer, so that others find them."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """No marks."""
        self._frame = frame

    def parts(self, result: Result) -> tuple[object, ...]:
        """The models."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """From Epsilon* 0 to beyond the largest; utilities with room for a density."""
        part = self._shown()
        if part is not None:
            low, high = part.utilities
            room = (ROOM - 1) * length(low, high)
            self._frame.x.set_range(0.0, max(1.0, ROOM * part.largest))
            self._frame.y.set_range(low - 2 * room, high + room)


class Densities:
    """Where the strategies of either kind lie, along both axes (kernel density estimates)."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Two areas for each kind."""
        self._frame = frame
        self._areas = {
            kind: [frame.area(color=color, opacity=0.15, outline=False) for _ in range(2)]
            for kind, color, _, _ in LOOKS
        }

    def parts(self, result: Result) -> tuple[object, ...]:
        """The models."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """Along the lower and the right edge."""
        part, x, y = self._shown(), self._frame.x, self._frame.y
        for kind, (below, right) in self._areas.items():
            of_epsilon, of_utility = (NOTHING, NOTHING) if part is None else part.densities(kind)
            of_epsilon = _inside(of_epsilon, x)
            of_utility = _inside(of_utility, y)
            heights = y.low + MARGIN * (y.high - y.low) * of_epsilon[:, 1]
            below.draw(_down_to(np.column_stack([of_epsilon[:, 0], heights]), y.low, axis=1))
            depths = x.high - MARGIN * (x.high - x.low) * of_utility[:, 1]
            right.draw(_down_to(np.column_stack([depths, of_utility[:, 0]]), x.high, axis=0))


class FrontierLine:
    """The strategies that no other beats, joined; the hull is that of mixtures of them."""

    closed_form = False

    def __init__(self, shown: Shown, is_hull_shown: Callable[[], bool]) -> None:
        self._shown, self._is_hull_shown = shown, is_hull_shown

    def build(self, frame: Frame, change: Change) -> None:
        """Two lines."""
        self._frame = frame
        self._steps = frame.line(
            color=theme.SELECTION, dash="dashed", steps=True, label="no other strategy beats these"
        )
        self._hull = frame.line(
            color=theme.SELECTION, dash="dotted", width=1.5, label="convex hull (mixtures)"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The models, and whether the hull is asked for."""
        return (self._shown(), self._is_hull_shown())

    def draw(self, result: Result) -> None:
        """Steps: with a larger Epsilon* allowed, the best utility so far."""
        part = self._shown()
        frontier = part and part.landscape.frontier
        if not frontier:
            self._steps.draw(NOTHING)
            self._hull.draw(NOTHING)
            return
        edge = self._frame.x.high
        steps = np.minimum(frontier.points[frontier.indices], [edge, np.inf])
        self._steps.draw(thinned(np.vstack([steps, [edge, steps[-1, 1]]])))
        hull = frontier.points[frontier.hull]
        # No line to an infinite Epsilon*: every mixture with it is infinite, too.
        hull = hull[np.isfinite(hull[:, 0])]
        self._hull.draw(thinned(hull) if self._is_hull_shown() else NOTHING)


class StrategyPoints:
    """One marker for each strategy, with the range of its repeats; pressed, it is picked.

    Parameters
    ----------
    shown : callable
    pick : callable
        Gets the strategy of a marker that was pressed.
    """

    closed_form = False

    def __init__(self, shown: Shown, pick: Callable[[Strategy], None]) -> None:
        self._shown, self._pick = shown, pick

    def build(self, frame: Frame, change: Change) -> None:
        """Bars under markers, for either kind."""
        self._frame = frame
        self._bars: dict[int, Segments] = {}
        self._points: dict[int, Points] = {}
        self._strategies: dict[int, list[Strategy]] = {}
        for kind, color, marker, said in LOOKS:
            self._bars[kind] = frame.segments(color=color)
            self._points[kind] = frame.points(
                color=color,
                marker=marker,
                size=70,
                on_pick=lambda i, kind=kind: self._pick(self._strategies[kind][i]),  # type: ignore[misc]
                label=said,
            )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The models."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """Points without a finite Epsilon*, or without a utility, stand at the edge."""
        part, x, y = self._shown(), self._frame.x, self._frame.y
        for kind, points in self._points.items():
            chosen = [s for s in part.landscape.strategies if kind_of(s) == kind] if part else []
            self._strategies[kind] = chosen
            places = [part.place(s, edge=x.high, bottom=y.low) for s in chosen] if part else []
            points.draw(np.array(places) if places else NOTHING)
            pieces = [
                piece
                for strategy, place in zip(chosen, places, strict=True)
                for piece in _bars(strategy, place, edge=x.high)
            ]
            self._bars[kind].draw(np.array(pieces) if pieces else NO_PIECES)


class ChosenStrategy:
    """The strategy whose model is loaded: its name beside its marker."""

    closed_form = False

    def __init__(self, shown: Shown, chosen: Callable[[], Strategy | None]) -> None:
        self._shown, self._chosen = shown, chosen

    def build(self, frame: Frame, change: Change) -> None:
        """One marker."""
        self._frame = frame
        self._point = frame.points(
            color=theme.LEVEL, marker="diamond", size=260, raise_text=10, label="loaded"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The models, and the one that is loaded."""
        return (self._shown(), self._chosen())

    def draw(self, result: Result) -> None:
        """Stand on it."""
        part, strategy = self._shown(), self._chosen()
        if part is None or strategy is None:
            self._point.draw(NOTHING)
            return
        x, y = self._frame.x, self._frame.y
        place = part.place(strategy, edge=x.high, bottom=y.low)
        is_right = place[0] > (x.low + x.high) / 2
        self._point.draw(np.array([place]), texts=[part.label(strategy)[:32]], to_the_left=is_right)


def _bars(
    strategy: Strategy, place: tuple[float, float], *, edge: float
) -> list[list[list[float]]]:
    """From the smallest to the largest repeat, in both directions."""
    found = []
    if strategy.epsilon_range is not None:
        low, high = (min(end, edge) for end in strategy.epsilon_range)
        found.append([[low, place[1]], [high, place[1]]])
    if strategy.utility_range is not None:
        found.append([[place[0], end] for end in strategy.utility_range])
    return [piece for piece in found if piece[0] != piece[1]]


def length(low: float, high: float) -> float:
    """Of the utilities on an axis; of equal ones, something that floats can tell apart."""
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
