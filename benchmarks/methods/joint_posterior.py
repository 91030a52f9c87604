"""The epsilon of a posterior of both error rates (Zanella-Beguelin et al., 2023), by quadrature.

With Jeffreys priors the rates have independent Beta posteriors. An (epsilon, delta) guarantee is
``TPR <= delta + E FPR`` with ``E = e^epsilon``, and the same of (TNR, FNR), (FNR, TNR), (FPR, TPR).
The first two meet where both rates of errors are ``k = (1 - delta) / (1 + E)``: they hold in the
quadrant beyond k and in two wedges, one where FPR < k and one where FNR < k; the last two alike.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.special import betainc, betaincinv, expit, ndtri, xlog1py

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import ApproximateDP
from dpviz.theory.region import log_ratio

LARGEST = 700.0  # epsilon beyond which every region is the whole square
NODES = 80  # of the quadrature; leave errors of about 1e-11
REACH = 6.5  # a posterior has less than e^(-REACH^2) outside the angles that are integrated
TOLERANCE = 1e-9  # of epsilon
COMPLEMENTS = [2, 3, 0, 1]  # from (FPR, FNR, TNR, TPR) to (TNR, TPR, FPR, FNR)


def joint_beta_cdf(
    epsilon: float,
    *,
    false_positives: int,
    true_negatives: int,
    false_negatives: int,
    true_positives: int,
    delta: float,
) -> float:
    """Posterior probability that both error rates lie in the privacy region of (epsilon, delta).

    Parameters
    ----------
    epsilon : float, in [0, inf]
    false_positives, true_negatives, false_negatives, true_positives : int, at least 0
    delta : float, in [0, 1]

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Zanella-Beguelin et al., "Bayesian estimation of differential privacy" (2023).

    Examples
    --------
    >>> from benchmarks.methods.joint_posterior import joint_beta_cdf
    >>> counts = {"false_positives": 5, "true_negatives": 95, "false_negatives": 60}
    >>> round(joint_beta_cdf(2.0, **counts, true_positives=40, delta=0), 3)
    0.457
    """
    ApproximateDP(epsilon=epsilon, delta=delta)  # raises if out of range
    posteriors = _posteriors(false_positives, true_negatives, false_negatives, true_positives)
    return posteriors.share(epsilon, delta)


def joint_beta_epsilon(
    *,
    false_positives: int,
    true_negatives: int,
    false_negatives: int,
    true_positives: int,
    delta: float,
    confidence_level: float,
) -> float:
    """The ``1 - confidence_level`` quantile of the posterior of epsilon.

    Parameters
    ----------
    false_positives, true_negatives, false_negatives, true_positives : int
    delta : float, as of `joint_beta_cdf`
    confidence_level : float, in (0, 1)

    Returns
    -------
    float
        0 where the region of epsilon 0 has more of the posterior than ``1 - confidence_level``, inf
        where every region has less.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Zanella-Beguelin et al., "Bayesian estimation of differential privacy" (2023).

    Examples
    --------
    >>> from benchmarks.methods.joint_posterior import joint_beta_epsilon
    >>> counts = {"false_positives": 5, "true_negatives": 95, "false_negatives": 60}
    >>> round(joint_beta_epsilon(**counts, true_positives=40, delta=0, confidence_level=0.95), 3)
    1.391
    """
    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    delta = checks.real("delta", delta, 0, 1)
    posteriors = _posteriors(false_positives, true_negatives, false_negatives, true_positives)

    def excess(epsilon: float) -> float:
        # Normal quantiles make it nearly linear, so that a few steps find the root.
        share = np.clip(posteriors.share(epsilon, delta), 1e-16, 1 - 1e-16)
        return float(ndtri(share) - ndtri(level))

    low, high = posteriors.bracket(level, delta)
    if np.isinf(high):
        return high
    at_low, at_high = excess(low), excess(high)
    if at_low >= 0 or at_high <= 0:
        return low if at_low >= 0 else high
    last = 0.0
    while high - low > TOLERANCE:
        middle = low - at_low * (high - low) / (at_high - at_low)
        found = excess(middle)
        if abs(found) < TOLERANCE:
            return middle
        # False position with less weight on an end that stays twice (Anderson and Bjorck, 1973).
        before = at_low if found < 0 else at_high
        weight = max(1 - found / before, 0.5) if found * last > 0 else 1.0
        if found < 0:
            low, at_low, at_high = middle, found, at_high * weight
        else:
            high, at_high, at_low = middle, found, at_low * weight
        last = found
    return low


@dataclass(frozen=True, eq=False)
class _Posteriors:
    """Posteriors of (FPR, FNR, TNR, TPR); the region compares each with that in reversed order."""

    x: FloatArray  # records that each rate counts
    y: FloatArray  # the others of their class

    def share(self, epsilon: float, delta: float) -> float:
        """The posterior probability of the region."""
        if epsilon > LARGEST:
            return 1.0  # all rates but 0 and 1 are inside
        grown, k = np.exp(epsilon), (1 - delta) * expit(-epsilon)

        def meets(angles: FloatArray) -> FloatArray:
            return _angle((np.sin(angles[::-1]) ** 2 - delta) / grown)

        start, stop = self._bulk
        corner = _angle(k)
        start = np.minimum(np.maximum(start, meets(start)), corner)
        stop = np.clip(np.minimum(stop, meets(stop)), start, corner)
        angles, weights = self._density(start, stop)
        bound = np.minimum(delta + grown * np.sin(angles) ** 2, 1)
        a, b = self.x + 0.5, self.y + 0.5
        held = np.sum(weights * betainc(a[::-1, None], b[::-1, None], bound), axis=1) / self._total
        below = betainc(a, b, k)
        held += below - betainc(a, b, np.sin(stop) ** 2)  # beyond `stop` all of the wedge is inside
        quadrants = (1 - below[::2]) * (1 - below[1::2])
        return float(np.clip(held.sum() + quadrants.sum() - 1, 0, 1))

    def bracket(self, level: float, delta: float) -> tuple[float, float]:
        """Two epsilons between which the share reaches `level`, from rectangles of rates.

        Below `low` an inequality fails except beyond two limits at half the level each; above
        `high` all hold in a rectangle that has `level` of the posterior.
        """
        tails = np.array([[level / 2], [(1 - np.sqrt(level)) / 2]])
        lower = np.asarray(betaincinv(self.x + 0.5, self.y + 0.5, tails), np.float64)
        upper = 1 - lower[:, COMPLEMENTS]
        low = log_ratio(lower[0, ::-1] - delta, upper[0]).max()
        high = log_ratio(upper[1, ::-1] - delta, lower[1]).max()
        return max(0.0, float(low)), max(0.0, float(high))

    @cached_property
    def _bulk(self) -> tuple[FloatArray, FloatArray]:
        """Angles outside which a posterior has less than e^(-REACH^2).

        The density of ``arcsin(sqrt(rate))`` is ``sin^2x cos^2y`` up to a factor: it has no
        singularity, and its logarithm a curvature of at least ``2 (sqrt x + sqrt y)^2``.
        """
        with np.errstate(divide="ignore"):
            reach = REACH / (np.sqrt(self.x) + np.sqrt(self.y))
        mode = self._mode
        return np.maximum(mode - reach, 0), np.minimum(mode + reach, np.pi / 2)

    @cached_property
    def _mode(self) -> FloatArray:
        return np.arctan2(np.sqrt(self.x), np.sqrt(self.y))

    @cached_property
    def _total(self) -> FloatArray:
        return np.asarray(self._density(*self._bulk)[1].sum(axis=1))

    def _density(self, start: FloatArray, stop: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Nodes between two angles, and their weights times the density relative to the mode."""
        nodes, weights = _rule()
        width = (stop - start)[:, None]
        angles = start[:, None] + width * nodes
        x, y, off = self.x[:, None], self.y[:, None], angles - self._mode[:, None]
        # sin(angle) / sin(mode) - 1 and cos(angle) / cos(mode) - 1; first orders cancel below.
        bend, slope = -2 * np.sin(off / 2) ** 2, np.sin(off)
        cotangent = np.sqrt(np.divide(y, x, out=np.zeros_like(x), where=x > 0))
        tangent = np.sqrt(np.divide(x, y, out=np.zeros_like(x), where=y > 0))
        of_sine = np.maximum(bend + cotangent * slope, -1)
        of_cosine = np.maximum(bend - tangent * slope, -1)
        logs = xlog1py(x, of_sine) + xlog1py(y, of_cosine)
        return angles, width * weights * np.exp(2 * logs)


def _posteriors(
    false_positives: int, true_negatives: int, false_negatives: int, true_positives: int
) -> _Posteriors:
    fp = checks.whole("false_positives", false_positives, 0)
    tn = checks.whole("true_negatives", true_negatives, 0)
    fn = checks.whole("false_negatives", false_negatives, 0)
    tp = checks.whole("true_positives", true_positives, 0)
    return _Posteriors(np.array([fp, fn, tn, tp], float), np.array([tn, tp, fp, fn], float))


def _angle(rate: FloatArray | float) -> FloatArray:
    return np.asarray(np.arcsin(np.sqrt(np.clip(rate, 0, 1))))


@cache
def _rule() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre rule on [0, 1] under ``3 u^2 - 2 u^3``, which smooths square roots at ends."""
    u, weights = np.polynomial.legendre.leggauss(NODES)
    u = (u + 1) / 2
    return u * u * (3 - 2 * u), weights * 3 * u * (1 - u)
