"""A privacy loss on a grid, made "connect the dots".

The mass of every cell is split onto its two ends so that its masses under P and Q stay what they
are (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, 2022). The gridded pair is easier to attack
than the true one: what follows from it is on the safe side.
"""

from dataclasses import dataclass

import numpy as np

from dpviz.checks import FloatArray
from dpviz.theory.profile import LOSSES
from dpviz.theory.tradeoff import SMALLEST_RATE, TradeoffFunction

RARE = 1e-32  # mass beyond the grid, counted as an infinite loss
LARGEST_LOSS = 700.0  # above it e^epsilon overflows: losses beyond count as infinite


@dataclass(frozen=True, kw_only=True, eq=False)
class GridLoss:
    """A privacy loss on the grid: masses under Q at ``(first + i) * interval``, and at infinity."""

    first: int
    masses: FloatArray
    infinite: float

    def losses(self, interval: float) -> FloatArray:
        """The values on the grid."""
        return (np.arange(len(self.masses)) + self.first) * np.float64(interval)

    def variance(self, interval: float) -> float:
        """Of the finite losses."""
        if not self.masses.any():
            return 0.0
        losses, total = self.losses(interval), self.masses.sum()
        mean = self.masses @ losses / total
        return float(self.masses @ (losses - mean) ** 2 / total)

    def tilted(self, tilt: float, interval: float) -> tuple[FloatArray, float]:
        """The finite masses times ``e^(tilt loss)`` over their sum, and the sum's logarithm."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.masses) + tilt * self.losses(interval)
        largest = float(logs.max())
        weights = np.exp(logs - largest)
        total = float(weights.sum())
        return weights / total, largest + float(np.log(total))


def on_grid(f: TradeoffFunction, interval: float, *, swapped: bool) -> GridLoss:
    """The loss of f on multiples of `interval`; of the pair in the other order if `swapped`."""
    low, high = loss_range(f)
    first, last = int(np.floor(low / interval)), int(np.floor(max(low, high) / interval)) + 1
    edges = np.arange(first, last + 1) * np.float64(interval)
    p, q = _cell_masses(f, edges)
    if swapped:
        p, q, edges, first = q[::-1], p[::-1], -edges[::-1], -last
    # In each cell: a + b = q at its ends, and a e^-lower + b e^-upper = p.
    with np.errstate(divide="ignore"):
        at_lower = np.exp(np.log(p[1:-1]) + edges[:-1])
    inner = q[1:-1]
    upper = np.clip((inner - at_lower) / -np.expm1(-interval), 0.0, inner)
    masses = np.zeros(len(edges))
    masses[1:] += upper
    masses[:-1] += inner - upper
    masses[0] += q[0]
    return GridLoss(first=first, masses=masses, infinite=float(q[-1]))


def _cell_masses(f: TradeoffFunction, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Masses under P and Q: below the first edge, in each cell [edge, next), from the last on.

    Differences are taken from whichever end the mass is nearer to.
    """
    if not f.is_symmetric:
        fpr, tpr = f.fpr_of_loss(edges), f._tpr_of_loss(edges)
        return _steps(fpr, 1 - fpr), _steps(tpr, 1 - tpr)
    # L under P is -L under Q, so the steep half of the curve says everything.
    forward = edges >= 0
    steep = np.where(forward, edges, np.nextafter(-edges, np.inf))
    fpr, tpr = f.fpr_of_loss(steep), f._tpr_of_loss(steep)
    fnr = np.where(fpr < SMALLEST_RATE, 1 - tpr, f.beta(fpr))
    p = _steps(np.where(forward, fpr, fnr), np.where(forward, 1 - fpr, tpr))
    q = _steps(np.where(forward, tpr, 1 - fpr), np.where(forward, fnr, fpr))
    return p, q


def _steps(above: FloatArray, below: FloatArray) -> FloatArray:
    inner = np.where(above[:-1] < 0.5, above[:-1] - above[1:], below[1:] - below[:-1])
    return np.concatenate([below[:1], np.maximum(inner, 0.0), above[-1:]])


def loss_range(f: TradeoffFunction) -> tuple[float, float]:
    """Losses below and above which there is next to no mass of finite losses, under P or Q."""
    fpr = f.fpr_of_loss(LOSSES)
    at_infinity, at_minus_infinity = f.tpr(0.0), 1 - f.fpr_of_loss(-1e300)
    rare_above = f._tpr_of_loss(LOSSES) - at_infinity <= RARE
    rare_below = 1 - fpr - at_minus_infinity <= RARE
    low = np.max(LOSSES[rare_below], initial=LOSSES[0])
    high = np.min(LOSSES[rare_above], initial=_last_loss(f))
    return float(low), float(high)


def _last_loss(f: TradeoffFunction) -> float:
    """Where the losses end, or their mass under P becomes too small: the rest is infinite."""
    low, high = 0.0, LARGEST_LOSS
    while high - low > max(1e-12 * high, 1e-15):
        middle = (low + high) / 2
        if f.fpr_of_loss(middle) > SMALLEST_RATE:
            low = middle
        else:
            high = middle
    return high


def spread(f: TradeoffFunction) -> float:
    """Standard deviation of the finite losses under Q, roughly."""
    tpr = f._tpr_of_loss(LOSSES)
    masses, middles = -np.diff(tpr), (LOSSES[1:] + LOSSES[:-1]) / 2
    total = masses.sum()
    if total <= 0:
        return 1.0
    mean = masses @ middles / total
    return float(np.sqrt(masses @ (middles - mean) ** 2 / total)) or 1.0
