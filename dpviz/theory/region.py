"""The privacy region: all pairs (FPR, FNR) that an (epsilon, delta)-DP claim allows.

A pair is allowed if and only if it satisfies all four inequalities (E = e^epsilon):

====  ==========================  ====================================
K1    FNR + E FPR >= 1 - delta    e1 = log((TPR - delta) / FPR)
K2    FPR + E FNR >= 1 - delta    e2 = log((TNR - delta) / FNR)
K3    FNR <= E TNR + delta        e3 = log((FNR - delta) / TNR)
K4    FPR <= E TPR + delta        e4 = log((FPR - delta) / TPR)
====  ==========================  ====================================

K1 and K2 bound the region from below, K3 and K4 from above (an attacker may flip all answers).
The last column is the epsilon that each implies. The Epsilon* paper numbers them so.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.profile import times_exp
from dpviz.theory.tradeoff import SLACK, Floats


@dataclass(frozen=True, kw_only=True)
class PrivacyRegion:
    """The region of an (epsilon, delta)-DP claim in the (FPR, FNR) square.

    Parameters
    ----------
    epsilon : float, in [0, inf], natural-log units; inf allows the whole square
    delta : float, in [0, 1]; 1 allows the whole square

    Examples
    --------
    >>> from dpviz.theory import PrivacyRegion
    >>> PrivacyRegion(epsilon=1.0, delta=1e-5).contains(fpr=0.1, fnr=0.5)
    False
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.real("epsilon", self.epsilon, 0, np.inf))
        object.__setattr__(self, "delta", checks.real("delta", self.delta, 0, 1))

    @property
    def vertices(self) -> FloatArray:
        """The corners of the region as pairs (FPR, FNR).

        The array has shape (k, 2). The corners are in counter-clockwise order, from (0, 1 - delta),
        or from (0, 0) if every pair is allowed.
        """
        d = self.delta
        if d == 1.0 or np.isinf(self.epsilon):
            return np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        # K1 and K2 meet at (k, k) on the diagonal; K3 and K4 are their mirror images.
        k = float((1 - d) * expit(-self.epsilon))
        corners = [(0.0, 1 - d), (k, k), (1 - d, 0.0), (1.0, 0.0)]
        corners += [(1.0, d), (1 - k, 1 - k), (d, 1.0), (0.0, 1.0)]
        if self.epsilon == 0:
            corners = [corner for corner in corners if corner not in [(k, k), (1 - k, 1 - k)]]
        return np.array(list(dict.fromkeys(corners)))

    @property
    def area(self) -> float:
        """The area of the privacy region.

        The area is in [0, 1]. A larger region is a weaker guarantee.
        """
        if self.delta == 1.0 or np.isinf(self.epsilon):
            return 1.0
        d = self.delta  # 1 - 2 (1-d)^2 expit(-eps), accurate for tiny regions
        return float(np.tanh(self.epsilon / 2) + 2 * d * (2 - d) * expit(-self.epsilon))

    def margins(self, *, fpr: Floats, fnr: Floats) -> FloatArray:
        """Return the slack of (FPR, FNR) in the four inequalities.

        The array has shape (..., 4). A slack is negative if the inequality is violated.
        """
        sides = _rates_in_inequalities(*_checked_rates(fpr=fpr, fnr=fnr))
        if np.isinf(self.epsilon):
            return np.stack([np.full_like(alone, np.inf) for alone, _ in sides], axis=-1)
        e, d = self.epsilon, self.delta
        margins = [alone - (1 - d) + times_exp(e, grown) for alone, grown in sides[:2]]
        margins += [times_exp(e, grown) + d - alone for alone, grown in sides[2:]]
        return np.stack(margins, axis=-1)

    def distances(self, *, fpr: Floats, fnr: Floats) -> FloatArray:
        """Return the distances of (FPR, FNR) to the four sides of the region.

        The array has shape (..., 4). A distance is negative if the pair lies outside this side.
        """
        sides = _rates_in_inequalities(*_checked_rates(fpr=fpr, fnr=fnr))
        if np.isinf(self.epsilon):
            return np.stack([np.full_like(alone, np.inf) for alone, _ in sides], axis=-1)
        # Each inequality times e^-epsilon, so that no term overflows.
        shrink = np.exp(-self.epsilon)
        scaled = [shrink * (low - (1 - self.delta)) + grown for low, grown in sides[:2]]
        scaled += [grown + shrink * (self.delta - high) for high, grown in sides[2:]]
        return cast(FloatArray, np.stack(scaled, axis=-1) / np.hypot(1.0, shrink))

    def contains(self, *, fpr: Floats, fnr: Floats) -> bool | NDArray[np.bool]:
        """Return whether the pair (FPR, FNR) is in the region.

        A small slack allows for the rounding of rates near 1.
        """
        # K3 and K4 multiply this rounding error by e^epsilon.
        sides = _rates_in_inequalities(*_checked_rates(fpr=fpr, fnr=fnr))
        grown = np.stack([rate for _, rate in sides], axis=-1)
        is_complement = np.array([0.0, 0.0, 1.0, 1.0])
        slack = SLACK * (1 + times_exp(self.epsilon, is_complement * (grown > 0)))
        inside = np.all(self.margins(fpr=fpr, fnr=fnr) >= -slack, axis=-1)
        return bool(inside) if inside.ndim == 0 else inside


