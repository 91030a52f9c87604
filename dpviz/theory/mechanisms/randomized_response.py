"""Randomized response over k answers."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.outputs.bars import Bars
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(FiniteLoss):
    """Report the true one of k answers with e^epsilon times the probability of any other one.

    The probabilities are ``e^epsilon q`` and ``q = 1 / (e^epsilon + k - 1)``. With k = 2 the curve
    is that of pure epsilon-DP itself; with more answers it is higher in the middle.

    Parameters
    ----------
    epsilon : float, in [0, inf]
    categories : int, number k of possible answers, at least 2
    adjacency : {"replace_one", "add_remove"}, changing one's answer is replace_one

    Examples
    --------
    >>> from dpviz.theory import RandomizedResponse
    >>> round(RandomizedResponse(epsilon=1.0, categories=5).tpr(0.5), 4)
    0.7558
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

    def outputs(self) -> Bars:
        """Non-members' true answer is "out", members' "in"; all other answers are one bar."""
        p, loss = self._masses()
        others = self.categories - 2
        labels = ("“out”", f"{others} other" + "s" * (others > 1), "“in”")
        shown = [0, 1, 2] if others else [0, 2]
        return Bars.of(
            "answer", tuple(labels[k] for k in shown), p[shown], p[::-1][shown], loss=loss[shown]
        )

    def _atoms(self) -> Atoms:
        p, loss = self._masses()
        return Atoms.of(p[::-1], p, loss[::-1])

    def _masses(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities of a non-member's answers "out", any other and "in"; their losses."""
        epsilon, others = self.claimed_epsilon, self.categories - 2
        log_total = np.logaddexp(epsilon, math.log(self.categories - 1))
        rare = float(np.exp(-log_total))
        common = float(np.exp(epsilon - log_total)) if np.isfinite(epsilon) else 1.0
        return np.array([common, others * rare, rare]), np.array([-epsilon, 0.0, epsilon])
