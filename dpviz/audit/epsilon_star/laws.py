"""Continuous distributions of losses, the logs of their tails, and ratios of two tails.

Tails are compared far beyond the data: by logs where the tails underflow, by limits where the logs
end, and for two Normal distributions at the only stationary point of their ratio.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, inf, isinf, log, log1p, pi, sqrt
from typing import Any

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtri

from dpviz import checks
from dpviz.checks import FloatArray

FARTHEST_SDS = 40.0  # standard deviations beyond which Normal tails underflow
LARGEST = 1e300  # in place of infinite log densities
LOG_SQRT_TWO_PI = log(2 * pi) / 2
LOG_SQRT_HALF_PI = log(pi / 2) / 2
SQRT_TWO = sqrt(2)
# Limits of ratios of tails.
UNLIMITED_GROWTH = 1e-9  # a log ratio has a limit if it grows less over the farther half of a tail
UNLIMITED_GROWTH_RATIO = 0.85  # no limit from this ratio to the growth over the quarter before on
LOG_SMALLEST_TAIL = log(1e-200)  # a limit can be estimated if the tails are known down to here
# The search for the largest ratio of two Normal distributions.
DOUBLINGS = 500  # steps to the right until a root is passed, at most
ROOT_TOLERANCE = 1e-9  # of the root, over the smaller deviation: at the maximum errors are squared


class Law(ABC):
    """A continuous distribution of losses; its methods return arrays of the argument's shape."""

    @property
    @abstractmethod
    def reflected(self) -> "Law":
        """The distribution of -X, whose lower tail is the upper tail of X."""

    @abstractmethod
    def log_cdf(self, x: FloatArray) -> FloatArray:
        """Return ``log P(X <= x)``."""

    @abstractmethod
    def log_pdf(self, x: FloatArray) -> FloatArray:
        """Return the log density at x."""

    @abstractmethod
    def quantile(self, p: FloatArray) -> FloatArray:
        """Return the quantile x with ``P(X <= x) = p``, precise even for tiny p."""

    @property
    @abstractmethod
    def loss_grid(self) -> FloatArray:
        """A few hundred finite losses, dense where the CDF varies, reaching far into both tails."""

    @property
    def support(self) -> tuple[float, float]:
        """The lower and the upper end of the support, -inf and inf by default."""
        return -np.inf, np.inf

    def log_sf(self, x: FloatArray) -> FloatArray:
        """Return ``log P(X > x)``."""
        return self.reflected.log_cdf(-x)

    def upper_quantile(self, p: FloatArray) -> FloatArray:
        """Return the quantile x with ``P(X > x) = p``, precise even for tiny p."""
        return -self.reflected.quantile(p)


