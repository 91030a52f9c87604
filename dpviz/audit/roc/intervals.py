"""Confidence limits of a binomial proportion, and of a ratio of proportions, such as TPR / FPR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainccinv, betaincinv, ndtri

from dpviz import checks
from dpviz.checks import FloatArray

Side = Literal["lower", "upper", "both"]
SIDES = ("lower", "upper", "both")
RatioMethod = Literal["katz_log", "adjusted_log", "bailey", "inverse_sinh"]
LowHigh = tuple[FloatArray, FloatArray]
__all__ = ["INTERVALS", "clopper_pearson", "jeffreys", "wilson"]


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, *, confidence_level: float, side: Side = "both"
) -> Any:
    """Return confidence limits of a proportion, with coverage never below the nominal level.

    The lower limit of 0 successes is exactly 0, the upper limit of `trials` successes exactly 1
    (Clopper and Pearson, Biometrika 26 (1934) 404). Limits are floats, or arrays as the counts are;
    both limits are the pair (low, high).

    Parameters
    ----------
    successes, trials : int or array of int, ``0 <= successes <= trials``, trials >= 1
    confidence_level : float in (0, 1)
    side : {"lower", "upper", "both"}, a one-sided limit, or both limits, each missed as often

    Examples
    --------
    >>> from dpviz.audit.roc import intervals
    >>> low, high = intervals.clopper_pearson(1, 20, confidence_level=0.95)
    >>> round(low, 4), round(high, 4)
    (0.0013, 0.2487)
    """
    level = _one_sided_level(confidence_level, side)
    x, n = _checked_counts("successes", successes, "trials", trials)
    return _pick_side(side, _clopper_pearson(x, n, level))


def jeffreys(
    successes: ArrayLike, trials: ArrayLike, *, confidence_level: float, side: Side = "both"
) -> Any:
    """Return credible (not confidence) limits of a proportion under the prior Beta(1/2, 1/2).

    Source: Brown, Cai and DasGupta, Statistical Science 16 (2001) 101.

    Parameters
    ----------
    successes, trials, confidence_level, side : as of `clopper_pearson`

    Examples
    --------
    >>> from dpviz.audit.roc import intervals
    >>> round(intervals.jeffreys(1, 20, confidence_level=0.975, side="upper"), 4)
    0.2108
    """
    level = _one_sided_level(confidence_level, side)
    x, n = _checked_counts("successes", successes, "trials", trials)
    low = np.where(x > 0, betaincinv(x + 0.5, n - x + 0.5, level), 0.0)
    high = np.where(x < n, betainccinv(x + 0.5, n - x + 0.5, level), 1.0)
    return _pick_side(side, (low, high))


def wilson(
    successes: ArrayLike, trials: ArrayLike, *, confidence_level: float, side: Side = "both"
) -> Any:
    """Return approximate confidence limits of a proportion, by inverting the score test.

    Source: Wilson, JASA 22 (1927) 209.

    Parameters
    ----------
    successes, trials, confidence_level, side : as of `clopper_pearson`

    Examples
    --------
    >>> from dpviz.audit.roc import intervals
    >>> round(intervals.wilson(1, 20, confidence_level=0.975, side="upper"), 4)
    0.2361
    """
    z = -float(ndtri(_one_sided_level(confidence_level, side)))
    x, n = _checked_counts("successes", successes, "trials", trials)
    p = x / n
    # The roots of the score test's quadratic equation in the proportion.
    centre, spread = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = np.where(x > 0, (centre - spread) / scale, 0.0)
    high = np.where(x < n, (centre + spread) / scale, 1.0)
    return _pick_side(side, (low, high))


INTERVALS: dict[str, Callable[..., Any]] = {
    method.__name__: method for method in (clopper_pearson, jeffreys, wilson)
}


def _one_sided_level(confidence_level: float, side: Side) -> float:
    checks.choice("side", side, SIDES)
    level = 1 - checks.between_0_and_1("confidence_level", confidence_level)
    return level / 2 if side == "both" else level


def _pick_side(side: Side, limits: LowHigh) -> Any:
    low, high = (checks.float_if_scalar(limit) for limit in limits)
    return (low, high) if side == "both" else low if side == "lower" else high


def _checked_counts(
    successes_name: str, successes: ArrayLike, trials_name: str, trials: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return successes and trials as arrays of one shape; ValueError if successes exceed trials."""
    n = checks.whole_numbers(trials_name, trials, 1)
    x, n = np.broadcast_arrays(checks.whole_numbers(successes_name, successes, 0), n)
    beyond = x > n
    if beyond.any():
        raise checks.fail(successes_name, f"at most {trials_name} = {n[beyond][0]:g}", x[beyond][0])
    return x, n


def _clopper_pearson(x: FloatArray, n: FloatArray, level: float) -> LowHigh:
    low = np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, level), 0.0)
    high = np.where(x < n, betainccinv(x + 1, np.maximum(n - x, 1), level), 1.0)
    if np.isnan(low).any() or np.isnan(high).any():
        raise ValueError(f"confidence limits for {n.max():.3g} trials need SciPy 1.17 or later")
    return low, high


