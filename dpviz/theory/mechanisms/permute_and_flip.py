"""Permute-and-flip: another choice among candidates by their quality."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.theory.delegated import Delegated
from dpviz.theory.mechanisms.laplace import LaplaceMechanism
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, init=False, repr=False)
class PermuteAndFlip(Delegated):
    """Candidates in random order, each taken with chance ``e^(epsilon (quality - best) / (2 D))``.

    D is how far one record can move a quality; where all qualities can only move the same way,
    ``e^(epsilon (quality - best) / D)`` has the same curve. It is the largest quality with
    exponential noise (Ding et al., 2021, "The permute-and-flip mechanism is identical to
    report-noisy-max with exponential noise").

    The worst curve over all data is that of Laplace noise. No attack is better: while the qualities
    move to those of the neighbour, any set of outputs has a chance p that changes by at most
    ``epsilon min(p, 1 - p)``, because the mechanism is private in each small part of the way; the
    distribution function of Laplace noise changes by just that. And two candidates attain it: the
    worse one is chosen with chance ``e^(-gap) / 2``.

    One curve for whatever data, so compositions of it hold but are not the tightest.

    Parameters
    ----------
    epsilon : float, in [0, inf]

    References
    ----------
    McKenna and Sheldon, Permute-and-flip: a new mechanism for differentially private selection
    (NeurIPS 2020).

    Examples
    --------
    >>> from dpviz.theory import ExponentialMechanism, PermuteAndFlip
    >>> choices = PermuteAndFlip(epsilon=1.0), ExponentialMechanism(epsilon=1.0)
    >>> [round(choice.tpr(0.1), 4) for choice in choices]
    [0.2718, 0.232]
    """

    claimed_epsilon: float
    adjacency: Adjacency

    def __init__(self, *, epsilon: float, adjacency: Adjacency = "replace_one") -> None:
        # `epsilon` is a method of every trade-off function, hence the other name.
        object.__setattr__(self, "claimed_epsilon", checks.real("epsilon", epsilon, 0, np.inf))
        object.__setattr__(self, "adjacency", checked_adjacency(adjacency))

    def _make_curve(self) -> LaplaceMechanism:
        return LaplaceMechanism(epsilon=self.claimed_epsilon, adjacency=self.adjacency)

    def _two_steps(self) -> "PermuteAndFlip":
        return PermuteAndFlip(epsilon=2 * self.claimed_epsilon)
