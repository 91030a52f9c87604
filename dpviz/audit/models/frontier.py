"""Privacy against utility: which points no other beats, and repeats of one strategy as a point.

The **Pareto frontier** here is what the name means elsewhere: points that no other point dominates.
The paper (section 4) draws the convex hull of it, the *convex coverage set*: what is left if one
may also mix two strategies at random, which cannot be deployed as one model. That is the smaller
set, offered as `Frontier.hull`.

Points made of estimates carry their noise: among many strategies that are equally good, chance puts
some on the frontier.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.checks import FloatArray

Indices = NDArray[np.intp]
Point = tuple[float, float]
ROUNDING = 1e-14
"""Relative; a turn that is smaller in floats is worked out exactly."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Frontier:
    """The points that no other dominates.

    Parameters
    ----------
    points : array, shape (k, 2)
        Privacy loss (smaller is better) and utility (larger is better), as given.
    indices : array of int
        Of points on the frontier, by rising privacy loss (and so utility); equal points are all on
        it, by rising index.
    """

    points: FloatArray
    indices: Indices

    @cached_property
    def hull(self) -> Indices:
        """Those that no random mixture of two others dominates either, in the same order.

        Points on a straight line between two others stay. A point of infinite loss stays, too: no
        mixture without it has its utility.
        """
        best = self.points[self.indices]
        # Equal points once: on the frontier, a loss has one utility.
        _, first, groups = np.unique(best[:, 0], return_index=True, return_inverse=True)
        distinct: list[tuple[float, float]] = list(map(tuple, best[first].tolist()))
        corners: list[int] = []
        for i, point in enumerate(distinct):
            while len(corners) > 1 and _is_below(
                distinct[corners[-2]], distinct[corners[-1]], point
            ):
                corners.pop()
            corners.append(i)
        is_corner = np.zeros(len(distinct), np.bool)
        is_corner[corners] = True
        return checks.read_only(self.indices[is_corner[groups]])


def frontier(
    points: ArrayLike | None = None,
    *,
    privacy: ArrayLike | None = None,
    utility: ArrayLike | None = None,
) -> Frontier:
    """The points that no other point dominates, in O(k log k).

    A point is dominated if another has no more privacy loss and no less utility, and is better in
    one of them.

    Parameters
    ----------
    points : array, shape (k, 2)
        Privacy loss, such as Epsilon*, in (-inf, inf], and finite utility. An infinite loss is on
        the frontier only if its utility is the largest of all.
    privacy, utility : array, shape (k,)
        The same as two arrays, instead of `points`.

    Raises
    ------
    ValueError
        If there are no points, their shape is another, or they are not in these ranges.
    """
    table = _table(points, privacy, utility)
    loss, gain = table.T
    order = np.lexsort((-gain, loss))
    _, starts, groups = np.unique(loss[order], return_index=True, return_inverse=True)
    best = gain[order][starts]  # of each loss
    before = np.concatenate([[-np.inf], np.maximum.accumulate(best)[:-1]])
    kept = (gain[order] == best[groups]) & (best > before)[groups]
    return Frontier(
        points=checks.read_only(table), indices=checks.read_only(order[kept].astype(np.intp))
    )


def _table(
    points: ArrayLike | None, privacy: ArrayLike | None, utility: ArrayLike | None
) -> FloatArray:
    if (points is None) == (privacy is None) or (privacy is None) != (utility is None):
        raise ValueError("points must be given, or privacy and utility, and not both")
    if points is None:
        loss = checks.reals("privacy", privacy, -np.inf, np.inf, closed="right")
        gain = checks.reals("utility", utility, -np.inf, np.inf, closed="neither")
        if loss.ndim != 1 or loss.shape != gain.shape:
            raise checks.fail(
                "privacy and utility",
                "one-dimensional and of one length",
                (loss.shape, gain.shape),
            )
        table = np.column_stack([loss, gain])
    else:
        table = checks.numeric("points", points)
        if table.ndim != 2 or table.shape[1] != 2:
            raise checks.fail("points", "of shape (k, 2)", table.shape)
        checks.reals("privacy", table[:, 0], -np.inf, np.inf, closed="right")
        checks.reals("utility", table[:, 1], -np.inf, np.inf, closed="neither")
    if len(table) == 0:
        raise ValueError("points must not be empty, got 0 points")
    return table


