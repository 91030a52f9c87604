"""The composition of mechanisms by means of privacy-loss distributions.

`rounded_losses` moves the loss of each pair to a grid, on the safe side; Fourier transforms
convolve the losses (`TotalLoss`); `_envelope_of_supporting_lines` takes the upper envelope of the
lines ``1 - delta(epsilon) - e^epsilon x`` at many epsilon, a lower bound on the curve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.polyline import largest_height_above_neighbours
from dpviz.theory.profile import LOSS_GRID, bisection
from dpviz.theory.tradeoff import SMALLEST_RATE, TradeoffFunction, with_one_adjacency

CELLS_PER_SPREAD = 24  # grid cells per standard deviation of a step's loss, at the first attempt
Repeats = Mapping[TradeoffFunction, int]  # from a mechanism to the number of its repetitions
MOST_CELLS = 2**20  # of a grid; a finer one would take seconds for each product


class Component(NamedTuple):
    """A mechanism in a composition, its number of repetitions, and the range of its losses."""

    mechanism: TradeoffFunction
    times: int
    likely: tuple[float, float]  # `range_of_likely_losses`
    smallest: float
    largest: float


def compose(counts: Repeats, *, either_order: bool = False, accuracy: float = 1e-4) -> DiscretePair:
    """Return a pair that is no more private than the composition of the mechanisms in `counts`.
    With `either_order` this holds for the pairs (Q, P), too. At FPRs from 1e-290 on, its `error`
    is a bound for finitely many supporting lines and for the errors of the mechanisms, plus an
    estimate for the grid of losses, which is refined until the error of lines and grid is at most
    `accuracy`, or the grid has 2^20 cells.
    """
    functions = with_one_adjacency("counts", list(counts))
    for times in counts.values():
        checks.whole("counts", times, 1)
    accuracy = checks.between_0_and_1("accuracy", accuracy)
    moments = {f: estimated_loss_mean_and_deviation(f) for f in counts}
    variance = sum(times * moments[f][1] ** 2 for f, times in counts.items())
    mean = sum(times * moments[f][0] for f, times in counts.items())
    spacing = float(np.sqrt(variance / sum(counts.values()))) / CELLS_PER_SPREAD
    parts = [
        Component(f, times, range_of_likely_losses(f), f._loss_infimum(), f._loss_supremum())
        for f, times in counts.items()
    ]
    widest = max(high - low for low, high in (part.likely for part in parts))
    # The grid has to reach from loss 0 to the likely sums.
    reach = max(widest, 8 * float(np.sqrt(variance)), mean)
    smallest = 4 * reach / MOST_CELLS
    spacing = _spacing_dividing_extreme_loss(max(spacing, smallest), smallest, parts)
    # With a mass at a single loss, the next halving may remove only half of the error that remains.
    caution = 2.0 if any(f.atoms() is not None for f in counts) else 1.0
    totals = _total_losses(parts, 2 * spacing)
    tilts = [total.tilt_near_delta(TILTED_DELTA) for total in totals]
    coarse, _ = _envelope_of_supporting_lines(totals, either_order, accuracy / 2)
    while True:
        totals = _total_losses(parts, spacing)
        atoms, envelope_error = _envelope_of_supporting_lines(totals, either_order, accuracy / 2)
        grid_error = caution * largest_fnr_difference(coarse, atoms)
        is_finest = 2 * max(total.n_grid_cells for total in totals) > MOST_CELLS
        if grid_error + envelope_error <= accuracy or is_finest:
            break
        coarse, spacing = atoms, spacing / 2
    # Tilted masses hardly change the FNR, but make deltas near 1e-13 accurate.
    totals = [total.with_tilted_masses(tilt) for total, tilt in zip(totals, tilts, strict=True)]
    tolerance = max(accuracy - grid_error, accuracy / 4)
    atoms, envelope_error = _envelope_of_supporting_lines(totals, either_order, tolerance)
    # Mechanisms that are replaced one after the other lower the FNR by at most their errors.
    errors = sum(times * f.error for f, times in counts.items())
    error = min(1.0, grid_error + envelope_error + errors)
    return DiscretePair.with_losses(atoms, adjacency=functions[0].adjacency, error=error)


def _spacing_dividing_extreme_loss(largest: float, least: float, parts: list[Component]) -> float:
    """Return `largest`, or a spacing below it that divides a finite extreme loss above `least`."""
    extremes = [abs(loss) for part in parts for loss in (part.largest, part.smallest)]
    aligned = (loss / np.ceil(loss / largest) for loss in extremes if least < loss < np.inf)
    return float(next(aligned, largest))


def largest_fnr_difference(a: Atoms, b: Atoms) -> float:
    """Return the largest difference of two piecewise-linear curves, over all FPRs."""
    x = np.union1d(a.fpr, b.fpr)
    heights = [DiscretePair.with_losses(atoms).beta(x) for atoms in (a, b)]
    return float(np.max(np.abs(heights[0] - heights[1])))


# The pair whose curve is the upper envelope of lines ``1 - delta(epsilon) - e^epsilon x``. Its loss
# takes only the values epsilon of these lines.

FIRST_LINES = 1024  # supporting lines of each half of the curve at the first attempt
ROUNDING_OF_ENDS = 1e-12  # of the FPRs at which the two halves end
SMALLEST_DELTA = 1e-25  # there are no supporting lines beyond the epsilon of this delta

PositiveLosses = tuple[FloatArray, FloatArray, float]  # losses, their masses, the mass of inf


def _envelope_of_supporting_lines(
    total_losses: Sequence["TotalLoss"], either_order: bool, tolerance: float
) -> tuple[Atoms, float]:
    """Return (P, Q) whose curve is slightly below the exact curve, and a bound on the gap."""
    epsilon, deltas = _profiles_on_grid(total_losses)
    # At epsilon 0 both orders have the same delta, the total variation distance.
    for delta in deltas:
        delta[0] = max(other[0] for other in deltas)
    if either_order:
        deltas = [np.maximum.reduce(deltas)]
    # Beyond this epsilon delta is negligible in both orders.
    end = max(int(np.argmax(d <= SMALLEST_DELTA)) or len(d) - 1 for d in deltas)
    rounding = 2 * max(each.rounding for each in total_losses[0].convolutions)  # mass lost or added
    lines = FIRST_LINES
    while True:
        chosen = np.unique(np.linspace(0, end, min(lines, end + 1)).round().astype(int))
        if all(delta[-1] == 0 for delta in deltas):  # the largest loss is finite
            chosen = np.union1d(chosen, epsilon.size - 1)
        chosen, lost = _lines_without_overlap(epsilon, deltas, chosen)
        losses = [positive_losses_of_envelope(epsilon[chosen], delta[chosen]) for delta in deltas]
        atoms = pair_from_positive_losses(losses[0], losses[-1])
        # What the curve loses between two lines; with every line of the grid, nothing.
        missed = 0.0 if lines > end else largest_height_above_neighbours(*(atoms.knots * [1, -1]).T)
        error = rounding + SMALLEST_DELTA + missed + lost
        if error <= tolerance or lines > end:
            return atoms, error
        lines *= 2


def _lines_without_overlap(
    epsilon: FloatArray, deltas: Sequence[FloatArray], chosen: NDArray[np.int_]
) -> tuple[NDArray[np.int_], float]:
    """Drop lines that make the curve's halves overlap; return the others and the loss of FNR."""
    # The line of slope -1 is lower than another one at FPRs below ``(delta_0 - delta) / (e^epsilon
    # - 1)``, which are not even possible for small epsilon if delta_0 is too large.
    falls = [delta[0] - delta[chosen[1:]] for delta in (deltas[0], deltas[-1])]
    with np.errstate(over="ignore"):
        growth = np.expm1(epsilon[chosen[1:]])
    ends = [np.maximum.accumulate((fall / growth)[::-1]) for fall in falls]
    n_kept = int(np.searchsorted(sum(ends), 1 - deltas[0][0] + ROUNDING_OF_ENDS, side="right"))
    n_dropped = len(chosen) - 1 - n_kept
    lost = max(float(fall[:n_dropped].max(initial=0.0)) for fall in falls)
    return np.delete(chosen, slice(1, n_dropped + 1)), lost


