"""Simultaneous confidence bands: limits that hold at all thresholds at once.

For n independent members, or non-members, let x count those at or below a threshold. *Equal local
levels*: the Clopper-Pearson upper limit of x, taken at a level l much smaller than a, exceeds the
true rate at every threshold at once with probability at least 1 - a, whatever the distribution,
ties allowed. For the order statistics U_(i) of uniform numbers, l solves
``P(U_(i) >= BetaInv(l; i, n + 1 - i) for all i) = 1 - a``. The band of Dvoretzky, Kiefer, Wolfowitz
and Massart has the same width everywhere; this one is narrow in the tails, where leaks show.
"""

import json
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, gammaln

from dpviz import checks
from dpviz.checks import FloatArray

TABLE = Path(__file__).with_name("local_levels.json")
SMALL = 100  # records below which levels are computed, in some milliseconds
LEAST = 1e-6  # confidence, and what is left of it, down to which levels are computed
REACH = 9.5  # standard deviations of a uniform bridge that are kept; the rest counts as a miss


def dkw_margin(n: int, *, confidence_level: float) -> float:
    """The one-sided Dvoretzky-Kiefer-Wolfowitz margin of an empirical distribution function.

    Parameters
    ----------
    n : int, independent records, at least 1
    confidence_level : float in [0.5, 1)

    Returns
    -------
    float
        The true function exceeds the empirical one by at most this everywhere.

    Raises
    ------
    ValueError
        If an argument leaves its range, as in all functions here.

    References
    ----------
    Massart, Annals of Probability 18 (1990) 1269.

    Examples
    --------
    >>> from dpviz.audit import bands
    >>> round(bands.dkw_margin(1000, confidence_level=0.95), 4)
    0.0387
    """
    n = checks.whole("n", n, 1)
    level = 1 - checks.real("confidence_level", confidence_level, 0.5, 1, closed="left")
    return float(np.sqrt(np.log(1 / level) / (2 * n)))


def local_level(n: int, *, confidence_level: float) -> float:
    """The local level that makes upper limits hold at all thresholds at once.

    Exact below 100 records up to a confidence of 0.999999; one below 10^-6 is taken as 10^-6. From
    there on from a table of exact levels: the next larger tabulated n and the next smaller
    tabulated ``1 - confidence_level``, both conservative. Beyond, with more than 10^6 records or a
    confidence above 0.999, ``(1 - confidence_level) / n`` (Bonferroni), which always holds.

    Parameters
    ----------
    n : int, independent records, at least 1
    confidence_level : float in (0, 1)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz.audit import bands
    >>> round(bands.local_level(1000, confidence_level=0.95), 5)
    0.00122
    """
    n = checks.whole("n", n, 1)
    confidence = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    if is_tabulated(n, confidence_level=confidence) and n < SMALL:
        return _small(n, max(confidence, LEAST))
    level = 1 - confidence
    return max(_tabulated(n, level), default=level / n)


def is_tabulated(n: int, *, confidence_level: float) -> bool:
    """Whether `local_level` is calibrated rather than Bonferroni's.

    Parameters
    ----------
    n, confidence_level : as of `local_level`

    Returns
    -------
    bool

    Examples
    --------
    >>> from dpviz.audit import bands
    >>> bands.is_tabulated(10**7, confidence_level=0.95)
    False
    """
    if n < SMALL:
        return confidence_level <= 1 - LEAST
    return bool(_tabulated(n, 1 - confidence_level))


def calibrated_level(n: int, *, confidence_level: float) -> float:
    """The exact local level for n records; O(n^1.5), a second for n = 2000.

    Parameters
    ----------
    n : int, independent records, at least 1
    confidence_level : float in [10^-6, 1 - 10^-6]: beyond, the sum of probabilities is not precise

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz.audit import bands
    >>> round(bands.calibrated_level(10, confidence_level=0.95), 5)
    0.00794
    """
    from scipy.optimize import brentq  # slow to import

    n = checks.whole("n", n, 1)
    level = 1 - checks.real("confidence_level", confidence_level, LEAST, 1 - LEAST)
    ranks = np.arange(1, n + 1)

    def excess(log_local: float) -> float:
        bounds = betaincinv(ranks, n + 1 - ranks, np.exp(log_local))
        return 1 - noncrossing_probability(bounds) - level

    low, high = np.log(level / n) - 1e-9, np.log(level) + 1e-9
    return float(np.exp(brentq(excess, low, high, xtol=1e-12)))


def noncrossing_probability(boundaries: ArrayLike) -> float:
    """``P(U_(i) >= b_i for all i)`` for the order statistics of n uniform numbers.

    A Poisson process of rate n that has n points in [0, 1] has the distribution of the uniform
    numbers: its counts are propagated from boundary to boundary, those that cross are dropped.

    Parameters
    ----------
    boundaries : array, shape (n,), nondecreasing, in [0, 1]

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If they are anything else.

    Examples
    --------
    >>> from dpviz.audit import bands
    >>> round(bands.noncrossing_probability([0.1, 0.2]), 4)  # 0.9**2 - 0.1**2
    0.8
    """
    b = checks.reals("boundaries", boundaries, 0, 1)
    if b.ndim != 1 or b.size == 0 or np.any(np.diff(b) < 0):
        raise checks.fail("boundaries", "a non-empty nondecreasing vector", b.tolist())
    # counts[k]: probability of fewest + k points so far, none of the boundaries crossed.
    n, counts, fewest, position = b.size, np.ones(1), 0, 0.0
    for i, place in enumerate(b, start=1):
        mean = n * (place - position)
        position = place
        if mean > 0:
            counts = np.convolve(counts, _poisson(mean, int(mean + 12 * np.sqrt(mean) + 30)))
        spread = REACH * np.sqrt(n * place * (1 - place)) + 1
        low = max(fewest, int(n * place - spread))
        high = min(i, int(n * place + spread) + 2, fewest + counts.size)  # fewer than i points yet
        counts, fewest = counts[low - fewest : max(high, low) - fewest], low
    # The missing points lie beyond the last boundary; condition on n in all.
    missing = n - fewest - np.arange(counts.size)
    rest = n * (1 - position)
    finish = _poisson(rest, n + 1)[missing] if rest > 0 else (missing == 0).astype(float)
    return float(counts @ finish / _poisson(n, n + 1)[n])


def _poisson(mean: float, size: int) -> FloatArray:
    k = np.arange(size)
    return np.asarray(np.exp(k * np.log(mean) - mean - gammaln(k + 1)))


@lru_cache(maxsize=1024)
def _small(n: int, confidence: float) -> float:
    # Below the exact level by more than the tolerance of its search.
    return calibrated_level(n, confidence_level=confidence) * (1 - 1e-11)


def _tabulated(n: int, level: float) -> list[float]:
    """Local levels of no fewer records and no larger levels."""
    return [
        local
        for size, row in _table().items()
        for tabulated, local in row.items()
        # Levels are decimal fractions: 1 - 0.975 is 0.025 up to rounding.
        if size >= n and tabulated <= level * (1 + 1e-9)
    ]


@cache
def _table() -> dict[int, dict[float, float]]:
    rows = json.loads(TABLE.read_text())["rows"]
    return {row["n"]: {float(a): v for a, v in row.items() if a != "n"} for row in rows}
