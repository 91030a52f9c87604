"""Bounds on Rényi divergences: Rényi DP at some orders, and zero-concentrated DP.

An attack with FPR x and TPR t turns the two output distributions into Bernoulli(x) and
Bernoulli(t), whose divergences are no larger. So an attack is allowed if and only if the Rényi
divergences of Bernoulli(x) and Bernoulli(t) are below the bounds at every order and both ways
(Balle, Barthe, Gaboardi, Hsu and Sato, 2020, "Hypothesis testing interpretations and Rényi
differential privacy", theorem 14). With log-odds ``a`` of x and ``a + c`` of t, and
``s(z) = log(1 + e^z)``,

    (order - 1) D = s(a + order c) - (1 - order) s(a) - order s(a + c).

Below the diagonal FPR = FNR the divergence of Bernoulli(t) from Bernoulli(x) is the larger one. The
region of one order is convex, so each tangent to it is a valid (epsilon, delta) statement.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.mechanisms.claims import NO_PRIVACY, pair_of_statements
from dpviz.theory.profile import bisection
from dpviz.theory.tradeoff import Adjacency

DIAGONAL_LIMIT = 1390.0  # from this shift c of log-odds on, rates with FPR = FNR round to 0 and 1


class RenyiBound(FiniteLoss):
    """A guarantee that bounds Rényi divergences both ways; its curve is an envelope of tangents."""

    is_symmetric = True

    @abstractmethod
    def _tightest_order(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (order, bound) of the tightest bound at log-odds a (FPR) and a + c (TPR)."""

    @abstractmethod
    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return orders and their bounds that decide which attacks with FPR = FNR are allowed."""

    @abstractmethod
    def bounds(self, orders: FloatArray) -> FloatArray:
        """Return the bound stated for each of `orders`; inf for an order without a bound."""

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        return self.bounds(orders)  # as stated; the pair of `atoms` may exceed them

    @cached_property
    def tangents(self) -> "Tangents | None":
        """The tangents that bound the curve from below; None for perfect privacy or no privacy."""
        orders, bounds = self._diagonal_bounds()
        diagonal = diagonal_shift(orders, bounds) if bounds.min() > 0 else 0.0
        return tangents(self._tightest_order, diagonal) if 0 < diagonal < DIAGONAL_LIMIT else None

    @property
    def error(self) -> float:
        """A bound on how much too small the FNRs of the tangents' curve are."""
        if self.tangents is None:
            return 0.0
        atoms = self.atoms()  # no curve is above 1 - FPR
        return min(self.tangents.error, float(np.max(atoms.tpr - atoms.fpr)))

    def _atoms(self) -> Atoms:
        if self.tangents is not None:
            return pair_of_statements(self.tangents.epsilon, self.tangents.delta)
        _, bounds = self._diagonal_bounds()
        return Atoms.of(np.ones(1), np.ones(1)) if bounds.min() == 0 else NO_PRIVACY


def composed_bounds(counts: Mapping[RenyiBound, int], orders: FloatArray) -> FloatArray:
    """Return a bound for the composition at each order: the sum of bounds times counts."""
    return np.asarray(sum(times * f.bounds(orders) for f, times in counts.items()))


