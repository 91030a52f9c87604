"""Composition through privacy-loss distributions, with dp-accounting (extra ``accounting``).

The loss of each pair is put on a grid, on the safe side (`grid_loss`), dp-accounting convolves the
losses (`OrderedSum`), and the curve is the upper envelope of the supporting lines
``1 - delta(epsilon) - e^epsilon x`` at many epsilon, again from below (`_envelope`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.polyline import corner_height
from dpviz.theory.profile import LOSS_GRID
from dpviz.theory.tradeoff import SMALLEST_RATE, TradeoffFunction, of_one_adjacency

CELLS_PER_SPREAD = 24  # grid cells per standard deviation of a step's loss, at the first attempt
Counts = Mapping[TradeoffFunction, int]  # and how often each of them occurs
MOST_CELLS = 2**20  # of a grid; a finer one would take seconds for each product


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The trade-off function of a composition, approximated from below.

    In FNR, at every FPR from 1e-290 on, `envelope_error` bounds what the supporting lines miss, and
    `grid_error` estimates what it costs to round the losses to a grid.
    """

    curve: DiscretePair
    envelope_error: float
    grid_error: float

    @property
    def error(self) -> float:
        """The total error in FNR: the sum of both errors, at most 1."""
        return min(1.0, self.envelope_error + self.grid_error)


def compose(counts: Counts, *, either_order: bool = False, accuracy: float = 1e-4) -> Composition:
    """Compose pairs, each as often as `counts` says: T(P1 x P2 x ..., Q1 x Q2 x ...).

    With `either_order`, either all pairs are (P, Q) or all are (Q, P), and the curve lies below
    those of both cases. Lines and grid are refined until the error is at most `accuracy`, or the
    grid has 2^20 cells.
    """
    functions = of_one_adjacency("counts", list(counts))
    for times in counts.values():
        checks.whole("counts", times, 1)
    accuracy = checks.share("accuracy", accuracy)
    library = _library()
    # The first grid: fine beside the spread of one step, but not too fine for the whole range.
    variance = sum(times * loss_spread(f) ** 2 for f, times in counts.items())
    interval = float(np.sqrt(variance / sum(counts.values()))) / CELLS_PER_SPREAD
    widest = max(high - low for low, high in map(loss_range, counts))
    smallest = 4 * max(widest, 8 * float(np.sqrt(variance))) / MOST_CELLS
    interval = _aligned_interval(max(interval, smallest), smallest, counts)
    # A mass at a single loss stays where it is between the cells: the change from one grid to the
    # next may be as small as half of what remains.
    caution = 2.0 if any(f.atoms() is not None for f in counts) else 1.0
    coarse, _ = _envelope(_orders(library, counts, 2 * interval), either_order, accuracy / 2)
    # Finer grids, until halving the interval moves the curve by too little to matter.
    while True:
        orders = _orders(library, counts, interval)
        atoms, envelope_error = _envelope(orders, either_order, accuracy / 2)
        grid_error = caution * _largest_gap(coarse, atoms)
        is_finest = 2 * max(order.cells for order in orders) > MOST_CELLS
        if grid_error + envelope_error <= accuracy or is_finest:
            break
        coarse, interval = atoms, interval / 2
    # What the tilt adds is far below any error in height, but not below usual deltas.
    orders = [order.with_tilt(library) for order in orders]
    tolerance = max(accuracy - grid_error, accuracy / 4)
    atoms, envelope_error = _envelope(orders, either_order, tolerance)
    error = min(1.0, grid_error + envelope_error)
    return Composition(
        curve=DiscretePair.with_losses(atoms, adjacency=functions[0].adjacency, error=error),
        envelope_error=envelope_error,
        grid_error=grid_error,
    )


def _library() -> ModuleType:
    try:
        from dp_accounting.pld import common  # optional
    except ImportError as error:
        what = "composition through privacy-loss distributions needs dp-accounting"
        raise ImportError(f"{what}: pip install 'dpviz[accounting]'") from error
    module: ModuleType = common
    return module


def _aligned_interval(interval: float, smallest: float, counts: Counts) -> float:
    """Return a grid interval <= `interval` that divides some mechanism's extreme loss."""
    # There mass gathers (Laplace noise, randomized response); mass on the grid costs nothing.
    extremes = [abs(loss) for f in counts for loss in (f.epsilon(0.0), f._smallest_loss())]
    aligned = (loss / np.ceil(loss / interval) for loss in extremes if smallest < loss < np.inf)
    return float(next(aligned, interval))


