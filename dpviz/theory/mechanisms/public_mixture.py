"""One of several mechanisms, drawn at random, and everybody sees which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.atoms import Atoms
from dpviz.theory.delegated import Delegated
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, of_one_adjacency


@dataclass(frozen=True, init=False, repr=False)
class PublicMixture(Delegated):
    """Mechanism i with probability w_i, the index published with the output.

    Its profile is the weighted mean of the profiles. Its curve is not the mean of the curves (that
    is higher) but their infimal convolution: the attacker spends its FPR where it pays most. A
    mixture with a hidden index is at least as private.

    Parameters
    ----------
    components : sequence of TradeoffFunction
        At least one, all with the same adjacency.
    weights : array
        As many probabilities; they sum to 1.

    Raises
    ------
    ValueError
        If the weights are no probabilities, their number differs, or the adjacencies do.
    """

    components: tuple[TradeoffFunction, ...]
    weights: tuple[float, ...]
    adjacency: Adjacency

    def __init__(
        self,
        components: Sequence[TradeoffFunction],
        *,
        weights: ArrayLike,
        adjacency: Adjacency | None = None,
    ) -> None:
        given = of_one_adjacency("components", components, adjacency)
        shares = checks.probabilities("weights", weights)
        if len(shares) != len(given):
            raise checks.fail("weights", f"one per component ({len(given)})", len(shares))
        object.__setattr__(self, "components", given)
        object.__setattr__(self, "weights", tuple(shares.tolist()))
        object.__setattr__(self, "adjacency", given[0].adjacency)

    @property
    def parameters(self) -> dict[str, Any]:
        """`components` and `weights`."""
        return {"components": self.components, "weights": self.weights}

    @property
    def error(self) -> float:
        """The largest of the components'."""
        return max(f.error for f in self.components)

    def to_replace_one(self) -> "PublicMixture":
        """Each component converted."""
        if self.adjacency == "replace_one":
            return self
        return PublicMixture([f.to_replace_one() for f in self.components], weights=self.weights)

    def _make_curve(self) -> TradeoffFunction:
        finite = [f.atoms() for f in self.components]
        atoms = [a for a in finite if a is not None]
        if len(atoms) < len(finite):
            return _FromProfile(self.components, self.weights)
        weighted = list(zip(atoms, self.weights, strict=True))
        return DiscretePair.of(
            Atoms.of(
                np.concatenate([w * a.p for a, w in weighted]),
                np.concatenate([w * a.q for a, w in weighted]),
                np.concatenate([a.loss for a, _ in weighted]),
            )
        )


@dataclass(frozen=True, repr=False)
class _FromProfile(TradeoffFunction):
    """The mixture's curve as the conjugate of its profile: from below, to rounding."""

    components: tuple[TradeoffFunction, ...]
    weights: tuple[float, ...]
    adjacency: Adjacency = "replace_one"

    @property
    def is_symmetric(self) -> bool:
        """If all components are."""
        return all(f.is_symmetric for f in self.components)

    def _mean(self, values: list[FloatArray]) -> FloatArray:
        return np.tensordot(self.weights, np.stack(values), axes=1)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._mean([f._delta(epsilon) for f in self.components])

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._mean([f._fpr_of_loss(epsilon) for f in self.components])

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return profile.tpr_of_delta(self._delta, fpr)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return 1 - self._tpr(alpha)