def _profiles_on_grid(total_losses: Sequence["TotalLoss"]) -> tuple[FloatArray, list[FloatArray]]:
    """Return the grid's epsilons >= 0, and upper bounds on delta for each total loss."""
    spacing = np.float64(total_losses[0].spacing)
    convolutions = [tilted for total in total_losses for tilted in total.convolutions]
    last = max(1, *(tilted.last_cell_that_counts(float(spacing)) for tilted in convolutions))
    last = min(last, MOST_CELLS)  # larger losses count as infinite
    epsilon = np.arange(last + 1) * spacing
    deltas = [total.delta(epsilon) for total in total_losses]
    largest = max(total.largest for total in total_losses)
    if np.isfinite(largest):  # where no loss lies above, delta is 0, exactly
        below = epsilon < largest
        epsilon = np.append(epsilon[below], largest)
        deltas = [np.append(delta[below], 0.0) for delta in deltas]
    return epsilon, deltas


def positive_losses_of_envelope(epsilon: FloatArray, delta: FloatArray) -> PositiveLosses:
    """Return positive losses of the upper envelope of the lines ``1 - delta - e^epsilon x``."""
    # The mass of a loss is e^epsilon times the length of the interval where its line is highest.
    # Two lines meet at ``x = (delta - delta') e^-epsilon / (e^(epsilon' - epsilon) - 1)``.
    keep = np.arange(len(epsilon))
    while True:
        step, fall = np.diff(epsilon[keep]), -np.diff(delta[keep])
        with np.errstate(over="ignore"):
            q = fall / -np.expm1(-step)
            q[:-1] -= fall[1:] / np.expm1(step[1:])
        # A line with mass <= 0 is nowhere the highest; dropping lines can only lower the curve.
        hidden = np.flatnonzero(q <= 0) + 1
        if not len(hidden):
            break
        keep = np.delete(keep, hidden)
    return epsilon[keep][1:], q, float(delta[keep][-1])


