"""The central limit theorem of composition: an approximation, with its own error bound."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.tradeoff import Floats, TradeoffFunction, checked_tradeoff


@dataclass(frozen=True, kw_only=True)
class CentralLimit:
    """Gaussian approximation of a composition; not a guarantee, hence no trade-off function.

    `mu` is the Gaussian that the composition of `times` mechanisms resembles; `gamma` bounds the
    difference (see `bounds`). `kl`, `kappa2` and `kappa3bar` are moments of the loss under P:
    minus the mean, the second moment and the third absolute central moment.

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, clt
    >>> round(clt(LaplaceMechanism(epsilon=0.1), times=100).gamma, 4)
    0.0569
    """

    times: int
    kl: float
    kappa2: float
    kappa3bar: float
    mu: float
    gamma: float

    @property
    def is_applicable(self) -> bool:
        """Whether the bounds say anything: `gamma` must be below 1/2."""
        return self.gamma < 0.5

    def approximate_beta(self, alpha: Floats) -> Floats:
        """G_mu(alpha): an estimate of the composition's FNR, which may err to either side."""
        return GaussianDP(mu=self.mu).beta(alpha)

    def bounds(self, alpha: Floats) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bound on the composition's beta; [0, 1 - alpha] where nothing is known.

        ``G_mu(alpha + gamma) - gamma`` and ``G_mu(alpha - gamma) + gamma`` for alpha in
        [gamma, 1 - gamma].
        """
        at = checks.reals("alpha", alpha, 0, 1)
        known = (at >= self.gamma) & (at <= 1 - self.gamma)
        inside = np.where(known, at, 0.5) if self.is_applicable else np.full_like(at, 0.5)
        curve, gamma = GaussianDP(mu=self.mu), min(self.gamma, 0.5)
        low = np.maximum(0.0, curve.beta(inside + gamma) - gamma)
        high = np.minimum(1 - at, curve.beta(inside - gamma) + gamma)
        return np.where(known, low, 0.0), np.where(known, high, 1 - at)


def clt(f: TradeoffFunction, *, times: int) -> CentralLimit:
    """Approximate `times` mechanisms of guarantee f by one Gaussian.

    Dong, Roth and Su (2022), theorem 3.5: ``mu = 2 n kl / sqrt(n (kappa2 - kl^2))`` and ``gamma =
    0.56 n kappa3bar / (n (kappa2 - kl^2))^(3/2)``. Near FPR 0 and 1 the approximation may err on
    the unsafe side; quote `bounds` or the exact :class:`Composed`.

    Parameters
    ----------
    f : TradeoffFunction
        Symmetric, of finite loss (no delta at epsilon = inf), and not perfectly private.
    times : int, at least 1

    Raises
    ------
    ValueError
        If f is not of that kind.

    Returns
    -------
    CentralLimit

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, clt
    >>> round(clt(LaplaceMechanism(epsilon=0.1), times=100).mu, 4)
    0.9844
    """
    times = checks.whole("times", times, 1)
    if not checked_tradeoff("f", f).is_symmetric or f.tpr(0.0) > 0:
        raise checks.fail("f", "symmetric with beta(0) = 1", f)
    loss = PrivacyLoss(f)
    kl = -loss.mean(member=False)
    kappa2 = loss.expectation(np.square, member=False)
    kappa3bar = loss.expectation(
        lambda values: np.abs(values + kl) ** 3, member=False, breaks=(-kl,)
    )
    variance = times * (kappa2 - kl**2)
    if not variance > 0:
        raise checks.fail("f", "a guarantee whose loss varies", f)
    return CentralLimit(
        times=times,
        kl=kl,
        kappa2=kappa2,
        kappa3bar=kappa3bar,
        mu=2 * times * kl / float(np.sqrt(variance)),
        gamma=0.56 * times * kappa3bar / float(variance) ** 1.5,
    )
