"""Worst-case tail probabilities of an attack's statistic, such as its AUC.

The ranking is that of leaky randomized response (`dpviz.audit.bounds.rank`, step 4 of the proof):
members that show themselves, the upper class, the lower class, non-members that show themselves. A
number that does not fall when a member changes places with a non-member above it is at least as
large with no larger probability for any attack that (epsilon, delta) allows.

**Class sizes.** Given how many members and non-members are in each class, any order within the
upper and the lower class is as likely as any other. Such a number rises with members of the upper
class and falls with non-members of it. So their numbers may be rounded, up and down: that only
raises the probability of a large number. The probabilities of both classes are in
`dpviz.audit.bounds.boundary_crossing`.

**A number of first records** (TPR at an FPR, precision, advantage): a walk crosses a boundary
(`dpviz.audit.bounds.boundary_crossing`): for some k, the first k records hold as many members as
it says.

**The lead** (accuracy, and advantage of classes of one size): the largest difference, over k from
0, of members and non-members among the first k records. The order of a members and b non-members is
a path of a steps up and b steps down, all as likely. Those that reach a height ``h > max(0, a -
b)``, reflected from there on, are all that end at ``2 h - a + b``. So their share is

    ``binomial(a + b, b + h) / binomial(a + b, a) = a! b! / ((a - h)! (b + h)!)``.

Given the class sizes, both classes have paths, independent of each other: that of the upper class
begins at the height of the members that show themselves. The non-members that show themselves, in
the end, only step down.

**The area under the ROC curve.** Of n members and m non-members, U is the number of pairs in which
the member is ranked first; the area is ``U / (n m)``. U rises with every member and falls with
every non-member that is moved to the upper class, so class sizes may be rounded. Given the class
sizes, U is a constant plus two Mann-Whitney counts, independent and symmetric about their means.
For one of a members and b non-members, with ``N = a + b``, the characteristic function about the
mean is

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

*Large classes.* The logarithm of phi is ``-v t^2 / 2 - w t^4 - ...``, with
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

*Small classes.* The tail probability comes from phi at ``t = (2 k + 1) pi / D``, too: for any D,
it is ``1/2 - 1/D sum_k phi(t) sin(t (w - 1/2)) / sin(t / 2)``, but for tails beyond D - w.
With facts 2 and 3 a few k are enough. Where classes are too small for fact 3, all k are taken; and
where these are too many, as with few members and very many non-members, a normal variable is added
to U, whose ``exp(-(s t)^2 / 2)`` ends the sum: ``P(U >= u) <= P(U + s Z >= u - c s) / P(Z >= -c)``.
"""

from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, gcd
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaln, expit, gammaln, ndtr, xlogy

from dpviz import checks
from dpviz.audit.bounds import boundary_crossing
from dpviz.audit.bounds.boundary_crossing import leak_pairs, rounding_error_bound
from dpviz.audit.bounds.result import ChanceByEpsilon
from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray

Ties = Literal["half", "none"]
MOST_CUTS = 1200  # rank cut-offs at which an advantage is looked for
FEWER_CUTS = 500  # the same where delta > 0, and for an interpolated TPR
COUNTS = 4096  # grid points of `WorstCaseDistribution.least_count_refuting_zero`
NEGLIGIBLE = 1e-19  # probabilities of a walk that are not followed
LEAK_VALUES = 3  # distinct numbers of leaking records of a class that a walk tries
LEAKS_OF_SIZES = 5  # distinct numbers of leaking records of a class that `leaks_and_sizes` tries
VALUES = 160  # distinct numbers of members in the upper class that `leaks_and_sizes` tries
FEWEST_VALUES = 40  # the same where it tries many numbers of leaking records
INTERPOLATION_STEPS = 10**9  # of an interpolated TPR, from 0 to 1
NUMBER_ERROR = Fraction(1, 10**9)  # rounding error of a number that is given as a float
MOST_DECIMALS = 300  # of a printed number
FAR_TAIL_SDS = 6.5  # standard deviations beyond which fact 1 bounds the tail, here 7e-10
NORMAL_END_SDS = 8.0  # where exp(-x^2 / 2) is 1e-14
TAIL_ERROR_SHARE = 1e-4  # share of the level that errors of large classes may add
EXACT_UP_TO = 40  # records up to which tails are exact: all terms are few
OMITTED_PROBABILITY = 1e-7  # largest bound by facts 2 and 3 of terms that are left out
MOST_TERMS = 3 * 10**6  # of a full sum, over k and class sizes
NOISE_SD = 1 / 25  # s, relative to a typical standard deviation of U given the classes
MARGIN = 2.7  # c: P(Z >= -c) = 0.9965
IN_CACHE = 20_000  # numbers that are computed at once, to fit in the processor's cache


