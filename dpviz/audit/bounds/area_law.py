"""Tail probabilities of the area under the ROC curve where (epsilon, delta) is used up.

The ranking is that of `dpviz.audit.bounds.leaky_law`. Of n members and m non-members, U is the
number of pairs in which the member is ranked first; the area is ``U / (n m)``. Given the numbers in
both classes, U is a constant plus two Mann-Whitney counts, independent and symmetric about their
means. For one of a members and b non-members, with ``N = a + b``, the characteristic function about
the mean is

    ``phi(t) = prod_{i=1..a} [sin((b + i) t / 2) / (b + i)] / [sin(i t / 2) / i]``

and the variance ``v = a b (N + 1) / 12``. Three facts bound what the sums below leave out.

1. *Tails.* ``P(|count - mean| >= w) <= 2 exp(-w^2 / (2 v))``, one side half of it: the logarithm of
   ``sinh(y) / y`` is concave in y^2 with slope 1/6 at 0, so that of phi at ``-i t`` is at most
   ``v t^2 / 2``.
2. *Small t.* For ``t <= 2 pi / N``, ``0 <= phi(t) <= exp(-v t^2 / 2)``: ``log(sin(y) / y)`` is
   concave in y^2, too, with slope -1/6 at 0.
3. *Large t.* ``phi(t) binomial(N, a)`` is, but for its angle, the coefficient of ``z^a`` in
   ``prod_{r=1..N} (1 + z e^{irt})``. On the circle ``|z| = y``, as ``log(1 - x) <= -x``, the
   logarithm of ``|1 + y e^{ix}|`` is at most ``log(1 + y) - y (1 - cos x) / (1 + y)^2``, and from
   ``t = 2 pi / N`` to pi the cosines of N angles in steps of t add up to at most N / 4 (the first
   side lobe of Dirichlet's kernel; N >= 5, of fewer the bound is above 1). So, for any y > 0,

       ``|phi(t)| <= y^-a exp(N log(1 + y) - 0.75 N y / (1 + y)^2) / binomial(N, a)``.

   ``y = a / b`` is good for classes alike, ``y = 4 a / b`` for few members among many. Between
   ``2 pi / N`` of both classes, fact 2 holds for the smaller one.

**Large classes.** The logarithm of phi is ``-v t^2 / 2 - w t^4 - ...``, with
``w = a b (N + 1) (a^2 + a b + b^2 + N) / 2880``; all coefficients are negative, and up to
``t = pi / N`` what follows is at most ``4/3 (N t / 2 pi)^2 w t^4``. For both classes together v and
w are sums, and N is the larger number. The tail probability is an integral over t. With
``exp(-v t^2 / 2) (1 - w t^4)`` instead of phi it is, for ``k = w / v^2`` and z the distance from
the mean in standard deviations, to half a pair below,

    ``P(z) = ndtr(-z) - k (z^3 - 3 z) exp(-z^2 / 2) / sqrt(2 pi)``.

The error is at most fact 3 and, with ``g = N^2 / v`` and ``h = pi^2 / (2 g)``,

    ``[24 k^2 + 0.28 g k + 0.05 / v + exp(-h) (1.3 / h + 2 k (1 + h))] / pi``:

the integrals of ``exp(-v t^2 / 2)`` times ``w^2 t^7 / 2``, times what follows ``w t^4``, over t,
and times ``t / 20``, as ``(t / 2) / sin(t / 2)`` is not 1; and of all that is beyond ``pi / N``.

**Small classes.** The tail probability comes from phi at ``t = (2 k + 1) pi / D``, too: for any D,
it is ``1/2 - 1/D sum_k phi(t) sin(t (w - 1/2)) / sin(t / 2)``, but for tails beyond D - w.
With facts 2 and 3 a few k are enough. Where classes are too small for fact 3, all k are taken; and
where these are too many, as with few members and very many non-members, a normal variable is added
to U, whose ``exp(-(s t)^2 / 2)`` ends the sum: ``P(U >= u) <= P(U + s Z >= u - c s) / P(Z >= -c)``.

U rises with every member and falls with every non-member that is moved to the upper class, so class
sizes may be rounded (`class_sizes`).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtr, xlogy

from dpviz.audit.bounds.class_sizes import class_sizes
from dpviz.audit.bounds.leaky_law import rounding
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

FAR = 6.5  # standard deviations from which the tail is bounded by fact 1, here 7e-10
ENDED = 8.0  # where exp(-x^2 / 2) is 1e-14
ERROR = 1e-4  # share of the level that errors of large classes may add
FEW = 40  # records up to which tails are exact: all terms are few
ENOUGH = 1e-7  # what may be left out by facts 2 and 3
MOST_TERMS = 3 * 10**6  # of a full sum, over k and class sizes
NOISE = 1 / 25  # s, as a share of a typical standard deviation of U given the classes
MARGIN = 2.7  # c: P(Z >= -c) = 0.9965
IN_CACHE = 20_000  # numbers that are computed at once


def chance_of_area(
    pairs: int, *, n_members: int, n_nonmembers: int, epsilon: float, delta: float, level: float
) -> float:
    """The probability that at least so many pairs have the member first; an upper bound.

    It is close but where a class has one record or few. `level` says which
    probabilities are of interest.
    """
    n, m = n_members, n_nonmembers
    first, last, classes, chances = class_sizes(n, m, epsilon=epsilon, delta=delta, level=level)
    rest = pairs - first * m - (n - first) * last
    tolerance = ERROR * level if n + m > FEW else 0.0
    # What is left out counts as so many pairs.
    stays = chances @ (1 - _tail(rest, classes, chances, tolerance))
    return float(np.clip(1 - stays + rounding(n + m), 0, 1))


def _tail(
    pairs: Counts, classes: list[Counts], chances: FloatArray, tolerance: float
) -> FloatArray:
    """The probability of at least so many pairs; its mean by `chances` has so much tolerance.

    `classes` are the members and non-members of the upper class, then those of the lower one.
    """
    a, b, c, d = (each.astype(float) for each in classes)
    variance = (a * b * (a + b + 1) + c * d * (c + d + 1)) / 12
    above = pairs - a * d - (a * b + c * d) / 2
    # Where the variance is 0, the count is its mean.
    z = above / np.sqrt(np.maximum(variance, 1e-100))
    found: FloatArray = np.where(above > 0, np.exp(-(z**2) / 2), 1.0)  # fact 1
    omitted = _omitted([a, b, c, d])
    normal, error = _of_large_classes(above, [a, b, c, d], variance)
    error += omitted
    found = np.minimum(found, normal + error)
    excess = chances * np.minimum(found, 2 * error)
    order = np.argsort(excess)
    near = (np.abs(z) < FAR) & (variance > 0)
    near[order[np.cumsum(excess[order]) <= tolerance]] = False
    for group in (near & (omitted <= ENOUGH), near & (omitted > ENOUGH)):
        if group.any():
            of_group = [each[group] for each in classes]
            found[group] = _near(
                above[group], of_group, np.sqrt(variance[group]), float(omitted[group].max())
            )
    return found


def _of_large_classes(
    above: FloatArray, classes: list[FloatArray], variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The probability of pairs so far above their mean, and its error but for `_omitted`."""
    a, b, c, d = classes
    v = np.maximum(variance, 1e-100)
    k = sum(x * y * (x + y + 1) * (x * x + x * y + y * y + x + y) for x, y in ((a, b), (c, d)))
    k = k / 2880 / v**2
    g = np.maximum(_totals(classes).max(axis=0), 1) ** 2 / v
    h = np.pi**2 / (2 * g)
    z = (above - 0.5) / np.sqrt(v)
    normal = ndtr(-z) - k * (z**3 - 3 * z) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    beyond = np.exp(-h) * (1.3 / h + 2 * k * (1 + h))
    return normal, (24 * k**2 + 0.28 * g * k + 0.05 / v + beyond) / np.pi


