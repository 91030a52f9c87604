"""Discrete Laplace (two-sided geometric) noise on a whole-number query."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteLaplaceMechanism(FiniteLoss):
    """Noise z in {..., -1, 0, 1, ...} with probability proportional to ``e^(-|z| / scale)``.

    Pure epsilon-DP with ``epsilon = sensitivity / scale``; the loss takes the values
    ``(2 m - sensitivity) / scale`` for m = 0..sensitivity.

    Parameters
    ----------
    scale : float
        In (0, inf].
    sensitivity : int
        Largest change of the query, a whole number from 0 to 10^6.
    adjacency : {"replace_one", "add_remove"}
        Which pairs of data sets the sensitivity speaks about.

    Raises
    ------
    ValueError
        If a parameter leaves its range.
    """

    scale: float
    sensitivity: int = 1
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        scale = checks.real("scale", self.scale, 0, np.inf, closed="right")
        object.__setattr__(self, "scale", scale)
        object.__setattr__(
            self, "sensitivity", checks.whole("sensitivity", self.sensitivity, 0, 10**6)
        )
        checked_adjacency(self.adjacency)

    def to_replace_one(self) -> "DiscreteLaplaceMechanism":
        """Under add/remove, replacing one record doubles the sensitivity."""
        if self.adjacency == "replace_one":
            return self
        return DiscreteLaplaceMechanism(scale=self.scale, sensitivity=2 * self.sensitivity)

    def _atoms(self) -> Atoms:
        shift = self.sensitivity
        if shift == 0:
            return Atoms.of(np.ones(1), np.ones(1))
        m = np.arange(shift, -1, -1)
        ends = (m == 0) | (m == shift)  # everything beyond either end has the same loss
        ratio = np.exp(-1 / self.scale)
        weight = np.where(ends, 1.0, -np.expm1(-1 / self.scale)) / (1 + ratio)
        p = weight * np.exp(-m / self.scale)
        return Atoms.of(p, p[::-1].copy(), (2 * m - shift) / self.scale)