def pair_from_positive_losses(losses: PositiveLosses, swapped: PositiveLosses) -> Atoms:
    """Return the pair (P, Q) with the positive `losses`; `swapped` has those of (Q, P)."""
    (gain, q, q_infinite), (loss, p, p_infinite) = losses, swapped
    # A loss l with mass m under one distribution has mass e^-l m under the other.
    with np.errstate(under="ignore"):
        rare_p, rare_q = q * np.exp(-gain), p * np.exp(-loss)
    rest = min(1 - rare_p.sum() - p.sum() - p_infinite, 1 - rare_q.sum() - q.sum() - q_infinite)
    # The rest is lowered by its possible rounding: with less mass at loss 0 the curve is lower.
    rest = max(0.0, rest - np.finfo(float).eps * (gain.size + loss.size + 4))
    return Atoms.of(
        np.concatenate([[0.0], rare_p, [rest], p, [p_infinite]]),
        np.concatenate([[q_infinite], q, [rest], rare_q, [0.0]]),
        np.concatenate([[np.inf], gain, [0.0], -loss, [-np.inf]]),
    )


# Sums of losses on a grid, by Fourier transforms, and upper bounds on their deltas.
#
# Fourier transforms lose masses that are tiny beside the largest one. So two convolutions are made:
# of the masses, and of the masses times e^(tilt loss), which makes rare large losses likely (the
# change of measure of large deviations). Of the two upper bounds on each delta the smaller counts.

CUT_MASS = 1e-15  # mass of the tails that a sum of copies may cut off
FFT_ROUNDING = 1e-13  # mass that the Fourier transforms can lose, beside the cut-off tails
FFT_NOISE = 1e-15  # rounding of one mass by a Fourier transform, as a share of the largest mass
COEFFICIENT_ROUNDING = 1e-15  # relative, of a Fourier coefficient
LOG_NEGLIGIBLE = -80.0  # logs of Fourier coefficients, and of masses, that do not count
SEARCHED_CELLS = 1024  # cells of a grid on which a tilt is searched
NEWTON_STEPS = 6  # of this search; a bound on a tail is valid for any tilt
LOG_UNSEEN_DELTA = -62.0  # about that of 1e-27, which is below `SMALLEST_DELTA`
TILTED_DELTA = 1e-13  # the tilt puts the mean of the losses where delta is about this