def implied_epsilons(
    *, fpr: Floats, fnr: Floats, delta: float, tpr: Floats | None = None, tnr: Floats | None = None
) -> FloatArray:
    """Return the epsilon that each of the region's four inequalities implies for (FPR, FNR).

    The array, shape (..., 4), has e1 to e4: -inf where the numerator is not positive, else inf
    where the denominator is 0.

    Parameters
    ----------
    fpr, fnr : float or array, rates in [0, 1], broadcast against each other
    delta : float, in [0, 1]
    tpr, tnr : float or array, optional, 1 - fnr and 1 - fpr if known without rounding

    Examples
    --------
    >>> from dpviz.theory import implied_epsilons
    >>> implied_epsilons(fpr=0.1, fnr=0.5, delta=0.0).round(3)
    array([ 1.609,  0.588, -0.588, -1.609])
    """
    fpr_, fnr_ = _checked_rates(fpr=fpr, fnr=fnr)
    delta = checks.real("delta", delta, 0, 1)
    tpr_ = 1 - fnr_ if tpr is None else checks.reals("tpr", tpr, 0, 1)
    tnr_ = 1 - fpr_ if tnr is None else checks.reals("tnr", tnr, 0, 1)
    pairs = [(tpr_, fpr_), (tnr_, fnr_), (fnr_, tnr_), (fpr_, tpr_)]
    return np.stack([log_ratio(top - delta, bottom) for top, bottom in pairs], axis=-1)


def log_ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Return log(top / bottom); -inf where top <= 0, and inf where only bottom is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(top) - np.log(bottom)
    return np.where(top > 0, logs, -np.inf)


def epsilon_at(*, fpr: Floats, fnr: Floats, delta: float) -> Floats:
    """Return the least epsilon that allows the pair (FPR, FNR) at this delta.

    Epsilon is at least 0, and inf if no finite epsilon allows the pair.

    Parameters
    ----------
    fpr, fnr, delta : as in `implied_epsilons`

    Examples
    --------
    >>> from dpviz.theory import epsilon_at
    >>> round(epsilon_at(fpr=0.1, fnr=0.5, delta=0.0), 4)  # log 5
    1.6094
    """
    implied = implied_epsilons(fpr=fpr, fnr=fnr, delta=delta)
    return cast(Floats, checks.float_if_scalar(np.maximum(0.0, implied.max(axis=-1))))


def delta_at(*, fpr: Floats, fnr: Floats, epsilon: float) -> Floats:
    """Return the least delta that allows the pair (FPR, FNR) at this epsilon.

    Delta is in [0, 1]. The pair is in the :class:`PrivacyRegion` of `epsilon` and this delta.

    Parameters
    ----------
    fpr, fnr : float or array, rates in [0, 1]
    epsilon : float, in [0, inf]

    Examples
    --------
    >>> from dpviz.theory import delta_at
    >>> round(delta_at(fpr=0.1, fnr=0.5, epsilon=1.0), 4)  # 0.5 - 0.1 e
    0.2282
    """
    fpr_, fnr_ = _checked_rates(fpr=fpr, fnr=fnr)
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    tpr, tnr = 1 - fnr_, 1 - fpr_
    pairs = [(tpr, fpr_), (tnr, fnr_), (fnr_, tnr), (fpr_, tpr)]
    if np.isinf(epsilon):
        lacks = [np.zeros_like(top) for top, _ in pairs]
    else:
        lacks = [_least_delta(top, bottom, epsilon) for top, bottom in pairs]
    return cast(Floats, checks.float_if_scalar(np.maximum(0.0, np.max(np.stack(lacks), axis=0))))


def _least_delta(rate: FloatArray, other_rate: FloatArray, epsilon: float) -> FloatArray:
    """Return the least delta with ``rate <= e^epsilon other_rate + delta``; it may be negative."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        lost = np.expm1(epsilon) * other_rate
        is_above_1 = epsilon + np.log(other_rate) > 1
    return np.where(other_rate == 0, rate, np.where(is_above_1, -np.inf, rate - other_rate - lost))


def _rates_in_inequalities(fpr: FloatArray, fnr: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return the two rates of each of the four inequalities; e^epsilon multiplies the second."""
    return [(fnr, fpr), (fpr, fnr), (fnr, 1 - fpr), (fpr, 1 - fnr)]


def _checked_rates(*, fpr: Floats, fnr: Floats) -> tuple[FloatArray, FloatArray]:
    pair = checks.reals("fpr", fpr, 0, 1), checks.reals("fnr", fnr, 0, 1)
    both = np.stack(np.broadcast_arrays(*pair))
    return both[0], both[1]
