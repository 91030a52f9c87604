"""Upper bounds on the probability that counts at the ends of a random ranking reach a boundary.

The ranking is that of leaky randomized response (step 4 of the proof in `dpviz.audit.bounds.rank`):
members that leak, the upper class, the lower class, non-members that leak, in random order within
each class. From step to step more of the first and of the last ranks are seen, and the walk counts
the members among the first and the non-members among the last. A boundary is a count of either, or
a sum of both, for every step.

**The classes.** Of n members and m non-members that do not leak, each member is in the upper class
with probability ``q = e^epsilon / (1 + e^epsilon)`` and each non-member with probability ``1 - q``,
independently. The others are in the lower class.

**The walk.** Given the numbers of leaks, let each other record be a member with probability
n / (n + m), independently. Given that n of them are members, the distribution of the ranking is
that of fixed n and m. Given the number K of records in the upper class, the ranks are independent
members, with one probability down to rank K and another below. So

    ``P(no crossing) = sum_K P(K) P(no crossing, n members | K) / P(n members)``.

**The steps.** From one step to the next, members are added at the top and non-members at the
bottom, independently: two convolutions. They depend on K only in the one step in which the upper
class ends, where the mixture over K is convolved. Later steps depend only on the end of the ranking
(top or bottom) at which that was. So one sum for each end is enough.

All that is rounded or left out raises the probability of a crossing. Numbers of leaks are rounded
up: a member that leaks only moves up. Walks that are too improbable to be followed count as
crossing, as do larger numbers of leaks than those tried.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import bdtr, expit

from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray

NEGLIGIBLE_PROBABILITY = 1e-14  # of an end of the upper class in one step: then it is left out
REACH = 9.0  # standard deviations from the mean of a count beyond which it is left out
SMALLEST_TERM = 1e-19  # terms of a characteristic function that are left out
FOURIER_FROM_COUNTS = 300  # counts from which a single sum is formed by Fourier transforms
ENDS_PER_BLOCK = 64  # ends of the upper class whose powers are computed once
LEAK_TAIL = 1e-3  # probability of the numbers of leaks that are left out, over the level
LeakPair = tuple[int, int, float]  # leaking members and non-members, and their probability
Pmf = tuple[int, FloatArray]  # of counts: the smallest count, and probabilities
Limits = tuple[int, int, int]  # members, non-members and their sum at which a walk crosses


def rounding_error_bound(records: int) -> float:
    """Return an upper bound on the rounding error of a probability for this number of `records`."""
    return 1e-15 * max(records, 100)  # measured at 200 000 records: 4e-11


def leak_pairs(
    n_members: int, n_nonmembers: int, delta: float, level: float, per_class: int
) -> list[LeakPair]:
    """Return triples (leaking members, leaking non-members, probability of these two numbers)."""
    first, last = (_leak_counts(n, delta, level, per_class) for n in (n_members, n_nonmembers))
    pairs = [(a, b, p * q) for a, p in first for b, q in last]
    return [pair for pair in pairs if pair[2] > level * LEAK_TAIL / len(pairs)]


@lru_cache(maxsize=64)
def _leak_counts(records: int, delta: float, level: float, values: int) -> list[tuple[int, float]]:
    """Return at most `values` pairs (k, P(k leaks)); a record leaks with probability `delta`."""
    if delta == 0:
        return [(0, 1.0)]
    # Beyond 40 standard deviations and 1600 records more, the tail is below 1e-250 (Bernstein).
    most = min(records, int(records * delta + 40 * (records * delta) ** 0.5 + 1600))
    upto = bdtr(np.arange(most + 1), records, delta)
    # Values lie between two quantiles: the upper tail is left out, and numbers in the lower
    # tail count as the first value.
    last = int(np.searchsorted(upto, 1 - level * LEAK_TAIL))
    first = int(np.searchsorted(upto, 1 / (4 * values)))
    kept = np.unique(np.linspace(first, min(last, most), values).round().astype(int))
    if last < values:
        kept = np.arange(min(last, most) + 1)
    # Rounding up never lowers a p-value: the probability between two values goes to the upper one.
    return list(zip(kept.tolist(), np.diff(upto[kept], prepend=0.0).tolist(), strict=True))


def merge_rare_leak_pairs(pairs: list[LeakPair], most_chance: float) -> list[LeakPair]:
    """Replace the rarest pairs, of total P <= `most_chance`, by one with the largest counts."""
    # More leaks raise the probability of a crossing, so this is an upper bound.
    rising = sorted(pairs, key=lambda pair: pair[2])
    few = int(np.searchsorted(np.cumsum([pair[2] for pair in rising]), most_chance, "right"))
    if few < 2:
        return pairs
    members, nonmembers, chances = zip(*rising[:few], strict=True)
    return [*rising[few:], (max(members), max(nonmembers), sum(chances))]


def chance_that_walk_crosses(
    top: Counts,
    bottom: Counts,
    needed: Sequence[Counts],
    n: int,
    m: int,
    epsilon: float,
    *,
    leaks: list[LeakPair],
    negligible: float,
) -> float:
    """Return a close upper bound on P(a count of the random ranking reaches its boundary).
    Step i counts the members in the first `top[i]` ranks and the non-members in the last
    `bottom[i]`. The walk crosses if a count, or the sum of both, reaches item i of its array in
    `needed`. Walks of total probability <= `negligible` count as crossing.
    """
    stays = 0.0
    for first, last, chance in leaks:
        # Leaking records are at both ends: the walk is about the others.
        sure, free = (np.minimum(top, first), np.minimum(bottom, last)), n + m - first - last
        at_top, at_bottom = np.minimum(top - sure[0], free), np.minimum(bottom - sure[1], free)
        rest = [x - y for x, y in zip(needed, (*sure, sum(sure)), strict=True)]
        limits = list(zip(*(each.tolist() for each in rest), strict=True))
        # All pairs have equal shares of the probability that is left out.
        least = negligible / (chance * len(leaks))
        sizes = (n - first, m - last)
        stays += chance * _chance_of_no_crossing(at_top, at_bottom, limits, *sizes, epsilon, least)
    # Walks that were left out count as crossing, and rounding errors are added.
    return min(max(1 - stays, 0.0) + rounding_error_bound(n + m), 1.0)


def _chance_of_no_crossing(
    top: Counts, bottom: Counts, limits: list[Limits], n: int, m: int, epsilon: float, least: float
) -> float:
    """Return P(no count reaches its limit) for n members and m non-members that do not leak."""
    total = n + m
    if total == 0:  # all records leak
        return float(min(map(min, limits)) > 0)
    share = n / total
    upper, *chances = _upper_and_member_chances(share, epsilon)
    sizes = binomial_pmf(total, upper)
    # Walks whose upper class has not ended yet, has ended at the top, or at the bottom.
    inside = [_WalkState(np.ones((1, 1)), 0, 0)]
    in_first, in_last = list[_WalkState](), list[_WalkState]()
    steps = zip(pairwise([0, *top.tolist()]), pairwise([0, *bottom.tolist()]), limits, strict=True)
    for i, ((t0, t1), (b0, b1), crossing) in enumerate(steps):
        # Up to the end of the upper class, ranks at the top are of this class, and ranks at the
        # bottom of the lower one; once the class has ended, further ranks at that end are of the
        # other class.
        above, below = binomial_pmf(t1 - t0, chances[0]), binomial_pmf(b1 - b0, 1 - chances[1])
        to_inside: list[StateAndSteps] = [(state, above, below) for state in inside]
        to_first = [(state, binomial_pmf(t1 - t0, chances[1]), below) for state in in_first]
        to_last = [(state, above, binomial_pmf(b1 - b0, 1 - chances[0])) for state in in_last]
        # Walks whose upper class ends in this step leave the first sum for one of the others.
        ends = _member_pmf_if_upper_class_ends(t0, t1, sizes, *chances, from_start=i == 0)
        if ends is not None:
            to_first += [(state, ends, below) for state in inside]
        ends = _member_pmf_if_upper_class_ends(total - b1, total - b0, sizes, *chances)
        if ends is not None:
            others = b1 - b0 - ends[0] - ends[1].size + 1, ends[1][::-1]  # non-members
            to_last += [(state, above, others) for state in inside]
        if i < len(limits) - 1:
            inside, in_first, in_last = (
                _WalkState.merge([way[0].after_step(*way[1:], crossing, least) for way in walks])
                for walks in (to_inside, to_first, to_last)
            )
    # Between the last ranks seen at either end, only the number of members matters.
    middle = total - t1 - b1
    finals = (
        (to_inside, _member_pmf_if_upper_class_ends(t1, total - b1, sizes, *chances)),
        (to_first, binomial_pmf(middle, chances[1])),
        (to_last, binomial_pmf(middle, chances[0])),
    )
    stays = sum(
        way[0].chance_of_no_crossing_at_end(*way[1:], pmf, n - b1, limits[-1])
        for walks, pmf in finals
        if pmf is not None
        for way in walks
    )
    # Dividing by the probability of n members conditions on this number.
    lowest, of_total = binomial_pmf(total, share)
    return stays / float(of_total[n - lowest])


class _WalkState:
    """The joint distribution of two counts: members in the first ranks, non-members in the last."""

    def __init__(self, values: FloatArray, first_top: int, first_bottom: int) -> None:
        self.values, self._top, self._bottom = values, first_top, first_bottom

    @classmethod
    def merge(cls, states: "list[_WalkState]") -> "list[_WalkState]":
        """Return a list of one state, the sum of all `states`, or [] if `states` is empty."""
        if len(states) < 2:
            return states
        begins = np.array([(state._top, state._bottom) for state in states])
        ends = begins + [state.values.shape for state in states]
        first = begins.min(axis=0)
        values = np.zeros(ends.max(axis=0) - first)
        for state, (t0, b0), (t1, b1) in zip(states, begins - first, ends - first, strict=True):
            values[t0:t1, b0:b1] += state.values
        return [cls(values, *first.tolist())]

    def after_step(self, top: Pmf, bottom: Pmf, limits: Limits, least: float) -> "_WalkState":
        """Return the state after a step; omit counts that reach `limits` or have P <= `least`."""
        top, bottom = _pmf_without_tails(top, least), _pmf_without_tails(bottom, least)
        first_row, first_column = self._top + top[0], self._bottom + bottom[0]
        # Both ends move independently; rows and columns beyond the limits are not computed.
        values = _convolve_columns(self.values, top[1])[: max(limits[0] - first_row, 0)]
        values = _convolve_columns(values.T, bottom[1])[: max(limits[1] - first_column, 0)].T
        both = np.arange(values.shape[0])[:, None] + np.arange(values.shape[1])
        values[both >= limits[2] - first_row - first_column] = 0
        # Keep the smallest block that has all but negligible probabilities.
        r = np.flatnonzero(values.sum(axis=1) > least)
        c = np.flatnonzero(values.sum(axis=0) > least)
        if r.size == 0 or c.size == 0:
            return _WalkState(np.zeros((1, 1)), first_row, first_column)
        kept = values[r[0] : r[-1] + 1, c[0] : c[-1] + 1]
        return _WalkState(kept, first_row + int(r[0]), first_column + int(c[0]))

    def chance_of_no_crossing_at_end(
        self, top: Pmf, bottom: Pmf, middle: Pmf, more: int, limits: Limits
    ) -> float:
        """Return P(no crossing, n members in all); `more` is n minus the number of last ranks."""
        by_top = _convolve_columns(self.values, top[1])
        # Row k has the chances to come from each column to k: the step, reversed and moved.
        before = self.values.shape[1]
        by_bottom = sliding_window_view(np.pad(bottom[1], before - 1), before)[:, ::-1]
        rows, first = self._top + top[0] + np.arange(by_top.shape[0]), self._bottom + bottom[0]
        if by_bottom.size == 1:  # nothing is seen at the bottom: to a row belongs one number
            wanted = first + more - rows - middle[0]
            kept = (wanted >= 0) & (wanted < middle[1].size) & (rows < limits[0])
            kept &= (first < limits[1]) & (rows + first < limits[2])
            fits = by_top[kept, 0] * middle[1][wanted[kept]]
            return float(np.sum(fits)) * float(bottom[1][0])
        # Each number of members in the middle leaves one column of a row: n members in all.
        total = 0.0
        for members, chance in enumerate(middle[1].tolist(), middle[0]):
            columns = rows + members - more
            kept = (rows < limits[0]) & (columns < limits[1]) & (rows + columns < limits[2])
            kept &= (columns >= first) & (columns < first + by_bottom.shape[0])
            total += chance * float(np.sum(by_top[kept] * by_bottom[columns[kept] - first]))
        return total


StateAndSteps = tuple[_WalkState, Pmf, Pmf]  # walks, their steps at the top and at the bottom


def _upper_and_member_chances(member_share: float, epsilon: float) -> tuple[float, float, float]:
    """Return P(upper class) and P(member | class) of each class; classes as in the module."""
    right, wrong = float(expit(epsilon)), float(expit(-epsilon))
    members, others = member_share * right, (1 - member_share) * wrong
    below = member_share * wrong / (member_share * wrong + (1 - member_share) * right)
    return members + others, members / (members + others), below


@lru_cache(maxsize=1024)
def binomial_pmf(trials: int, chance: float) -> Pmf:
    """Return (first, p): p[i] is the binomial probability of first + i; tiny tails are omitted."""
    if trials == 0 or chance in (0, 1):
        return int(trials * chance), np.ones(1)
    # By Bernstein's inequality, either tail beyond the spread is at most exp(-REACH^2 / 2).
    spread = REACH * np.sqrt(trials * chance * (1 - chance)) + REACH * REACH / 3
    first = max(int(trials * chance - spread), 0)
    k = np.arange(first + 1, min(int(trials * chance + spread) + 1, trials) + 1)
    # By ratios of neighbours: the logarithm of a factorial of 10^6 has an error of 1e-9.
    ratios = np.log((trials + 1 - k) / k) + np.log(chance / (1 - chance))
    logs = np.concatenate([[0.0], np.cumsum(ratios)])
    values = np.exp(logs - logs.max())
    return first, values / values.sum()


def _member_pmf_if_upper_class_ends(
    begin: int, end: int, sizes: Pmf, upper: float, lower: float, *, from_start: bool = False
) -> Pmf | None:
    """Return the result of `member_pmf_over_class_ends`, or None if its total P would be tiny."""
    # A class that ends at rank `begin` has ended in the step before, if there was one.
    first = max(begin if from_start else begin + 1, sizes[0])
    chances = sizes[1][first - sizes[0] : max(end + 1 - sizes[0], 0)]
    if first > end or chances.sum() < NEGLIGIBLE_PROBABILITY:
        return None
    return member_pmf_over_class_ends(begin, end, first, chances, upper, lower)


def member_pmf_over_class_ends(
    begin: int, end: int, first_end: int, end_chances: FloatArray, upper: float, lower: float
) -> Pmf:
    """Return, for all k, P(the upper class ends in ranks (begin, end], which hold k members)."""
    over = np.arange(first_end - begin, first_end - begin + end_chances.size)  # in the upper class
    under = end - begin - over
    means = over * upper + under * lower
    variances = over * upper * (1 - upper) + under * lower * (1 - lower)
    spread = REACH * np.sqrt(variances.max()) + REACH * REACH / 3
    low = max(int(means.min() - spread), 0)
    size = min(int(means.max() + spread) + 1, end - begin) + 1 - low
    # The characteristic function of one rank of either class, at the frequencies of the window.
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    # 1e-300 keeps the logarithm of 0 finite: of no rank it has to be 0.
    one_above, one_below = np.log([1 + c * (turns - 1) + 1e-300 for c in (upper, lower)])
    # Logarithms are linear in where the class ends, so largest at an end.
    sizes = [over[at] * one_above.real + under[at] * one_below.real for at in (0, -1)]
    kept = np.flatnonzero(np.maximum(*sizes) > np.log(SMALLEST_TERM))
    transform = np.zeros(turns.size, complex)
    # Powers of their ratio within blocks, where none is too large or too small.
    ratio = one_above[kept] - one_below[kept]
    block = ENDS_PER_BLOCK if np.abs(ratio.real).max() * ENDS_PER_BLOCK < 300 else 1
    begins = slice(None, None, block)
    logs = np.outer(over[begins], one_above[kept]) + np.outer(under[begins], one_below[kept])
    padded = np.pad(end_chances, (0, -end_chances.size % block)).reshape(-1, block)
    sums = padded @ np.exp(np.outer(np.arange(block), ratio))
    transform[kept] = np.sum(sums * np.exp(logs), axis=0) * turns[kept].conj() ** low
    values = np.maximum(np.fft.irfft(transform, size), 0.0)
    return low, values * min(1.0, end_chances.sum() / values.sum())  # rounding adds to no sum


def _convolve_columns(values: FloatArray, step: FloatArray) -> FloatArray:
    """Return each column of `values` convolved with `step`, without starting threads."""
    if step.size == 1:
        return np.asarray(values * step[0])
    if values.shape[1] == 1 and min(values.shape[0], step.size) < FOURIER_FROM_COUNTS:
        return np.asarray(np.convolve(values[:, 0], step)[:, None])
    # A length of at least the sum keeps the cyclic convolution from wrapping around.
    size = values.shape[0] + step.size - 1
    fast = next_fast_len(size, real=True)
    transform = rfft(values, fast, axis=0)
    transform *= rfft(step, fast)[:, None]
    return np.asarray(irfft(transform, fast, axis=0, overwrite_x=True)[:size])


def _pmf_without_tails(pmf: Pmf, least: float) -> Pmf:
    kept = np.flatnonzero(pmf[1] > least)
    if kept.size == 0:
        return pmf
    return pmf[0] + int(kept[0]), pmf[1][kept[0] : kept[-1] + 1]