def _total_losses(parts: Sequence[Component], spacing: float) -> list["TotalLoss"]:
    """Return the total losses of (P, Q) and, unless all mechanisms are symmetric, of (Q, P)."""
    ends = [sum(part.times * part.largest for part in parts)]
    if not all(part.mechanism.is_symmetric for part in parts):
        ends.append(-sum(part.times * part.smallest for part in parts))
    rounded = [rounded_losses(part, spacing, len(ends)) for part in parts]
    repeats = [part.times for part in parts]
    return [
        TotalLoss.of(list(zip(losses, repeats, strict=True)), spacing, float(end))
        for losses, end in zip(zip(*rounded, strict=True), ends, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class TotalLoss:
    """The distribution of a composition's total loss on a grid, for one order of all pairs."""

    grid_losses: Sequence[tuple["LossOnGrid", int]]
    spacing: float
    largest: float
    infinite: float  # mass of losses that are infinite or beyond the grid
    convolutions: tuple["TiltedMasses", ...] = ()  # of all other masses: without a tilt, with one

    @classmethod
    def of(
        cls, grid_losses: Sequence[tuple["LossOnGrid", int]], spacing: float, largest: float
    ) -> Self:
        """Compute the total loss from the loss of each mechanism and its number of repetitions."""
        with np.errstate(divide="ignore"):
            log_finite = sum(times * np.log1p(-part.infinite) for part, times in grid_losses)
        infinite = float(-np.expm1(log_finite))
        untilted = cls(grid_losses=grid_losses, spacing=spacing, largest=largest, infinite=infinite)
        return replace(untilted, convolutions=(untilted._tilted_masses(0.0),))

    @property
    def n_grid_cells(self) -> int:
        """The number of grid cells that cover 0 and all total losses."""
        return max(max(len(each.masses), each.last_cell) for each in self.convolutions)

    @property
    def _is_always_infinite(self) -> bool:
        """Whether the total loss is infinite or above the grid with probability 1."""
        return not all(part.masses.any() for part, _ in self.grid_losses)

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return an upper bound on delta at each `epsilon`; these are the grid points from 0 on."""
        bounds = [self.infinite + tilted.delta(epsilon) for tilted in self.convolutions]
        best = np.minimum.reduce([np.ones_like(epsilon), *bounds])
        best[epsilon >= self.largest] = 0.0
        return np.asarray(np.maximum.accumulate(best[::-1])[::-1])

    def tilt_near_delta(self, level: float) -> float:
        """Return a tilt such that delta at the tilted mean is about `level`; 0 if none is found."""
        if self._is_always_infinite:
            return 0.0
        variances = (n * _log_mgf_and_moments(part.masses, 0.0)[2] for part, n in self.grid_losses)
        deviation = self.spacing * float(np.sqrt(sum(variances)))
        if deviation == 0:
            return 0.0
        # Tilts in units of 1 / standard deviation of the total loss.
        low, high = float(0.1 / deviation), float(1000 / deviation)
        if self._log_chernoff_bound(high) > np.log(level):
            return 0.0
        # Bisection in logarithms; a rough tilt is enough.
        for _ in range(8):
            middle = float(np.sqrt(low * high))
            is_low = self._log_chernoff_bound(middle) > np.log(level)
            low, high = (middle, high) if is_low else (low, middle)
        return float(high)

    def with_tilted_masses(self, tilt: float) -> "TotalLoss":
        """Return a copy that also has the convolution of tilted masses; unchanged for tilt 0."""
        more = (self._tilted_masses(tilt),) if tilt else ()
        return replace(self, convolutions=(*self.convolutions, *more))

    def _log_chernoff_bound(self, tilt: float) -> float:
        """Return the log of Chernoff's bound on Pr[total loss >= mean of the tilted total loss]."""
        log_bound, per_cell = 0.0, tilt * self.spacing
        for part, times in self.grid_losses:
            log_moment, mean, _ = _log_mgf_and_moments(part.masses, per_cell)
            log_bound += times * (log_moment - per_cell * mean)
        return log_bound

    def _tilted_masses(self, tilt: float) -> "TiltedMasses":
        if self._is_always_infinite:
            return TiltedMasses(0, np.zeros(1), tilt, 0.0, FFT_ROUNDING)
        first, log_scale, rounding, sums = 0, 0.0, FFT_ROUNDING, []
        for part, times in self.grid_losses:
            masses, log_part = _tilted_masses_and_log_sum(part.masses, tilt * self.spacing)
            cut, masses, error = masses_of_sum(masses, times)
            rounding += error
            first += part.first_cell * times + cut
            log_scale += times * (log_part + tilt * self.spacing * part.first_cell)
            sums.append(masses)
        cut, masses, lost = convolution(sums)
        return TiltedMasses(first + cut, masses, tilt, log_scale, rounding + lost)


def masses_of_sum(masses: FloatArray, times: int) -> tuple[int, FloatArray, float]:
    """Return the first index and the masses of a sum of `times` losses, and an error bound."""
    if times == 1:
        return 0, masses, 0.0
    some = np.flatnonzero(masses)
    first, masses = int(some[0]), masses[some[0] : some[-1] + 1]
    if len(masses) == 1:
        return first * times, np.ones(1), 0.0
    low, high = _ends_of_likely_sum(masses, times)
    # The transform is periodic: masses outside the ends are added to others inside.
    length = max(high - low + 1, len(masses))
    step = 2 ** max(length.bit_length() - 5, 0)  # so that the size has small prime factors
    size = -(-length // step) * step
    spectrum = np.fft.rfft(masses, size)
    with np.errstate(divide="ignore"):
        matters = times * np.log(np.abs(spectrum)) > LOG_NEGLIGIBLE
    spectrum[matters] **= times
    spectrum[~matters] = 0.0
    total = np.maximum(np.fft.irfft(spectrum, size), 0.0)
    # Each coefficient has a relative error of `times` roundings. By Parseval's theorem they change
    # the squares of the masses by as much; the Cauchy-Schwarz inequality bounds the masses.
    error = times * COEFFICIENT_ROUNDING * float(np.sqrt(size * (total**2).sum()))
    return first * times + low, np.roll(total, -low)[: high - low + 1], CUT_MASS + error


def _ends_of_likely_sum(masses: FloatArray, times: int) -> tuple[int, int]:
    """Return indices (first, last); a sum of losses has mass at most `CUT_MASS` outside them."""
    last, level = (len(masses) - 1) * times, float(-np.log(CUT_MASS / 2))
    # Chernoff's bound holds for every tilt; a good one is found with the masses of larger cells.
    width = -(-len(masses) // SEARCHED_CELLS)
    wide = np.add.reduceat(masses, np.arange(0, len(masses), width))
    low, high = 0.0, float(last)
    for sign in (-1.0, 1.0):
        tilt = _tilt_of_tail(wide, level / times, sign) / width
        if tilt:
            end = (times * _log_mgf_and_moments(masses, tilt)[0] + level) / tilt
            low, high = (low, min(high, end)) if tilt > 0 else (max(low, end), high)
    return int(np.floor(low)), min(int(np.ceil(high)), last)


def _tilt_of_tail(masses: FloatArray, rate: float, sign: float) -> float:
    """Return the tilt for a Chernoff bound e^-rate on the tail of side `sign`; 0 for variance 0."""
    _, _, variance = _log_mgf_and_moments(masses, 0.0)
    if variance == 0:
        return 0.0
    # The tilt of a Normal distribution with this variance, where Newton's method begins.
    tilt = sign * float(np.sqrt(2 * rate / variance))
    ends: dict[float, float] = {}
    for _ in range(NEWTON_STEPS):  # for the tilt at which the tail of the bound has this rate
        log_moment, mean, variance = _log_mgf_and_moments(masses, tilt)
        ends[sign * (log_moment + rate) / tilt] = tilt
        reached, slope = tilt * mean - log_moment, variance * tilt * tilt
        if min(reached, slope) <= 0:  # by rounding
            break
        step = reached / slope * np.log(rate / reached)  # in logarithms
        tilt *= float(np.exp(np.clip(step, -2, 2)))
    return ends[min(ends)]


def _log_mgf_and_moments(masses: FloatArray, tilt: float) -> tuple[float, float, float]:
    """Return the log of the sum of ``masses e^(tilt i)``, and the tilted mean and variance of i."""
    weights, log_moment = _tilted_masses_and_log_sum(masses, tilt)
    cells = np.arange(len(masses))
    mean = float((weights * cells).sum())
    return log_moment, mean, float((weights * (cells - mean) ** 2).sum())


def _tilted_masses_and_log_sum(masses: FloatArray, tilt: float) -> tuple[FloatArray, float]:
    """Return ``masses[i] e^(tilt i)`` divided by the sum over i, and the log of this sum."""
    with np.errstate(divide="ignore"):
        logs = np.log(masses) + tilt * np.arange(len(masses))
    largest = float(logs.max())
    # Slow denormal numbers become 0. The largest stays even where 700 is lost in its rounding.
    weights = np.exp(logs - largest, where=logs >= largest - 700, out=np.zeros_like(logs))
    total = float(weights.sum())
    return weights / total, largest + float(np.log(total))


def convolution(sums: Sequence[FloatArray]) -> tuple[int, FloatArray, float]:
    """Convolve arrays of masses; return the first index kept, the masses, and the mass cut off."""
    from scipy.signal import fftconvolve  # slow to import, and needed only here

    first, lost, rest = 0, 0.0, list(sums)
    while len(rest) > 1:
        added = []
        for one, other in zip_longest(rest[::2], rest[1::2]):
            if other is None:
                added.append(one)
                continue
            both = np.maximum(fftconvolve(one, other), 0.0)
            # Both tails below the rounding of the transform are cut off.
            kept = np.flatnonzero(both > FFT_NOISE * both.max())
            begin, end = int(kept[0]), int(kept[-1]) + 1
            first, lost = first + begin, lost + float(both[:begin].sum() + both[end:].sum())
            added.append(both[begin:end])
        rest = added
    return first, rest[0], lost


@dataclass(frozen=True)
class TiltedMasses:
    """The masses of a total loss, each multiplied by ``e^(tilt loss - log_scale)``."""

    first_cell: int  # that of the first mass
    masses: FloatArray
    tilt: float
    log_scale: float
    rounding: float

    @property
    def last_cell(self) -> int:
        """The grid index of the last mass."""
        return self.first_cell + len(self.masses) - 1

    def last_cell_that_counts(self, spacing: float) -> int:
        """Return a grid index above which all masses are 0 or delta is below 1e-27."""
        if self.tilt == 0:
            return self.last_cell
        # By Markov's inequality for e^(tilt loss).
        end = (self.log_scale - LOG_UNSEEN_DELTA) / (self.tilt * spacing)
        return min(self.last_cell, int(np.ceil(max(end, 0.0))))

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return an upper bound on delta = ``E_Q[max(0, 1 - e^(epsilon - loss))]``."""
        from scipy.signal import lfilter  # slow to import, and needed only here

        scale = np.exp(np.minimum(self.log_scale - self.tilt * epsilon, 300.0))
        q = np.zeros_like(epsilon)
        first, last = self.first_cell, min(self.last_cell, len(epsilon) - 1)
        if last >= max(first, 0):
            q[max(first, 0) : last + 1] = self.masses[max(-first, 0) : last + 1 - first]
        q *= scale
        # Losses beyond the last epsilon count as infinite.
        beyond = float(self.masses[max(last + 1 - first, 0) :].sum()) * scale[-1]
        # From one cell to the next lower one, the sum of q (1 - e^(epsilon - L)) over L > epsilon
        # grows by (1 - e^-h) times the sum of q e^(epsilon - L): positive terms only.
        h = float(epsilon[1])
        within: FloatArray = lfilter([1.0], [1.0, -np.exp(-h)], q[::-1])
        grown = -np.expm1(-h) * np.cumsum(within)
        more: FloatArray = beyond + self.rounding * scale
        return np.append(grown[:-1][::-1], 0.0) + more


# One loss on a grid, by the "connect the dots" rule.
#
# The mass of every cell moves to its two ends such that its totals under P and Q stay (Doroshenko,
# Ghazi, Kamath, Kumar and Manurangsi, 2022). The pair on the grid is easier to attack.

NEGLIGIBLE_MASS = 1e-32  # the largest mass beyond either end of a grid
LARGEST_LOSS = 700.0  # above it e^epsilon overflows: losses beyond count as infinite


class LossOnGrid(NamedTuple):
    """The masses of a privacy loss under Q on a grid, with the mass at infinity."""

    first_cell: int
    masses: FloatArray
    infinite: float


def rounded_losses(part: Component, spacing: float, n_orders: int) -> list[LossOnGrid]:
    """Round losses of (P, Q) and, for `n_orders` = 2, (Q, P) to a grid in the attacker's favour."""
    low, high = part.likely
    first_cell, last = int(np.floor(low / spacing)), int(np.floor(max(low, high) / spacing)) + 1
    edges = np.arange(first_cell, last + 1) * np.float64(spacing)
    p, q = cell_masses_of_loss(part.mechanism, edges)
    both = [(p, q, edges, first_cell), (q[::-1], p[::-1], -edges[::-1], -last)]
    return [_loss_moved_to_edges(spacing, *each) for each in both[:n_orders]]


def _loss_moved_to_edges(
    spacing: float, p: FloatArray, q: FloatArray, edges: FloatArray, first_cell: int
) -> LossOnGrid:
    """Return the loss on a grid after the mass of each cell is moved to the cell's edges."""
    # The masses a and b at the ends of a cell: a + b = q, and a e^-lower + b e^-upper = p.
    with np.errstate(divide="ignore"):
        at_lower = np.exp(np.log(p[1:-1]) + edges[:-1])
    inner = q[1:-1]
    upper = np.clip((inner - at_lower) / -np.expm1(-spacing), 0.0, inner)
    masses = np.zeros(len(edges))
    masses[1:] += upper
    masses[:-1] += inner - upper
    # Losses below the grid move up to its first value, those above the grid become infinite.
    masses[0] += q[0]
    return LossOnGrid(first_cell, masses, float(q[-1]))


def cell_masses_of_loss(f: TradeoffFunction, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the masses of f's loss, under P and under Q, in the len(edges) + 1 cells of a grid."""
    if not f.is_symmetric:
        fpr, tpr = f.fpr_of_loss(edges), f._tpr_of_loss(edges)
        return _cell_masses_from_tails(fpr, 1 - fpr), _cell_masses_from_tails(tpr, 1 - tpr)
    # L under P is -L under Q, so losses >= 0 suffice.
    forward = edges >= 0
    steep = np.where(forward, edges, np.nextafter(-edges, np.inf))
    fpr, tpr = f.fpr_of_loss(steep), f._tpr_of_loss(steep)
    fnr = np.where(fpr < SMALLEST_RATE, 1 - tpr, f.beta(fpr))
    p = _cell_masses_from_tails(np.where(forward, fpr, fnr), np.where(forward, 1 - fpr, tpr))
    q = _cell_masses_from_tails(np.where(forward, tpr, 1 - fpr), np.where(forward, fnr, fpr))
    return p, q


def _cell_masses_from_tails(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the masses of all cells, from the total masses above and below each edge."""
    inner = np.where(above[:-1] < 0.5, above[:-1] - above[1:], below[1:] - below[:-1])
    return np.concatenate([below[:1], np.maximum(inner, 0.0), above[-1:]])


def range_of_likely_losses(f: TradeoffFunction) -> tuple[float, float]:
    """Return a range (low, high) outside which finite losses have negligible mass."""
    fpr = f.fpr_of_loss(LOSS_GRID)
    at_infinity, at_minus_infinity = f.tpr(0.0), 1 - f.fpr_of_loss(-1e300)
    rare_above = f._tpr_of_loss(LOSS_GRID) - at_infinity <= NEGLIGIBLE_MASS
    rare_below = 1 - fpr - at_minus_infinity <= NEGLIGIBLE_MASS
    low = np.max(LOSS_GRID[rare_below], initial=LOSS_GRID[0])
    # The loss, at most 700, that is reached with probability `SMALLEST_RATE` under P.
    ends = np.array(0.0), np.array(LARGEST_LOSS)
    _, last = bisection(lambda loss: ~(f._fpr_of_loss(loss) > SMALLEST_RATE), *ends, halvings=50)
    high = np.min(LOSS_GRID[rare_above], initial=float(last))
    return float(low), float(high)


def estimated_loss_mean_and_deviation(f: TradeoffFunction) -> tuple[float, float]:
    """Estimate the mean and the standard deviation of the finite privacy losses."""
    masses, middles = -np.diff(f._tpr_of_loss(LOSS_GRID)), (LOSS_GRID[1:] + LOSS_GRID[:-1]) / 2
    under_p = -np.diff(f.fpr_of_loss(LOSS_GRID))
    back = -float(under_p @ middles / (under_p.sum() or 1.0))
    total = masses.sum()
    if total <= 0:
        return back, 1.0
    mean = float(masses @ middles / total)
    deviation = float(np.sqrt(masses @ (middles - mean) ** 2 / total)) or 1.0
    return max(mean, back), deviation