@dataclass(frozen=True, kw_only=True)
class WorstCaseDistribution:
    """The worst-case distribution of an attack's statistic under (epsilon, delta).
    A count is a value of "auc", "advantage", "accuracy", "tpr" (at `fpr`) or "precision" (of the
    first k) in units of its smallest step, such as one record of a TPR or half a pair of an AUC.
    A TPR that is `interpolated` between thresholds has `INTERPOLATION_STEPS` steps.
    """

    statistic: str
    n_members: int
    n_nonmembers: int
    delta: float
    level: float
    ties: Ties = "half"
    fpr: "PublishedRate | None" = None
    k: int = 0
    interpolated: bool = False

    @property
    def total(self) -> int:
        """The divisor that turns a count into the statistic, such as an AUC."""
        n, m = self.n_members, self.n_nonmembers
        counts = {
            "auc": 2 * n * m,  # pairs, twice: a tie counts one half
            "advantage": n * m // gcd(n, m),
            "accuracy": n + m,
            "tpr": INTERPOLATION_STEPS if self.interpolated else n,
            "precision": self.k,
        }
        return counts[self.statistic]

    @property
    def largest_count(self) -> int:
        """The largest possible count, which a perfect attack reaches."""
        return min(self.k, self.n_members) if self.statistic == "precision" else self.total

    def tail_chance_by_epsilon(self, count: int) -> ChanceByEpsilon:
        """Return a function from epsilon to an upper bound on P(statistic's count >= `count`)."""
        n, m = self.n_members, self.n_nonmembers
        given = {"delta": self.delta, "level": self.level}
        if self.statistic == "auc":
            pairs = -(-count // 2)
            # A perfect ranking has no ties.
            factor = 2.0 if self.ties == "half" and count < self.total else 1.0
            last = np.array([n])  # if no pair is lost, all members are first
            of_pairs = partial(chance_of_auc_at_least, pairs, n, m)
            of_all = partial(chance_of_crossing, last, last, n, m)
            chance = of_pairs if pairs < n * m else of_all
            return lambda epsilon: min(1.0, factor * chance(epsilon=epsilon, **given))
        if self.statistic == "accuracy" or (self.statistic == "advantage" and n == m):
            lead = count - m if self.statistic == "accuracy" else count
            surplus = partial(chance_of_member_surplus_at_a_cut, lead, n, m)
            return lambda epsilon: surplus(epsilon=epsilon, **given)
        if self.fpr is not None and self.interpolated:
            cuts, boundary = self._line_boundary(n, m, *self._roc_line_through(count), spacing=3)
        elif self.fpr is not None:
            # At least `count` members in the first ranks, with the most false positives allowed.
            cuts, boundary = np.array([count + self.fpr.most_count(m)]), np.array([count])
        elif self.statistic == "precision":
            cuts, boundary = np.array([min(self.k, n + m)]), np.array([count])
        else:
            # Reversing the order swaps the classes, so the smaller one may be that of members.
            n, m = sorted((n, m))
            cuts, boundary = self._line_boundary(n, m, 1.0, count / self.total)
        return lambda epsilon: chance_of_crossing(cuts, boundary, n, m, epsilon=epsilon, **given)

    @cached_property
    def least_count_refuting_zero(self) -> int:
        """The smallest count of a grid that refutes epsilon 0, or `total` if no count does."""
        grid = np.linspace(0, self.largest_count, COUNTS + 1).round()
        counts = np.unique(grid.astype(np.int64)).tolist()
        place = bisect_left(
            counts, True, key=lambda count: self.tail_chance_by_epsilon(count)(0.0) <= self.level
        )
        return counts[place] if place < len(counts) else self.total

    def _roc_line_through(self, count: int) -> tuple[float, float]:
        """Return slope and intercept of a line through the ROC point (`fpr`, TPR of `count`)."""
        fpr = float(self.fpr.high) if self.fpr is not None else 0.0
        # Any line will do. Where few non-members are in front, most evidence lies below the FPR.
        share = 1 / (1 + (fpr * self.n_nonmembers) ** (1 / 3))
        tpr = count / self.total
        return (1 - share) * tpr / fpr, share * tpr

    def _line_boundary(
        self, n: int, m: int, slope: float, height: float, *, spacing: int = 1
    ) -> tuple[Counts, Counts]:
        """Return cut-offs, and the members needed above each for TPR >= height + slope * FPR."""
        # A cut-off needs what the first rank after the previous one needs, so a ranking that
        # reaches the line in between reaches this number, too.
        is_slow = self.delta > 0 or self.interpolated
        total, most = n + m, FEWER_CUTS if is_slow else MOST_CUTS
        shares = np.linspace(0, 1, min(total, most) + 1) ** spacing
        cuts = np.unique((total * shares).round().astype(np.int64))
        earliest = np.concatenate([[0], cuts[:-1] + 1])
        # members / n >= height + slope (cut - members) / m; rounding only lowers the boundary
        members = (height + slope * earliest / m) / (1 / n + slope / m)
        return cuts, np.ceil(members * (1 - 1e-12) - 1e-9).astype(np.int64)


def chance_of_crossing(
    cuts: Counts, boundary: Counts, n: int, m: int, *, epsilon: float, delta: float, level: float
) -> float:
    """Return an upper bound on P(>= boundary[i] members in the first cuts[i] ranks, for some i)."""
    none, never = np.zeros_like(cuts), np.full_like(cuts, n + m + 1)
    needed = (boundary, never, never)
    walk = partial(boundary_crossing.chance_that_walk_crosses, cuts, none, needed, n, m)
    leaks = leak_pairs(n, m, delta, level, LEAK_VALUES)
    return walk(epsilon, leaks=leaks, negligible=NEGLIGIBLE)


def chance_of_member_surplus_at_a_cut(
    surplus: int, n: int, m: int, *, epsilon: float, delta: float, level: float
) -> float:
    """Return an upper bound on P(for some k, the top k have members - non-members >= `surplus`)."""
    first, _, (a, b, c, d), p = leaks_and_sizes(n, m, epsilon=epsilon, delta=delta, level=level)
    # Neither path reaches the surplus; the second one begins where the first one ends.
    stays = 1 - _chance_of_path_to_reach(surplus - first, a, b)
    stays *= 1 - _chance_of_path_to_reach(surplus - first - a + b, c, d)
    # Class sizes that are left out count as reaching the surplus.
    return float(np.clip(1 - p @ stays + rounding_error_bound(n + m), 0, 1))


def _chance_of_path_to_reach(height: Counts, ups: Counts, downs: Counts) -> FloatArray:
    """Return P(a path of `ups` steps up and `downs` down, in random order, reaches `height`)."""
    h = np.maximum(height, 0)
    logs = gammaln(ups + 1) + gammaln(downs + 1) - gammaln(ups - h + 1) - gammaln(downs + h + 1)
    # Logarithms of factorials of a million have errors of 1e-9.
    share = np.exp(np.minimum(logs, 0)) * (1 + 20 * rounding_error_bound(int((ups + downs).max())))
    return np.where(height <= np.maximum(0, ups - downs), 1.0, np.minimum(share, 1))


def chance_of_auc_at_least(
    won_pairs: int, n: int, m: int, *, epsilon: float, delta: float, level: float
) -> float:
    """Return an upper bound on P(members rank higher in at least `won_pairs` of n m pairs)."""
    first, last, classes, chances = leaks_and_sizes(n, m, epsilon=epsilon, delta=delta, level=level)
    # Members that leak win all their pairs, and non-members that leak lose all of theirs.
    rest = won_pairs - first * m - (n - first) * last
    tolerance = TAIL_ERROR_SHARE * level if n + m > EXACT_UP_TO else 0.0
    # Class sizes that are left out count as reaching the number of pairs.
    stays = chances @ (1 - _auc_tail_bounds_by_class_sizes(rest, classes, chances, tolerance))
    return float(np.clip(1 - stays + rounding_error_bound(n + m), 0, 1))


def _auc_tail_bounds_by_class_sizes(
    won_pairs: Counts, upper_lower: list[Counts], chances: FloatArray, tolerance: float
) -> FloatArray:
    """Return upper bounds on P(Mann-Whitney count >= `won_pairs`) for each choice of class sizes.
    Their mean, weighted by `chances`, is about `tolerance` too large at most.
    """
    a, b, c, d = (each.astype(float) for each in upper_lower)
    variance = (a * b * (a + b + 1) + c * d * (c + d + 1)) / 12
    above = won_pairs - a * d - (a * b + c * d) / 2
    # Where the variance is 0, the count is its mean.
    z = above / np.sqrt(np.maximum(variance, 1e-100))
    tail: FloatArray = np.where(above > 0, np.exp(-(z**2) / 2), 1.0)  # fact 1
    # Two upper bounds at once: fact 1, and the normal approximation plus all of its errors.
    omitted = _omitted_fourier_terms_bound([a, b, c, d])
    normal, error = _normal_tail_and_error(above, [a, b, c, d], variance)
    error += omitted
    tail = np.minimum(tail, normal + error)
    excess = chances * np.minimum(tail, 2 * error)
    # Only where the error matters is the sum over t worth its time: where it does least harm,
    # up to the tolerance in all, the bound stays.
    order = np.argsort(excess)
    near = (np.abs(z) < FAR_TAIL_SDS) & (variance > 0)
    near[order[np.cumsum(excess[order]) <= tolerance]] = False
    # Classes too small for fact 3 need all nodes, so these have a sum of their own.
    for group in (near & (omitted <= OMITTED_PROBABILITY), near & (omitted > OMITTED_PROBABILITY)):
        if group.any():
            of_group, most = [each[group] for each in upper_lower], float(omitted[group].max())
            tail[group] = _fourier_bound(above[group], of_group, np.sqrt(variance[group]), most)
    return tail


def _normal_tail_and_error(
    above_mean: FloatArray, upper_lower: list[FloatArray], variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the normal approximation to a Mann-Whitney count's upper tail, and its error bound."""
    a, b, c, d = upper_lower
    v = np.maximum(variance, 1e-100)
    # The ratio k of the text, from the fourth cumulants of both counts.
    k = sum(x * y * (x + y + 1) * (x * x + x * y + y * y + x + y) for x, y in ((a, b), (c, d)))
    k = k / 2880 / v**2
    g = np.maximum(_sizes_of_mixed_classes(upper_lower).max(axis=0), 1) ** 2 / v
    h = np.pi**2 / (2 * g)
    # Standard deviations from the mean to half a pair below the number: continuity correction.
    z = (above_mean - 0.5) / np.sqrt(v)
    normal = ndtr(-z) - k * (z**3 - 3 * z) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    beyond = np.exp(-h) * (1.3 / h + 2 * k * (1 + h))
    return normal, (24 * k**2 + 0.28 * g * k + 0.05 / v + beyond) / np.pi


def _fourier_bound(
    above_mean: FloatArray, upper_lower: list[Counts], sd: FloatArray, omitted: float
) -> FloatArray:
    """Return an upper bound on a Mann-Whitney count's upper tail, by a Fourier sum."""
    least, most = float(sd.min()), float(sd.max())
    # The sum runs to where phi has ended; where it never ends soon, over all nodes up to pi.
    period = 2 * int((FAR_TAIL_SDS + MARGIN * NOISE_SD) * most + 2)  # even, so that no node is pi
    noise, end = 0.0, NORMAL_END_SDS / least
    if omitted > OMITTED_PROBABILITY:
        omitted, end = 0.0, np.pi
        # Too many nodes: noise of a normal variable ends the sum early.
        if period / 2 * above_mean.size > MOST_TERMS:
            noise = NOISE_SD * float(np.sqrt(np.mean(sd**2)))
            end = min(end, NORMAL_END_SDS / noise)
    above_mean = above_mean - MARGIN * noise
    tables = [_MannWhitneyCharacteristicFunction(*upper_lower[at : at + 2]) for at in (0, 2)]
    total = np.zeros_like(above_mean)
    # Odd multiples of pi / period, up to the first one beyond the end, but below pi.
    odd = np.arange(1, min(int(end * period / np.pi) + 2, period), 2)
    # Blocks of nodes whose products stay in the processor's cache.
    rows = max(1, IN_CACHE // max(above_mean.size, *(table.size for table in tables)))
    for begin in range(0, odd.size, rows):
        t = np.pi * odd[begin : begin + rows, None] / period
        waves = tables[0].at(t) * tables[1].at(t) * np.exp(-((noise * t) ** 2) / 2)
        total += np.sum(waves * np.sin(t * (above_mean - 0.5)) / np.sin(t / 2), axis=0)
    # The terms that are left out, and the tail that the period folds back, are added.
    tail = 0.5 - total / period + omitted + np.exp(-(FAR_TAIL_SDS**2) / 2)
    return np.asarray(np.clip(tail / (ndtr(MARGIN) if noise else 1.0), 0, 1))


def _omitted_fourier_terms_bound(upper_lower: list[FloatArray]) -> FloatArray:
    """Return an upper bound on the sum of the terms that `_fourier_bound` omits to save time."""
    a, b, c, d = upper_lower
    total = _sizes_of_mixed_classes(upper_lower)
    logs = [_log_characteristic_bound(a, b), _log_characteristic_bound(c, d)]
    # Beyond 2 pi / N of the larger class, fact 3 bounds its phi; that of the smaller class is
    # bounded by fact 2 up to its own 2 pi / N, and then by fact 3.
    larger = total[0] >= total[1]
    of_larger, of_smaller = np.where(larger, logs, logs[::-1])
    v = np.where(larger, c * d * (c + d + 1), a * b * (a + b + 1)) / 12  # of the smaller one
    of_smaller = np.maximum(of_smaller, -2 * np.pi**2 * v / np.maximum(total.max(axis=0), 1) ** 2)
    # The sum of 1 / (D sin(t / 2)) over all nodes is less than 20 for any D below 1e15.
    return np.asarray(20 * (np.exp(of_larger + of_smaller) + np.exp(-(NORMAL_END_SDS**2) / 2)))


def _log_characteristic_bound(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the log of an upper bound on |phi| of a Mann-Whitney count (fact 3 of the module)."""
    few, many, total = np.minimum(a, b), np.maximum(np.maximum(a, b), 1), a + b
    # The logarithm of binomial(a + b, a).
    arrangements = -np.log(total + 1) - betaln(a + 1, b + 1)
    least = np.zeros_like(few)
    # Both choices of y: for classes alike, and for few members among many.
    for share in (few / many, 4 * few / many):
        largest = total * (np.log1p(share) - 0.75 * share / (1 + share) ** 2) - xlogy(few, share)
        least = np.minimum(least, largest - arrangements)
    return least


def _sizes_of_mixed_classes(upper_lower: list[FloatArray]) -> FloatArray:
    """Return the sizes of both classes, or 0 for a class that lacks members or non-members."""
    a, b, c, d = upper_lower
    return np.stack([np.where(a * b > 0, a + b, 0.0), np.where(c * d > 0, c + d, 0.0)])


class _MannWhitneyCharacteristicFunction:
    """Characteristic function of a centred Mann-Whitney count of `a` members, `b` non-members."""

    def __init__(self, a: Counts, b: Counts) -> None:
        # phi is symmetric: i runs over the smaller numbers.
        few, many = (a, b) if a.max() <= b.max() else (b, a)
        first = int(many.min())
        self._few, self._begin, self._end = few, many - first, many - first + few
        # Factors of phi: i up to the smaller number in the denominator, as many numbers beyond the
        # larger one in the numerator.
        self._short = np.arange(1.0, few.max() + 1)
        self._long = np.arange(first + 1.0, float((few + many).max()) + 1)
        self.size = max(self._short.size, self._long.size)  # memory for each t

    def at(self, t: FloatArray) -> FloatArray:
        """Return the values at `t`, of shape (k, 1), for each `a`; shape (k, size of `a`)."""
        short, short_odd = _log_and_sign_of_sine_products(self._short, t)
        long, long_odd = _log_and_sign_of_sine_products(self._long, t)
        # Products over a range of factors are differences of cumulated logarithms.
        begin, end, few = self._begin, self._end, self._few
        size = np.exp(long.take(end, 1) - long.take(begin, 1) - short.take(few, 1))
        odd = long_odd.take(end, 1) ^ long_odd.take(begin, 1) ^ short_odd.take(few, 1)
        return np.asarray(np.where(odd, -size, size))


def _log_and_sign_of_sine_products(
    numbers: FloatArray, t: FloatArray
) -> tuple[FloatArray, NDArray[np.bool]]:
    """Return log |p| and p < 0 per k; p is the product of the first k factors sin(i t / 2) / i."""
    sines = np.sin(numbers * (t / 2))
    logs = np.zeros((t.size, numbers.size + 1))
    np.cumsum(np.log(np.abs(sines) / numbers), axis=1, out=logs[:, 1:])
    is_odd = np.zeros(logs.shape, dtype=bool)
    np.logical_xor.accumulate(sines < 0, axis=1, out=is_odd[:, 1:])
    return logs, is_odd


def leaks_and_sizes(
    n: int, m: int, *, epsilon: float, delta: float, level: float
) -> tuple[Counts, Counts, list[Counts], FloatArray]:
    """Return arrays over cases: leaking members, leaking non-members, four class sizes, P(case).
    The four sizes are members and non-members in the upper class, then in the lower (see module).
    """
    # Normal standard deviations beyond which the tail is below a thousandth of the level.
    reach = float(np.sqrt(2 * np.log(1e3 / level)))
    # For each pair of numbers of leaks, members of the upper class are rounded up and non-members
    # of it down.
    of_leaks = leak_pairs(n, m, delta, level, LEAKS_OF_SIZES)
    values = int(max(FEWEST_VALUES, VALUES / np.sqrt(len(of_leaks))))
    right, wrong = float(expit(epsilon)), float(expit(-epsilon))
    sizes: list[Counts] = []
    weights: list[FloatArray] = []
    for first, last, chance in of_leaks:
        members, chances = _binomial_on_grid(n - first, right, values, reach, round_up=True)
        nonmembers, others = _binomial_on_grid(m - last, wrong, values, reach, round_up=False)
        # Every number of members with every number of non-members: the classes are independent.
        a, b = np.repeat(members, others.size), np.tile(nonmembers, chances.size)
        of_pair = [np.full(a.size, first), np.full(a.size, last), a, b]
        sizes.append(np.stack([*of_pair, n - first - a, m - last - b]))
        weights.append(chance * np.outer(chances, others).ravel())
    tops, bottoms, *classes = np.concatenate(sizes, axis=1)
    return tops, bottoms, classes, np.concatenate(weights)


def _binomial_on_grid(
    trials: int, chance: float, steps: int, reach: float, *, round_up: bool
) -> tuple[Counts, FloatArray]:
    """Return counts on a grid, and the probabilities of a binomial count rounded to this grid."""
    spread = reach * np.sqrt(trials * chance * (1 - chance)) + reach
    first, last = trials * chance - spread, trials * chance + spread + 1
    inside = np.linspace(max(int(first), 0) - 1, min(int(last), trials), steps + 1)
    outside = np.clip([int(first - spread) - 1, int(last + spread)], -1, trials)
    # A count above one edge is rounded up to the next one, or down to the first above the edge.
    edges = np.unique(np.append(inside, outside).round().astype(int))
    weights = np.diff(np.where(edges >= 0, bdtr(np.maximum(edges, 0), trials, chance), 0.0))
    return (edges[1:] if round_up else edges[:-1] + 1), weights


@dataclass(frozen=True, kw_only=True)
class PublishedRate:
    """A published rate `text`, and the interval [low, high) of the numbers that round to it."""

    name: str
    text: str
    low: Fraction
    high: Fraction

    @classmethod
    def parse(cls, name: str, value: str | float) -> "PublishedRate":
        """Read a number in [0, 1], or text such as "60 %"; `name` is shown in error messages."""
        if not isinstance(value, str):
            # A float stands for itself, within the resolution of its type.
            exact, given = Fraction(checks.real(name, value, 0, 1)), np.asarray(value)
            half, text = NUMBER_ERROR, f"{float(value):.12g}"
            if given.dtype in (np.float16, np.float32):
                half = max(half, Fraction(float(np.finfo(given.dtype).eps)))
                text = str(given)  # the fewest digits that are rounded to it
            return cls(name=name, text=text, low=exact - half, high=exact + half)
        # A text stands for all numbers that are rounded to its last digit.
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
            raise checks.fail(name, f"a number of at most {MOST_DECIMALS} decimals", value)
        exact = Fraction(number) * unit if number else Fraction(0)
        # "1" is 1: nobody prints a rate without decimals.
        half = NUMBER_ERROR if exponent >= 0 and unit == 1 else Fraction(10) ** exponent / 2 * unit
        return cls(name=name, text=value.strip(), low=exact - half, high=exact + half)

    def least_count(self, total: int) -> int:
        """Return the smallest count whose share of `total` rounds to `text`; ValueError if none."""
        # The first count in the interval; the interval may lie between two counts.
        count = max(0, ceil(self.low * total))
        if count >= self.high * total or count > total:
            below, above = (f"{min(max(each, 0), total)}/{total}" for each in (count - 1, count))
            condition = f"a multiple of 1/{total}, such as {below} or {above}"
            raise checks.fail(self.name, condition, self.text)
        return count

    def most_count(self, total: int) -> int:
        """Return the largest count whose share of `total` rounds to at most the printed number."""
        return min(total, ceil(self.high * total) - 1)

    @property
    def least(self) -> float:
        """The smallest number that rounds to `text`, given to 7 digits."""
        return max(0.0, float(f"{float(self.low):.7g}"))

    @property
    def most(self) -> float:
        """The upper end of the numbers that round to `text`, given to 7 digits."""
        return min(1.0, float(f"{float(self.high):.7g}"))