def _largest_gap(a: Atoms, b: Atoms) -> float:
    x = np.union1d(a.fpr, b.fpr)
    heights = [DiscretePair.with_losses(atoms).beta(x) for atoms in (a, b)]
    return float(np.max(np.abs(heights[0] - heights[1])))


# The pair behind the upper envelope of supporting lines ``1 - delta(epsilon) - e^epsilon x``: it
# lies below the curve that the deltas are of, and only losses on its lines have mass.

FIRST_LINES = 1024  # supporting lines of each half of the curve at the first attempt
SMALLEST_DELTA = 1e-25  # supporting lines stop at the epsilon of this delta

CurveHalf = tuple[FloatArray, FloatArray, float]  # losses above 0, their masses, the infinite mass


def _envelope(
    orders: Sequence["OrderedSum"], either_order: bool, tolerance: float
) -> tuple[Atoms, float]:
    """Return the envelope of supporting lines, and how far below the curve it can be, in FNR."""
    epsilon, deltas = _delta_bounds(orders)
    # Both orders have the same total variation: the larger of two bounds holds for both.
    for delta in deltas:
        delta[0] = max(other[0] for other in deltas)
    if either_order:
        deltas = [np.maximum.reduce(deltas)]
    end = max(int(np.argmax(d <= SMALLEST_DELTA)) or len(d) - 1 for d in deltas)
    lines = FIRST_LINES
    # Twice as many lines, until too little is missed between them or all losses have a line.
    while True:
        chosen = np.unique(np.linspace(0, end, min(lines, end + 1)).round().astype(int))
        if all(delta[-1] == 0 for delta in deltas):  # losses that end are not infinite
            chosen = np.union1d(chosen, epsilon.size - 1)
        halves = [steep_half(epsilon[chosen], delta[chosen]) for delta in deltas]
        atoms = pair_of_halves(halves[0], halves[-1])
        # If all losses there are have their line, only the deltas' own margins are missing.
        missed = 0.0 if lines > end else corner_height(atoms.knots[:, 0], -atoms.knots[:, 1])
        error = orders[0].rounding + SMALLEST_DELTA + missed
        if error <= tolerance or lines > end:
            return atoms, error
        lines *= 2


def _delta_bounds(orders: Sequence["OrderedSum"]) -> tuple[FloatArray, list[FloatArray]]:
    """Return grid epsilons from 0 on, and for each of `orders` upper bounds on delta there."""
    last = max(1, *(total.last for order in orders for total in order.totals))
    epsilon = np.arange(last + 1) * np.float64(orders[0].interval)
    deltas = [order.delta(epsilon) for order in orders]
    largest = max(order.largest for order in orders)
    if np.isfinite(largest):  # where no loss lies above, delta is 0, exactly
        below = epsilon < largest
        epsilon = np.append(epsilon[below], largest)
        deltas = [np.append(delta[below], 0.0) for delta in deltas]
    return epsilon, deltas


def steep_half(epsilon: FloatArray, delta: FloatArray) -> CurveHalf:
    """Return the losses > 0 of the lines' envelope, their masses under Q, and the infinite mass.

    Lines of neighbouring epsilons meet at ``x = (delta - delta') e^-epsilon / (e^(epsilon' -
    epsilon) - 1)``; a line's mass under Q is e^epsilon times its length in x between two of them.
    """
    keep = np.arange(len(epsilon))
    while True:
        step, fall = np.diff(epsilon[keep]), -np.diff(delta[keep])
        with np.errstate(over="ignore"):
            q = fall / -np.expm1(-step)
            q[:-1] -= fall[1:] / np.expm1(step[1:])
        # A line that meets the next one left of where it meets the one before is never on top;
        # leaving a line out is safe in any case.
        hidden = np.flatnonzero(q <= 0) + 1
        if not len(hidden):
            break
        keep = np.delete(keep, hidden)
    return epsilon[keep][1:], q, float(delta[keep][-1])


