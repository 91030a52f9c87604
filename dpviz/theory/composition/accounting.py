"""Composition through privacy-loss distributions, with dp-accounting (extra ``accounting``).

Each pair's loss is put on a grid, on the safe side (`loss_grid`), dp-accounting convolves
(`loss_sum`), and the curve is the upper envelope of the supporting lines
``1 - delta(epsilon) - e^epsilon x`` at many epsilon, again from below (`envelope`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.composition.envelope import joined, missed_height, steep_half
from dpviz.theory.composition.loss_grid import loss_range, spread
from dpviz.theory.composition.loss_sum import OrderedSum
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.tradeoff import TradeoffFunction, of_one_adjacency

SMALLEST_DELTA = 1e-25  # supporting lines stop at the epsilon of this delta
LINES = 1024  # supporting lines of each half of the curve at the first attempt
CELLS_PER_SPREAD = 24  # grid cells per standard deviation of a step's loss, at the first attempt
MOST_CELLS = 2**20  # of a grid; a finer one would take seconds for each product


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The trade-off function of composed pairs, from below.

    `envelope_error` bounds what is lost between and beyond supporting lines. `grid_error` estimates
    what the grid of losses costs, from the change of the curve when the grid was last made twice as
    fine. Both are heights, at any FPR from 1e-290 on. `curve` carries their sum as its own `error`.
    """

    curve: DiscretePair
    envelope_error: float
    grid_error: float

    @property
    def error(self) -> float:
        """Both together; a height is at most 1."""
        return min(1.0, self.envelope_error + self.grid_error)


def compose(
    counts: Mapping[TradeoffFunction, int], *, either_order: bool = False, accuracy: float = 1e-4
) -> Composition:
    """The curve of all parts together, T(P1 x P2 x ..., Q1 x Q2 x ...); each occurs `counts` times.

    If the pairs may occur in `either_order`, all in the same, the curve is for the worse order at
    every FPR. Lines and grid are refined until the error is at most `accuracy`, or the grid has
    2^20 cells.
    """
    functions = of_one_adjacency("counts", list(counts))
    for times in counts.values():
        checks.whole("counts", times, 1)
    accuracy = checks.real("accuracy", accuracy, 0, 1, closed="neither")
    composing = _Composing(_library(), counts, either_order)
    variance = sum(times * spread(f) ** 2 for f, times in counts.items())
    interval = float(np.sqrt(variance / sum(counts.values()))) / CELLS_PER_SPREAD
    widest = max(high - low for low, high in map(loss_range, counts))
    smallest = 4 * max(widest, 8 * float(np.sqrt(variance))) / MOST_CELLS
    interval = _aligned(max(interval, smallest), smallest, counts)
    # A mass at a single loss stays where it is between the cells: the change from one grid to the
    # next may be as small as half of what remains.
    caution = 2.0 if any(f.atoms() is not None for f in counts) else 1.0
    coarse, _ = composing.curve(composing.orders(2 * interval), accuracy / 2)
    while True:
        orders = composing.orders(interval)
        atoms, envelope_error = composing.curve(orders, accuracy / 2)
        grid_error = caution * _largest_gap(coarse, atoms)
        is_finest = 2 * max(order.cells for order in orders) > MOST_CELLS
        if grid_error + envelope_error <= accuracy or is_finest:
            break
        coarse, interval = atoms, interval / 2
    # What the tilt adds is far below any error in height, but not below usual deltas.
    orders = [order.tilted(composing.accountant) for order in orders]
    atoms, envelope_error = composing.curve(orders, max(accuracy - grid_error, accuracy / 4))
    error = min(1.0, grid_error + envelope_error)
    return Composition(
        curve=DiscretePair.with_losses(atoms, adjacency=functions[0].adjacency, error=error),
        envelope_error=envelope_error,
        grid_error=grid_error,
    )


def _largest_gap(a: Atoms, b: Atoms) -> float:
    """Largest difference in height of two piecewise linear curves."""
    x = np.union1d(a.fpr, b.fpr)
    heights = [DiscretePair.with_losses(each).beta(x) for each in (a, b)]
    return float(np.max(np.abs(heights[0] - heights[1])))


def _aligned(interval: float, smallest: float, counts: Mapping[TradeoffFunction, int]) -> float:
    """An interval no larger, and at least `smallest`, with some part's extreme loss on the grid.

    That is where mass gathers (the sampled pair without the record, Laplace noise, randomized
    response), and mass on the grid costs nothing.
    """
    extremes = [abs(loss) for f in counts for loss in (f.epsilon(0.0), f._smallest_loss())]
    for loss in extremes:
        if smallest < loss < np.inf:
            return float(loss / np.ceil(loss / interval))
    return interval


def _library() -> ModuleType:
    try:
        from dp_accounting.pld import common  # optional
    except ImportError as error:
        raise ImportError(
            "composition through privacy-loss distributions needs dp-accounting: "
            "pip install 'dpviz[accounting]'"
        ) from error
    module: ModuleType = common
    return module


@dataclass(frozen=True)
class _Composing:
    """What is composed, and in which orders of its pairs."""

    accountant: ModuleType
    counts: Mapping[TradeoffFunction, int]
    either_order: bool

    def orders(self, interval: float) -> list[OrderedSum]:
        """The parts in one order of their pairs, and in the other if that is not the same."""
        is_symmetric = all(f.is_symmetric for f in self.counts)
        return [
            OrderedSum.of(self.accountant, self.counts, interval, swapped=swapped)
            for swapped in ((False,) if is_symmetric else (False, True))
        ]

    def curve(self, orders: Sequence[OrderedSum], tolerance: float) -> tuple[Atoms, float]:
        """The envelope of supporting lines, and a bound on what they miss: at most `tolerance`."""
        epsilon, deltas = _profiles(orders)
        # Both orders have the same total variation: the larger of two bounds holds for both.
        for delta in deltas:
            delta[0] = max(each[0] for each in deltas)
        if self.either_order:
            deltas = [np.maximum.reduce(deltas)]
        end = max(int(np.argmax(d <= SMALLEST_DELTA)) or len(d) - 1 for d in deltas)
        lines = LINES
        while True:
            chosen = np.unique(np.linspace(0, end, min(lines, end + 1)).round().astype(int))
            if all(delta[-1] == 0 for delta in deltas):  # losses that end are not infinite
                chosen = np.union1d(chosen, epsilon.size - 1)
            halves = [steep_half(epsilon[chosen], delta[chosen]) for delta in deltas]
            atoms = joined(halves[0], halves[-1])
            # If all losses there are have their line, only the deltas' own margins are missing.
            missed = 0.0 if lines > end else missed_height(atoms.knots)
            error = orders[0].rounding + SMALLEST_DELTA + missed
            if error <= tolerance or lines > end:
                return atoms, error
            lines *= 2


def _profiles(orders: Sequence[OrderedSum]) -> tuple[FloatArray, list[FloatArray]]:
    """Epsilons on the grid from 0 on, and for each order upper bounds of its deltas there."""
    last = max(1, *(total.last for order in orders for total in order.totals))
    epsilon = np.arange(last + 1) * np.float64(orders[0].interval)
    deltas = [order.delta(epsilon) for order in orders]
    largest = max(order.largest for order in orders)
    if np.isfinite(largest):  # where no loss lies above, delta is 0, exactly
        below = epsilon < largest
        epsilon = np.append(epsilon[below], largest)
        deltas = [np.append(delta[below], 0.0) for delta in deltas]
    return epsilon, deltas
