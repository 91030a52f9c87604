"""Random allocation: every record is in exactly one step of a round, chosen at random."""

# Balls in bins. A record takes part in one of t steps; its step is drawn uniformly, independently
# of all other records, and is secret. The pair P = N(0, I), Q = the average of N(mu e_i, I) over
# the t unit vectors e_i in R^t dominates, for adaptive steps, too. Given (y_1, ..., y_t) from P or
# Q, compute the record's contribution g_i, of norm |g_i| <= mu, from the outputs so far, and output
# ``(y_i / mu) g_i`` plus noise N(0, I - g_i g_i^T / mu^2): these are the outputs of the t steps
# without or with the record, and post-processing only raises the curve. (Feldman and Shenfeld bound
# this scheme by Poisson sampling, arXiv 2502.08202, and compute its privacy-loss distribution,
# arXiv 2602.17284. The proofs here are self-contained.)
#
# The likelihood ratio dQ/dP at y is the mean of t independent ratios ``e^(mu y_i - mu^2 / 2)``. In
# both orders, delta is the expectation under P of a convex function of it. So if every ratio is
# replaced by one that is larger in the convex order, the pair only becomes easier to attack; means
# of independent ratios keep the order. `spread` moves the mass of a cell to the cell's two ends so
# that the mean stays, and `merged` moves it to the cell's mean: the exact curve lies between.
#
# k of t steps: cut the t steps into k blocks at random, as equal as possible, and allocate the
# record once in each. Its steps are a uniformly random set of size k, and given the blocks this is
# the composition of k allocations, the same for all cuts. A hidden cut is at least as private.

from collections import Counter
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.composition import (
    cell_masses_of_loss,
    largest_fnr_difference,
    range_of_likely_losses,
)
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction

CELLS = 1200  # of a grid of ratios
THINNED = 4  # neighbouring ratios that count as one when the next grid is chosen
SMALLEST_TAIL = 1e-35  # mass of the tails that share one cell of a grid
SMALLEST_FINITE = 1e-16  # mass under Q of finite ratios; with less, all count as infinite


@dataclass(frozen=True, repr=False)
class AllocatedOnce(FinitelyManyLosses):
    """The Gaussian mechanism in one of `steps` steps, drawn at random; one order of the pair."""

    mu: float  # in (0, inf): what one record can add, divided by the noise
    steps: int
    _: KW_ONLY
    adjacency: Adjacency = "add_remove"

    def __post_init__(self) -> None:
        mu, steps = checks.positive("mu", self.mu), checks.whole("steps", self.steps, 1, 10**7)
        self._set_fields(mu=mu, steps=steps)

    def _compute_atoms(self) -> Atoms:
        return ratio_atoms(self.mu, self.steps, "spread")

    @cached_property
    def error(self) -> float:
        """A bound, valid in both orders, on how far this curve is below the exact curve."""
        one, other = self.atoms(), ratio_atoms(self.mu, self.steps, "merged")
        back = largest_fnr_difference(one.swapped(), other.swapped())
        return max(largest_fnr_difference(one, other), back)


def allocated(mu: float, participations: int, steps: int) -> Counter[TradeoffFunction]:
    """Return mechanisms, with counts, whose composition dominates `participations` of `steps`.

    A record takes part in so many steps, drawn at random. Each mechanism is one order of a pair.

    Parameters
    ----------
    mu : float, in (0, inf), largest contribution of a record divided by the noise
    participations, steps : int, at least 1; at most as many participations as steps

    Examples
    --------
    >>> from dpviz.theory.mechanisms.random_allocation import allocated
    >>> allocated(1.0, participations=2, steps=5)
    Counter({AllocatedOnce(mu=1.0, steps=2, adjacency='add_remove'): 1, \
AllocatedOnce(mu=1.0, steps=3, adjacency='add_remove'): 1})
    """
    steps = checks.whole("steps", steps, 1)
    participations = checks.whole("participations", participations, 1, steps)
    length, n_longer = divmod(steps, participations)
    counts: Counter[TradeoffFunction] = Counter()
    for block, times in ((length, participations - n_longer), (length + 1, n_longer)):
        if times and block == 1:
            counts[GaussianDP(mu=mu, adjacency="add_remove")] = times
        elif times:
            counts[AllocatedOnce(mu=mu, steps=block)] = times
    return counts


# The distribution under P of a mean of ratios.

Rounding = Literal["spread", "merged"]
Ratios = tuple[FloatArray, FloatArray]  # ascending ratios, and their masses under P