def pair_of_halves(forward: CurveHalf, back: CurveHalf) -> Atoms:
    """The pair with the losses > 0 of `forward`, those of `back` negated, and the rest at 0."""
    (gain, q, q_infinite), (loss, p, p_infinite) = forward, back
    # Beside a loss l, the other distribution has e^-l times the mass.
    with np.errstate(under="ignore"):
        rare_p, rare_q = q * np.exp(-gain), p * np.exp(-loss)
    rest = min(1 - rare_p.sum() - p.sum() - p_infinite, 1 - rare_q.sum() - q.sum() - q_infinite)
    # Where next to nothing is left it may be rounding. With less mass there the curve is lower.
    rest = max(0.0, rest - np.finfo(float).eps * (gain.size + loss.size + 4))
    return Atoms.of(
        np.concatenate([[0.0], rare_p, [rest], p, [p_infinite]]),
        np.concatenate([[q_infinite], q, [rest], rare_q, [0.0]]),
        np.concatenate([[np.inf], gain, [0.0], -loss, [-np.inf]]),
    )


# Sums of losses on a grid, by Fourier transforms, and upper bounds of their deltas.
#
# Fourier transforms lose what is small beside the largest mass. So the convolution is done twice:
# of the losses as they are, and of losses whose masses are multiplied by e^(tilt loss), which moves
# the rare ones into the middle (the exponential change of measure of large deviations). Both give
# upper bounds of every delta; the smaller one counts.

CUT_MASS = 1e-15  # mass that each convolution may cut off
FFT_ROUNDING = 1e-13  # mass that the Fourier transforms can lose, beside the cut-off tails
TILTED_DELTA = 1e-13  # the delta that is in the middle of the tilted losses


def _orders(library: ModuleType, counts: Counts, interval: float) -> list["OrderedSum"]:
    """The total loss in the order (P, Q), and in (Q, P) unless all pairs are symmetric."""
    orders = (False,) if all(f.is_symmetric for f in counts) else (False, True)
    return [OrderedSum.of(library, counts, interval, swapped=swapped) for swapped in orders]


@dataclass(frozen=True, kw_only=True)
class OrderedSum:
    """The distribution, on a grid, of the total loss of a composition, for (P, Q) or (Q, P).

    `largest` is its largest value, `infinite` the mass of losses that are infinite or too large for
    the grid; `totals` are its masses, and maybe again with an exponential tilt.
    """

    parts: Sequence[tuple["GridLoss", int]]
    interval: float
    largest: float
    infinite: float
    totals: tuple["TiltedSum", ...] = ()

    @classmethod
    def of(
        cls, library: ModuleType, counts: Counts, interval: float, *, swapped: bool
    ) -> "OrderedSum":
        """Compute the total loss of pairs, each taken as often as `counts` says."""
        parts = [(grid_loss(f, interval, swapped=swapped), times) for f, times in counts.items()]
        ends = [-f._smallest_loss() if swapped else f._largest_loss() for f in counts]
        largest = float(sum(times * end for times, end in zip(counts.values(), ends, strict=True)))
        with np.errstate(divide="ignore"):
            # The sum is finite if the losses of all parts are.
            kept = sum(times * np.log1p(-part.infinite) for part, times in parts)
        infinite = float(-np.expm1(kept))
        order = cls(parts=parts, interval=interval, largest=largest, infinite=infinite)
        return replace(order, totals=(order._total(library, 0.0),))

    @property
    def rounding(self) -> float:
        """Bound on the mass that the convolutions lose; upper bounds on delta include it."""
        return 2 * (FFT_ROUNDING + CUT_MASS * len(self.parts))  # lost, and added though it was not

    @property
    def cells(self) -> int:
        """The number of cells of the grid."""
        return max(len(total.masses) for total in self.totals)

    @property
    def _has_only_infinite_loss(self) -> bool:
        """Whether some mechanism's loss is, with probability 1, infinite or off the grid."""
        return not all(part.masses.any() for part, _ in self.parts)

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Upper bound on delta at grid epsilons >= 0: the smallest that any of `totals` gives."""
        bounds = [self.infinite + total.delta(epsilon) for total in self.totals]
        # The plain and the tilted sum both bound delta, which never rises with epsilon.
        best = np.minimum.reduce([np.ones_like(epsilon), *bounds])
        best[epsilon >= self.largest] = 0.0
        return np.asarray(np.maximum.accumulate(best[::-1])[::-1])

    def with_tilt(self, library: ModuleType) -> "OrderedSum":
        """Add tilted masses, which are accurate where delta is near `TILTED_DELTA`."""
        loss_spread = np.sqrt(sum(times * part.variance() for part, times in self.parts))
        if loss_spread == 0 or self._has_only_infinite_loss:
            return self
        low, high = 0.1 / loss_spread, 1000 / loss_spread
        if self._log_tail(high) > np.log(TILTED_DELTA):
            return self
        # Bisection in logarithms for the tilt whose mean has this delta.
        for _ in range(8):
            middle = float(np.sqrt(low * high))
            if self._log_tail(middle) > np.log(TILTED_DELTA):
                low = middle
            else:
                high = middle
        return replace(self, totals=(*self.totals, self._total(library, high)))

    def _log_tail(self, tilt: float) -> float:
        """Log of Chernoff's bound on the probability of a total loss above its tilted mean."""
        log_bound = 0.0
        for part, times in self.parts:
            masses, log_scale = part.tilted(tilt)
            log_bound += times * (log_scale - tilt * float(masses @ part.losses))
        return log_bound

    def _total(self, library: ModuleType, tilt: float) -> "TiltedSum":
        from scipy.signal import fftconvolve  # slow to import, and needed only here

        if self._has_only_infinite_loss:
            return TiltedSum(0, np.zeros(1), tilt, 0.0, self.rounding / 2)
        first, log_scale, product = 0, 0.0, np.ones(1)
        for part, times in self.parts:
            masses, log_part = part.tilted(tilt)
            with np.errstate(over="ignore"):  # of a Chernoff bound that is then not used
                cut, masses = library.self_convolve(masses, times, CUT_MASS)
            first += part.first * times + cut
            log_scale += times * log_part
            product = fftconvolve(product, np.maximum(masses, 0.0))
        return TiltedSum(first, np.maximum(product, 0.0), tilt, log_scale, self.rounding / 2)


