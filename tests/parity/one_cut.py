"""The one-cut rank test of js/src/audit/one_cut.ts, which documents it; for golden values."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, xlogy
from scipy.stats import binom

LEVEL = 0.05
ABOVE, BELOW, ALL = 0.3, 0.1, 2.6
SHARES = (0, 0.5, 0.9, 0.99, 1 - LEVEL / 40)
Array = NDArray[np.float64]


def bound(members: Array, nonmembers: Array, delta: float) -> float:
    """Return the lower limit; high scores mean member, tied members are ranked last."""
    n, m = len(members), len(nonmembers)
    scores, label = np.r_[members, nonmembers], np.r_[np.ones(n), np.zeros(m)]
    among = np.cumsum(label[np.lexsort((label, -scores))])[:-1]
    few = delta * (n + m) <= 0.03
    shares = (n / (n + m), m / (n + m), 1.0)
    most = binom.ppf(1 - LEVEL / 10, n + m, np.array(shares) * delta)
    leaks = np.zeros(3) if few else np.maximum(most, 0)
    largest = _largest(lambda epsilon: bool(refuted(among, n, m, epsilon, leaks).any()))
    if largest is None:
        return 0.0
    fewest = fewest_members(n, m, largest, leaks)

    def excess(epsilon: float) -> float:
        return p_value(fewest, n, m, epsilon, delta) - LEVEL

    if excess(0.0) > 0:
        return 0.0
    high = max(largest, 0.1)
    while excess(high) < 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-10))


def refuted(among: Array, n: int, m: int, epsilon: float, leaks: Array) -> NDArray[np.bool]:
    """Whether the counts at each cut 1, 2, ... refute epsilon, from the members above it."""
    k = np.arange(1, n + m)
    odds = np.log(n / m)
    up, down = expit(epsilon + odds), expit(epsilon - odds)
    below = m - k + among
    mean = (k * up + (n + m - k) * down) / (n + m)
    counts = (
        (among, k, up, ABOVE, leaks[0]),
        (below, n + m - k, down, BELOW, leaks[1]),
        (among + below, np.full(k.size, n + m), mean, ALL, leaks[2]),
    )
    found = np.zeros(k.size, bool)
    for right, size, p, share, free in counts:
        kept = np.maximum(size - free, 1)
        rate = np.clip((right - free) / kept, 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = kept * (xlogy(rate, rate / p) + xlogy(1 - rate, (1 - rate) / (1 - p)))
        found |= (rate > p) & (size > free) & (far >= -np.log(min(0.5, LEVEL * share)))
    return found


def fewest_members(n: int, m: int, epsilon: float, leaks: Array) -> Array:
    """Return for each cut the fewest members above it that refute epsilon; inf where none do."""
    k = np.arange(1, n + m)
    low, high = np.maximum(0, k - m).astype(float), np.minimum(k, n) + 1.0
    most = np.minimum(k, n)
    while (low < high).any():
        middle = (low + high) // 2
        enough = refuted(np.minimum(middle, most), n, m, epsilon, leaks) | (middle > most)
        high = np.where(enough & (low < high), middle, high)
        low = np.where(~enough & (low < high), middle + 1, low)
    return np.where(high > most, np.inf, high)


def p_value(fewest: Array, n: int, m: int, epsilon: float, delta: float) -> float:
    """Return an upper bound on P(the walk crosses), over the pairs of leaks that are tried."""
    pairs = sorted({tuple(np.maximum(binom.ppf(share, (n, m), delta), 0)) for share in SHARES})
    upto = [0.0, *(float(binom.cdf(a, n, delta) * binom.cdf(b, m, delta)) for a, b in pairs)]
    total = 1 - upto[-1]
    for (a, b), (before, after) in zip(pairs, pairwise(upto), strict=True):
        total += (after - before) * crossing(fewest, n, m, epsilon, int(a), int(b))
    return min(total, 1.0)


def crossing(fewest: Array, n: int, m: int, epsilon: float, first: int, last: int) -> float:
    """Return P(the members among the first k reach `fewest[k - 1]` for some k), so many leaking."""
    top = np.arange(1, first + 1)
    end = np.arange(n + m - last, n + m)
    if (top >= fewest[:first]).any() or (n >= fewest[end - 1]).any():
        return 1.0
    n, m, fewest = n - first, m - last, fewest[first:] - first
    total, q = n + m, expit(epsilon)
    share = n / total
    upper = share * q + (1 - share) * (1 - q)
    chances = share * q / upper, share * (1 - q) / (1 - upper)
    sizes = binom.pmf(np.arange(total + 1), total, upper)
    inside, after = np.eye(1, n + 2)[0], np.zeros(n + 2)
    for k in range(total + 1):
        after = after + sizes[k] * inside
        if k == total:
            break
        inside, after = (
            each * (1 - p) + np.r_[0, each[:-1]] * p
            for each, p in zip((inside, after), chances, strict=True)
        )
        if k < total - 1 and np.isfinite(fewest[k]):
            reached = int(max(fewest[k], 0))
            inside[reached:] = after[reached:] = 0
    return float(1 - after[n] / binom.pmf(n, total, share))


def _largest(holds: Callable[[float], bool]) -> float | None:
    """Return the largest epsilon from -10 to 50 at which a condition holds that larger ones end."""
    low, high = -10.0, 50.0
    if not holds(low):
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