def ratio_atoms(mu: float, steps: int, rounding: Rounding) -> Atoms:
    """Return atoms of the mean of `steps` ratios, rounded up (`spread`) or down (`merged`)."""
    one, infinite = _one_ratio(mu, rounding)
    if float(np.prod(one, axis=0).sum()) < SMALLEST_FINITE:
        if rounding == "merged":  # above the exact curve is that of guessing
            return Atoms.of(np.ones(1), np.ones(1))
        return Atoms.of(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    mean, done = one, 1
    for bit in bin(steps)[3:]:  # by repeated doubling
        mean, done = _mean_of_independent(mean, done, mean, done, rounding), 2 * done
        if bit == "1":
            mean, done = _mean_of_independent(mean, done, one, 1, rounding), done + 1
    ratio, p = mean
    with np.errstate(divide="ignore"):
        loss = np.append(np.log(ratio), np.inf)
    p, q = np.append(p, 0.0), np.append(p * ratio, infinite)
    return Atoms.of(p / p.sum(), q / q.sum(), loss)  # against rounding


def _one_ratio(mu: float, rounding: Rounding) -> tuple[Ratios, float]:
    """Return the rounded ratio of one step, and the mass under Q that counts as infinite."""
    f = GaussianDP(mu=mu)
    losses = np.linspace(*range_of_likely_losses(f), CELLS + 1)
    p, q = cell_masses_of_loss(f, losses)
    if rounding == "merged":
        p, q = (np.append(each[:-2], each[-2:].sum()) for each in (p, q))
        present = p > 0
        return (q[present] / p[present], p[present]), 0.0
    # Beyond the last cell, P has the ratio 0 and Q an infinite one.
    ends = np.append(0.0, np.exp(losses))
    upper = np.clip((q[:-1] - p[:-1] * ends[:-1]) / np.diff(ends), 0.0, p[:-1])
    masses = np.append(p[:-1] - upper, 0.0) + np.append(0.0, upper)
    masses[0] += p[-1]
    return (ends, masses), float(q[-1])


def _mean_of_independent(a: Ratios, n_a: int, b: Ratios, n_b: int, rounding: Rounding) -> Ratios:
    """Return the rounded mean of `n_a` + `n_b` ratios, from the means of `n_a` and of `n_b`."""
    share = n_a / (n_a + n_b)
    ends = _ends_of_cells(*_weighted_sum(_thinned(a), _thinned(b), share))
    ratio, p = _weighted_sum(a, b, share)
    if rounding == "merged":
        cell = np.searchsorted(ends, ratio)
        masses, sums = (_sums(cell, each, len(ends) + 1) for each in (p, p * ratio))
        present = masses > 0
        return sums[present] / masses[present], masses[present]
    ends = np.union1d(ends, [0.0, ratio.max()])
    cell = np.clip(np.searchsorted(ends, ratio, side="right") - 1, 0, len(ends) - 2)
    upper = p * np.clip((ratio - ends[cell]) / (ends[cell + 1] - ends[cell]), 0.0, 1.0)
    return ends, _sums(cell + 1, upper, len(ends)) + _sums(cell, p - upper, len(ends))


def _sums(cell: NDArray[np.intp], masses: FloatArray, n: int) -> FloatArray:
    return np.asarray(np.bincount(cell, masses, n), float)


def _weighted_sum(a: Ratios, b: Ratios, share: float) -> Ratios:
    ratio = np.add.outer(share * a[0], (1 - share) * b[0])
    return ratio.ravel(), np.multiply.outer(a[1], b[1]).ravel()


def _thinned(ratios: Ratios) -> Ratios:
    ratio, p = ratios
    first = np.arange(0, len(p), THINNED)
    masses, sums = np.add.reduceat(p, first), np.add.reduceat(p * ratio, first)
    present = (masses > 0) & (sums > 0)
    return sums[present] / masses[present], masses[present]


def _ends_of_cells(ratio: FloatArray, p: FloatArray) -> FloatArray:
    """Return the ends of cells of a grid that is fine where the ratios' distribution needs it."""
    order = np.argsort(ratio)
    ratio, p = ratio[order], p[order]
    above = np.cumsum((p * ratio)[::-1])[::-1]  # under Q
    matters = (above > SMALLEST_TAIL) & (np.cumsum(p) > SMALLEST_TAIL)
    ratio, p = ratio[matters], p[matters]
    first = np.arange(0, len(p), max(1, len(p) // (4 * CELLS)))
    ends, masses = np.append(ratio[first], ratio[-1]), np.add.reduceat(p, first)
    # A spread over a cell of width w lowers the FNR by about w^2 density / 8, over ratio if that is
    # below 1 and the order is (Q, P). Half of the cells make this equal everywhere, the other half
    # are of equal width in the loss, for the tails.
    lowered = np.sqrt(masses * np.diff(ends) / np.minimum(ends[1:], 1.0))
    wide = np.diff(np.log(ends))
    share = np.append(0.0, np.cumsum(lowered / lowered.sum() + wide / wide.sum()))
    return np.asarray(np.interp(np.linspace(0, share[-1], CELLS), share, ends))
