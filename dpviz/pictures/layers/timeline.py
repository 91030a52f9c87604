"""One training over its stages: estimates, bounds and claim in one picture, utility in another."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.timeline import TimelinePart
from dpviz.audit.frontier import Strategy
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame, thinned
from dpviz.pictures.layer import Change
from dpviz.pictures.layers.landscape import length

Shown = Callable[[], tuple[TimelinePart | None, str]]
"""Gives the estimates, and the training that is looked at."""
ROOM = 1.1
CLAIMS = 4.0
"""Times everything else: claims farther up would flatten it, and are not drawn."""


class EpsilonOverStages:
    """Epsilon* and lower bounds over the stages; each point can be pressed.

    Parameters
    ----------
    shown : callable
    pick : callable
        Gets the stage of a point that was pressed.
    """

    closed_form = False

    def __init__(self, shown: Shown, pick: Callable[[Strategy], None]) -> None:
        self._shown, self._pick = shown, pick

    def build(self, frame: Frame, change: Change) -> None:
        """Lines, and markers to press."""
        self._frame = frame
        self._stages: tuple[Strategy, ...] = ()
        self._claim = frame.line(color=theme.LEVEL, dash="dotted", label="claimed ε, as given")
        self._lows = frame.points(
            color=theme.CLAIM, marker="triangle-up", label="lower bound, each alone"
        )
        self._ranges = frame.segments(color=theme.ATTACK)
        self._line = frame.line(color=theme.ATTACK, dash="dashed", label="Epsilon* (estimate)")
        self._points = frame.points(
            color=theme.ATTACK,
            size=70,
            on_pick=lambda i: self._pick(self._stages[i]),
            label="one model",
            hint="press to load it",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The estimates, and the training."""
        return self._shown()

    def draw(self, result: Result) -> None:
        """Infinite and undefined estimates stand at the upper edge."""
        part, name = self._shown()
        marks = (self._claim, self._lows, self._ranges, self._line, self._points)
        if part is None:
            for mark in marks:
                mark.draw(NOTHING.reshape(0, 2, 1) if mark is self._ranges else NOTHING)
            return
        x, y, stages = self._frame.x, self._frame.y, _kept(part.stages(name))
        self._stages, lows = stages, thinned(part.lows(name))
        places = np.array([s.stage or 0.0 for s in stages])
        epsilons = np.array([np.inf if s.epsilon is None else s.epsilon for s in stages])
        ranges = np.array([s.epsilon_range or (np.inf, np.inf) for s in stages])
        claims = np.array(
            [np.inf if s.claimed_epsilon is None else s.claimed_epsilon for s in stages]
        )
        found = np.concatenate([ranges.ravel(), lows[:, 1], [1 / ROOM]])
        most = found[np.isfinite(found)].max()
        is_drawn = claims <= CLAIMS * most
        most = max(most, claims[is_drawn].max(initial=0.0))
        x.set_range(*reach(places, is_log=x.spec.scale == "log"))
        y.set_range(0.0, float(ROOM * most))
        points = np.column_stack([places, np.minimum(epsilons, y.high)])
        self._line.draw(points)
        self._points.draw(points)
        self._lows.draw(np.minimum(lows, [np.inf, y.high]))
        self._claim.draw(np.column_stack([places, claims])[is_drawn])
        ends = np.stack(
            [np.column_stack([places, np.minimum(e, y.high)]) for e in ranges.T], axis=1
        )
        self._ranges.draw(ends[ends[:, 0, 1] < ends[:, 1, 1]])


class UtilityOverStages:
    """Utility over the stages, where it is known."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """A line with its points."""
        self._frame = frame
        self._line = frame.line(color=theme.NONMEMBER, label="utility")
        self._points = frame.points(color=theme.NONMEMBER, marker="diamond")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The estimates, and the training."""
        return self._shown()

    def draw(self, result: Result) -> None:
        """Range and points."""
        part, name = self._shown()
        stages = () if part is None else _kept(part.stages(name))
        found = [(s.stage or 0.0, s.utility) for s in stages if s.utility is not None]
        points: FloatArray = np.array(found).reshape(-1, 2)
        if len(points):
            places, x = np.array([s.stage or 0.0 for s in stages]), self._frame.x
            x.set_range(*reach(places, is_log=x.spec.scale == "log"))
            low, high = points[:, 1].min(), points[:, 1].max()
            room = (ROOM - 1) * length(low, high)
            self._frame.y.set_range(float(low - room), float(high + room))
        self._line.draw(points)
        self._points.draw(points)


def _kept(stages: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
    return tuple(stages[int(i)] for i in thinned(np.arange(float(len(stages)))))


def reach(stages: FloatArray, *, is_log: bool) -> tuple[float, float]:
    """All stages, with some room on either side."""
    low, high = float(stages.min()), float(stages.max())
    if is_log:
        room = max((high / low) ** 0.05, 1.1)
        return low / room, high * room
    beside = 0.05 * (high - low) or 1.0
    return low - beside, high + beside
