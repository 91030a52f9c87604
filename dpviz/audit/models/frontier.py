"""Privacy against utility: the Pareto frontier, and repeats of a strategy as one point.

The **Pareto frontier** consists of the points that no other point dominates. Negoescu et al. (2023,
section 4) draw its convex hull, the *convex coverage set*: the points that no random mixture of two
strategies dominates, although a mixture cannot be deployed as one model. It is `Frontier.hull`.

Estimated points are noisy: of many equally good strategies, chance puts some on the frontier.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.value_object import ValueObject

Indices = NDArray[np.intp]
Point = tuple[float, float]
ROUNDING = 1e-14  # relative difference of slopes below which they are compared exactly


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Frontier(ValueObject):
    """The points that no other point dominates.

    Parameters
    ----------
    points : array, shape (k, 2), privacy loss (smaller is better) and utility, as given
    indices : array of int, of all points on the frontier, by privacy loss, then by index

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.models.frontier([(1, 0.5), (2, 0.6), (3, 0.9), (3, 0.8)])
    >>> found.indices.tolist(), found.hull.tolist()
    ([0, 1, 2], [0, 2])
    """

    points: FloatArray
    indices: Indices

    @cached_property
    def hull(self) -> Indices:
        """Indices of the points that no mixture of two other points dominates.

        The indices are in order of privacy loss. Points on a straight line between two others are
        included. A point of infinite loss is included, too, because no mixture of the other points
        reaches its utility.
        """
        # Andrew's monotone chain: drop corners below the line between their neighbours.
        best = self.points[self.indices]
        _, first, groups = np.unique(best[:, 0], return_index=True, return_inverse=True)
        corners: list[tuple[float, float]] = []
        for point in map(tuple, best[first].tolist()):
            while len(corners) > 1 and _is_middle_below_line(corners[-2], corners[-1], point):
                corners.pop()
            corners.append(point)
        is_corner = np.isin(best[first][:, 0], [loss for loss, _ in corners])
        return checks.read_only(self.indices[is_corner[groups]])


def frontier(
    points: ArrayLike | None = None,
    *,
    privacy: ArrayLike | None = None,
    utility: ArrayLike | None = None,
) -> Frontier:
    """Return the Pareto frontier of points of privacy loss and utility, in O(k log k).

    A point is dominated if another has no more privacy loss and no less utility, and is better in
    one of them.

    Parameters
    ----------
    points : array, shape (k, 2), privacy loss in (-inf, inf], such as Epsilon*, and finite utility
    privacy, utility : array, shape (k,), the same as two arrays, instead of `points`

    Raises
    ------
    ValueError, if there are no points, their shape is wrong, or they are out of range

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.models.frontier(privacy=[1, 2, 3], utility=[0.7, 0.6, 0.9]).indices.tolist()
    [0, 2]
    """
    table = _checked_points(points, privacy, utility)
    loss, gain = table.T
    # The best points of each loss are on the frontier if better than all points of smaller loss.
    order = np.lexsort((-gain, loss))
    _, starts, groups = np.unique(loss[order], return_index=True, return_inverse=True)
    best = gain[order][starts]  # of each loss
    before = np.concatenate([[-np.inf], np.maximum.accumulate(best)[:-1]])
    is_on_frontier = (gain[order] == best[groups]) & (best > before)[groups]
    indices = checks.read_only(order[is_on_frontier].astype(np.intp))
    return Frontier(points=checks.read_only(table), indices=indices)


def _checked_points(
    points: ArrayLike | None, privacy: ArrayLike | None, utility: ArrayLike | None
) -> FloatArray:
    """Return rows (privacy loss, utility) from `points`, or from `privacy` and `utility`."""
    if (points is None) == (privacy is None) or (privacy is None) != (utility is None):
        raise ValueError("either points or both privacy and utility must be given")
    if points is not None:
        table = checks.numeric("points", points)
        if table.ndim != 2 or table.shape[1] != 2:
            raise checks.fail("points", "of shape (k, 2)", table.shape)
        privacy, utility = table.T
    # A privacy loss may be infinite, a utility may not.
    loss = checks.reals("privacy", privacy, -np.inf, np.inf, closed="right")
    gain = checks.reals("utility", utility, -np.inf, np.inf, closed="neither")
    if loss.ndim != 1 or loss.shape != gain.shape:
        shapes = (loss.shape, gain.shape)
        raise checks.fail("privacy and utility", "one-dimensional and of equal length", shapes)
    if loss.size == 0:
        raise ValueError("points must not be empty, got 0 points")
    return np.column_stack([loss, gain])


def _is_middle_below_line(a: Point, b: Point, c: Point) -> bool:
    """Return whether the middle point b is below the line from a to c; points (loss, utility)."""
    if c[0] == np.inf:  # no mixture of finite loss has the utility of the last
        return False
    left, right = (b[1] - a[1]) * (c[0] - b[0]), (c[1] - b[1]) * (b[0] - a[0])
    if abs(left - right) > ROUNDING * (abs(left) + abs(right)):
        return left < right
    # A turn that may be rounding is computed in exact fractions.
    (ax, ay), (bx, by), (cx, cy) = (map(Fraction, point) for point in (a, b, c))
    return (by - ay) * (cx - bx) < (cy - by) * (bx - ax)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Repeat(ValueObject):
    """One model, as one run (repeat) of a training strategy.

    Parameters
    ----------
    name : str, of the strategy
    epsilon : float, the model's Epsilon*, in [0, inf]; nan if there is none
    utility : float or None
    stage : float or None, epochs, or the stage of a pipeline
    claimed_epsilon, claimed_delta : float or None, guarantee of the training, equal for all repeats
    hyperparameters : tuple of (str, str), names and values, equal for all repeats

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.models.repeats([audit.models.Repeat(name="a", epsilon=e) for e in (1, 2)])[0].epsilon
    1.5
    """

    name: str
    epsilon: float
    utility: float | None = None
    stage: float | None = None
    claimed_epsilon: float | None = None
    claimed_delta: float | None = None
    hyperparameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Strategy(ValueObject):
    """All repeats of one strategy, as a point of privacy and utility with ranges.

    Parameters
    ----------
    name : str
    epsilon : float or None, mean Epsilon* of the repeats; None if a repeat has none
    utility : float or None, mean utility; None if a repeat has none
    epsilon_range, utility_range : tuple of two floats, or None, smallest and largest of the repeats
    n : int, number of repeats
    without_epsilon, without_utility : int, numbers of repeats without one
    claimed_epsilon, claimed_delta, stage : float or None
    hyperparameters : tuple of (str, str), names and values

    Examples
    --------
    >>> from dpviz import audit
    >>> runs = [audit.models.Repeat(name="a", epsilon=e, utility=0.9) for e in (1, 2)]
    >>> audit.models.repeats(runs)[0].epsilon_range
    (1, 2)
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
    hyperparameters: tuple[tuple[str, str], ...] = ()

    @property
    def is_placed(self) -> bool:
        """Whether the strategy has both an Epsilon* and a utility."""
        return self.epsilon is not None and self.utility is not None


