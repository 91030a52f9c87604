"""Uniform noise: it hides most outputs perfectly and gives the others away."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.mechanisms.claims import ApproximateDP
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, kw_only=True, repr=False)
class UniformMechanism(FiniteLoss):
    """Noise uniform on an interval: the curve of (0, delta), ``delta = sensitivity / width``.

    No epsilon makes that delta smaller: outside the overlap of the two intervals the output
    reveals its origin, with certainty.

    Parameters
    ----------
    width : float
        Length of the interval, in (0, inf].
    sensitivity : float
        Largest change of the query, in [0, inf); at `width` or more nothing is hidden.
    adjacency : {"replace_one", "add_remove"}
        Which pairs of data sets the sensitivity speaks about.

    Raises
    ------
    ValueError
        If a parameter leaves its range.
    """

    width: float
    sensitivity: float = 1.0
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        width = checks.real("width", self.width, 0, np.inf, closed="right")
        shift = checks.real("sensitivity", self.sensitivity, 0, np.inf, closed="left")
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "sensitivity", shift)
        checked_adjacency(self.adjacency)

    def to_replace_one(self) -> "UniformMechanism":
        """Under add/remove, replacing one record doubles the sensitivity."""
        if self.adjacency == "replace_one":
            return self
        return UniformMechanism(width=self.width, sensitivity=2 * self.sensitivity)

    def _atoms(self) -> Atoms:
        revealed = min(1.0, self.sensitivity / self.width)
        return ApproximateDP(epsilon=0, delta=revealed).atoms()
