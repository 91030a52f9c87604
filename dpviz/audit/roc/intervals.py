"""Confidence limits for one proportion."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv, ndtri

from dpviz import checks
from dpviz.checks import FloatArray

Side = Literal["lower", "upper", "both"]
SIDES = ("lower", "upper", "both")


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, *, confidence_level: float, side: Side = "both"
) -> Any:
    """Exact limits: each misses the true proportion with probability at most 1 - level.

    Parameters
    ----------
    successes, trials : int or array of int
        ``0 <= successes <= trials``, trials >= 1.
    confidence_level : float
        In (0, 1).
    side : {"lower", "upper", "both"}
        One limit at this level, or both, each at half of what is left.

    Returns
    -------
    float, ndarray or pair of them
        Exactly 0 below 0 successes and exactly 1 above `trials` successes.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    References
    ----------
    Clopper and Pearson, Biometrika 26 (1934) 404.
    """
    return _limits(_clopper_pearson, successes, trials, confidence_level, side)


def jeffreys(
    successes: ArrayLike, trials: ArrayLike, *, confidence_level: float, side: Side = "both"
) -> Any:
    """Credible limits under the prior Beta(1/2, 1/2); they cover on average, not always.

    Parameters, result and errors as in `clopper_pearson`.
    """
    return _limits(_jeffreys, successes, trials, confidence_level, side)


def wilson(
    successes: ArrayLike, trials: ArrayLike, *, confidence_level: float, side: Side = "both"
) -> Any:
    """Limits from inverting the score test (Wilson, 1927); approximate, worst in the tails.

    Parameters, result and errors as in `clopper_pearson`.
    """
    return _limits(_wilson, successes, trials, confidence_level, side)


TABLED = 10_000
"""Records up to which the limits of all counts are kept."""
INTERVALS: dict[str, Callable[..., Any]] = {
    "clopper_pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "wilson": wilson,
}


def upper_rates(counts: NDArray[np.int64], n: int, level: float) -> FloatArray:
    """Clopper-Pearson upper limits that are missed with probability at most `level` each."""
    if n <= TABLED:
        return np.asarray(_every_upper_rate(n, level)[counts])
    return _clopper_pearson(counts.astype(np.float64), np.array(float(n)), level)[1]


@lru_cache(maxsize=16)
def _every_upper_rate(n: int, level: float) -> FloatArray:
    """The limits of all counts: thresholds ask for most of them, and audits of one size again."""
    every = _clopper_pearson(np.arange(n + 1.0), np.array(float(n)), level)[1]
    return checks.read_only(every)


Limits = tuple[FloatArray, FloatArray]


def _limits(
    method: Callable[[FloatArray, FloatArray, float], Limits],
    successes: ArrayLike,
    trials: ArrayLike,
    confidence_level: float,
    side: Side,
) -> Any:
    checks.choice("side", side, SIDES)
    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    n = checks.counts("trials", trials, 1)
    x = checks.counts("successes", successes, 0)
    x, n = np.broadcast_arrays(x, n)
    if (x > n).any():
        beyond = x > n
        raise checks.fail("successes", f"at most trials = {n[beyond][0]:g}", x[beyond][0])
    limits = method(x, n, level / 2 if side == "both" else level)
    low, high = (checks.like_input(limit) for limit in limits)
    return (low, high) if side == "both" else low if side == "lower" else high


def _clopper_pearson(x: FloatArray, n: FloatArray, level: float) -> Limits:
    low = np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, level), 0.0)
    high = np.where(x < n, betainccinv(x + 1, np.maximum(n - x, 1), level), 1.0)
    return low, high


def _jeffreys(x: FloatArray, n: FloatArray, level: float) -> Limits:
    low = np.where(x > 0, betaincinv(x + 0.5, n - x + 0.5, level), 0.0)
    high = np.where(x < n, betainccinv(x + 0.5, n - x + 0.5, level), 1.0)
    return low, high


def _wilson(x: FloatArray, n: FloatArray, level: float) -> Limits:
    z = -float(ndtri(level))
    p = x / n
    center, spread = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = np.where(x > 0, (center - spread) / scale, 0.0)
    return low, np.where(x < n, (center + spread) / scale, 1.0)
