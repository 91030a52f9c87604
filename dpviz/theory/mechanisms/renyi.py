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

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.mechanisms.claims import NO_PRIVACY, pair_attaining_statements
from dpviz.theory.profile import bisection
from dpviz.theory.tradeoff import Adjacency

OrdersAndBounds = tuple[FloatArray, FloatArray]  # orders, and a bound on the divergence at each
DIAGONAL_LIMIT = 1390.0  # from this gap c of log-odds on, rates with FPR = FNR round to 0 and 1


class RenyiBound(FinitelyManyLosses):
    """A guarantee in the form of bounds on the Rényi divergences of (P, Q) and of (Q, P)."""

    is_symmetric = True

    @abstractmethod
    def _tightest_bounds(self, logit: FloatArray, logit_gap: FloatArray) -> OrdersAndBounds:
        """Return, for each (FPR, TPR), the order of the tightest bound and the bound itself."""

    @abstractmethod
    def _bounds_deciding_diagonal(self) -> OrdersAndBounds:
        """Return orders and bounds that determine the largest TPR at the point FPR = FNR."""

    @abstractmethod
    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        """Return the stated bound at each order; inf at an order without a stated bound."""

    @cached_property
    def tangents(self) -> Tangents | None:
        """The tangents that bound the curve from below; None for perfect privacy or no privacy."""
        orders, bounds = self._bounds_deciding_diagonal()
        diagonal = largest_diagonal_logit_gap(orders, bounds) if bounds.min() > 0 else 0.0
        return tangents(self._tightest_bounds, diagonal) if 0 < diagonal < DIAGONAL_LIMIT else None

    @property
    def error(self) -> float:
        """The most by which the exact FNR can exceed the tangents' FNR at any FPR."""
        if self.tangents is None:
            return 0.0
        missed = max(self.tangents.corner_heights_above_chords.max(), self.tangents.delta[-1])
        atoms = self.atoms()  # no curve is above 1 - FPR
        return float(min(missed, np.max(atoms.tpr - atoms.fpr)))

    def _compute_atoms(self) -> Atoms:
        if self.tangents is not None:
            return pair_attaining_statements(self.tangents.epsilon, self.tangents.delta)
        _, bounds = self._bounds_deciding_diagonal()
        return Atoms.of(np.ones(1), np.ones(1)) if bounds.min() == 0 else NO_PRIVACY


@dataclass(frozen=True, init=False, repr=False)
class RenyiDP(RenyiBound):
    """The claim that a mechanism satisfies Rényi DP (RDP).

    At each of the `orders`, the Rényi divergence is at most the bound in `epsilons` (Mironov,
    2017).

    Parameters
    ----------
    orders : array of at most 1000 distinct orders in [1, inf); 1 is the Kullback-Leibler divergence
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
        self, orders: ArrayLike, epsilons: ArrayLike, *, adjacency: Adjacency = "replace_one"
    ) -> None:
        numbers = checks.reals("orders", orders, 1, np.inf, closed="left")
        bounds = checks.reals("epsilons", epsilons, 0, np.inf)
        if numbers.ndim != 1 or not 0 < numbers.size <= MOST_ORDERS:
            rule = f"a non-empty vector of at most {MOST_ORDERS} numbers"
            raise checks.fail("orders", rule, numbers.shape)
        if bounds.shape != numbers.shape:
            rule = f"one epsilon for each of the {numbers.size} orders"
            raise checks.fail("epsilons", rule, bounds.shape)
        # In ascending order, so that equal claims are equal objects.
        place = np.argsort(numbers)
        sorted_orders, bounds = tuple(numbers[place].tolist()), bounds[place]
        for order, after in pairwise(sorted_orders):
            if order == after:
                raise checks.fail("orders", "distinct numbers", order)
        self._set_fields(orders=sorted_orders, epsilons=tuple(bounds.tolist()), adjacency=adjacency)

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        stated = dict(zip(self.orders, self.epsilons, strict=True))
        return np.array([stated.get(order, np.inf) for order in orders.tolist()])

    def _tightest_bounds(self, logit: FloatArray, logit_gap: FloatArray) -> OrdersAndBounds:
        orders, bounds = (values[:, None] for values in self._bounds_deciding_diagonal())
        with np.errstate(over="ignore"):
            worst = np.argmax(bernoulli_divergence(logit, logit_gap, orders) / bounds, axis=0)
        return orders[worst, 0], bounds[worst, 0]

    def _bounds_deciding_diagonal(self) -> OrdersAndBounds:
        orders, bounds = np.array(self.orders), np.array(self.epsilons)
        known = np.isfinite(bounds) | np.isinf(bounds).all()
        return orders[known], bounds[known]


@dataclass(frozen=True, repr=False)
class ZeroConcentratedDP(RenyiBound):
    """The claim that a mechanism satisfies rho-zCDP.

    At every order above 1, the Rényi divergence is at most ``rho * order`` (Bun and Steinke, 2016).
    The curve is that of all allowed attacks, up to `error`. It lies below that of a Gaussian
    mechanism with this rho. For delta from 1e-100 on, epsilon is at most 0.2 % above the conversion
    of Canonne, Kamath and Steinke (2020, proposition 12).

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
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"
    _group_factor = "rho", 4  # Bun and Steinke, proposition 1.9

    def __post_init__(self) -> None:
        self._set_fields(rho=checks.real("rho", self.rho, 0, np.inf))

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        return self.rho * orders

    def _smallest_rho(self) -> float:
        return self.rho

    def _tightest_bounds(self, logit: FloatArray, logit_gap: FloatArray) -> OrdersAndBounds:
        order = order_of_largest_divergence_per_order(logit, logit_gap)
        return order, self.rho * order

    def _bounds_deciding_diagonal(self) -> OrdersAndBounds:
        return np.ones(1), np.array([self.rho])  # the limit at order 1 is the tightest there


