"""The central limit theorem of composition: a Normal approximation with an error bound."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.tradeoff import Floats, TradeoffFunction, checked_tradeoff, evaluate

BERRY_ESSEEN = 0.56  # the constant of the theorem for sums of equal parts


@dataclass(frozen=True, kw_only=True)
class CentralLimit:
    """A Normal approximation of a composition, which is not a privacy guarantee.

    The distribution function of the sum of `times` losses differs from a Normal one by at most
    `gamma` under P and `gamma_member` under Q. `mu` is the distance of the means in standard
    deviations under P. `kl`, `kappa2` and `kappa3bar` are moments of one loss under P: minus the
    mean, the second moment and the third absolute central moment.

    Parameters
    ----------
    ratio : float, standard deviation of the loss under Q / under P: 1 for symmetric guarantees

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, clt
    >>> normal = clt(LaplaceMechanism(epsilon=0.1), times=100)
    >>> round(normal.gamma, 4)
    0.0569
    >>> round(normal.approximate_beta(0.2), 3), [round(b, 3) for b in normal.bounds(0.2)]
    (0.443, [0.313, 0.59])
    """

    times: int
    kl: float
    kappa2: float
    kappa3bar: float
    mu: float
    gamma: float
    ratio: float
    gamma_member: float

    @property
    def is_applicable(self) -> bool:
        """Whether the error bound `gamma` is below 1/2.

        If it is not, `bounds` are trivial.
        """
        return self.gamma < 0.5

    def approximate_beta(self, alpha: Floats) -> Floats:
        """Return an estimate of the composition's FNR at the FPR `alpha`."""
        return evaluate(self._normal_fnr, "alpha", alpha, 0, 1)

    def bounds(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Return lower and upper bounds on the composition's FNR at the FPRs `alpha`.

        With G_mu the curve of mu-GDP, they are ``G_mu(alpha + gamma) - gamma`` and ``G_mu(alpha -
        gamma) + gamma`` for a symmetric guarantee if alpha is in [gamma, 1 - gamma]. For other
        alpha they are the trivial 0 and 1 - alpha.
        """
        at = checks.reals("alpha", alpha, 0, 1)
        is_known = (at >= self.gamma) & (at <= 1 - self.gamma)
        inside = np.where(is_known, at, 0.5) if self.is_applicable else np.full_like(at, 0.5)
        # The sum under P may be gamma away from the normal FPR, the sum under Q from the FNR.
        gamma = min(self.gamma, 0.5)
        low = np.maximum(0.0, self._normal_fnr(inside + gamma) - self.gamma_member)
        high = np.minimum(1 - at, self._normal_fnr(inside - gamma) + self.gamma_member)
        lower, upper = np.where(is_known, low, 0.0), np.where(is_known, high, 1 - at)
        return checks.float_if_scalar(lower), checks.float_if_scalar(upper)

    def _normal_fnr(self, fpr: FloatArray) -> FloatArray:
        """Return the FNR of the best test at each FPR if the total loss is exactly Normal."""
        return np.asarray(ndtr((-ndtri(fpr) - self.mu) / self.ratio))


def clt(f: TradeoffFunction, *, times: int) -> CentralLimit:
    """Return a Normal approximation of the composition of `times` copies of f.

    Dong, Roth and Su (2022), theorem 3.5: ``mu = 2 n kl / sqrt(n (kappa2 - kl^2))`` and ``gamma =
    0.56 n kappa3bar / (n (kappa2 - kl^2))^(3/2)``. Near FPR 0 and 1 the approximation may err on
    the unsafe side, also in every epsilon taken from it; quote `bounds` or :class:`Composed`.

    Parameters
    ----------
    f : TradeoffFunction, of finite losses in both orders, and not perfectly private
    times : int, at least 1

    Raises
    ------
    ValueError, if f is perfectly private or has an infinite loss

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, clt
    >>> round(clt(LaplaceMechanism(epsilon=0.1), times=100).mu, 4)
    0.9844
    """
    times = checks.whole("times", times, 1)
    if checked_tradeoff("f", f).tpr(0.0) > 0 or f.inverse().tpr(0.0) > 0:
        raise checks.fail("f", "a guarantee with finite privacy losses", f)
    # Moments of the loss under P, and Berry's and Esseen's bound of the error.
    mean, second, third = _first_three_loss_moments(f, member=False)
    variance = times * (second - mean**2)
    if not variance > 0:
        raise checks.fail("f", "a guarantee whose privacy loss is not constant", f)
    gamma = BERRY_ESSEEN * times * third / float(variance) ** 1.5
    # The same under Q; for symmetric guarantees the loss under Q is minus the loss under P.
    member_mean, ratio, gamma_member = -mean, 1.0, gamma
    if not f.is_symmetric:
        member_mean, member_second, member_third = _first_three_loss_moments(f, member=True)
        member_variance = times * (member_second - member_mean**2)
        ratio = float(np.sqrt(member_variance / variance))
        gamma_member = BERRY_ESSEEN * times * member_third / float(member_variance) ** 1.5
    return CentralLimit(
        times=times,
        kl=-mean,
        kappa2=second,
        kappa3bar=third,
        mu=times * (member_mean - mean) / float(np.sqrt(variance)),
        gamma=gamma,
        ratio=ratio,
        gamma_member=gamma_member,
    )


def _first_three_loss_moments(f: TradeoffFunction, *, member: bool) -> tuple[float, float, float]:
    """Return E[L], E[L^2] and E[|L - E[L]|^3] of the loss L, under Q if `member`, else under P."""
    loss = PrivacyLoss(f)
    mean = loss.mean(member=member)
    second = loss.expectation(np.square, member=member)
    cubes = loss.expectation(lambda at: np.abs(at - mean) ** 3, member=member, breaks=(mean,))
    return mean, second, cubes
