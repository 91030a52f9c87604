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
3. *Large t.* Let d be the whole number nearest to ``pi / t``. The count is a constant minus the sum
   of the members' ranks, so if ranks r and r + d hold one member and one non-member, their exchange
   changes it by d. Of P disjoint such pairs, ``phi(t) <= E r^X`` with X the pairs with one of each
   and ``r = |cos(d t / 2)| <= sin(t / 4)``. As a coefficient of a polynomial with positive ones,

       ``E r^X <= (1 - 2 (1 - r) a b / N^2)^P N^N / (a^a b^b binomial(N, a))``.

   For ``2 pi / N <= t <= 0.4``, ``P >= N / 4`` and ``r <= 0.1``; above, ``d <= 8``,
   ``P >= N / 2 - 8`` and ``r <= 0.708``. So the first factor is at most ``exp(-f a b / N)`` with
   ``f = min(0.45, 0.29 - 4.7 / N)``. Between ``2 pi / N`` of both classes, fact 2 for the smaller
   one gives ``exp(-1.6 a b / N (N / N')^2)``, which is less if N is over 0.45 of the larger N'.

The tail probability of a whole-numbered variable comes from phi at ``t = (2 k + 1) pi / D``: for
any D, it is ``1/2 - 1/D sum_k phi(t) sin(t (w - 1/2)) / sin(t / 2)``, but for tails beyond D - w.
With facts 2 and 3 a few k are enough. Where classes are too small for fact 3, all k are taken; and
where these are too many, as with few members and very many non-members, a normal variable is added
to U, whose ``exp(-(s t)^2 / 2)`` ends the sum: ``P(U >= u) <= P(U + s Z >= u - c s) / P(Z >= -c)``.

U rises with every member and falls with every non-member that is moved to the upper class, so
class sizes may be rounded the same way: that only raises the probability.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, expit, gammaln, ndtr

from dpviz.audit.bounds.leaky_law import leak_pairs
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

FAR = 6.5  # standard deviations from which the tail is bounded by fact 1, here 7e-10
ENDED = 8.0  # where exp(-x^2 / 2) is 1e-14
ALIKE = 0.45  # ratio of class sizes from which fact 3 is used for both
ENOUGH = 1e-7  # what may be left out by facts 2 and 3
MOST_TERMS = 3 * 10**6  # of a full sum, over k and class sizes
NOISE = 1 / 25  # s, as a share of a typical standard deviation of U given the classes
MARGIN = 2.7  # c: P(Z >= -c) = 0.9965
VALUES = 160  # sizes of a class that are told apart; fewer where numbers of leaks are, too
FEWEST_VALUES = 40
IN_CACHE = 20_000  # numbers that are computed at once
LEAK_VALUES = 5  # numbers of leaks of a class that are told apart


def chance_of_area(
    pairs: int, *, n_members: int, n_nonmembers: int, epsilon: float, delta: float, level: float
) -> float:
    """The probability that at least so many pairs have the member first; an upper bound.

    It is close but where a class has one record or few. `level` says which
    probabilities are of interest.
    """
    n, m = n_members, n_nonmembers
    reach = float(np.sqrt(2 * np.log(1e3 / level)))
    of_leaks = leak_pairs(n, m, delta, level, LEAK_VALUES)
    values = int(max(FEWEST_VALUES, VALUES / np.sqrt(len(of_leaks))))
    sizes: list[Counts] = []
    weights: list[FloatArray] = []
    for first, last, chance in of_leaks:
        members, chances = _rounded(n - first, float(expit(epsilon)), values, reach, up=True)
        nonmembers, others = _rounded(m - last, float(expit(-epsilon)), values, reach, up=False)
        a, b = np.repeat(members, others.size), np.tile(nonmembers, chances.size)
        rest = np.full(a.size, pairs - first * m - (n - first) * last)
        sizes.append(np.stack([rest, a, b, n - first - a, m - last - b]))
        weights.append(chance * np.outer(chances, others).ravel())
    rest, *classes = np.concatenate(sizes, axis=1)
    chances = np.concatenate(weights)
    # What is left out counts as so many pairs.
    return float(np.clip(1 - chances @ (1 - _tail(rest, classes)), 0, 1))


def _rounded(
    trials: int, chance: float, values: int, reach: float, *, up: bool
) -> tuple[Counts, FloatArray]:
    """Values of a binomial count, rounded up or down, and their probabilities.

    Within `reach` standard deviations; what is beyond lacks to 1.
    """
    spread = reach * np.sqrt(trials * chance * (1 - chance)) + reach
    first = max(int(trials * chance - spread), 0)
    last = min(int(trials * chance + spread) + 1, trials)
    edges = np.unique(np.linspace(first - 1, last, values + 1).round().astype(int))
    weights = np.diff(np.where(edges >= 0, bdtr(np.maximum(edges, 0), trials, chance), 0.0))
    return (edges[1:] if up else edges[:-1] + 1), weights


def _tail(pairs: Counts, classes: list[Counts]) -> FloatArray:
    """The probability of at least so many pairs.

    `classes` are the members and non-members of the upper class, then those of the lower one.
    """
    a, b, c, d = (each.astype(float) for each in classes)
    variance = (a * b * (a + b + 1) + c * d * (c + d + 1)) / 12
    above = pairs - a * d - (a * b + c * d) / 2
    far = np.abs(above) >= FAR * np.sqrt(variance)
    # Fact 1; where the variance is 0, the count is its mean.
    found: FloatArray = np.exp(-(above**2) / (2 * np.maximum(variance, 1e-200)))
    found[above <= 0] = 1.0
    near = ~far & (variance > 0)
    omitted = np.full(pairs.size, np.inf)
    omitted[near] = _omitted([each[near] for each in classes])
    for group in (near & (omitted <= ENOUGH), near & (omitted > ENOUGH)):
        if group.any():
            of_group = [each[group] for each in classes]
            found[group] = _near(
                above[group], of_group, np.sqrt(variance[group]), float(omitted[group].max())
            )
    return found


def _near(
    above: FloatArray, classes: list[Counts], deviation: FloatArray, omitted: float
) -> FloatArray:
    """The probability of pairs so far above their mean, by the sum over t."""
    least, most = float(deviation.min()), float(deviation.max())
    period = 2 ** int(np.ceil(np.log2(2 * FAR * most + 2)))
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


def _omitted(classes: list[Counts]) -> FloatArray:
    """What is left out by ending at `ENDED`, by facts 2 and 3; infinite without them."""
    logs, sizes = [], []
    with np.errstate(divide="ignore", invalid="ignore"):  # in empty classes
        for a, b in (classes[:2], classes[2:]):
            total = (a + b).astype(float)
            falling = np.maximum(np.minimum(0.45, 0.29 - 4.7 / total), 0)
            entropy = total * np.log(total) - a * np.log(a) - b * np.log(b)
            ways = gammaln(total + 1) - gammaln(a + 1) - gammaln(b + 1)
            logs.append(entropy - ways - falling * a * (b / total))
            sizes.append(total)
        larger = np.where(sizes[0] >= sizes[1], *logs)
        alike = np.minimum(*sizes) > ALIKE * np.maximum(*sizes)
        largest = np.where(alike, np.minimum(logs[0] + logs[1], larger), larger)
        # The sum of 1 / (D sin(t / 2)) over all nodes is less than 20 for any D below 1e15.
        found = 20 * (np.exp(np.minimum(largest, 0.0)) + np.exp(-(ENDED**2) / 2))
    return np.asarray(np.where(np.min(classes, axis=0) < 1, np.inf, found))


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