# Rényi divergences of two Bernoullis.


def softplus(z: FloatArray) -> FloatArray:
    """Return ``log(1 + e^z)``."""
    return np.asarray(np.logaddexp(0.0, z))


def bernoulli_divergence(logit: FloatArray, logit_gap: FloatArray, order: FloatArray) -> FloatArray:
    """Return the Rényi divergence of a Bernoulli Q from a Bernoulli P, given their log-odds."""
    kl = logit_gap * expit(logit + logit_gap) + softplus(logit) - softplus(logit + logit_gap)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(order == 1, kl, _log_ratio_moment(logit, logit_gap, order) / (order - 1))


def _log_ratio_moment(logit: FloatArray, logit_gap: FloatArray, order: FloatArray) -> FloatArray:
    """Return ``log E_P[(q / p)^order]`` for the Bernoullis P and Q of `bernoulli_divergence`."""
    at_p, at_q = softplus(logit), softplus(logit + logit_gap)
    return softplus(logit + order * logit_gap) - (1 - order) * at_p - order * at_q


LEAST_EXCESS, MOST_EXCESS = 1e-4, 1e11  # order - 1 is searched in this range


def order_of_largest_divergence_per_order(logit: FloatArray, logit_gap: FloatArray) -> FloatArray:
    """Return the order at which ``bernoulli_divergence(..., order) / order`` is largest."""
    # The quotient first rises and then falls with the order.
    low, high = (np.full_like(logit, np.log(end)) for end in (LEAST_EXCESS, MOST_EXCESS))
    constant = softplus(logit) - softplus(logit + logit_gap)

    def is_beyond_peak(log_excess: FloatArray) -> NDArray[np.bool]:
        excess = np.exp(log_excess)
        order = 1 + excess
        slope = (logit_gap * expit(logit + order * logit_gap) + constant) * order * excess
        return np.asarray(~(slope > _log_ratio_moment(logit, logit_gap, order) * (order + excess)))

    is_kl = is_beyond_peak(low)
    low, high = bisection(is_beyond_peak, low, high, halvings=16)
    return np.where(is_kl, 1.0, 1 + np.exp((low + high) / 2))


# Tangents to the region of the order with the tightest bound at each FPR.

MOST_ORDERS = 1000  # stated; each is compared at every tangent
SCOUTS, TANGENTS = 100, 800  # numbers of tangents of half the curve: a first set, the final set
RELATIVE = 0.01  # the error h of a tangent weighs h (1 + RELATIVE / TPR)
LARGEST_LOG_ODDS = 700.0  # log-odds of the FPRs where tangents are taken: 1e-304
LARGEST_LOGIT_GAP = 1400.0  # with this gap an FPR of 1e-304 has the TPR 1
SOFTPLUS_ROUNDING = 1e-15  # relative; in favour of attacks

TightestBounds = Callable[[FloatArray, FloatArray], OrdersAndBounds]  # from log-odds and gaps


