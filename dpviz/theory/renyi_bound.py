"""Guarantees that bound Rényi divergences: their curves, and how they compose."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.renyi import Tangents, on_diagonal, tangents
from dpviz.theory.statements import NOTHING_HIDDEN, intersection

MOST = 1390.0  # shift of log-odds on the diagonal beyond which floats know nothing but 0 and 1


class RenyiBound(FiniteLoss):
    """A guarantee about Rényi divergences of some orders, in both orders of a pair.

    The curve is the envelope of tangents to the exact region, from below, with its `error`.
    """

    is_symmetric = True

    @abstractmethod
    def _worst(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The order whose bound two Bernoullis exceed the most, and the bound there."""

    @abstractmethod
    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Orders that decide where FPR = FNR, and their bounds."""

    @abstractmethod
    def bounds(self, orders: FloatArray) -> FloatArray:
        """The bound that is stated at each order; inf where there is none."""

    def _renyi(self, orders: FloatArray) -> FloatArray:
        return self.bounds(orders)  # as stated, not that of the pair that has the curve

    @cached_property
    def tangents(self) -> Tangents | None:
        """The statements that carry the curve; None if it is one of the two extreme ones."""
        orders, bounds = self._diagonal_bounds()
        diagonal = on_diagonal(orders, bounds) if bounds.min() > 0 else 0.0
        return tangents(self._worst, diagonal) if 0 < diagonal < MOST else None

    @property
    def error(self) -> float:
        """What is missed between tangents, and beyond the steepest."""
        if self.tangents is None:
            return 0.0
        atoms = self.atoms()  # no curve is above 1 - FPR
        return min(self.tangents.error, float(np.max(atoms.tpr - atoms.fpr)))

    def _atoms(self) -> Atoms:
        if self.tangents is not None:
            return intersection(self.tangents.epsilon, self.tangents.delta)
        _, bounds = self._diagonal_bounds()
        return Atoms.of(np.ones(1), np.ones(1)) if bounds.min() == 0 else NOTHING_HIDDEN


def added(counts: Mapping[RenyiBound, int], orders: FloatArray) -> FloatArray:
    """Bounds of mechanisms together, each used so many times: those of an order add up."""
    return np.asarray(sum(times * f.bounds(orders) for f, times in counts.items()))