@dataclass(frozen=True, init=False, repr=False)
class RenyiDP(RenyiBound):
    """The RDP claim: upper bounds on the Rényi divergences of some orders (Mironov, 2017).

    Parameters
    ----------
    orders : array, in [1, inf), each once; 1 is the divergence of Kullback and Leibler
    epsilons : array, in [0, inf], the bound at each order

    Examples
    --------
    >>> from dpviz.theory import RenyiDP
    >>> round(RenyiDP(orders=[2, 8, 32], epsilons=[1.0, 4.0, 16.0]).beta(0.01), 3)
    0.86
    """

    orders: tuple[float, ...]
    epsilons: tuple[float, ...]
    adjacency: Adjacency

    def __init__(
        self, *, orders: ArrayLike, epsilons: ArrayLike, adjacency: Adjacency = "replace_one"
    ) -> None:
        numbers = checks.reals("orders", orders, 1, np.inf, closed="left")
        bounds = checks.reals("epsilons", epsilons, 0, np.inf)
        if numbers.ndim != 1 or not numbers.size:
            raise checks.fail("orders", "a non-empty vector", numbers.shape)
        if bounds.shape != numbers.shape:
            rule = f"one for each of the {numbers.size} orders"
            raise checks.fail("epsilons", rule, bounds.shape)
        place = np.argsort(numbers)
        sorted_orders, bounds = tuple(numbers[place].tolist()), bounds[place]
        for order, after in pairwise(sorted_orders):
            if order == after:
                raise checks.fail("orders", "each given once", order)
        self._assign(orders=sorted_orders, epsilons=tuple(bounds.tolist()), adjacency=adjacency)

    def bounds(self, orders: FloatArray) -> FloatArray:
        stated = dict(zip(self.orders, self.epsilons, strict=True))
        return np.array([stated.get(order, np.inf) for order in orders.tolist()])

    def _tightest_order(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        orders, bounds = (values[:, None] for values in self._diagonal_bounds())
        worst = np.argmax(bernoulli_divergence(a, c, orders) / bounds, axis=0)
        return orders[worst, 0], bounds[worst, 0]

    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        orders, bounds = np.array(self.orders), np.array(self.epsilons)
        known = np.isfinite(bounds) | np.isinf(bounds).all()
        return orders[known], bounds[known]


@dataclass(frozen=True, kw_only=True, repr=False)
class ZeroConcentratedDP(RenyiBound):
    """The rho-zCDP claim: a Rényi divergence of at most ``rho order`` at every order above 1.

    (Bun and Steinke, 2016.) The curve is exactly that of all allowed attacks: below the curve of a
    Gaussian mechanism with this rho, above that of the conversion to (epsilon, delta).

    Parameters
    ----------
    rho : float, in [0, inf]; a Gaussian mechanism has ``mu^2 / 2``

    Examples
    --------
    >>> from dpviz.theory import ZeroConcentratedDP
    >>> round(ZeroConcentratedDP(rho=2.63).beta(0.01), 3)  # redistricting data, US Census 2020
    0.302
    """

    rho: float
    adjacency: Adjacency = "replace_one"
    _group_factor = "rho", 4  # Bun and Steinke, proposition 1.9

    def __post_init__(self) -> None:
        self._assign(rho=checks.real("rho", self.rho, 0, np.inf))

    def bounds(self, orders: FloatArray) -> FloatArray:
        return self.rho * orders

    def _smallest_rho(self) -> float:
        return self.rho

    def _tightest_order(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        order = order_of_largest_divergence_per_order(a, c)
        return order, self.rho * order

    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        return np.ones(1), np.array([self.rho])  # the limit at order 1 is the tightest there


# Rényi divergences of two Bernoullis, with log-odds a and a + c.


def softplus(z: FloatArray) -> FloatArray:
    """Return ``log(1 + e^z)``."""
    return np.asarray(np.logaddexp(0.0, z))


def bernoulli_divergence(a: FloatArray, c: FloatArray, order: FloatArray) -> FloatArray:
    """Return the Rényi divergence of Bernoulli(expit(a + c)) from Bernoulli(expit(a))."""
    kl = c * expit(a + c) + softplus(a) - softplus(a + c)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(order == 1, kl, _log_moment(a, c, order) / (order - 1))


def _log_moment(a: FloatArray, c: FloatArray, order: FloatArray) -> FloatArray:
    """Return ``log E_P[(q / p)^order]`` for Bernoullis P and Q of log-odds `a` and ``a + c``."""
    return softplus(a + order * c) - (1 - order) * softplus(a) - order * softplus(a + c)


LEAST_EXCESS, MOST_EXCESS = 1e-4, 1e11  # order - 1 is searched in this range


def order_of_largest_divergence_per_order(a: FloatArray, c: FloatArray) -> FloatArray:
    """Return the order where divergence / order is largest, for Bernoullis of log-odds a, a + c."""
    # The quotient first rises and then falls with the order.
    low, high = np.full_like(a, np.log(LEAST_EXCESS)), np.full_like(a, np.log(MOST_EXCESS))
    constant = softplus(a) - softplus(a + c)

    def is_beyond_peak(log_excess: FloatArray) -> NDArray[np.bool]:
        excess = np.exp(log_excess)
        order = 1 + excess
        slope = (c * expit(a + order * c) + constant) * order * excess
        return np.asarray(~(slope > _log_moment(a, c, order) * (order + excess)))

    is_kl = is_beyond_peak(low)
    low, high = bisection(is_beyond_peak, low, high, halvings=16)
    return np.where(is_kl, 1.0, 1 + np.exp((low + high) / 2))


# Tangents to the region of the order with the tightest bound at each FPR.

SCOUTS, TANGENTS = 100, 450  # numbers of tangents of half the curve: a first set, the final set
RARE, RELATIVE = 1e-14, 0.03  # the error h of a tangent weighs h (1 + RELATIVE / (TPR + RARE))
LARGEST_LOG_ODDS = 700.0  # log-odds of the FPRs where tangents are taken: 1e-304
LARGEST_SHIFT = 1400.0  # with this c an FPR of 1e-304 has the TPR 1
SOFTPLUS_ROUNDING = 1e-15  # relative; in favour of attacks

# From log-odds a and their shift c to the order with the tightest bound, and that bound.
TightestOrder = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Tangents:
    """Tangents ``tpr = delta + e^epsilon fpr``, which touch at FPR expit(a), TPR expit(a + c)."""

    a: FloatArray
    c: FloatArray
    epsilon: FloatArray
    delta: FloatArray

    @cached_property
    def heights_above_chords(self) -> FloatArray:
        """How far above the chord between their points of contact neighbouring tangents meet."""
        x, t, slope = expit(self.a), expit(self.a + self.c), np.exp(self.epsilon)
        steep, flat, width = slope[1:], slope[:-1], -np.diff(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = -np.diff(t) / width
            heights = width * (chord - flat) * (steep - chord) / (steep - flat)
        return np.asarray(np.nan_to_num(np.maximum(heights, 0.0), posinf=0.0))

    @property
    def error(self) -> float:
        """A bound on how much too small the FNRs of the tangents' curve are."""
        return float(max(self.heights_above_chords.max(), self.delta[-1]))


def tangents(tightest: TightestOrder, diagonal: float) -> Tangents:
    """Return tangents up to FPR = FNR, where c is `diagonal`; more of them at sharper bends."""
    start = -diagonal / 2
    a = start - np.expm1(np.linspace(0.0, np.log1p(LARGEST_LOG_ODDS + start), SCOUTS))
    scouts = _tangents_at(tightest, a, np.full_like(a, diagonal))
    # The height of a corner grows with the square of the distance between its tangents.
    tpr = expit(scouts.a + scouts.c)[:-1]
    roots = np.sqrt(scouts.heights_above_chords * (1 + RELATIVE / (tpr + RARE)))
    density = np.concatenate([[0.0], np.cumsum(roots + roots.mean() / 100)])
    a = np.interp(np.linspace(0.0, density[-1], TANGENTS), density, a)
    return _tangents_at(tightest, a, np.interp(a, scouts.a[::-1], scouts.c[::-1]))


def _tangents_at(tightest: TightestOrder, a: FloatArray, c: FloatArray) -> Tangents:
    """Return tangents at FPRs of log-odds `a`; a search for the TPRs' log-odds begins at a + c."""
    # Dinkelbach's method (1967): c falls until no order's bound is exceeded.
    for _ in range(12):
        order, bound = tightest(a, c)
        before, c = c, _largest_shift(a, c, order, bound)
        if np.all(np.abs(c - before) <= 1e-4 * c):
            break
    # tpr = fpr e^loss, and the slope is e^loss ratio with loss = log(tpr / fpr).
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.expm1(-order * c) / np.expm1(-(order - 1) * c) * (order - 1) / order
        ratio = np.where(order == 1, -np.expm1(-c) / c, power)
    loss = softplus(-a) - softplus(-(a + c))
    epsilon = np.maximum(loss + np.log(ratio), 0.0)
    return Tangents(a=a, c=c, epsilon=epsilon, delta=expit(a + c) * (1 - ratio))


def diagonal_shift(order: FloatArray, bound: FloatArray) -> float:
    """Return the largest c that all bounds allow for FPR and TPR of log-odds -c / 2 and c / 2."""
    low, high = np.zeros_like(order), np.full_like(order, LARGEST_SHIFT)
    _, high = bisection(lambda c: ~(bernoulli_divergence(-c / 2, c, order) <= bound), low, high)
    return float(high.min())


def _largest_shift(
    a: FloatArray, c: FloatArray, order: FloatArray, bound: FloatArray
) -> FloatArray:
    """Solve ``bernoulli_divergence(a, c, order) = bound`` for c, by Newton's method from `c` on."""
    # On the diagonal the TPR is 1 - FPR: a shift of the log-odds by -2 a.
    low, high = np.zeros_like(a), -2 * a
    at_a, is_kl = softplus(a), order == 1
    target = np.where(is_kl, bound, bound * (order - 1))
    for _ in range(60):
        tpr, gain = expit(a + c), at_a - softplus(a + c)
        z = a + order * c
        value = np.where(is_kl, c * tpr + gain, softplus(z) - at_a + order * gain)
        slope = np.where(is_kl, c * tpr * (1 - tpr), order * (expit(z) - tpr))
        excess = value - target - SOFTPLUS_ROUNDING * (1 + np.abs(z))
        low, high = np.where(excess < 0, c, low), np.where(excess < 0, high, c)
        # Bisection where Newton's step leaves the bracket.
        with np.errstate(divide="ignore", invalid="ignore"):
            step = c - excess / slope
        before, c = c, np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(c - before) <= 1e-14 * c):
            break
    return c