@dataclass(frozen=True, kw_only=True, eq=False)
class Tangents:
    """Tangents ``tpr = delta + e^epsilon fpr`` to the curve of the largest allowed TPRs."""

    logit: FloatArray  # log-odds of the FPR where it touches
    logit_gap: FloatArray  # from there to the log-odds of the TPR
    epsilon: FloatArray
    delta: FloatArray

    @cached_property
    def corner_heights_above_chords(self) -> FloatArray:
        """The heights of the tangents' corners above the chords between the points of contact."""
        x, t, slope = expit(self.logit), expit(self.logit + self.logit_gap), np.exp(self.epsilon)
        steep, flat, width = slope[1:], slope[:-1], -np.diff(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = -np.diff(t) / width
            heights = width * (chord - flat) * (steep - chord) / (steep - flat)
        return np.asarray(np.nan_to_num(np.maximum(heights, 0.0), posinf=0.0))


def tangents(tightest_bounds: TightestBounds, diagonal_logit_gap: float) -> Tangents:
    """Return tangents to the curve from the smallest FPRs up to the point FPR = FNR."""
    start = -diagonal_logit_gap / 2
    logit = start - np.expm1(np.linspace(0.0, np.log1p(LARGEST_LOG_ODDS + start), SCOUTS))
    scouts = _tangents_at(tightest_bounds, logit, np.full_like(logit, diagonal_logit_gap))
    # The height of a corner grows with the square of the distance between its tangents.
    tpr = expit(scouts.logit + scouts.logit_gap)[:-1]
    roots = np.sqrt(scouts.corner_heights_above_chords * (1 + RELATIVE / tpr))
    density = np.concatenate([[0.0], np.cumsum(roots + roots.mean() / 100)])
    logit = np.interp(np.linspace(0.0, density[-1], TANGENTS), density, logit)
    logit_gap = np.interp(logit, scouts.logit[::-1], scouts.logit_gap[::-1])
    return _tangents_at(tightest_bounds, logit, logit_gap)


def _tangents_at(bounds_at: TightestBounds, logit: FloatArray, logit_gap: FloatArray) -> Tangents:
    """Return the tangents at FPRs with log-odds `logit`; the search begins at `logit_gap`."""
    # Dinkelbach's method (1967): the gap falls until no order's bound is exceeded.
    for _ in range(12):
        order, bound = bounds_at(logit, logit_gap)
        before, logit_gap = logit_gap, _logit_gap_at_bound(logit, logit_gap, order, bound)
        if np.all(np.abs(logit_gap - before) <= 1e-4 * logit_gap):
            break
    # tpr = fpr e^loss, and the slope is e^loss ratio with loss = log(tpr / fpr).
    with np.errstate(divide="ignore", invalid="ignore"):
        above, below = np.expm1(-order * logit_gap), np.expm1(-(order - 1) * logit_gap)
        power = above / below * (order - 1) / order
        ratio = np.where(order == 1, -np.expm1(-logit_gap) / logit_gap, power)
    loss = softplus(-logit) - softplus(-(logit + logit_gap))
    epsilon = np.maximum(loss + np.log(ratio), 0.0)
    delta = expit(logit + logit_gap) * (1 - ratio)
    return Tangents(logit=logit, logit_gap=logit_gap, epsilon=epsilon, delta=delta)


def largest_diagonal_logit_gap(order: FloatArray, bound: FloatArray) -> float:
    """Return the largest c for which all bounds allow FPR expit(-c / 2) and TPR expit(c / 2)."""
    low, high = np.zeros_like(order), np.full_like(order, LARGEST_LOGIT_GAP)
    _, high = bisection(lambda c: ~(bernoulli_divergence(-c / 2, c, order) <= bound), low, high)
    return float(high.min())


def _logit_gap_at_bound(
    logit: FloatArray, logit_gap: FloatArray, order: FloatArray, bound: FloatArray
) -> FloatArray:
    """Solve ``bernoulli_divergence(logit, c, order) = bound`` for c, starting at `logit_gap`."""
    # On the diagonal the TPR is 1 - FPR: the gap is -2 logit.
    low, high = np.zeros_like(logit), -2 * logit
    at_fpr, is_kl = softplus(logit), order == 1
    target = np.where(is_kl, bound, bound * (order - 1))
    for _ in range(60):
        tpr, gain = expit(logit + logit_gap), at_fpr - softplus(logit + logit_gap)
        z = logit + order * logit_gap
        value = np.where(is_kl, logit_gap * tpr + gain, softplus(z) - at_fpr + order * gain)
        slope = np.where(is_kl, logit_gap * tpr * (1 - tpr), order * (expit(z) - tpr))
        excess = value - target - SOFTPLUS_ROUNDING * (1 + np.abs(z))
        low, high = np.where(excess < 0, logit_gap, low), np.where(excess < 0, high, logit_gap)
        # Bisection where Newton's step leaves the bracket.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = logit_gap - excess / slope
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        before, logit_gap = logit_gap, step
        if np.all(np.abs(logit_gap - before) <= 1e-14 * logit_gap):
            break
    return logit_gap
