"""Private selection by quality: the exponential mechanism and permute-and-flip."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.theory.derived import DelegatingGuarantee
from dpviz.theory.mechanisms.laplace import LaplaceMechanism, PureDPMechanism


@dataclass(frozen=True, init=False, repr=False)
class ExponentialMechanism(PureDPMechanism):
    """The exponential mechanism, which chooses a candidate at random by its quality.

    The probability is proportional to ``e^(epsilon quality / (2 D))``. One record moves a quality
    by at most D. If all qualities can only move the same way, D may replace 2 D. All losses lie in
    an interval [t - epsilon, t] (bounded range: Dong, Durfee and Rogers, 2020, "Optimal
    differential privacy composition for exponential mechanisms", lemma 3.2). Here t depends on the
    data; the worst t at each FPR gives ``log-odds of TPR = log-odds of FPR + epsilon``.

    The curve holds for all data sets, so compositions hold but are not the tightest; their zCDP is
    that of bounded range (Cesar and Rogers, 2021, lemma 3.4).

    Parameters
    ----------
    epsilon : float, in [0, inf]

    Examples
    --------
    >>> from dpviz.theory import ExponentialMechanism, PureDP
    >>> round(ExponentialMechanism(epsilon=1.0).tpr(0.1), 4), round(PureDP(epsilon=1.0).tpr(0.1), 4)
    (0.232, 0.2718)
    """

    def _beta(self, alpha: FloatArray) -> FloatArray:
        if np.isinf(self.claimed_epsilon):
            return np.zeros_like(alpha)
        return expit(-self._log_odds(alpha) - self.claimed_epsilon)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        if np.isinf(self.claimed_epsilon):
            return np.ones_like(fpr)
        return expit(self._log_odds(fpr) + self.claimed_epsilon)

    @staticmethod
    def _log_odds(rate: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(rate) - np.log1p(-rate))

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if np.isinf(s):
            return np.ones_like(epsilon)
        if s == 0:
            return -np.expm1(np.minimum(epsilon, 0.0))
        with np.errstate(over="ignore"):
            inside = np.expm1(np.minimum((epsilon - s) / 2, 0.0)) ** 2 / -np.expm1(-s)
        return np.where(epsilon > -s, inside, -np.expm1(np.minimum(epsilon, 0.0)))

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if np.isinf(s):
            return np.where(delta == 1, 0.0, np.inf)
        with np.errstate(divide="ignore"):
            epsilon = s + 2 * np.log1p(-np.sqrt(delta * -np.expm1(-s)))
        return np.asarray(np.maximum(0.0, epsilon))

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if s == 0 or np.isinf(s):
            return np.where(epsilon <= (0.0 if s == 0 else -np.inf), 1.0, 0.0)
        # The slope e^epsilon is reached where 1 + fpr (e^s - 1) = e^((s - epsilon) / 2).
        inside = np.clip(epsilon, -s, s)
        share = np.exp(-(s + inside) / 2) * np.expm1((inside - s) / 2) / np.expm1(-s)
        return np.where(epsilon > s, 0.0, np.where(epsilon <= -s, 1.0, share))

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        return np.asarray(-s - 2 * np.log(fpr + (1 - fpr) * np.exp(-s)))

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        return np.asarray(np.minimum(orders * self._smallest_rho(), self.claimed_epsilon))

    def _smallest_rho(self) -> float:
        return self.claimed_epsilon * self.claimed_epsilon / 8


@dataclass(frozen=True, init=False, repr=False)
class PermuteAndFlip(DelegatingGuarantee, PureDPMechanism):
    """Permute-and-flip, which tries candidates in random order (McKenna and Sheldon, 2020).

    A candidate is accepted with probability ``e^(epsilon (quality - best) / (2 D))``, where D is as
    in :class:`ExponentialMechanism`. The accepted candidate is distributed as the candidate of the
    largest quality plus exponential noise (Ding et al., 2021, "The permute-and-flip mechanism is
    identical to report-noisy-max with exponential noise").

    The worst curve over all data sets is that of Laplace noise. No attack is better: as the
    qualities move to those of a neighbour, the probability p of a set of outputs changes at a rate
    of at most ``epsilon min(p, 1 - p)``, as for Laplace noise. Two candidates attain this rate: the
    worse one has probability ``e^(-gap) / 2``. Compositions hold but are not the tightest.

    Parameters
    ----------
    epsilon : float, in [0, inf]

    Examples
    --------
    >>> from dpviz.theory import PermuteAndFlip
    >>> round(PermuteAndFlip(epsilon=1.0).tpr(0.1), 4)
    0.2718
    """

    def _make_curve(self) -> LaplaceMechanism:
        return LaplaceMechanism(epsilon=self.claimed_epsilon, adjacency=self.adjacency)
