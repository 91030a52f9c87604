"""Zero-concentrated differential privacy."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.renyi import worst_order
from dpviz.theory.renyi_bound import RenyiBound
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


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
