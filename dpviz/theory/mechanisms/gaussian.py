"""Gaussian differential privacy and the Gaussian mechanism: T(N(0, 1), N(mu, 1))."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import erf, erfcx, log_ndtr, ndtr, ndtri, ndtri_exp

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.atoms import Atoms
from dpviz.theory.dominance import Dominance
from dpviz.theory.mechanisms.claims import PureDP
from dpviz.theory.outputs import NoiseDistribution, OutputLaws, noisy_query
from dpviz.theory.tradeoff import Adjacency, Floats, TradeoffFunction, checked_adjacency, evaluate

# How far one record moves a sum, relative to what one record adds at most: in the worst case the
# record that replaces another one has the opposite effect.
SHIFTS: dict[Adjacency, float] = {"add_remove": 1.0, "replace_one": 2.0}

NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)  # of Gauss-Legendre quadrature


def _normal_density(x: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


NORMAL_NOISE = NoiseDistribution(  # in units of its standard deviation
    density=_normal_density,
    cdf=ndtr,
    quantile=lambda probability: float(ndtri(probability)),
    loss=lambda x, shift: shift * (x - shift / 2),
    draw=lambda rng, n: rng.normal(0.0, 1.0, n),
    reach=4.0,
)


@dataclass(frozen=True, init=False, repr=False)
class GaussianDP(TradeoffFunction):
    """The mu-GDP claim: attacks are no easier than telling N(0, 1) from N(mu, 1).

    ``G_mu(a) = Phi(Phi^-1(1 - a) - mu)`` (Dong, Roth and Su, 2022, section 2.3).

    Parameters
    ----------
    mu : float, in [0, inf]; sensitivity (L2) divided by the noise's standard deviation

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> round(GaussianDP(mu=1.0).epsilon(1e-5), 4)
    4.3772
    """

    mu: float
    adjacency: Adjacency
    _group_factor = "mu", 2.0

    def __init__(self, mu: float, *, adjacency: Adjacency = "replace_one") -> None:
        self._set_fields(mu=checks.real("mu", mu, 0, np.inf), adjacency=adjacency)

    def atoms(self) -> Atoms | None:
        """Return the values of the privacy loss with their masses under P and Q.

        The result is None unless mu is 0 or inf.
        """
        return PureDP(epsilon=self.mu).atoms() if self.mu in (0, np.inf) else None

    def outputs(self) -> OutputLaws:
        """Return the output distributions: N(0, 1) for a non-member, N(mu, 1) for a member."""
        return noisy_query("output (unit: standard deviation of the noise)", NORMAL_NOISE, self.mu)

    def dominates(self, other: TradeoffFunction) -> Dominance:
        """Compare this guarantee with another at every FPR, by mu if both are Gaussian."""
        if not isinstance(other, GaussianDP) or other.adjacency != self.adjacency:
            return super().dominates(other)
        if self.mu == other.mu:
            return Dominance(relation="equal", is_exact=True)
        furthest = float(ndtr(-(self.mu + other.mu) / 2))  # the threshold is the mean of both mus
        if self.mu < other.mu:
            return Dominance(relation="dominates", better_at=furthest, is_exact=True)
        return Dominance(relation="dominated", worse_at=furthest, is_exact=True)

    def log_beta(self, log_alpha: Floats) -> Floats:
        """Return the log of `beta` at ``alpha = e^log_alpha``, accurate for log_alpha >= -1e5."""
        rate = checks.reals("log_alpha", log_alpha, -np.inf, 0)
        infinite = np.isinf(self.mu)
        logs = np.full_like(rate, -np.inf) if infinite else log_ndtr(-ndtri_exp(rate) - self.mu)
        return cast(Floats, checks.float_if_scalar(logs))

    def log_tpr(self, log_fpr: Floats) -> Floats:
        """Return the log of `tpr` at ``fpr = e^log_fpr``."""
        rate = checks.reals("log_fpr", log_fpr, -np.inf, 0)
        infinite = np.isinf(self.mu)
        logs = np.zeros_like(rate) if infinite else log_ndtr(ndtri_exp(rate) + self.mu)
        return cast(Floats, checks.float_if_scalar(logs))

    def log_delta(self, epsilon: Floats) -> Floats:
        """Return the logarithm of the privacy profile delta(epsilon).

        Epsilon is any real number. The logarithm is accurate even if delta is too small for a
        float.
        """
        return evaluate(self._log_delta, "epsilon", epsilon)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        if np.isinf(self.mu):
            return np.zeros_like(alpha)
        return ndtr(-ndtri(alpha) - self.mu) if self.mu > 0 else 1 - alpha

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        if np.isinf(self.mu):
            return np.ones_like(fpr)
        return ndtr(ndtri(fpr) + self.mu) if self.mu > 0 else fpr.copy()

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        if self.mu == 0 or np.isinf(self.mu):
            return np.zeros_like(fpr) if self.mu == 0 else 1 - fpr
        z = ndtri(fpr)
        # Where TPR - FPR would cancel, it is an integral of the density between two quantiles.
        is_near = np.isfinite(z) & (self.mu * np.maximum(1, np.abs(z)) < 2)
        inside = np.where(is_near, z, 0.0)[..., None] + self.mu / 2 * (NODES + 1)
        area = self.mu / 2 * np.sum(_normal_density(inside) * WEIGHTS, axis=-1)
        return np.where(is_near, area, np.maximum(self._tpr(fpr) - fpr, 0.0))

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return np.exp(self._log_delta(epsilon))

    def _log_delta(self, epsilon: FloatArray) -> FloatArray:
        # delta(-e) = 1 - e^-e + e^-e delta(e), for a symmetric curve.
        size = np.abs(epsilon)
        above = self._log_delta_for_positive(size)
        with np.errstate(divide="ignore"):
            below = np.logaddexp(np.log(-np.expm1(-size)), above - size)
        return np.where(epsilon >= 0, above, below)

    def _log_delta_for_positive(self, epsilon: FloatArray) -> FloatArray:
        mu = self.mu
        if mu == 0:
            return np.full_like(epsilon, -np.inf)
        if np.isinf(mu):
            return np.zeros_like(epsilon)
        # delta = Phi(-x) - phi(x) R(x + mu) with Mills' ratio R. Where these terms would cancel, it
        # is phi(x) (R(x) - R(x + mu)); where these would cancel, too, that is an integral.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            x = epsilon / mu - mu / 2
            log_density = -(x**2) / 2 - np.log(2 * np.pi) / 2
            near, far = _mills_ratio(x), _mills_ratio(x + mu)
            at_member, at_nonmember = log_ndtr(-x), log_density + np.log(far)
            difference = profile.log_diff_exp(at_member, np.minimum(at_nonmember, at_member))
            ratios = log_density + np.log(near - far)
            series = log_density + np.log(mu) + np.log(_mills_ratio_decrease_per_mu(x, mu))
            use_difference = (x < 0) & (at_nonmember - at_member < -1e-3)
        chosen = np.where(use_difference, difference, np.where(far < 0.9 * near, ratios, series))
        return np.where(np.isposinf(x), -np.inf, np.minimum(chosen, 0.0))

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        from scipy.optimize import elementwise  # slow to import, and needed only here

        mu = self.mu
        if mu == 0:
            return np.zeros_like(delta)
        if np.isinf(mu):
            return np.where(delta == 1, 0.0, np.inf)
        # The delta at epsilon 0 is erf(mu / sqrt 8): larger ones have epsilon 0.
        inside = (delta > 0) & (delta < erf(mu / np.sqrt(8)))
        if not inside.any():
            return np.where(delta > 0, 0.0, np.inf)
        target = np.log(np.where(inside, delta, 0.5 * erf(mu / np.sqrt(8))))
        # The epsilon with Pr[L > epsilon] = delta is an upper bound.
        high = mu * mu / 2 + mu * np.maximum(-ndtri_exp(target), 0.0)

        def excess(epsilon: FloatArray, log_delta: FloatArray) -> FloatArray:
            return self._log_delta_for_positive(epsilon) - log_delta

        high = np.minimum(high, np.finfo(float).max)
        root = elementwise.find_root(excess, (np.zeros_like(high), high), args=(target,)).x
        root = np.where(np.isnan(root), high, root)  # where a square overflows
        return np.where(inside, root, np.where(delta > 0, 0.0, np.inf))

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        if self.mu == 0 or np.isinf(self.mu):
            limit = 0.0 if self.mu == 0 else -np.inf
            return np.where(epsilon <= limit, 1.0, 0.0)
        with np.errstate(over="ignore"):
            return ndtr(-epsilon / self.mu - self.mu / 2)

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        return np.asarray(-self.mu * ndtri(fpr) - self.mu * self.mu / 2)

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        return self._smallest_rho() * orders

    def _smallest_rho(self) -> float:
        return self.mu * self.mu / 2


@dataclass(frozen=True, init=False, repr=False)
class GaussianMechanism(GaussianDP):
    """Gaussian noise on a sum of vectors of any dimension.

    The mechanism is exactly mu-GDP. ``mu = 1 / noise_multiplier`` if one record is added or
    removed. A record that is replaced moves the sum by up to twice as much:
    ``mu = 2 / noise_multiplier`` under ``replace_one``.

    Parameters
    ----------
    noise_multiplier : float, in (0, inf]
        The noise's standard deviation / the L2 sensitivity when one record is added or removed (for
        clipped gradients the clipping norm), as in Opacus and dp-accounting.
    adjacency : {"add_remove", "replace_one"}

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism
    >>> GaussianMechanism(noise_multiplier=2.0).mu
    0.5
    >>> GaussianMechanism(noise_multiplier=2.0, adjacency="replace_one").mu
    1.0
    """

    noise_multiplier: float
    _group_factor = "noise_multiplier", 1.0  # mu grows with the adjacency alone

    def __init__(self, noise_multiplier: float, *, adjacency: Adjacency = "add_remove") -> None:
        noise = checks.real("noise_multiplier", noise_multiplier, 0, np.inf, closed="right")
        super().__init__(mu=SHIFTS[checked_adjacency(adjacency)] / noise, adjacency=adjacency)
        self._set_fields(noise_multiplier=noise)


def _mills_ratio(x: FloatArray) -> FloatArray:
    """Return Mills' ratio, ``(1 - Phi(x)) / phi(x)``."""
    return np.asarray(np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2)))


def _mills_ratio_decrease_per_mu(x: FloatArray, mu: float) -> FloatArray:
    """Return ``(R(x) - R(x + mu)) / mu`` for Mills' ratio R, as an integral of positive terms."""
    y = np.maximum(x + mu, 0.0)[..., None]
    width = np.minimum(9.0, 40.0 / np.maximum(y, 1e-300))  # beyond, the integrand is negligible
    v = width / 2 * (NODES + 1)
    inner = np.exp(-y * v - v**2 / 2) * _mills_ratio(x[..., None] + v)
    return np.asarray((width[..., 0] / 2) * (inner @ WEIGHTS))