def _near(
    above: FloatArray, classes: list[Counts], deviation: FloatArray, omitted: float
) -> FloatArray:
    """The probability of pairs so far above their mean, by the sum over t."""
    least, most = float(deviation.min()), float(deviation.max())
    period = 2 * int((FAR + MARGIN * NOISE) * most + 2)  # even, so that no node is pi
    noise, end = 0.0, ENDED / least
    if omitted > ENOUGH:
        omitted, end = 0.0, np.pi
        if period / 2 * above.size > MOST_TERMS:
            noise = NOISE * float(np.sqrt(np.mean(deviation**2)))
            end = min(end, ENDED / noise)
    above = above - MARGIN * noise
    tables = [_LogRatios(*classes[:2]), _LogRatios(*classes[2:])]
    total = np.zeros_like(above)
    # Odd multiples of pi / period, up to the first one beyond the end, but below pi.
    odd = np.arange(1, min(int(end * period / np.pi) + 2, period), 2)
    rows = max(1, IN_CACHE // max(above.size, *(table.size for table in tables)))
    for begin in range(0, odd.size, rows):
        t = np.pi * odd[begin : begin + rows, None] / period
        waves = tables[0].at(t) * tables[1].at(t) * np.exp(-((noise * t) ** 2) / 2)
        total += np.sum(waves * np.sin(t * (above - 0.5)) / np.sin(t / 2), axis=0)
    found = 0.5 - total / period + omitted + np.exp(-(FAR**2) / 2)
    return np.asarray(np.clip(found / (ndtr(MARGIN) if noise else 1.0), 0, 1))


def _omitted(classes: list[FloatArray]) -> FloatArray:
    """What is left out by ending at `ENDED`, by facts 2 and 3."""
    a, b, c, d = classes
    total, logs = _totals(classes), [_log_of_fact_3(a, b), _log_of_fact_3(c, d)]
    larger = total[0] >= total[1]
    of_larger, of_smaller = np.where(larger, logs, logs[::-1])
    v = np.where(larger, c * d * (c + d + 1), a * b * (a + b + 1)) / 12  # of the smaller one
    of_smaller = np.maximum(of_smaller, -2 * np.pi**2 * v / np.maximum(total.max(axis=0), 1) ** 2)
    # The sum of 1 / (D sin(t / 2)) over all nodes is less than 20 for any D below 1e15.
    return np.asarray(20 * (np.exp(of_larger + of_smaller) + np.exp(-(ENDED**2) / 2)))


def _log_of_fact_3(a: FloatArray, b: FloatArray) -> FloatArray:
    few, many, total = np.minimum(a, b), np.maximum(np.maximum(a, b), 1), a + b
    arrangements = -np.log(total + 1) - betaln(a + 1, b + 1)
    found = np.zeros_like(few)
    for share in (few / many, 4 * few / many):
        largest = total * (np.log1p(share) - 0.75 * share / (1 + share) ** 2) - xlogy(few, share)
        found = np.minimum(found, largest - arrangements)
    return found


def _totals(classes: list[FloatArray]) -> FloatArray:
    """Records of both classes; none of a class of members or non-members alone, where phi is 1."""
    a, b, c, d = classes
    return np.stack([np.where(a * b > 0, a + b, 0.0), np.where(c * d > 0, c + d, 0.0)])


class _LogRatios:
    """phi for classes of `a` members and `b` non-members."""

    def __init__(self, a: Counts, b: Counts) -> None:
        # phi is symmetric: i runs over the smaller numbers.
        few, many = (a, b) if a.max() <= b.max() else (b, a)
        first = int(many.min())
        self._few, self._begin, self._end = few, many - first, many - first + few
        self._short = np.arange(1.0, few.max() + 1)
        self._long = np.arange(first + 1.0, float((few + many).max()) + 1)

    @property
    def size(self) -> int:
        """Numbers of factors that are computed for each t."""
        return max(self._short.size, self._long.size)

    def at(self, t: FloatArray) -> FloatArray:
        """Its values at each t of a column, a row for each."""
        (short, short_odd), (long, long_odd) = (
            _log_products(each, t) for each in (self._short, self._long)
        )
        begin, end, few = self._begin, self._end, self._few
        size = np.exp(long.take(end, 1) - long.take(begin, 1) - short.take(few, 1))
        odd = long_odd.take(end, 1) ^ long_odd.take(begin, 1) ^ short_odd.take(few, 1)
        return np.asarray(np.where(odd, -size, size))


def _log_products(numbers: FloatArray, t: FloatArray) -> tuple[FloatArray, NDArray[np.bool]]:
    """Logarithms of products of the first ``sin(i t / 2) / i``, and whether they are negative."""
    sines = np.sin(numbers * (t / 2))
    logs = np.zeros((t.size, numbers.size + 1))
    np.cumsum(np.log(np.abs(sines) / numbers), axis=1, out=logs[:, 1:])
    is_odd = np.zeros(logs.shape, dtype=bool)
    np.logical_xor.accumulate(sines < 0, axis=1, out=is_odd[:, 1:])
    return logs, is_odd
