"""Composition through privacy-loss distributions, with dp-accounting (extra ``accounting``).

Each pair's loss is put on a grid, on the safe side (see `loss_grid`), and dp-accounting convolves.
The curve is then the upper envelope of the supporting lines ``1 - delta(epsilon) - e^epsilon x`` at
many epsilon, again from below.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from types import ModuleType

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.composition.loss_grid import (
    LARGEST_LOSS,
    TAIL,
    GridLoss,
    loss_range,
    on_grid,
    spread,
)
from dpviz.theory.piecewise_linear import PiecewiseLinear, lower_hull
from dpviz.theory.tradeoff import TradeoffFunction, of_one_adjacency

ROUNDING = 1e-13  # added to every delta: more than what the Fourier transforms can lose
SMALLEST_DELTA = 1e-12  # supporting lines stop at the epsilon of this delta
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

    curve: PiecewiseLinear
    envelope_error: float
    grid_error: float

    @property
    def error(self) -> float:
        """Both together."""
        return self.envelope_error + self.grid_error


def compose(counts: Mapping[TradeoffFunction, int], *, accuracy: float = 1e-4) -> Composition:
    """The curve of all parts together, T(P1 x P2 x ..., Q1 x Q2 x ...); each occurs `counts` times.

    Lines and grid are refined until the error is at most `accuracy`, or the grid has 2^20 cells.
    """
    functions = of_one_adjacency("counts", list(counts))
    for times in counts.values():
        checks.whole("counts", times, 1)
    accuracy = checks.real("accuracy", accuracy, 0, 1, closed="neither")
    convolution = _library()
    variance = sum(times * spread(f) ** 2 for f, times in counts.items())
    interval = float(np.sqrt(variance / sum(counts.values()))) / CELLS_PER_SPREAD
    widest = max(high - low for low, high in map(loss_range, counts))
    smallest = 4 * max(widest, 8 * float(np.sqrt(variance))) / MOST_CELLS
    interval = _aligned(max(interval, smallest), smallest, counts)
    # A mass at a single loss stays where it is between the cells: the change from one grid to the
    # next may be as small as half of what remains.
    caution = 2.0 if any(f.atoms() is not None for f in counts) else 1.0
    coarse, _, _ = _curve(convolution, counts, 2 * interval, accuracy / 2)
    while True:
        curve, envelope_error, cells = _curve(convolution, counts, interval, accuracy / 2)
        x = np.union1d(coarse.knots[:, 0], curve.knots[:, 0])
        grid_error = caution * float(np.max(np.abs(curve.beta(x) - coarse.beta(x))))
        error = min(1.0, grid_error + envelope_error)
        if error <= accuracy or 2 * cells > MOST_CELLS:
            return Composition(
                curve=curve.with_parameters(error=error, adjacency=functions[0].adjacency),
                envelope_error=envelope_error,
                grid_error=grid_error,
            )
        coarse, interval = curve, interval / 2


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


def _curve(
    convolution: ModuleType,
    counts: Mapping[TradeoffFunction, int],
    interval: float,
    tolerance: float,
) -> tuple[PiecewiseLinear, float, int]:
    """Envelope at one grid interval, a bound on what its lines miss, and the grid's size."""
    orders = [_composed(convolution, counts, interval, swapped=False)]
    if not all(f.is_symmetric for f in counts):
        orders.append(_composed(convolution, counts, interval, swapped=True))
    lines = LINES
    while True:
        halves = [_steep_half(order, interval, lines) for order in orders]
        knots = np.concatenate([halves[0], halves[-1][::-1, ::-1], [[1.0, 0.0]]])
        cells = max(len(order.masses) for order in orders)
        complete = lines >= cells
        # If all losses there are have their line, only the deltas' own margins are missing.
        missed = ROUNDING + SMALLEST_DELTA + (0.0 if complete else _missed(knots))
        if missed <= tolerance:
            return PiecewiseLinear(lower_hull(knots)), missed, cells
        lines *= 2


def _composed(
    convolution: ModuleType,
    counts: Mapping[TradeoffFunction, int],
    interval: float,
    *,
    swapped: bool,
) -> GridLoss:
    parts = []
    for f, times in counts.items():
        one = on_grid(f, interval, swapped=swapped)
        with np.errstate(over="ignore"):  # of a Chernoff bound that is then not used
            lost, masses = convolution.self_convolve(one.masses, times, TAIL)
        with np.errstate(divide="ignore"):
            infinite = -np.expm1(times * np.log1p(-one.infinite)) + TAIL
        first = one.first * times + lost
        parts.append(GridLoss(first=first, masses=np.maximum(masses, 0.0), infinite=infinite))
    return reduce(_product, parts)


def _product(a: GridLoss, b: GridLoss) -> GridLoss:
    from scipy.signal import fftconvolve  # slow to import, and needed only here

    return GridLoss(
        first=a.first + b.first,
        masses=np.maximum(fftconvolve(a.masses, b.masses), 0.0),
        infinite=a.infinite + b.infinite - a.infinite * b.infinite,
    )


def _steep_half(loss: GridLoss, interval: float, lines: int) -> FloatArray:
    """Corners with slope below -1, from FPR 0 on: where neighbouring supporting lines meet."""
    values = (np.arange(len(loss.masses)) + loss.first) * interval
    inside = (values > 0) & (values <= LARGEST_LOSS)
    infinite = loss.infinite + loss.masses[values > LARGEST_LOSS].sum()
    epsilon = np.concatenate([[0.0], values[inside]])
    masses = loss.masses[inside]
    # Sums over the losses above each epsilon; above the last there are only the infinite ones.
    q = np.append(np.cumsum(masses[::-1])[::-1], 0.0) + infinite
    p = np.append(np.cumsum((masses * np.exp(-values[inside]))[::-1])[::-1], 0.0)
    delta = q - np.exp(epsilon) * p
    delta = np.maximum.accumulate(delta[::-1])[::-1] + ROUNDING
    end = int(np.argmax(delta <= SMALLEST_DELTA)) or len(delta) - 1
    chosen = np.unique(np.linspace(0, end, min(lines, end + 1)).round().astype(int))
    return _envelope(epsilon[chosen], np.minimum(delta[chosen], 1.0))


def _envelope(epsilon: FloatArray, delta: FloatArray) -> FloatArray:
    """Corners of the largest of the lines ``1 - delta - e^epsilon x``, steepest first."""
    keep = np.arange(len(epsilon))
    while True:
        e, d = epsilon[keep], delta[keep]
        x = (d[:-1] - d[1:]) * np.exp(-e[:-1]) / np.expm1(np.diff(e))
        # A line that meets the next one left of where it meets the one before is never on top;
        # leaving a line out is safe in any case.
        hidden = np.flatnonzero(x[1:] >= x[:-1]) + 1
        if not len(hidden):
            break
        keep = np.delete(keep, hidden)
    y = np.maximum(1 - d[:-1] - np.exp(e[:-1]) * x, 0.0)
    start = [[0.0, 1 - d[-1]]] if x.size == 0 or x[-1] > 0 else []
    return np.concatenate([np.array(start).reshape(-1, 2), np.column_stack([x, y])[::-1]])


def _missed(knots: FloatArray) -> float:
    """Largest height a convex curve touching every segment can have above the corners.

    It touches both segments that meet at a corner, so there it is below the line between the
    corner's neighbours.
    """
    x, y = knots.T
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(x[2:] > x[:-2], (x[1:-1] - x[:-2]) / (x[2:] - x[:-2]), 0.0)
    chord = y[:-2] + part * (y[2:] - y[:-2])
    return float(np.max(chord - y[1:-1], initial=0.0))