def repeats(runs: Iterable[Repeat]) -> tuple[Strategy, ...]:
    """Return strategies, each a group of runs with equal name, stage, claim and hyper-parameters.

    Parameters
    ----------
    runs : iterable of Repeat, with finite utilities

    Examples
    --------
    >>> from dpviz import audit
    >>> runs = [audit.models.Repeat(name=name, epsilon=1) for name in "aba"]
    >>> [(each.name, each.n) for each in audit.models.repeats(runs)]
    [('a', 2), ('b', 1)]
    """
    grouped: dict[tuple[object, ...], list[Repeat]] = {}
    for run in runs:
        grouped.setdefault(tuple(_fields_shared_by_repeats(run).values()), []).append(run)
    return tuple(_combine_repeats(group) for group in grouped.values())


def _fields_shared_by_repeats(run: Repeat) -> dict[str, Any]:
    """Return, by name, the fields that all repeats of a strategy have in common."""
    names = ("name", "stage", "claimed_epsilon", "claimed_delta", "hyperparameters")
    return {name: getattr(run, name) for name in names}


def _combine_repeats(group: list[Repeat]) -> Strategy:
    # Means are over the runs that have a value; how many have none is counted.
    epsilons = [run.epsilon for run in group if not np.isnan(run.epsilon)]
    utilities = [run.utility for run in group if run.utility is not None]
    checks.reals("epsilon", epsilons, 0, np.inf)
    checks.reals("utility", utilities, -np.inf, np.inf, closed="neither")
    epsilon, epsilon_range = _mean_and_range(epsilons, len(group))
    utility, utility_range = _mean_and_range(utilities, len(group))
    return Strategy(
        **_fields_shared_by_repeats(group[0]),
        epsilon=epsilon,
        utility=utility,
        epsilon_range=epsilon_range,
        utility_range=utility_range,
        n=len(group),
        without_epsilon=len(group) - len(epsilons),
        without_utility=len(group) - len(utilities),
    )


def _mean_and_range(values: list[float], n: int) -> tuple[float | None, tuple[float, float] | None]:
    """Return mean and range; (None, None) unless each of the `n` repeats has a value."""
    if len(values) < n:
        return None, None
    low, high = min(values), max(values)
    # By rounding, the mean of equal numbers may differ from them.
    return min(max(float(np.mean(values)), low), high), (low, high)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Landscape(ValueObject):
    """Strategies in the plane of privacy and utility.

    Examples
    --------
    >>> from dpviz import audit
    >>> runs = [audit.models.Repeat(name=str(e), epsilon=e, utility=0.9) for e in (1, 2)]
    >>> audit.models.Landscape(strategies=audit.models.repeats(runs)).frontier.indices.tolist()
    [0]
    """

    strategies: tuple[Strategy, ...]

    @property
    def placed(self) -> tuple[Strategy, ...]:
        """Strategies with both an Epsilon* and a utility."""
        return tuple(each for each in self.strategies if each.is_placed)

    @property
    def left_out(self) -> tuple[Strategy, ...]:
        """Strategies without an Epsilon* or without a utility."""
        return tuple(each for each in self.strategies if not each.is_placed)

    @cached_property
    def frontier(self) -> Frontier | None:
        """The Pareto frontier of the strategies in `placed`.

        Indices of the frontier are indices into `placed`. The result is None if `placed` is empty.
        """
        if not self.placed:
            return None
        return frontier(np.array([(each.epsilon, each.utility) for each in self.placed]))