def _is_below(a: Point, b: Point, c: Point) -> bool:
    """Whether b is below the line from a to c, for points of rising loss and utility."""
    if c[0] == np.inf:  # no mixture of finite loss has the utility of the last
        return False
    left, right = (b[1] - a[1]) * (c[0] - b[0]), (c[1] - b[1]) * (b[0] - a[0])
    if abs(left - right) > ROUNDING * (abs(left) + abs(right)):
        return left < right
    (ax, ay), (bx, by), (cx, cy) = (map(Fraction, point) for point in (a, b, c))
    return (by - ay) * (cx - bx) < (cy - by) * (bx - ax)


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """One model as one run of a strategy.

    Parameters
    ----------
    name : str
        Of the strategy.
    epsilon : float
        The model's Epsilon*, in [0, inf]; nan where there is none.
    utility : float or None
    stage : float or None
        Epochs, or the stage of a pipeline.
    claimed_epsilon, claimed_delta : float or None
        What it was trained to, a part of the strategy.
    """

    name: str
    epsilon: float
    utility: float | None = None
    stage: float | None = None
    claimed_epsilon: float | None = None
    claimed_delta: float | None = None


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """All repeats of one strategy: a point of the privacy-utility picture, with error bars.

    Parameters
    ----------
    name : str
    epsilon : float or None
        Mean Epsilon* of the repeats, inf if one is. None where a repeat has none: that happens when
        its classes are too far apart for the clip, and a mean of the others would be too small.
    utility : float or None
        Mean; None where a repeat has none.
    epsilon_range, utility_range : tuple of two floats, or None
        Smallest and largest of the repeats; no interval of confidence.
    n : int
        Repeats.
    without_epsilon, without_utility : int
        How many of them have none.
    claimed_epsilon, claimed_delta, stage : float or None
    """

    name: str
    epsilon: float | None
    utility: float | None
    epsilon_range: tuple[float, float] | None
    utility_range: tuple[float, float] | None
    n: int
    without_epsilon: int = 0
    without_utility: int = 0
    claimed_epsilon: float | None = None
    claimed_delta: float | None = None
    stage: float | None = None

    @property
    def is_placed(self) -> bool:
        """Whether it has both an Epsilon* and a utility."""
        return self.epsilon is not None and self.utility is not None


def repeats(runs: Iterable[Repeat]) -> tuple[Strategy, ...]:
    """Runs with the same name, stage and claim as one strategy each, in order of appearance.

    Raises
    ------
    ValueError
        If an Epsilon* is negative, or a utility is not finite.
    """
    grouped: dict[tuple[object, ...], list[Repeat]] = {}
    for run in runs:
        key = (run.name, run.stage, run.claimed_epsilon, run.claimed_delta)
        grouped.setdefault(key, []).append(run)
    return tuple(_strategy(group) for group in grouped.values())


def _strategy(group: list[Repeat]) -> Strategy:
    epsilons = [run.epsilon for run in group if not np.isnan(run.epsilon)]
    utilities = [run.utility for run in group if run.utility is not None]
    checks.reals("epsilon", epsilons, 0, np.inf)
    checks.reals("utility", utilities, -np.inf, np.inf, closed="neither")
    epsilon, epsilon_range = _mean_and_range(epsilons, len(group))
    utility, utility_range = _mean_and_range(utilities, len(group))
    return Strategy(
        name=group[0].name,
        epsilon=epsilon,
        utility=utility,
        epsilon_range=epsilon_range,
        utility_range=utility_range,
        n=len(group),
        without_epsilon=len(group) - len(epsilons),
        without_utility=len(group) - len(utilities),
        claimed_epsilon=group[0].claimed_epsilon,
        claimed_delta=group[0].claimed_delta,
        stage=group[0].stage,
    )


def _mean_and_range(values: list[float], n: int) -> tuple[float | None, tuple[float, float] | None]:
    if len(values) < n:
        return None, None
    low, high = min(values), max(values)
    # Rounding may put the mean of equal numbers beside them.
    return min(max(float(np.mean(values)), low), high), (low, high)


@dataclass(frozen=True, kw_only=True)
class Landscape:
    """Strategies in the plane of privacy and utility."""

    strategies: tuple[Strategy, ...]

    @property
    def placed(self) -> tuple[Strategy, ...]:
        """Those that have both."""
        return tuple(each for each in self.strategies if each.is_placed)

    @property
    def left_out(self) -> tuple[Strategy, ...]:
        """Those that have no place: `without_epsilon` and `without_utility` say why."""
        return tuple(each for each in self.strategies if not each.is_placed)

    @cached_property
    def frontier(self) -> Frontier | None:
        """Over `placed`, whose places its indices are; None where nothing is placed."""
        if not self.placed:
            return None
        return frontier(np.array([(each.epsilon, each.utility) for each in self.placed]))
