"""A random choice among several mechanisms; the chosen index is published with the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile, tradeoff
from dpviz.theory.atoms import Atoms
from dpviz.theory.derived import DelegatingGuarantee
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.tradeoff import Adjacency, Breaks, LossFunction, TradeoffFunction


@dataclass(frozen=True, init=False, repr=False)
class PublicMixture(DelegatingGuarantee):
    """The mechanism that runs component i with probability w_i and publishes the index i.

    The delta is the weighted mean of the components' deltas at each epsilon; the best test uses one
    loss threshold for all components. A mixture with a hidden index is at least as private.

    Parameters
    ----------
    components : sequence of TradeoffFunction, at least one, all with the same adjacency
    weights : array, the probability of each component; the sum is 1

    Examples
    --------
    >>> from dpviz.theory import PublicMixture, PureDP
    >>> PublicMixture([PureDP(epsilon=1.0), PureDP(epsilon=3.0)], weights=[0.5, 0.5]).epsilon(0.0)
    3.0
    """

    components: tuple[TradeoffFunction, ...]
    weights: tuple[float, ...]
    adjacency: Adjacency

    def __init__(
        self,
        components: Sequence[TradeoffFunction],
        weights: ArrayLike,
        *,
        adjacency: Adjacency | None = None,
    ) -> None:
        parts = tradeoff.with_one_adjacency("components", components, adjacency)
        shares = checks.pmf("weights", weights)
        if len(shares) != len(parts):
            raise checks.fail("weights", f"as long as components ({len(parts)})", len(shares))
        weights = tuple(shares.tolist())
        self._set_fields(components=parts, weights=weights, adjacency=parts[0].adjacency)

    def _replace_one_guarantee(self) -> TradeoffFunction:
        if not self.is_symmetric:
            return super()._replace_one_guarantee()
        return PublicMixture([f.to_replace_one() for f in self.components], weights=self.weights)

    def _make_curve(self) -> TradeoffFunction:
        atoms = [a for f in self.components if (a := f.atoms()) is not None]
        if len(atoms) < len(self.components):
            return _NumericMixture(self.components, self.weights, self.adjacency)
        # A public choice is part of the output, so the losses of all components are kept apart.
        weighted = list(zip(atoms, self.weights, strict=True))
        mixed = Atoms.of(
            np.concatenate([w * a.p for a, w in weighted]),
            np.concatenate([w * a.q for a, w in weighted]),
            np.concatenate([a.loss for a, _ in weighted]),
        )
        error = max(f.error for f in self.components)
        return DiscretePair.with_losses(mixed, adjacency=self.adjacency, error=error)


@dataclass(frozen=True, repr=False)
class _NumericMixture(TradeoffFunction):
    """A public mixture with infinitely many losses, evaluated by bisection."""

    components: tuple[TradeoffFunction, ...]
    weights: tuple[float, ...]
    adjacency: Adjacency

    @property
    def is_symmetric(self) -> bool:
        return all(f.is_symmetric for f in self.components)

    @property
    def error(self) -> float:
        return max(f.error for f in self.components)

    @property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs P(L >= t) and P(L > t) for every loss t at a kink of a component."""
        corners = [f._loss_at(np.array(x)) for f in self.components for x in f.kinks]
        at = np.array([*corners, *np.nextafter(corners, np.inf)])
        return tuple(sorted(x for x in set(self._fpr_of_loss(at).tolist()) if 0 < x < 1))

    def _weighted_mean(self, values: list[FloatArray]) -> FloatArray:
        return np.asarray(sum(w * v for w, v in zip(self.weights, values, strict=True)))

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self._weighted_mean([f._delta(epsilon) for f in self.components])

    def inverse(self) -> TradeoffFunction:
        parts = tuple(f.inverse() for f in self.components)
        return self if self.is_symmetric else _NumericMixture(parts, self.weights, self.adjacency)

    def _delta_of_inverse(self, epsilon: FloatArray) -> FloatArray:
        return self._weighted_mean([f._delta_of_inverse(epsilon) for f in self.components])

    def _loss_infimum(self) -> float:
        return min(f._loss_infimum() for f in self.components)

    def _loss_supremum(self) -> float:
        pairs = zip(self.weights, self.components, strict=True)
        return max(f.epsilon(0.0) for weight, f in pairs if weight > 0)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._weighted_mean([f._fpr_of_loss(epsilon) for f in self.components])

    def _expectation(self, function: LossFunction, *, member: bool, breaks: Breaks) -> float:
        return sum(
            w * PrivacyLoss(f).expectation(function, member=member, breaks=breaks)
            for w, f in zip(self.weights, self.components, strict=True)
        )

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._weighted_mean([f._tpr_of_loss(epsilon) for f in self.components])

    def _fnr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        fnrs = []
        for f in self.components:
            fpr = f._fpr_of_loss(epsilon)
            # Where a component's FPR is below every float, beta cannot be evaluated.
            is_tiny = fpr < tradeoff.SMALLEST_RATE
            fnrs.append(np.where(is_tiny, 1 - f._tpr_of_loss(epsilon), f._beta(fpr)))
        return self._weighted_mean(fnrs)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        zero = self._weighted_mean([f._tpr(np.array(0.0)) for f in self.components])
        inside = self._rate_at_fpr(fpr, self._tpr_of_loss)
        return np.where(fpr == 0, zero, np.where(fpr == 1, 1.0, inside))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        zero = self._weighted_mean([f._beta(np.array(0.0)) for f in self.components])
        inside = self._rate_at_fpr(alpha, self._fnr_of_loss)
        return np.where(alpha == 0, zero, np.where(alpha == 1, 0.0, inside))

    def _rate_at_fpr(self, fpr: FloatArray, rate_of_loss: profile.Function) -> FloatArray:
        """Return the best test's rate at each FPR; `rate_of_loss` maps loss thresholds to rates."""
        low, high = (np.full_like(fpr, end) for end in profile.LOSS_GRID[[0, -1]])
        low, high = profile.bisection(lambda loss: self._fpr_of_loss(loss) < fpr, low, high)
        # Where a loss has mass, the best test is randomised: linear interpolation.
        left, right = self._fpr_of_loss(high), self._fpr_of_loss(low)
        width = np.where(right > left, right - left, 1.0)
        part = np.where(right > left, np.clip((fpr - left) / width, 0.0, 1.0), 1.0)
        return (1 - part) * rate_of_loss(high) + part * rate_of_loss(low)
