"""Sums of losses on a grid, by Fourier transforms, and upper bounds of their deltas.

Fourier transforms lose what is small beside the largest mass. So the convolution is done twice: of
the losses as they are, and of losses whose masses are multiplied by e^(tilt loss), which moves the
rare ones into the middle (the exponential change of measure of large deviations). Both give upper
bounds of every delta; the smaller one counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from dpviz.checks import FloatArray
from dpviz.theory.composition.loss_grid import GridLoss, on_grid
from dpviz.theory.tradeoff import TradeoffFunction

TAIL = 1e-15  # mass that each convolution may cut off
ROUNDING = 1e-13  # mass that the Fourier transforms can lose, beside the cut-off tails
TILTED_TO = 1e-13  # the delta that is in the middle of the tilted losses


@dataclass(frozen=True, kw_only=True)
class OrderedSum:
    """All parts in one order of their pairs, on a grid.

    `largest` is the largest loss there is, `infinite` the mass of losses that are infinite or too
    large for the grid, and `totals` has the distribution of the sum of the losses, without and with
    a tilt.
    """

    parts: Sequence[tuple[GridLoss, int]]
    interval: float
    largest: float
    infinite: float
    totals: tuple["TiltedSum", ...] = ()

    @classmethod
    def of(
        cls,
        library: ModuleType,
        counts: Mapping[TradeoffFunction, int],
        interval: float,
        *,
        swapped: bool,
    ) -> "OrderedSum":
        """The losses of all parts, on a grid and added up."""
        parts = [(on_grid(f, interval, swapped=swapped), times) for f, times in counts.items()]
        largest = sum(
            times * (-f._smallest_loss() if swapped else f._largest_loss())
            for f, times in counts.items()
        )
        with np.errstate(divide="ignore"):
            kept = sum(times * np.log1p(-one.infinite) for one, times in parts)
        order = cls(
            parts=parts,
            interval=interval,
            largest=float(largest),
            infinite=float(-np.expm1(kept)),
        )
        return replace(order, totals=(order._total(library, 0.0),))

    @property
    def rounding(self) -> float:
        """Mass that can be lost in convolutions, at most: it is added to deltas."""
        return 2 * (ROUNDING + TAIL * len(self.parts))  # lost, and added although it was not

    @property
    def cells(self) -> int:
        """Size of the grid."""
        return max(len(total.masses) for total in self.totals)

    @property
    def _hides_nothing(self) -> bool:
        """Whether all losses of a part are infinite or too large for the grid."""
        return not all(one.masses.any() for one, _ in self.parts)

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """The smallest upper bound of delta at the grid from 0 on; non-increasing."""
        bounds = [self.infinite + total.delta(epsilon) for total in self.totals]
        best = np.minimum.reduce([np.ones_like(epsilon), *bounds])
        best[epsilon >= self.largest] = 0.0
        return np.asarray(np.maximum.accumulate(best[::-1])[::-1])

    def tilted(self, library: ModuleType) -> "OrderedSum":
        """With the tilt that has a delta of about `TILTED_TO` in its middle, if there is one."""
        spread = np.sqrt(sum(times * one.variance(self.interval) for one, times in self.parts))
        if spread == 0 or self._hides_nothing:
            return self
        low, high = 0.1 / spread, 1000 / spread
        if self._log_tail(high) > np.log(TILTED_TO):
            return self
        for _ in range(8):
            middle = float(np.sqrt(low * high))
            if self._log_tail(middle) > np.log(TILTED_TO):
                low = middle
            else:
                high = middle
        return replace(self, totals=(*self.totals, self._total(library, high)))

    def _log_tail(self, tilt: float) -> float:
        """Log of Chernoff's bound at the mean of the tilted losses."""
        found = 0.0
        for one, times in self.parts:
            masses, log_scale = one.tilted(tilt, self.interval)
            found += times * (log_scale - tilt * float(masses @ one.losses(self.interval)))
        return found

    def _total(self, library: ModuleType, tilt: float) -> "TiltedSum":
        from scipy.signal import fftconvolve  # slow to import, and needed only here

        if self._hides_nothing:
            return TiltedSum(0, np.zeros(1), tilt, 0.0, self.rounding / 2)
        first, log_scale, product = 0, 0.0, np.ones(1)
        for one, times in self.parts:
            masses, log_one = one.tilted(tilt, self.interval)
            with np.errstate(over="ignore"):  # of a Chernoff bound that is then not used
                cut, masses = library.self_convolve(masses, times, TAIL)
            first += one.first * times + cut
            log_scale += times * log_one
            product = fftconvolve(product, np.maximum(masses, 0.0))
        return TiltedSum(first, np.maximum(product, 0.0), tilt, log_scale, self.rounding / 2)


@dataclass(frozen=True)
class TiltedSum:
    """Masses of a sum of tilted losses; those without tilt are ``e^(log_scale - tilt loss)``."""

    first: int
    masses: FloatArray
    tilt: float
    log_scale: float
    rounding: float

    @property
    def last(self) -> int:
        """Place of the last mass on the grid."""
        return self.first + len(self.masses) - 1

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """``E_Q[(1 - e^(epsilon - L))+]`` on the grid from 0 on, and what can have been lost."""
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
