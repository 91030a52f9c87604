"""Whether two estimates with confidence intervals differ by more than chance."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A measured value with the limits of its confidence interval.

    Examples
    --------
    >>> from dpviz.reports.difference import Estimate
    >>> Estimate(value=0.6, low=0.5, high=0.7).low
    0.5
    """

    value: float
    low: float
    high: float


def interval_of_independent(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Limits of a - b for independent samples, from the limits of both.

    Parameters
    ----------
    a, b : Estimate
        At one confidence level, which is about that of the result.

    Returns
    -------
    tuple of two floats

    References
    ----------
    Square-and-add, or MOVER: R. G. Newcombe, "Interval estimation for the difference between
    independent proportions", Statistics in Medicine 17 (1998), method 10; G. Y. Zou and A. Donner,
    Statistics in Medicine 27 (2008).

    Examples
    --------
    >>> from dpviz.reports.difference import Estimate, interval_of_independent
    >>> a, b = (Estimate(value=p, low=p - 0.3, high=p + 0.4) for p in (0.5, 0.4))
    >>> low, high = interval_of_independent(a, b)
    >>> round(low, 3), round(high, 3)
    (-0.4, 0.6)
    """
    middle = a.value - b.value
    below = math.hypot(a.value - a.low, b.high - b.value)
    above = math.hypot(a.high - a.value, b.value - b.low)
    return middle - below, middle + above


def interval_of_any(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Limits of a - b, however the samples depend on each other (Bonferroni).

    Each interval misses with probability at most alpha, so both hold with at least 1 - 2 alpha.

    Parameters
    ----------
    a, b : Estimate

    Returns
    -------
    tuple of two floats

    Examples
    --------
    >>> from dpviz.reports.difference import Estimate, interval_of_any
    >>> interval_of_any(Estimate(value=3, low=2, high=4), Estimate(value=1, low=0, high=2))
    (0, 4)
    """
    return a.low - b.high, a.high - b.low
