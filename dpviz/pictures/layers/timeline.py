"""One training over its stages: estimates, bounds and claim in one picture, utility in another."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.timeline import TimelinePart
from dpviz.audit.models.frontier import Strategy
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import thinned
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.landscape import length
from dpviz.pictures.marks import Line, Points, Segments

ROOM = 1.1  # length of the axis over the largest value
CLAIMS = 4.0  # claims above this multiple of all estimates would flatten them: not drawn


class EpsilonOverStages(Layer):
    """Epsilon* and lower bounds over the stages; a click on a point selects its model."""

    def add_marks(self) -> None:
        self._stages: tuple[Strategy, ...] = ()
        self._claim = self.add(
            "claim", Line(color=theme.LEVEL, dash="dotted", label="claimed ε, as given")
        )
        label = "lower bound, each alone"
        self._lows = self.add(
            "lower bounds", Points(color=theme.CLAIM, marker="triangle-up", label=label)
        )
        self._ranges = self.add("ranges", Segments(color=theme.ATTACK))
        self._line = self.add(
            "line", Line(color=theme.ATTACK, dash="dashed", label="Epsilon* (estimate)")
        )
        self._points = self.add(
            "points",
            Points(
                color=theme.ATTACK,
                size=70,
                on_pick=lambda i: self.change(stage=self._stages[i]),
                label="",
            ),
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result),)

    def draw(self, result: Result) -> None:
        part = _part(result)
        if part is None:
            self.hide()
            return
        x, y, stages = self.x, self.y, _kept(part.stages(part.training))
        self._stages, lows = stages, thinned(part.lows(part.training))
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
        # Infinite and undefined estimates stand at the upper edge.
        points = np.column_stack([places, np.minimum(epsilons, y.high)])
        self._line.draw(points)
        self._points.draw(points)
        self._lows.draw(np.minimum(lows, [np.inf, y.high]))
        self._claim.draw(np.column_stack([places, claims])[is_drawn])
        ends = np.stack(
            [np.column_stack([places, np.minimum(e, y.high)]) for e in ranges.T], axis=1
        )
        self._ranges.draw(ends[ends[:, 0, 1] < ends[:, 1, 1]])


class UtilityOverStages(Layer):
    """Utility over the stages at which it is known."""

    def add_marks(self) -> None:
        self._line = self.add("line", Line(color=theme.SELECTION, label="utility"))
        self._points = self.add("points", Points(color=theme.SELECTION, marker="diamond"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result),)

    def draw(self, result: Result) -> None:
        part = _part(result)
        stages = () if part is None else _kept(part.stages(part.training))
        found = [(s.stage or 0.0, s.utility) for s in stages if s.utility is not None]
        points: FloatArray = np.array(found).reshape(-1, 2)
        if len(points):
            places, x = np.array([s.stage or 0.0 for s in stages]), self.x
            x.set_range(*reach(places, is_log=x.spec.scale == "log"))
            low, high = points[:, 1].min(), points[:, 1].max()
            room = (ROOM - 1) * length(low, high)
            self.y.set_range(float(low - room), float(high + room))
        self._line.draw(points)
        self._points.draw(points)


def _part(result: Result) -> TimelinePart | None:
    return result.answers.get("timeline")


def _kept(stages: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
    return tuple(stages[int(i)] for i in thinned(np.arange(float(len(stages)))))


def reach(stages: FloatArray, *, is_log: bool) -> tuple[float, float]:
    """The range of an axis with all stages and some room on either side."""
    low, high = float(stages.min()), float(stages.max())
    if is_log:
        room = max((high / low) ** 0.05, 1.1)
        return low / room, high * room
    beside = 0.05 * (high - low) or 1.0
    return low - beside, high + beside
