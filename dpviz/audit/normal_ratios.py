"""The four Epsilon* ratios of two Normal laws: exact suprema over all thresholds, no grid.

Write A for the CDF of one law Q, B for that of another law P and g = (A - delta) / B. All four
ratios m1..m4 are suprema of such a g after swapping and reflecting the laws. With h the density
ratio dA/dB, ``g' = (dB / B)(h - g)``: g rises while g < h and falls while g > h. So g has its local
maxima where h decreases, and each interval on which h decreases holds at most one. At the maximum
g = h, so psi = log g - log h changes sign there once, from - to +.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr, ndtri

from dpviz.audit.fits import Normal

BISECTIONS = 200
DOUBLINGS = 300


def largest_tail_ratio(
    p: Normal, q: Normal, *, delta: float, low: float = -np.inf, high: float = np.inf
) -> tuple[float, float | None]:
    """Supremum over x in [low, high] of ``log((Q(X <= x) - delta) / P(X <= x))``.

    Returns
    -------
    value : float
        In [-inf, inf].
    x : float or None
        Where it is reached; -inf when it is a limit on the left, None when it is only the limit
        ``log(1 - delta)`` on the right.
    """
    unbounded = np.isinf(low) and np.isinf(high)
    if unbounded and delta == 0 and _diverges_on_the_left(p, q):
        return np.inf, -np.inf
    candidates = [(log_tail_ratio(p, q, x, delta=delta), x) for x in (low, high) if np.isfinite(x)]
    stationary = _stationary_point(p, q, delta=delta)
    if stationary is not None and low <= stationary <= high:
        candidates.append((log_tail_ratio(p, q, stationary, delta=delta), stationary))
    limit = float(np.log1p(-delta)) if delta < 1 else -np.inf
    best: tuple[float, float | None] = max(candidates, default=(-np.inf, 0.0))
    return (limit, None) if unbounded and limit >= best[0] else best


def log_tail_ratio(p: Normal, q: Normal, x: float, *, delta: float) -> float:
    """``log((Q(X <= x) - delta) / P(X <= x))``, accurate where both are far below 1e-308."""
    log_a = float(log_ndtr((x - q.mean) / q.sd))
    log_b = float(log_ndtr((x - p.mean) / p.sd))
    if delta > 0:
        gap = np.log(delta) - log_a
        if gap >= 0:
            return -np.inf
        log_a += float(np.log(-np.expm1(gap)) if gap > -np.log(2) else np.log1p(-np.exp(gap)))
    return log_a - log_b


def _diverges_on_the_left(p: Normal, q: Normal) -> bool:
    return q.sd > p.sd or (q.sd == p.sd and q.mean < p.mean)


def _stationary_point(p: Normal, q: Normal, *, delta: float) -> float | None:
    """The only possible interior maximum, or None."""
    start = float(q.mean + q.sd * ndtri(delta))  # the ratio is negative on the left of it
    left, right = start, np.inf
    if q.sd == p.sd:
        if q.mean >= p.mean:
            return None
    else:
        vertex = (q.mean * p.sd**2 - p.mean * q.sd**2) / (p.sd**2 - q.sd**2)
        if q.sd < p.sd:
            left = max(vertex, start)
        else:
            right = vertex
    if not np.isfinite(left) or left >= right:  # falls all the way, or is never positive
        return None

    def gap(x: float) -> float:
        """The z under P minus z under Q, with the digits that subtracting the two would lose."""
        if p.sd == q.sd:
            return (q.mean - p.mean) / q.sd
        return (x - p.mean) / p.sd - (x - q.mean) / q.sd

    def psi(x: float) -> float:
        log_h = np.log(p.sd / q.sd) + gap(x) * ((x - p.mean) / p.sd + (x - q.mean) / q.sd) / 2
        return float(log_tail_ratio(p, q, x, delta=delta) - log_h)

    if np.isinf(right):
        steps = max(p.sd, q.sd) * 2.0 ** np.arange(DOUBLINGS)
        right = next((left + step for step in steps if psi(left + step) > 0), np.inf)
        if np.isinf(right):  # laws equal but for rounding: the ratio only nears its limit
            return None
    elif psi(right) <= 0:
        return None
    return _sign_change(psi, left, right)


def _sign_change(psi: Callable[[float], float], left: float, right: float) -> float:
    """Where psi turns positive, to the last float between `left` and `right`."""
    for _ in range(BISECTIONS):
        middle = left + (right - left) / 2
        if middle in (left, right):
            break
        if psi(middle) > 0:
            right = middle
        else:
            left = middle
    return right
