"""How often a number of an attack is as large as one given, where (epsilon, delta) is used up."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil, gcd
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from scipy.special import bdtr, bdtrc, betaln, expit, gammaln, ndtr, ndtri, xlogy

from dpviz import checks
from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray

NEGLIGIBLE = 1e-19  # probabilities that are not followed
REACH = 9.0  # standard deviations of a class size that are followed
LONG = 300  # counts from which sums are formed by Fourier transforms: errors are about 1e-19, too
BLOCK = 64  # ends of the upper class whose powers are computed once
LEAK_VALUES = 3  # numbers of leaks of a class that are told apart
LEAK_TAIL = 1e-3  # share of the level that may be given to numbers of leaks left out
LeakPair = tuple[int, int, float]  # numbers of leaks of both classes, and their probability
Part = tuple[int, FloatArray]  # the smallest count, and the probabilities from there on


def rounding(records: int) -> float:
    """More than the error of all sums: 4e-11 were seen with 200 000 records."""
    return 1e-15 * max(records, 100)


@lru_cache(maxsize=64)
def leaks(records: int, delta: float, level: float, values: int) -> list[tuple[int, float]]:
    """Numbers of leaking records, rounded up, and their probabilities; what lacks to 1 is small.

    At most so many `values`.
    """
    if delta == 0:
        return [(0, 1.0)]
    # Beyond 40 standard deviations and 1600 records more, the tail is below 1e-250 (Bernstein).
    most = min(records, int(records * delta + 40 * (records * delta) ** 0.5 + 1600))
    upto = bdtr(np.arange(most + 1), records, delta)
    last = int(np.searchsorted(upto, 1 - level * LEAK_TAIL))
    first = int(np.searchsorted(upto, 1 / (4 * values)))
    kept = np.unique(np.linspace(first, min(last, most), values).round().astype(int))
    if last < values:
        kept = np.arange(min(last, most) + 1)
    return list(zip(kept.tolist(), np.diff(upto[kept], prepend=0.0).tolist(), strict=True))


def leak_pairs(
    n_members: int, n_nonmembers: int, delta: float, level: float, values: int
) -> list[LeakPair]:
    """Numbers of leaking members and non-members, and their probabilities, as of `leaks`."""
    members = leaks(n_members, delta, level, values)
    nonmembers = leaks(n_nonmembers, delta, level, values)
    pairs = [(a, b, p * q) for a, p in members for b, q in nonmembers]
    return [pair for pair in pairs if pair[2] > level * LEAK_TAIL / len(pairs)]


def joined(pairs: list[LeakPair], rare: float) -> list[LeakPair]:
    """The least probable pairs, up to `rare` together, as one with the most leaks of each class.

    More leaks raise what is summed, so the sum is not below that of all pairs.
    """
    rising = sorted(pairs, key=lambda pair: pair[2])
    few = int(np.searchsorted(np.cumsum([pair[2] for pair in rising]), rare, "right"))
    if few < 2:
        return pairs
    members, nonmembers, chances = zip(*rising[:few], strict=True)
    return [*rising[few:], (max(members), max(nonmembers), sum(chances))]


def class_chances(share: float, epsilon: float) -> tuple[float, float, float]:
    """Chances of a record that is a member with probability `share`.

    To be in the upper class; to be a member if it is there; to be one if it is in the lower class.
    """
    right, wrong = float(expit(epsilon)), float(expit(-epsilon))
    members, others = share * right, (1 - share) * wrong
    below = share * wrong / (share * wrong + (1 - share) * right)
    return members + others, members / (members + others), below


@lru_cache(maxsize=1024)
def binomial(trials: int, chance: float) -> Part:
    """The probabilities of a binomial count that are worth following.

    By ratios of neighbours: of 10^6 trials a logarithm of a factorial has an error of 1e-9.
    """
    if trials == 0 or chance in (0, 1):
        return int(trials * chance), np.ones(1)
    spread = REACH * np.sqrt(trials * chance * (1 - chance)) + REACH * REACH / 3
    first = max(int(trials * chance - spread), 0)
    k = np.arange(first + 1, min(int(trials * chance + spread) + 1, trials) + 1)
    ratios = np.log((trials + 1 - k) / k) + np.log(chance / (1 - chance))
    logs = np.concatenate([[0.0], np.cumsum(ratios)])
    values = np.exp(logs - logs.max())
    return first, values / values.sum()


def chance_to_cross(
    cuts: Counts,
    boundary: Counts,
    *,
    n_members: int,
    n_nonmembers: int,
    epsilon: float,
    delta: float,
    level: float,
) -> float:
    """The probability of a crossing; not below it, and above it by next to nothing.

    `cuts` ascend; at `boundary` members among the first records the boundary is crossed. `level`
    says which probabilities are of interest.
    """
    stays = 0.0
    for top, bottom, chance in leak_pairs(n_members, n_nonmembers, delta, level, LEAK_VALUES):
        walk = _Walk(
            np.clip(cuts - top, 0, n_members + n_nonmembers - top - bottom),
            boundary - np.minimum(cuts, top),
            n_members - top,
            n_nonmembers - bottom,
        )
        stays += chance * walk.stays(epsilon)
    return min(max(1 - stays, 0.0) + rounding(n_members + n_nonmembers), 1.0)


class _Walk:
    """Members among the first ranks, without leaks, and the boundary."""

    def __init__(self, cuts: Counts, boundary: Counts, n: int, m: int) -> None:
        # Cuts behind the last rank that may hold a member are the end, where the count is n.
        places, first = np.unique(cuts, return_index=True)
        least = np.minimum.reduceat(boundary, first) if cuts.size else boundary
        reachable = least <= np.minimum(places, n)
        kept = reachable & (places > 0)
        self._crosses_at_once = bool((reachable & (places == 0)).any())
        self._n, self._total, self._free = n, n + m, n + m + 1
        self._needed: dict[int, int] = {0: self._free}
        self._needed.update(zip(places[kept].tolist(), least[kept].tolist(), strict=True))
        self._needed.setdefault(self._total, self._free)

    def stays(self, epsilon: float) -> float:
        """The probability that the boundary is not crossed."""
        n, total = self._n, self._total
        if self._crosses_at_once or self._needed[total] <= n:
            return 0.0
        if total == 0:
            return 1.0
        share = n / total
        upper, above, below = class_chances(share, epsilon)
        first, sizes = binomial(total, upper)
        last = first + sizes.size - 1
        places = self._within_reach(first, last, above, below)
        ahead = self._ahead(places, below, first)
        behind = (0, np.ones(1))
        found = 0.0
        for begin, end in pairwise(places):
            # The upper class ends within (begin, end], or at 0 before all ranks.
            least = max(begin + 1 if begin else 0, first)
            if least <= end:
                chances = sizes[least - first : end + 1 - first]
                step = mixture(begin, end, least, chances, above, below)
                if behind[1].size <= ahead[end][1].size:
                    found += _product(_added(behind, step), ahead[end])
                else:
                    found += _product(behind, _added(ahead[end], _backwards(step)))
            if last <= end:
                break
            behind = _cut(_added(behind, binomial(end - begin, above)), self._needed_at(end))
        lowest, of_total = binomial(total, share)
        return found / float(of_total[n - lowest])

    def _within_reach(self, first: int, last: int, above: float, below: float) -> list[int]:
        """Places where the boundary may be crossed; of the others, all together are negligible.

        Before the upper class may end, `first`, ranks are members with one probability, behind
        `last` with another one. These are probabilities without the condition of n members, which
        has a probability of more than 1e-4.
        """
        places = np.array(sorted(self._needed))
        needed = np.array([self._needed[each] for each in places.tolist()])
        within = (places == 0) | (places == self._total) | ((first <= places) & (places <= last))
        before, behind = (~within & (places < first)), (~within & (places > last))
        within[before] = bdtrc(needed[before] - 1, places[before], above) > NEGLIGIBLE
        rest = self._total - places[behind]
        within[behind] = bdtr(self._n - needed[behind], rest, below) > NEGLIGIBLE
        kept: list[int] = places[within].tolist()
        return kept

    def _needed_at(self, place: int) -> int:
        return self._needed.get(place, self._free)

    def _ahead(self, places: list[int], below: float, first: int) -> dict[int, Part]:
        """At each place after `first`: staying from there, and n members in the end."""
        part = (self._n, np.ones(1))
        found = {}
        for begin, end in reversed([*pairwise(places)]):
            if end < first:
                break
            part = _cut(part, self._needed_at(end))
            found[end] = part
            part = _added(part, _backwards(binomial(end - begin, below)))
            if part[0] < 0:
                part = 0, part[1][-part[0] :]
        return found


def mixture(
    begin: int, end: int, first: int, chances: FloatArray, above: float, below: float
) -> Part:
    """Members in ranks (begin, end], mixed over where the upper class ends, from `first` on.

    By its characteristic function; what is outside the window is less than rounding.
    """
    over = np.arange(first - begin, first - begin + chances.size)  # ranks of the upper class
    under = end - begin - over
    means = over * above + under * below
    variances = over * above * (1 - above) + under * below * (1 - below)
    spread = REACH * np.sqrt(variances.max()) + REACH * REACH / 3
    low = max(int(means.min() - spread), 0)
    size = min(int(means.max() + spread) + 1, end - begin) + 1 - low
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    # 1e-300 keeps the logarithm of 0 finite: of no rank it has to be 0.
    one_above, one_below = np.log([1 + c * (turns - 1) + 1e-300 for c in (above, below)])
    # Logarithms are linear in where the class ends, so largest at an end.
    sizes = [over[at] * one_above.real + under[at] * one_below.real for at in (0, -1)]
    kept = np.flatnonzero(np.maximum(*sizes) > np.log(NEGLIGIBLE))
    transform = np.zeros(turns.size, complex)
    # Powers of their ratio within blocks, where none is too large or too small.
    ratio = one_above[kept] - one_below[kept]
    block = BLOCK if np.abs(ratio.real).max() * BLOCK < 300 else 1
    begins = slice(None, None, block)
    logs = np.outer(over[begins], one_above[kept]) + np.outer(under[begins], one_below[kept])
    padded = np.pad(chances, (0, -chances.size % block)).reshape(-1, block)
    sums = padded @ np.exp(np.outer(np.arange(block), ratio))
    transform[kept] = np.sum(sums * np.exp(logs), axis=0) * turns[kept].conj() ** low
    values = np.maximum(np.fft.irfft(transform, size), 0.0)
    return low, values * min(1.0, chances.sum() / values.sum())  # rounding adds to no sum


def _added(one: Part, other: Part) -> Part:
    """The distribution of a sum, without negligible ends."""
    if one[1].size == 0 or other[1].size == 0:
        return 0, np.zeros(0)
    size = one[1].size + other[1].size - 1
    if min(one[1].size, other[1].size) < LONG:
        values = np.convolve(one[1], other[1])
    else:
        length = next_fast_len(size, real=True)
        transforms = [np.fft.rfft(each[1], length) for each in (one, other)]
        values = np.fft.irfft(transforms[0] * transforms[1], length)[:size]
    kept = np.flatnonzero(values > NEGLIGIBLE)
    if kept.size == 0:
        return one[0] + other[0], values[:0]
    return one[0] + other[0] + int(kept[0]), values[kept[0] : kept[-1] + 1]


def _backwards(step: Part) -> Part:
    """From as many members fewer as are in the step."""
    return -(step[0] + step[1].size - 1), step[1][::-1]


def _cut(part: Part, needed: int) -> Part:
    """What has not reached the boundary."""
    return part[0], part[1][: max(needed - part[0], 0)]


def _product(one: Part, other: Part) -> float:
    begin = max(one[0], other[0])
    end = min(one[0] + one[1].size, other[0] + other[1].size)
    if begin >= end:
        return 0.0
    return float(
        one[1][begin - one[0] : end - one[0]] @ other[1][begin - other[0] : end - other[0]]
    )


# Numbers of records in the classes of the least favourable ranking, and their probabilities.
#
# The ranking is that of `dpviz.audit.bounds.number_law`: members that show themselves, the upper
# class, the lower class, non-members that show themselves. Given these numbers, any order within
# the
# upper and the lower class is as likely as any other. A number of an attack that does not fall
# when a
# member changes places with a non-member above it, rises with members of the upper class and
# falls
# with non-members of it. So their numbers may be rounded, up and down: that only raises the
# probability of a large number.

VALUES = 160  # sizes of a class that are told apart; fewer where numbers of leaks are, too
FEWEST_VALUES = 40
TOLD_APART = 5  # numbers of leaks of a class that are told apart


def class_sizes(
    n_members: int, n_nonmembers: int, *, epsilon: float, delta: float, level: float
) -> tuple[Counts, Counts, list[Counts], FloatArray]:
    """Numbers of members and of non-members that show themselves, of the others, and probabilities.

    The others are members and non-members of the upper class, then of the lower one. What lacks to
    a sum of 1 is small, by `level`, and must count as a number as large.
    """
    n, m = n_members, n_nonmembers
    reach = float(np.sqrt(2 * np.log(1e3 / level)))
    of_leaks = leak_pairs(n, m, delta, level, TOLD_APART)
    values = int(max(FEWEST_VALUES, VALUES / np.sqrt(len(of_leaks))))
    sizes: list[Counts] = []
    weights: list[FloatArray] = []
    for first, last, chance in of_leaks:
        members, chances = _rounded(n - first, float(expit(epsilon)), values, reach, up=True)
        nonmembers, others = _rounded(m - last, float(expit(-epsilon)), values, reach, up=False)
        a, b = np.repeat(members, others.size), np.tile(nonmembers, chances.size)
        of_pair = [np.full(a.size, first), np.full(a.size, last), a, b]
        sizes.append(np.stack([*of_pair, n - first - a, m - last - b]))
        weights.append(chance * np.outer(chances, others).ravel())
    tops, bottoms, *classes = np.concatenate(sizes, axis=1)
    return tops, bottoms, classes, np.concatenate(weights)


def _rounded(
    trials: int, chance: float, values: int, reach: float, *, up: bool
) -> tuple[Counts, FloatArray]:
    """Values of a binomial count, rounded up or down, and their probabilities.

    So many within `reach` standard deviations, and one on either side up to twice as far; what is
    beyond lacks to 1.
    """
    spread = reach * np.sqrt(trials * chance * (1 - chance)) + reach
    first, last = trials * chance - spread, trials * chance + spread + 1
    inside = np.linspace(max(int(first), 0) - 1, min(int(last), trials), values + 1)
    outside = np.clip([int(first - spread) - 1, int(last + spread)], -1, trials)
    edges = np.unique(np.append(inside, outside).round().astype(int))
    weights = np.diff(np.where(edges >= 0, bdtr(np.maximum(edges, 0), trials, chance), 0.0))
    return (edges[1:] if up else edges[:-1] + 1), weights


# Tail probabilities of the area under the ROC curve where (epsilon, delta) is used up.
#
# The ranking is that of `dpviz.audit.bounds.number_law`. Of n members and m non-members, U is the
# number of pairs in which the member is ranked first; the area is ``U / (n m)``. Given the
# numbers in
# both classes, U is a constant plus two Mann-Whitney counts, independent and symmetric about
# their
# means. For one of a members and b non-members, with ``N = a + b``, the characteristic function
# about
# the mean is
#
#     ``phi(t) = prod_{i=1..a} [sin((b + i) t / 2) / (b + i)] / [sin(i t / 2) / i]``
#
# and the variance ``v = a b (N + 1) / 12``. Three facts bound what the sums below leave out.
#
# 1. *Tails.* ``P(|count - mean| >= w) <= 2 exp(-w^2 / (2 v))``, one side half of it: the
# logarithm of
#    ``sinh(y) / y`` is concave in y^2 with slope 1/6 at 0, so that of phi at ``-i t`` is at most
#    ``v t^2 / 2``.
# 2. *Small t.* For ``t <= 2 pi / N``, ``0 <= phi(t) <= exp(-v t^2 / 2)``: ``log(sin(y) / y)`` is
#    concave in y^2, too, with slope -1/6 at 0.
# 3. *Large t.* ``phi(t) binomial(N, a)`` is, but for its angle, the coefficient of ``z^a`` in
#    ``prod_{r=1..N} (1 + z e^{irt})``. On the circle ``|z| = y``, as ``log(1 - x) <= -x``, the
#    logarithm of ``|1 + y e^{ix}|`` is at most ``log(1 + y) - y (1 - cos x) / (1 + y)^2``, and
# from
#    ``t = 2 pi / N`` to pi the cosines of N angles in steps of t add up to at most N / 4 (the
# first
#    side lobe of Dirichlet's kernel; N >= 5, of fewer the bound is above 1). So, for any y > 0,
#
#        ``|phi(t)| <= y^-a exp(N log(1 + y) - 0.75 N y / (1 + y)^2) / binomial(N, a)``.
#
#    ``y = a / b`` is good for classes alike, ``y = 4 a / b`` for few members among many. Between
#    ``2 pi / N`` of both classes, fact 2 holds for the smaller one.
#
# **Large classes.** The logarithm of phi is ``-v t^2 / 2 - w t^4 - ...``, with
# ``w = a b (N + 1) (a^2 + a b + b^2 + N) / 2880``; all coefficients are negative, and up to
# ``t = pi / N`` what follows is at most ``4/3 (N t / 2 pi)^2 w t^4``. For both classes together v
# and
# w are sums, and N is the larger number. The tail probability is an integral over t. With
# ``exp(-v t^2 / 2) (1 - w t^4)`` instead of phi it is, for ``k = w / v^2`` and z the distance
# from
# the mean in standard deviations, to half a pair below,
#
#     ``P(z) = ndtr(-z) - k (z^3 - 3 z) exp(-z^2 / 2) / sqrt(2 pi)``.
#
# The error is at most fact 3 and, with ``g = N^2 / v`` and ``h = pi^2 / (2 g)``,
#
#     ``[24 k^2 + 0.28 g k + 0.05 / v + exp(-h) (1.3 / h + 2 k (1 + h))] / pi``:
#
# the integrals of ``exp(-v t^2 / 2)`` times ``w^2 t^7 / 2``, times what follows ``w t^4``, over
# t,
# and times ``t / 20``, as ``(t / 2) / sin(t / 2)`` is not 1; and of all that is beyond ``pi /
# N``.
#
# **Small classes.** The tail probability comes from phi at ``t = (2 k + 1) pi / D``, too: for any
# D,
# it is ``1/2 - 1/D sum_k phi(t) sin(t (w - 1/2)) / sin(t / 2)``, but for tails beyond D - w.
# With facts 2 and 3 a few k are enough. Where classes are too small for fact 3, all k are taken;
# and
# where these are too many, as with few members and very many non-members, a normal variable is
# added
# to U, whose ``exp(-(s t)^2 / 2)`` ends the sum: ``P(U >= u) <= P(U + s Z >= u - c s) / P(Z >=
# -c)``.
#
# U rises with every member and falls with every non-member that is moved to the upper class, so
# class
# sizes may be rounded (`class_sizes`).

FAR = 6.5  # standard deviations from which the tail is bounded by fact 1, here 7e-10
ENDED = 8.0  # where exp(-x^2 / 2) is 1e-14
ERROR = 1e-4  # share of the level that errors of large classes may add
FEW = 40  # records up to which tails are exact: all terms are few
LEFT_OUT = 1e-7  # what may be left out by facts 2 and 3
MOST_TERMS = 3 * 10**6  # of a full sum, over k and class sizes
SMOOTHING = 1 / 25  # s, as a share of a typical standard deviation of U given the classes
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
    for group in (near & (omitted <= LEFT_OUT), near & (omitted > LEFT_OUT)):
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
    period = 2 * int((FAR + MARGIN * SMOOTHING) * most + 2)  # even, so that no node is pi
    noise, end = 0.0, ENDED / least
    if omitted > LEFT_OUT:
        omitted, end = 0.0, np.pi
        if period / 2 * above.size > MOST_TERMS:
            noise = SMOOTHING * float(np.sqrt(np.mean(deviation**2)))
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


# Probabilities of a lead of the members where (epsilon, delta) is used up.
#
# The lead is the largest difference, over k from 0, of members and non-members among the first k
# records of the ranking that `dpviz.audit.bounds.number_law` describes.
#
# *Reflection.* The order of a members and b non-members is a path of a steps up and b steps down,
# all
# as likely. Those that reach a height ``h > max(0, a - b)``, reflected from there on, are all
# that
# end at ``2 h - a + b``. So their share is
#
#     ``binomial(a + b, b + h) / binomial(a + b, a) = a! b! / ((a - h)! (b + h)!)``.
#
# Given the class sizes, both classes have paths, independent of each other: that of the upper
# class
# begins at the height of the members that show themselves. The non-members that show themselves,
# in
# the end, only step down.


def chance_of_lead(
    lead: int, *, n_members: int, n_nonmembers: int, epsilon: float, delta: float, level: float
) -> float:
    """The probability of at least so large a lead; an upper bound.

    `level` says which probabilities are of interest.
    """
    n, m = n_members, n_nonmembers
    first, _, (a, b, c, d), chances = class_sizes(n, m, epsilon=epsilon, delta=delta, level=level)
    stays = (1 - _reached(lead - first, a, b)) * (1 - _reached(lead - first - a + b, c, d))
    # What is left out counts as so large a lead.
    return float(np.clip(1 - chances @ stays + rounding(n + m), 0, 1))


def _reached(height: Counts, a: Counts, b: Counts) -> FloatArray:
    """How often a path of `a` steps up and `b` steps down reaches a height."""
    h = np.maximum(height, 0)
    logs = gammaln(a + 1) + gammaln(b + 1) - gammaln(a - h + 1) - gammaln(b + h + 1)
    # Logarithms of factorials of a million have errors of 1e-9.
    found = np.exp(np.minimum(logs, 0)) * (1 + 20 * rounding(int((a + b).max())))
    return np.where(height <= np.maximum(0, a - b), 1.0, np.minimum(found, 1))


# A published number: what it may stand for, and the smallest evidence that agrees with it.

AS_GIVEN = Fraction(1, 10**9)  # how far a number that was computed may be off
MOST_DECIMALS = 300


@dataclass(frozen=True, kw_only=True)
class Published:
    """All numbers in [low, high) that are printed as `text`; between 0 and 1.

    "0.60" stands for [0.595, 0.605), "60 %" for the same; "1" and a float for themselves, within
    the rounding of the float's type: a float32 has about 7 digits.
    """

    name: str
    text: str
    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, name: str, value: str | float) -> "Published":
        """Raises ValueError if it is no number, or not in [0, 1]."""
        if not isinstance(value, str):
            exact = Fraction(checks.real(name, value, 0, 1))
            given = np.asarray(value)
            half = AS_GIVEN
            text = f"{float(value):.12g}"
            if given.dtype in (np.float16, np.float32):
                half = max(half, Fraction(float(np.finfo(given.dtype).eps)))
                text = str(given)  # the fewest digits that are rounded to it
            return cls(name=name, text=text, low=exact - half, high=exact + half)
        digits = value.strip().removesuffix("%").rstrip()
        unit = Fraction(1, 100 if value.rstrip().endswith("%") else 1)
        try:
            number = Decimal(digits)
            is_rate = 0 <= number <= unit.denominator
        except InvalidOperation:
            raise checks.fail(name, 'a number, as in "0.60" or "60 %"', value) from None
        if not is_rate:
            raise checks.fail(name, "in [0, 1]", value)
        exponent = int(number.as_tuple().exponent)
        if exponent < -MOST_DECIMALS:  # as a fraction, 1e-999999999 would fill the memory
            raise checks.fail(name, f"of at most {MOST_DECIMALS} decimals", value)
        exact = Fraction(number) * unit if number else Fraction(0)
        # "1" is 1: nobody prints a rate without decimals.
        half = AS_GIVEN if exponent >= 0 and unit == 1 else Fraction(10) ** exponent / 2 * unit
        return cls(name=name, text=value.strip(), low=exact - half, high=exact + half)

    def least_of(self, total: int) -> int:
        """The smallest count out of `total` whose share is printed like this.

        Raises ValueError if there is none.
        """
        count = max(0, ceil(self.low * total))
        if count >= self.high * total or count > total:
            below, above = (f"{min(max(each, 0), total)}/{total}" for each in (count - 1, count))
            raise checks.fail(
                self.name, f"a whole number of 1/{total} ({below} or {above} is next)", self.text
            )
        return count

    def most_of(self, total: int) -> int:
        """The largest count out of `total` whose share is no more than what is printed."""
        return min(total, ceil(self.high * total) - 1)

    @property
    def least(self) -> float:
        """The smallest number that it may stand for, to 7 digits."""
        return max(0.0, float(f"{float(self.low):.7g}"))

    @property
    def most(self) -> float:
        """The number that all it may stand for are below, to 7 digits."""
        return min(1.0, float(f"{float(self.high):.7g}"))


# How often a number of an attack is as large as one given, where (epsilon, delta) is used up.

Ties = Literal["half", "none"]
Chance = Callable[[float], float]  # of an epsilon: of a number as large as the one given
MOST_CUTS = 1200  # numbers of first records at which a threshold is looked for
FEWER_CUTS = 500  # where there are leaks
STEPS = 4096  # of the range of a number, in which what chance gives is looked for
LARGEST = 60.0  # epsilon at which the search ends
TOLERANCE = 1e-3  # of the search in epsilon, relative; and a tenth of it absolute
ENOUGH = 0.005  # standard deviations by which the probability may stay below the level


@dataclass(frozen=True, kw_only=True)
class NumberLaw:
    """The largest probabilities of a number of an attack, by epsilon; its numbers are counts.

    `statistic` is one of "auc", "advantage", "accuracy", "tpr", with its `fpr`, and "precision",
    with the number `k` of first records.
    """

    statistic: str
    n_members: int
    n_nonmembers: int
    delta: float
    level: float
    ties: Ties = "half"
    fpr: Published | None = None
    k: int = 0

    @property
    def total(self) -> int:
        """The count that stands for the number 1."""
        n, m = self.n_members, self.n_nonmembers
        counts = {
            "auc": 2 * n * m,  # pairs, twice: a tie counts one half
            "advantage": n * m // gcd(n, m),
            "accuracy": n + m,
            "tpr": n,
            "precision": self.k,
        }
        return counts[self.statistic]

    @property
    def most(self) -> int:
        """The count of a perfect attack."""
        return min(self.k, self.n_members) if self.statistic == "precision" else self.total

    def chance(self, count: int) -> Chance:
        """The probability of so large a count."""
        n, m = self.n_members, self.n_nonmembers
        laws: dict[str, Any] = {
            "n_members": n,
            "n_nonmembers": m,
            "delta": self.delta,
            "level": self.level,
        }
        if self.statistic == "auc":
            pairs = -(-count // 2)
            # A perfect ranking has no ties.
            factor = 2.0 if self.ties == "half" and count < self.total else 1.0
            last = np.array([n])  # of all pairs: all members are first

            def chance(epsilon: float) -> float:
                if pairs < n * m:
                    return min(1.0, factor * chance_of_area(pairs, epsilon=epsilon, **laws))
                return min(1.0, factor * chance_to_cross(last, last, epsilon=epsilon, **laws))

            return chance
        if self.statistic == "accuracy" or (self.statistic == "advantage" and n == m):
            # Accuracy counts members among the first records and non-members among the others.
            lead = count - m if self.statistic == "accuracy" else count
            return lambda epsilon: chance_of_lead(lead, epsilon=epsilon, **laws)
        if self.fpr is not None:
            # So many members before one more than so many non-members.
            cuts, boundary = np.array([count + self.fpr.most_of(m)]), np.array([count])
        elif self.statistic == "precision":
            cuts, boundary = np.array([min(self.k, n + m)]), np.array([count])
        else:
            # An advantage of non-members from below is the same; steps of fewer records are finer.
            laws |= {"n_members": min(n, m), "n_nonmembers": max(n, m)}
            cuts, boundary = self._at_some_threshold(count)
        return lambda epsilon: chance_to_cross(cuts, boundary, epsilon=epsilon, **laws)

    @cached_property
    def by_chance(self) -> int:
        """A count that refutes epsilon 0, hardly larger than the smallest; `total` without one."""
        counts = np.unique(np.linspace(0, self.most, STEPS + 1).round().astype(np.int64)).tolist()
        found = bisect_left(counts, True, key=lambda count: self.chance(count)(0.0) <= self.level)
        return counts[found] if found < len(counts) else self.total

    def _at_some_threshold(self, count: int) -> tuple[Counts, Counts]:
        """First records of the smaller class from which on a threshold has so large an advantage.

        Between neighbouring cuts, the boundary is that of the first place after the earlier one:
        what crosses there crosses at the later cut, too. The first cut is 0: nobody is flagged.
        """
        n, m = sorted((self.n_members, self.n_nonmembers))
        total, most = n + m, MOST_CUTS if self.delta == 0 else FEWER_CUTS
        cuts = np.unique(np.linspace(0, total, min(total, most) + 1).round().astype(np.int64))
        earliest = np.concatenate([[0], cuts[:-1] + 1])
        # members / n - (cut - members) / m >= c, in whole units of the number
        return cuts, -(-(count * gcd(n, m) + earliest * n) // total)


def refuted_up_to(chance: Chance, level: float, *, start: float = 0.0, step: float = 0.25) -> float:
    """An epsilon with a probability of at most `level`, and none much larger; 0 without one.

    The probability does not fall with epsilon. The search begins at `start`, with this step.
    """

    def z(epsilon: float) -> float:
        """Above 0 where refuted; nearly linear."""
        return float(ndtri(level) - ndtri(np.clip(chance(epsilon), 1e-290, 1 - 1e-15)))

    low = high = start
    at_low = at_high = z(start)
    while at_low < 0 < low:
        high, at_high, low = low, at_low, max(0.0, low - step)
        step, at_low = 2 * step, z(low)
    if at_low < 0:
        return 0.0
    while low == high or at_high >= 0:
        if high > LARGEST:
            return high
        low, at_low, high = high, at_high, high + step
        step, at_high = 2 * step, z(high)
    while high - low > TOLERANCE * (high + 0.1):
        share = at_low / (at_low - at_high)
        # A little inside, so that both ends close in.
        middle = low + (high - low) * min(max(share, 0.02), 0.98)
        edge = 0.4 * TOLERANCE * (high + 0.1)
        middle = min(max(middle - edge, low + edge), high - edge)
        at_middle = z(middle)
        if at_middle >= 0:
            low, at_low = middle, at_middle
            if at_middle < ENOUGH:
                break
        else:
            high, at_high = middle, at_middle
    return low
