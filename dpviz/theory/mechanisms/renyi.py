"""Rényi differential privacy at some orders, and zero-concentrated differential privacy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.renyi import divergence, worst_order
from dpviz.theory.renyi_bound import RenyiBound
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, init=False, repr=False)
class RenyiDP(RenyiBound):
    """The RDP claim: Rényi divergences of some orders are at most so large (Mironov, 2017).

    Parameters
    ----------
    orders : array, in [1, inf), each once; 1 is the divergence of Kullback and Leibler
    epsilons : array, in [0, inf], the bound at each order

    Raises
    ------
    ValueError
        If a number leaves its range, an order is repeated, or the two differ in length.

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
        self,
        *,
        orders: ArrayLike,
        epsilons: ArrayLike,
        adjacency: Adjacency = "replace_one",
    ) -> None:
        given = checks.reals("orders", orders, 1, np.inf, closed="left")
        bounds = checks.reals("epsilons", epsilons, 0, np.inf)
        if given.ndim != 1 or not given.size:
            raise checks.fail("orders", "a non-empty vector", given.shape)
        if bounds.shape != given.shape:
            raise checks.fail("epsilons", f"one for each of the {given.size} orders", bounds.shape)
        place = np.argsort(given)
        repeated = np.flatnonzero(np.diff(given[place]) == 0)
        if repeated.size:
            raise checks.fail("orders", "each given once", float(given[place][repeated[0]]))
        object.__setattr__(self, "orders", tuple(given[place].tolist()))
        object.__setattr__(self, "epsilons", tuple(bounds[place].tolist()))
        object.__setattr__(self, "adjacency", checked_adjacency(adjacency))

    def bounds(self, orders: FloatArray) -> FloatArray:
        stated = dict(zip(self.orders, self.epsilons, strict=True))
        return np.array([stated.get(order, np.inf) for order in orders.tolist()])

    def _worst(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        orders, bounds = (each[:, None] for each in self._diagonal_bounds())
        excess = divergence(a, c, orders) / bounds
        found = np.argmax(excess, axis=0)
        return orders[found, 0], bounds[found, 0]

    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        orders, bounds = np.array(self.orders), np.array(self.epsilons)
        if np.isinf(bounds).all():
            return orders, bounds
        return orders[np.isfinite(bounds)], bounds[np.isfinite(bounds)]


# Zero-concentrated differential privacy.


@dataclass(frozen=True, kw_only=True, repr=False)
class ZeroConcentratedDP(RenyiBound):
    """The rho-zCDP claim: a Rényi divergence of at most ``rho order`` at every order above 1.

    (Bun and Steinke, 2016.) Its curve has every attack that this allows, and no other: more than
    a Gaussian mechanism of the same rho permits, less than the conversion to (epsilon, delta).

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", checks.real("rho", self.rho, 0, np.inf))
        checked_adjacency(self.adjacency)

    def bounds(self, orders: FloatArray) -> FloatArray:
        return self.rho * orders

    def _rho(self) -> float:
        return self.rho

    def _two_steps(self) -> "ZeroConcentratedDP":
        return ZeroConcentratedDP(rho=4 * self.rho)  # Bun and Steinke, proposition 1.9

    def _worst(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        order = worst_order(a, c)
        return order, self.rho * order

    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        return np.ones(1), np.array([self.rho])  # the limit at order 1 is the tightest there
