"""Randomized response over k answers."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(FiniteLoss):
    """Tell the true one of k answers with e^epsilon times the chance of each other one.

    The chances are ``e^epsilon q`` and ``q = 1 / (e^epsilon + k - 1)``. With k = 2 the curve is
    that of pure epsilon-DP itself; with more answers the middle of it is higher.

    Parameters
    ----------
    epsilon : float
        In [0, inf].
    categories : int
        Number k of possible answers, at least 2.
    adjacency : {"replace_one", "add_remove"}
        Which pairs of data sets the guarantee speaks about; changing one's answer is replace_one.

    Raises
    ------
    ValueError
        If a parameter leaves its range.
    """

    claimed_epsilon: float
    categories: int
    adjacency: Adjacency

    def __init__(
        self, *, epsilon: float, categories: int = 2, adjacency: Adjacency = "replace_one"
    ) -> None:
        object.__setattr__(self, "claimed_epsilon", checks.real("epsilon", epsilon, 0, np.inf))
        object.__setattr__(self, "categories", checks.whole("categories", categories, 2))
        object.__setattr__(self, "adjacency", checked_adjacency(adjacency))

    @property
    def parameters(self) -> dict[str, Any]:
        """`epsilon` and `categories`."""
        return {"epsilon": self.claimed_epsilon, "categories": self.categories}

    def _atoms(self) -> Atoms:
        epsilon, others = self.claimed_epsilon, self.categories - 2
        log_total = np.logaddexp(epsilon, math.log(self.categories - 1))
        rare = float(np.exp(-log_total))
        common = float(np.exp(epsilon - log_total)) if np.isfinite(epsilon) else 1.0
        return Atoms.of(
            np.array([rare, others * rare, common]),
            np.array([common, others * rare, rare]),
            np.array([epsilon, 0.0, -epsilon]),
        )