@dataclass(frozen=True, kw_only=True)
class Normal(Law):
    """A Normal distribution: mean, and standard deviation > 0."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.real("mean", self.mean, closed="neither"))
        object.__setattr__(self, "sd", checks.real("sd", self.sd, 0, np.inf, closed="neither"))

    @cached_property
    def reflected(self) -> "Normal":
        return Normal(mean=-self.mean, sd=self.sd)

    def log_cdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(log_ndtr((x - self.mean) / self.sd))

    def log_pdf(self, x: FloatArray) -> FloatArray:
        z = (x - self.mean) / self.sd
        return np.asarray(-z * z / 2 - LOG_SQRT_TWO_PI - np.log(self.sd))

    def quantile(self, p: FloatArray) -> FloatArray:
        return self.mean + self.sd * np.asarray(ndtri(p))

    @property
    def loss_grid(self) -> FloatArray:
        return self.mean + self.sd * np.linspace(-FARTHEST_SDS, FARTHEST_SDS, 161)


@dataclass(frozen=True, eq=False)
class Mixture(Law):
    """A mixture of Normal distributions: weights in (0, 1] that sum to 1, means, and sds > 0."""

    weights: FloatArray
    means: FloatArray
    sds: FloatArray

    def __post_init__(self) -> None:
        weights = checks.pmf("weights", self.weights)
        checks.reals("weights", weights, 0, 1, closed="right")
        means = checks.vector("means", self.means, finite=True)
        sds = checks.reals("sds", self.sds, 0, np.inf, closed="neither")
        for name, values in (("means", means), ("sds", sds)):
            if values.shape != weights.shape:
                raise checks.fail(name, f"of the shape of weights, {weights.shape}", values.shape)
        weights = weights / weights.sum()
        for name, values in (("weights", weights), ("means", means), ("sds", sds)):
            object.__setattr__(self, name, checks.read_only(values))

    @cached_property
    def components(self) -> tuple[Normal, ...]:
        """The Normal distributions of which the mixture consists."""
        pairs = zip(self.means.tolist(), self.sds.tolist(), strict=True)
        return tuple(Normal(mean=mean, sd=sd) for mean, sd in pairs)

    @cached_property
    def reflected(self) -> "Mixture":
        return Mixture(self.weights, -self.means, self.sds)

    def log_cdf(self, x: FloatArray) -> FloatArray:
        return self._log_weighted_sum(log_ndtr(self._z_scores(x)))

    def log_pdf(self, x: FloatArray) -> FloatArray:
        sds = _broadcastable_over(self.sds, x)
        return self._log_weighted_sum(-(self._z_scores(x) ** 2) / 2 - LOG_SQRT_TWO_PI - np.log(sds))

    def quantile(self, p: FloatArray) -> FloatArray:
        from scipy.optimize import brentq  # slow to import
        from scipy.optimize.elementwise import find_root  # slow to import

        # A quantile of a mixture lies between those of its components, up to rounding.
        ends = [law.quantile(p) for law in self.components]
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        margin = 1e-9 * (1 + np.abs(low) + np.abs(high) + high - low)
        low, high, log_p = low - margin, high + margin, np.log(p)

        def excess(x: Any, log_p: Any) -> Any:
            return self.log_cdf(x) - log_p

        if np.ndim(p) == 0:  # many times faster for a single place
            return np.asarray(brentq(excess, float(low), float(high), args=(log_p,)))
        return np.asarray(find_root(excess, (low, high), args=(log_p,)).x)

    @property
    def loss_grid(self) -> FloatArray:
        return np.concatenate([law.loss_grid for law in self.components])

    def _z_scores(self, x: FloatArray) -> FloatArray:
        return (x - _broadcastable_over(self.means, x)) / _broadcastable_over(self.sds, x)

    def _log_weighted_sum(self, logs: FloatArray) -> FloatArray:
        """Return log(sum of weight * exp(`logs`)) over the components (first axis of `logs`)."""
        # The largest log is taken out of the sum, so that no exponential over- or underflows.
        logs = logs + np.log(_broadcastable_over(self.weights, logs[0]))
        largest = np.maximum(logs.max(axis=0), -LARGEST)  # finite, for differences at infinity
        with np.errstate(divide="ignore"):
            return np.asarray(largest + np.log(np.exp(logs - largest).sum(axis=0)))


@dataclass(frozen=True, eq=False)
class ScipyLaw(Law):
    """A frozen continuous distribution of scipy.stats; log CDFs that underflow are -inf."""

    distribution: Any
    is_reflected: bool = False  # whether X is minus the variable of `distribution`

    def __post_init__(self) -> None:
        from scipy.stats import rv_continuous  # slow to import

        if not isinstance(getattr(self.distribution, "dist", None), rv_continuous):
            wanted = "a frozen continuous distribution such as scipy.stats.gamma(2)"
            raise TypeError(f"distribution must be {wanted}, got {self.distribution!r}")
        low, high = self.distribution.support()
        if np.ndim(low) or np.ndim(high):
            raise checks.fail("distribution", "a single distribution", f"shape {np.shape(low)}")

    @cached_property
    def reflected(self) -> "ScipyLaw":
        return ScipyLaw(self.distribution, not self.is_reflected)

    def log_cdf(self, x: FloatArray) -> FloatArray:
        if self.is_reflected:
            return _call_without_warnings(self.distribution.logsf, -x)
        return _call_without_warnings(self.distribution.logcdf, x)

    def log_pdf(self, x: FloatArray) -> FloatArray:
        return _call_without_warnings(self.distribution.logpdf, -x if self.is_reflected else x)

    def quantile(self, p: FloatArray) -> FloatArray:
        if self.is_reflected:
            return -_call_without_warnings(self.distribution.isf, p)
        return _call_without_warnings(self.distribution.ppf, p)

    @property
    def loss_grid(self) -> FloatArray:
        # Quantiles down to 1e-300 on either side, and the ends of the support.
        p = np.concatenate([np.logspace(-300, -3, 200), np.linspace(0.002, 0.5, 100)])
        places = np.concatenate([self.quantile(p), self.upper_quantile(p), self.support])
        return np.asarray(places[np.isfinite(places)])

    @property
    def support(self) -> tuple[float, float]:
        low, high = map(float, self.distribution.support())
        return (-high, -low) if self.is_reflected else (low, high)


def _call_without_warnings(function: Callable[[FloatArray], Any], x: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):
        return np.asarray(function(x), float)


def _broadcastable_over(parameters: FloatArray, x: FloatArray) -> FloatArray:
    return parameters.reshape(-1, *(1,) * np.ndim(x))


def limit_and_bound_of_log_ratio(top: Law, bottom: Law, table: FloatArray) -> tuple[float, float]:
    """Return limit and upper bound of log(A / B) in the lower tail; `top` has CDF A, `bottom` B.
    The rows of `table` are ascending s, log A, log B; the bound holds below the first s. The limit
    is exact for Normal distributions and mixtures, else estimated; (-inf, inf) if unknown.
    """
    if are_normal_mixtures(top, bottom):
        return _limit_and_bound_for_mixtures(top, bottom, table)
    starts = top.support[0], bottom.support[0]
    if starts[0] != starts[1]:
        return (np.inf, np.inf) if starts[0] < starts[1] else (-np.inf, -np.inf)
    s, a, b = table[:, np.isfinite(table[1]) & np.isfinite(table[2])]
    if s.size == 0 or a[0] > LOG_SMALLEST_TAIL:
        return -np.inf, np.inf
    # A ratio that converges as 1 / log(tail) or faster grows at most half as much over the farther
    # half of the e-folds as over the quarter before; one that diverges as log log grows as much.
    places = np.minimum(np.searchsorted(a, [a[0], a[0] / 2, a[0] / 4]), s.size - 1)
    ratios = (a - b)[places]
    farther, nearer = ratios[0] - ratios[1], ratios[1] - ratios[2]
    if abs(farther) <= UNLIMITED_GROWTH:
        return float(ratios[0]), float(ratios[0])
    if farther < 0:
        return -np.inf, float(ratios[0])
    return (np.inf if farther >= UNLIMITED_GROWTH_RATIO * nearer else -np.inf), np.inf


def are_normal_mixtures(*laws: Law) -> bool:
    """Return whether all `laws` are Normal distributions or mixtures of Normal distributions."""
    return all(isinstance(law, Normal | Mixture) for law in laws)


def _limit_and_bound_for_mixtures(top: Law, bottom: Law, table: FloatArray) -> tuple[float, float]:
    sd, distance, weight = _dominant_component(top)
    *bottom_part, bottom_weight = _dominant_component(bottom)
    # The larger standard deviation has the heavier tail, and among equal ones the farther mean.
    if [sd, distance] > bottom_part:
        return np.inf, np.inf
    is_equal = [sd, distance] == bottom_part
    limit = float(np.log(weight) - np.log(bottom_weight)) if is_equal else -np.inf
    # B is at least its dominant component, and a component of A over this one is monotone before
    # the place where their density ratio has its extremum.
    (sd, distance), first = bottom_part, table[:, :1]
    for s, d, _ in _normal_components(top):
        if s < sd and first[0, 0] >= (distance * s**2 - d * sd**2) / (sd**2 - s**2):
            return limit, np.inf
    dominant = Normal(mean=-distance, sd=sd).log_cdf(first[0])
    return limit, float(first[1, 0] - dominant[0] - np.log(bottom_weight))


def _normal_components(law: Law) -> list[tuple[float, float, float]]:
    """Return tuples (sd, -mean, weight); the component of the largest dominates the lower tail."""
    if isinstance(law, Normal):
        return [(law.sd, -law.mean, 1.0)]
    if not isinstance(law, Mixture):
        raise TypeError(f"distribution must be a Normal or a Mixture, got {law!r}")
    columns = (law.sds, -law.means, law.weights)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _dominant_component(law: Law) -> tuple[float, float, float]:
    """Return sd, -mean and total weight of the components that dominate the far lower tail."""
    parts = _normal_components(law)
    sd, distance, _ = max(parts)
    return sd, distance, sum(weight for *same, weight in parts if same == [sd, distance])


def supremum_of_normal_ratio(
    mean: float, sd: float, *, delta: float, low: float, high: float
) -> tuple[float, float | None]:
    """Return the supremum of ``log((Phi((x - mean) / sd) - delta) / Phi(x))`` over [low, high].
    The second value is the x of the supremum: -inf for a limit on the left, None for the limit
    ``log(1 - delta)`` on the right. Each Epsilon* ratio of two Normal distributions is such a
    supremum: A and B are their CDFs, after swapping them (m2, m4) and reflecting the line (m2, m3),
    in units of the distribution in the denominator, B. `math` is faster than numpy here.

    *Proof of one stationary point at most.* Let A and B be the two CDFs, B = Phi, and h the density
    ratio dA/dB. The ratio ``g = (A - delta) / B`` has ``g' = (dB / B)(h - g)``: g rises while g < h
    and falls while g > h. So g has its local maxima where h decreases, and each interval on which h
    decreases holds at most one. At the maximum g = h, so ``psi = log g - log h`` changes sign there
    once, from - to +.
    """
    unbounded = isinf(low) and isinf(high)
    # At delta = 0, a numerator with the heavier left tail makes the ratio grow without limit.
    if unbounded and delta == 0 and (sd > 1 or (sd == 1 and mean < 0)):
        return inf, -inf
    # The maximum is at an end of the interval, at the stationary point, or a limit.
    best, place = -inf, 0.0
    candidates = [] if unbounded else [low, high]
    stationary = _stationary_point(mean, sd, delta)
    if stationary is not None and low <= stationary <= high:
        candidates.append(stationary)
    for x in candidates:
        if (value := _normal_log_ratio(mean, sd, x, delta)) >= best:
            best, place = value, x
    # On the right both CDFs tend to 1.
    limit = log1p(-delta) if delta < 1 else -inf
    return (limit, None) if unbounded and limit >= best else (best, place)


def _stationary_point(mean: float, sd: float, delta: float) -> float | None:
    """Return the only x at which the ratio of two Normal tails may have a maximum, or None."""
    from scipy.optimize import brentq  # slow to import

    # Where h decreases and g is positive: the interval that may hold the maximum.
    start = mean + sd * float(ndtri(delta))  # the ratio is negative on the left of it
    left, right = start, inf
    # The density ratio h decreases right of its vertex if sd < 1, left of it if sd > 1, and
    # with sd = 1 everywhere or nowhere.
    if sd < 1:
        left = max(mean / ((1 - sd) * (1 + sd)), start)
    elif sd > 1:
        right = mean / ((1 - sd) * (1 + sd))
    elif mean >= 0:
        return None
    if isinf(left) or left >= right:  # falls all the way, or is never positive
        return None

    def psi(x: float) -> float:
        """Return log(g / h) for the ratio g and the density ratio h; 0 at the stationary point."""
        z = (x - mean) / sd
        log_a = float(log_ndtr(z))
        left_over = _log_of_one_minus_delta_over_a(log_a, delta)
        # Right of both means Mills' ratios are huge: their difference would lose digits.
        if x > 0 and z > 0:
            log_h = _half_square_difference(mean, sd, x, z) - log(sd)
            return log_a + left_over - float(log_ndtr(x)) - log_h
        # Logs of CDFs over densities (Mills' ratios) do not underflow in the left tail.
        return left_over + _log_mills(z) - _log_mills(x) + log(sd)

    if isinf(right):
        step = max(1.0, sd)
        for _ in range(DOUBLINGS):
            if psi(left + step) > 0:
                right = left + step
                break
            left, step = left + step, 2 * step
        else:  # equal but for rounding: the ratio only nears its limit
            return None
    elif psi(right) <= 0:
        return None
    if psi(left) >= 0:  # by rounding
        return left
    return float(brentq(psi, left, right, xtol=ROOT_TOLERANCE * min(sd, 1.0)))


def _normal_log_ratio(mean: float, sd: float, x: float, delta: float) -> float:
    """Return ``log((Phi((x - mean) / sd) - delta) / Phi(x))``, also where tails underflow."""
    z = (x - mean) / sd
    log_a = float(log_ndtr(z))
    left = _log_of_one_minus_delta_over_a(log_a, delta)
    if left == -inf:
        return -inf
    # The logs of CDFs keep their digits unless both are left tails; there Mills' ratios do.
    if x >= 0 or z >= 0:
        return log_a + left - float(log_ndtr(x))
    return left + _log_mills(z) - _log_mills(x) + _half_square_difference(mean, sd, x, z)


def _log_of_one_minus_delta_over_a(log_a: float, delta: float) -> float:
    """Return ``log(1 - delta / A)``, given ``log(A)``; -inf where A does not exceed delta."""
    if delta == 0:
        return 0.0
    gap = log(delta) - log_a
    if gap >= 0:
        return -inf
    # Either form of log(1 - e^gap) keeps its digits on its side of gap = -log 2.
    return log(-expm1(gap)) if gap > -0.6931471805599453 else log1p(-exp(gap))


def _log_mills(x: float) -> float:
    """Return ``log(Phi(x) / phi(x))`` of the Normal CDF and density, without underflow."""
    if x < 0:
        return log(float(erfcx(-x / SQRT_TWO))) + LOG_SQRT_HALF_PI
    return float(log_ndtr(x)) + x * x / 2 + LOG_SQRT_TWO_PI


def _half_square_difference(mean: float, sd: float, x: float, z: float) -> float:
    """Return ``(x^2 - z^2) / 2`` for z = (x - mean) / sd, without cancellation."""
    return (x * (sd - 1) + mean) / sd * (x + z) / 2