@dataclass(frozen=True)
class TiltedSum:
    """Tilted masses of the total loss; the true ones are ``mass * e^(log_scale - tilt loss)``."""

    first: int
    masses: FloatArray
    tilt: float
    log_scale: float
    rounding: float

    @property
    def last(self) -> int:
        """The grid index of the last mass."""
        return self.first + len(self.masses) - 1

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Upper bound on ``E_Q[(1 - e^(epsilon - L))+]`` at grid epsilons from 0 on."""
        from scipy.signal import lfilter  # slow to import, and needed only here

        # Where the scale is that large the bound is far above 1.
        scale = np.exp(np.minimum(self.log_scale - self.tilt * epsilon, 300.0))
        q = np.zeros_like(epsilon)
        if self.last >= 0:
            q[max(self.first, 0) : self.last + 1] = self.masses[max(-self.first, 0) :]
        q *= scale
        # The sum of q (1 - e^(epsilon - L)) over the losses above, of positive terms only: one cell
        # further down it has grown by (1 - e^-h) times the sum of q e^(epsilon - L) from there on.
        h = float(epsilon[1])
        within = lfilter([1.0], [1.0, -np.exp(-h)], q[::-1])
        grown = -np.expm1(-h) * np.cumsum(within)
        return np.append(grown[:-1][::-1], 0.0) + self.rounding * scale


# One loss on a grid, made "connect the dots".
#
# The mass of every cell is split onto its two ends so that its masses under P and Q stay what they
# are (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, 2022). The gridded pair is easier to attack
# than the true one: what follows from it is on the safe side.

NEGLIGIBLE_MASS = 1e-32  # mass beyond the grid, counted as an infinite loss
LARGEST_LOSS = 700.0  # above it e^epsilon overflows: losses beyond count as infinite


@dataclass(frozen=True, kw_only=True, eq=False)
class GridLoss:
    """A privacy loss on the grid: masses under Q at ``(first + i) * interval``, and at infinity."""

    interval: float
    first: int
    masses: FloatArray
    infinite: float

    @property
    def losses(self) -> FloatArray:
        """The finite losses, one for each mass."""
        return (np.arange(len(self.masses)) + self.first) * np.float64(self.interval)

    def variance(self) -> float:
        """Variance of the finite losses."""
        if not self.masses.any():
            return 0.0
        losses, total = self.losses, self.masses.sum()
        mean = self.masses @ losses / total
        return float(self.masses @ (losses - mean) ** 2 / total)

    def tilted(self, tilt: float) -> tuple[FloatArray, float]:
        """The finite masses times ``e^(tilt loss)``, scaled to sum 1, and the log of their sum."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.masses) + tilt * self.losses
        largest = float(logs.max())
        weights = np.exp(logs - largest)
        total = float(weights.sum())
        return weights / total, largest + float(np.log(total))