def ratio_interval(
    true_positives: ArrayLike,
    n_members: ArrayLike,
    false_positives: ArrayLike,
    n_nonmembers: ArrayLike,
    *,
    confidence_level: float,
    method: RatioMethod = "bailey",
    side: Side = "both",
) -> Any:
    """Return confidence limits, in [0, inf], of TPR / FPR at one threshold fixed beforehand.

    Approximate: they hold for large counts and a threshold fixed before the scores were seen. The
    best of many thresholds has no such limits; a bound on epsilon that may be quoted is
    `dpviz.audit.lower_bound`. For TNR / FNR give the counts of true and false negatives. Source:
    Aho and Bowyer, Methods in Ecology and Evolution 6 (2015) 121.

    Parameters
    ----------
    true_positives, false_positives : int or array of int
    n_members, n_nonmembers : int or array of int, at least 1
    confidence_level : float in (0, 1)
    method : {"katz_log", "adjusted_log", "bailey", "inverse_sinh"}
        Normal on the scale of the logarithm (Katz et al.), the same with 1/2 added to all counts
        (Walter), of the cube root (Bailey), or of the inverse hyperbolic sine (Newcombe).
    side : {"lower", "upper", "both"}, as of `clopper_pearson`

    Examples
    --------
    >>> from dpviz import audit
    >>> low, high = audit.roc.ratio_interval(100, 110, 10, 80, confidence_level=0.9)
    >>> round(low, 4), round(high, 4)
    (4.6195, 12.3928)
    """
    z = -float(ndtri(_one_sided_level(confidence_level, side)))
    lower = RATIO_LIMITS[checks.choice("method", method, tuple(RATIO_LIMITS))]
    x, n = _checked_counts("true_positives", true_positives, "n_members", n_members)
    y, m = _checked_counts("false_positives", false_positives, "n_nonmembers", n_nonmembers)
    # FPR / TPR is the inverse ratio: its lower limit gives the upper one of TPR / FPR.
    with np.errstate(divide="ignore", invalid="ignore"):
        return _pick_side(side, (lower(x, n, y, m, z), 1 / lower(y, m, x, n, z)))


def _counts_reduced_if_all_succeed(
    x: FloatArray, n: FloatArray, y: FloatArray, m: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the counts x and y, each 1/2 smaller if all trials succeed (x = n and y = m)."""
    are_all = (x == n) & (y == m)
    return np.where(are_all, n - 0.5, x), np.where(are_all, m - 0.5, y)


def _katz_low(x: FloatArray, n: FloatArray, y: FloatArray, m: FloatArray, z: float) -> FloatArray:
    """Return Katz's lower limit of r = (x / n) / (y / m): exp(log r - z standard errors)."""
    x, y = _counts_reduced_if_all_succeed(x, n, y, m)
    y = np.where(y == 0, 0.5, y)
    spread = np.sqrt(1 / x - 1 / n + 1 / y - 1 / m)
    return np.where(x == 0, 0.0, x / n / (y / m) * np.exp(-z * spread))


def _walter_low(x: FloatArray, n: FloatArray, y: FloatArray, m: FloatArray, z: float) -> FloatArray:
    """Return Walter's lower limit of (x / n) / (y / m): Katz's, with 1/2 added to all counts."""
    is_empty = (x == 0) & (y == 0)
    x, y = (each + 0.5 for each in _counts_reduced_if_all_succeed(x, n, y, m))
    n, m = n + 0.5, m + 0.5
    spread = np.sqrt(1 / x - 1 / n + 1 / y - 1 / m)
    return np.where(is_empty, 0.0, x / n / (y / m) * np.exp(-z * spread))


def _bailey_low(x: FloatArray, n: FloatArray, y: FloatArray, m: FloatArray, z: float) -> FloatArray:
    """Return Bailey's lower limit of r = (x / n) / (y / m), with r^(1/3) taken as Normal."""
    x, y = np.where(x == n, n - 0.5, x), np.where(y == m, m - 0.5, np.where(y == 0, 0.5, y))
    first, second = (1 - x / n) / x, (1 - y / m) / y
    spread = np.sqrt(first + second - z**2 * first * second / 9)
    # The cube root of the ratio is taken as normal.
    cube_root = (1 - z / 3 * spread) / (1 - z**2 * second / 9)
    return np.where(x == 0, 0.0, x / n / (y / m) * cube_root**3)


def _newcombe_low(
    x: FloatArray, n: FloatArray, y: FloatArray, m: FloatArray, z: float
) -> FloatArray:
    """Return Newcombe's lower limit of (x / n) / (y / m), by an inverse hyperbolic sine."""
    x, y = _counts_reduced_if_all_succeed(x, n, y, m)
    y = np.where(y == 0, z**2, y)
    half = z / 2 * np.sqrt(1 / x - 1 / n + 1 / y - 1 / m)
    return np.where(x == 0, 0.0, x / n / (y / m) * np.exp(-2 * np.arcsinh(half)))


RATIO_LIMITS: dict[str, Callable[..., FloatArray]] = {
    "katz_log": _katz_low,
    "adjusted_log": _walter_low,
    "bailey": _bailey_low,
    "inverse_sinh": _newcombe_low,
}


def __dir__() -> list[str]:
    return __all__
