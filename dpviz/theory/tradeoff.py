"""What every privacy guarantee can say about an attacker: the trade-off function.

Convention (Dong, Roth and Su, "Gaussian Differential Privacy", 2022): H0 = "not a member",
alpha = FPR = type I error, beta = FNR = type II error, and
``beta(alpha) = inf { FNR of any test with FPR <= alpha }``. A higher curve is a stronger guarantee.
"""

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Literal, Self, TypeVar

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray

Adjacency = Literal["replace_one", "add_remove"]
ADJACENCIES = ("replace_one", "add_remove")

Floats = TypeVar("Floats", float, FloatArray)
"""Floats in, floats out; arrays in, arrays of the same shape out."""


class TradeoffFunction(ABC):
    """A privacy guarantee as a trade-off function; immutable and hashable.

    A mechanism implements the methods that begin with an underscore on float64 arrays that are
    already checked, `parameters`, `draw` and `to_replace_one`.
    """

    adjacency: Adjacency

    @property
    @abstractmethod
    def parameters(self) -> dict[str, float]:
        """The keyword arguments (other than `adjacency`) that build this guarantee again."""

    @abstractmethod
    def _tpr(self, fpr: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _beta(self, alpha: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _delta(self, epsilon: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _epsilon(self, delta: FloatArray) -> FloatArray: ...

    @abstractmethod
    def draw(self, n: int = 512) -> FloatArray:
        """At most `n` vertices of the curve, shape (k, 2), columns FPR and FNR, kinks exact."""

    @abstractmethod
    def to_replace_one(self) -> "TradeoffFunction":
        """The guarantee under replace-one adjacency (itself if it already is one)."""

    @abstractmethod
    def admits(self, *, fpr: float, fnr: float) -> bool:
        """Whether an attack with these rates is compatible with the guarantee.

        An attack that is wrong too often is ruled out as well: its answers can be flipped.
        """

    def beta(self, alpha: Floats) -> Floats:
        """Smallest FNR any test with FPR `alpha` can have.

        Parameters
        ----------
        alpha : float or array
            False positive rate in [0, 1].

        Raises
        ------
        ValueError
            If `alpha` leaves [0, 1] or is not a number.
        """
        result: Floats = checks.like_input(self._beta(checks.reals("alpha", alpha, 0, 1)))
        return result

    def tpr(self, fpr: Floats) -> Floats:
        """Largest TPR any test with FPR `fpr` can have: ``1 - beta(fpr)``, without cancellation."""
        result: Floats = checks.like_input(self._tpr(checks.reals("fpr", fpr, 0, 1)))
        return result

    def advantage(self, fpr: Floats) -> Floats:
        """Largest TPR - FPR any test with FPR `fpr` can have; in [0, 1]."""
        result: Floats = checks.like_input(self._advantage(checks.reals("fpr", fpr, 0, 1)))
        return result

    def region(self, n: int = 512) -> FloatArray:
        """Corners of all (FPR, FNR) the guarantee admits, counter-clockwise; shape (k, 2)."""
        lower = self.draw(n // 2)
        corners = [(float(x), float(y)) for x, y in np.concatenate([lower, 1 - lower])]
        return distinct_vertices(corners)

    def delta(self, epsilon: Floats) -> Floats:
        """One-sided privacy profile ``sup_x 1 - beta(x) - e^epsilon x``, for any real epsilon."""
        result: Floats = checks.like_input(self._delta(checks.reals("epsilon", epsilon)))
        return result

    def epsilon(self, delta: Floats) -> Floats:
        """Smallest epsilon >= 0 with ``self.delta(epsilon) <= delta``; inf if there is none."""
        result: Floats = checks.like_input(self._epsilon(checks.reals("delta", delta, 0, 1)))
        return result

    def with_parameters(self, **changes: float) -> Self:
        """The same kind of guarantee with some of its `parameters` changed."""
        return type(self)(**{**self.parameters, "adjacency": self.adjacency, **changes})

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        return self._tpr(fpr) - fpr

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in self.parameters.items()]
        if self.adjacency != "replace_one":
            shown.append(f"adjacency={self.adjacency!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


def distinct_vertices(points: list[tuple[float, float]]) -> FloatArray:
    """Drop vertices equal to the one before; shape (k, 2)."""
    kept = [points[0]]
    kept.extend(b for a, b in pairwise(points) if a != b)
    return np.array(kept)