def grid_loss(f: TradeoffFunction, interval: float, *, swapped: bool) -> GridLoss:
    """Move the loss of f to multiples of `interval`, safely; of (Q, P) if `swapped`."""
    low, high = loss_range(f)
    first, last = int(np.floor(low / interval)), int(np.floor(max(low, high) / interval)) + 1
    edges = np.arange(first, last + 1) * np.float64(interval)
    p, q = _cell_masses(f, edges)
    if swapped:
        p, q, edges, first = q[::-1], p[::-1], -edges[::-1], -last
    # The mass of each cell moves to its two ends, so that the masses under P and under Q stay:
    # a + b = q, and a e^-lower + b e^-upper = p.
    with np.errstate(divide="ignore"):
        at_lower = np.exp(np.log(p[1:-1]) + edges[:-1])
    inner = q[1:-1]
    upper = np.clip((inner - at_lower) / -np.expm1(-interval), 0.0, inner)
    masses = np.zeros(len(edges))
    masses[1:] += upper
    masses[:-1] += inner - upper
    # On the safe side: losses below the grid move up to it, those above it become infinite.
    masses[0] += q[0]
    return GridLoss(interval=interval, first=first, masses=masses, infinite=float(q[-1]))


def _cell_masses(f: TradeoffFunction, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Masses of losses under P and Q: below the first edge, in each cell, from the last edge on."""
    if not f.is_symmetric:
        fpr, tpr = f.fpr_of_loss(edges), f._tpr_of_loss(edges)
        return _masses_between_edges(fpr, 1 - fpr), _masses_between_edges(tpr, 1 - tpr)
    # L under P is -L under Q, so the steep half of the curve says everything.
    forward = edges >= 0
    steep = np.where(forward, edges, np.nextafter(-edges, np.inf))
    fpr, tpr = f.fpr_of_loss(steep), f._tpr_of_loss(steep)
    fnr = np.where(fpr < SMALLEST_RATE, 1 - tpr, f.beta(fpr))
    p = _masses_between_edges(np.where(forward, fpr, fnr), np.where(forward, 1 - fpr, tpr))
    q = _masses_between_edges(np.where(forward, tpr, 1 - fpr), np.where(forward, fnr, fpr))
    return p, q


def _masses_between_edges(above: FloatArray, below: FloatArray) -> FloatArray:
    """The masses of all cells, from the masses above and below each edge between them."""
    # The difference of the smaller two numbers keeps its digits.
    inner = np.where(above[:-1] < 0.5, above[:-1] - above[1:], below[1:] - below[:-1])
    return np.concatenate([below[:1], np.maximum(inner, 0.0), above[-1:]])


def loss_range(f: TradeoffFunction) -> tuple[float, float]:
    """The range (low, high) outside which finite losses have at most `NEGLIGIBLE_MASS`."""
    fpr = f.fpr_of_loss(LOSS_GRID)
    at_infinity, at_minus_infinity = f.tpr(0.0), 1 - f.fpr_of_loss(-1e300)
    # Losses above which, or below which, the finite mass is negligible.
    rare_above = f._tpr_of_loss(LOSS_GRID) - at_infinity <= NEGLIGIBLE_MASS
    rare_below = 1 - fpr - at_minus_infinity <= NEGLIGIBLE_MASS
    low = np.max(LOSS_GRID[rare_below], initial=LOSS_GRID[0])
    high = np.min(LOSS_GRID[rare_above], initial=_last_loss(f))
    return float(low), float(high)


def _last_loss(f: TradeoffFunction) -> float:
    """The loss beyond which the mass under P is at most `SMALLEST_RATE`."""
    low, high = 0.0, LARGEST_LOSS
    while high - low > max(1e-12 * high, 1e-15):
        middle = (low + high) / 2
        if f.fpr_of_loss(middle) > SMALLEST_RATE:
            low = middle
        else:
            high = middle
    return high


def loss_spread(f: TradeoffFunction) -> float:
    """Approximate standard deviation of the finite losses under Q."""
    tpr = f._tpr_of_loss(LOSS_GRID)
    masses, middles = -np.diff(tpr), (LOSS_GRID[1:] + LOSS_GRID[:-1]) / 2
    total = masses.sum()
    if total <= 0:
        return 1.0
    mean = masses @ middles / total
    return float(np.sqrt(masses @ (middles - mean) ** 2 / total)) or 1.0
