"""The rank bound with exact p-values instead of simulated ones, so without a seed.

Statement and proof are those of `dpviz.audit.bounds.rank`, the statistic is that of
`dpviz.audit.bounds.exact_rank`; p-values of other statistics of that form are computed alike. The
statistic is at least the data's if, for some rank cut-off k, the members among the first k records,
the non-members among the last k, or both together reach the numbers that `needed` says. So its
p-value is the probability that a walk in the plane crosses a boundary, under leaky randomized
response.

**No seed.** Tied members are ranked last. This is no random ranking of ties, as the proof has it,
but the statistic is never larger than with one, so the bound holds. It shows less where scores have
few values.

**The walk.** As in `dpviz.audit.bounds.number_law`: let each record that does not leak be a member
with probability n / (n + m), independently. Given the number K of records in the upper class, the
ranks are independent members, with one probability down to rank K and another below; the sum over K
of ``P(K) P(no crossing, n members | K)``, divided by ``P(n members)``, is what is wanted. From one
cut-off to the next, members are added at the top and non-members at the bottom, independently: two
convolutions. Steps depend on K only in the one interval between cut-offs in which the upper class
ends, where the mixture over K is the step. What follows depends only on the end of the ranking at
which that was: so walks that are past it are followed together, one sum for each end.

What is too small to be followed counts as a crossing, as do more leaks than are told apart.
"""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.fft import irfft, next_fast_len, rfft

from dpviz import checks
from dpviz.audit.bounds.number_law import (
    LeakPair,
    Part,
    binomial,
    class_chances,
    joined,
    leak_pairs,
    mixture,
    rounding,
)
from dpviz.audit.bounds.rank import METHOD as SIMULATING
from dpviz.audit.bounds.rank import (
    SMALLEST_CUT,
    Guesses,
    RankTest,
    guesses,
    least_in_first,
    separated,
    simulated,
)
from dpviz.audit.bounds.result import BoundMethod, MethodResult, Request
from dpviz.audit.bounds.search import largest_refuted
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray

# The step from a cut-off k to the next smaller one: the smallest of OF_CUT k, k^(5/4) / SMALL, and
# AT_HALF roots of a half, to which AWAY of the distance to that half is added.
OF_CUT, SMALL, AT_HALF, AWAY = 0.12, 32, 0.08, 0.52
SPLIT = 0.7  # of a half: the smallest cut of guesses about all records
ALL, BOTH_ENDS, LAST = 2.6, 0.7, 0.035  # levels of guesses, times the whole
FIRST, BY_EPSILON, FEW = 0.1, 0.06, 100  # of first ranks, as above
HIGHEST = 0.5  # level of a guess
LEAKING = 0.1  # of the level, at which numbers of leaks are set aside


class DenseTest(RankTest):
    """The statistic above, for given class sizes."""

    def __init__(self, n_members: int, n_nonmembers: int, *, delta: float, level: float) -> None:
        super().__init__(n_members, n_nonmembers, delta=delta, level=level, statistic=dense_guesses)

    def alone(self, which: Counts, right: Counts) -> FloatArray:
        """E of each count, of the guesses `which`."""
        tried = self.guesses.at(which)
        about = np.maximum(tried.refuted(right, self.levels[which]), 0)
        return tried.refuted(right, levels(tried, self.level, about))

    def needed(self, epsilon: float) -> Counts:
        """The counts of right guesses with which the statistic is at least `epsilon`."""
        which = np.arange(self.levels.size)
        few, enough = np.zeros_like(which), self.guesses.needed(epsilon, self.levels)
        while (unknown := enough - few > 1).any():
            middle = (few + enough) // 2
            shown = self.alone(which, middle) >= epsilon
            enough = np.where(unknown & shown, middle, enough)
            few = np.where(unknown & ~shown, middle, few)
        return enough


def dense_guesses(
    n_members: int, n_nonmembers: int, *, delta: float, level: float
) -> tuple[Guesses, FloatArray]:
    """The guesses, and the level of each at epsilon 0."""
    records, fewer = n_members + n_nonmembers, min(n_members, n_nonmembers)
    # Where all guesses about a perfect ranking are right: else more records could show less.
    cuts = np.union1d(dense_cuts(records), fewer)
    tried = guesses(n_members, n_nonmembers, delta=delta, level=level * LEAKING, cuts=cuts)
    splits = (cuts >= SPLIT * (records // 2)) | (cuts == fewer)
    tried = tried.with_splits(cuts[splits & (2 * cuts < records)])
    return tried, levels(tried, level, np.zeros(tried.top.size))


def dense_cuts(records: int) -> Counts:
    """Numbers of records, up to half of all."""
    half = max(records // 2, 1)
    cuts, smaller = [half], half
    while smaller >= SMALLEST_CUT:
        cuts.append(smaller)
        at_half = AT_HALF * half**0.5 + AWAY * (half - smaller)
        smaller = int(smaller - max(min(OF_CUT * smaller, smaller**1.25 / SMALL, at_half), 1))
    return np.array(cuts, np.int64)


def levels(tried: Guesses, level: float, epsilons: FloatArray) -> FloatArray:
    """At which each guess refutes an epsilon alone."""
    n, m = tried.n_members, tried.n_nonmembers
    guessed = (tried.top + tried.bottom) / (n + m)
    smaller = 2 * min(n, m) / (n + m)
    both = BOTH_ENDS * guessed ** (1 / (1 + smaller * epsilons))
    of_two = np.where(tried.top == tried.bottom, both, ALL)
    first = (FIRST + BY_EPSILON * epsilons) * np.minimum(1, FEW / np.maximum(tried.top, 1))
    one = np.where(tried.top > 0, first, LAST * (2 - smaller))
    shares = np.where((tried.top > 0) & (tried.bottom > 0), of_two, one)
    return np.minimum(level * shares, HIGHEST)


# The rank bound with exact p-values instead of simulated ones, so without a seed.
#
# Statement and proof are those of `dpviz.audit.bounds.rank`, the statistic is that of
# `dpviz.audit.bounds.exact_rank`; p-values of other statistics of that form are computed alike.
# The
# statistic is at least the data's if, for some rank cut-off k, the members among the first k
# records,
# the non-members among the last k, or both together reach the numbers that `needed` says. So its
# p-value is the probability that a walk in the plane crosses a boundary, under leaky randomized
# response.
#
# **No seed.** Tied members are ranked last. This is no random ranking of ties, as the proof has
# it,
# but the statistic is never larger than with one, so the bound holds. It shows less where scores
# have
# few values.
#
# **The walk.** As in `dpviz.audit.bounds.number_law`: let each record that does not leak be a
# member
# with probability n / (n + m), independently. Given the number K of records in the upper class,
# the
# ranks are independent members, with one probability down to rank K and another below; the sum
# over K
# of ``P(K) P(no crossing, n members | K)``, divided by ``P(n members)``, is what is wanted. From
# one
# cut-off to the next, members are added at the top and non-members at the bottom, independently:
# two
# convolutions. Steps depend on K only in the one interval between cut-offs in which the upper
# class
# ends, where the mixture over K is the step. What follows depends only on the end of the ranking
# at
# which that was: so walks that are past it are followed together, one sum for each end.
#
# What is too small to be followed counts as a crossing, as do more leaks than are told apart.

UNLIKELY = 1e-14  # that the upper class ends in an interval that is left out
NEGLIGIBLE = 1e-6  # probabilities of the state that are not followed, as a share of the level
LEAK_VALUES = 8  # numbers of leaks of a class that are told apart
RARE = 0.1  # probability, as a share of the level, of the pairs of such numbers that are joined
MOST_VARYING = 25  # variance of such a number from which these few are too coarse
MOST_WORK = 2.5e7  # numbers of leaks times guesses times records: about 2 seconds
Limits = tuple[int, int, int]  # members, non-members and their sum at which a walk crosses
BY_SEARCH = 4  # p-value where the statistic refutes by itself, over the level: about
SEED = 0  # of simulations, the same for all data: there is none to choose
SIMULATED = (
    f"p-values are simulated (seed {SEED}): exact ones take too long for so many records or so "
    "large a delta"
)


def exact_bound(scores: Scores, request: Request) -> MethodResult:
    """The largest epsilon with a p-value of at most the level."""
    n, m, level = scores.n_members, scores.n_nonmembers, 1 - request.confidence_level
    test, leaks = chosen_test(n, m, delta=request.delta, level=level)
    members = least_in_first(scores, test.guesses.cuts)
    if level < 10 * rounding(n + m):
        most = f"at most 1 - {10 * rounding(n + m):.0e} for so many records"
        raise checks.fail("confidence_level", most, request.confidence_level)
    if leaks is None:
        if not SIMULATING.resolves(request.confidence_level):
            most = f"at most {1 - SIMULATING.smallest_level:g} where p-values are simulated"
            raise checks.fail("confidence_level", most, request.confidence_level)
        found = simulated(test, members, np.random.default_rng(SEED))
        return replace(found, seed=SEED, notes=(SIMULATED,))
    refuted = test.refuted(members)
    best = int(np.argmax(refuted))
    low = bound_of(test, float(refuted[best]), leaks)
    return MethodResult(
        low=low, evidence=(test.guesses.evidence(best, members),) if low > 0 else ()
    )


def exact_test(n: int, m: int, *, delta: float, level: float) -> tuple[RankTest, list[LeakPair]]:
    """The statistic for given class sizes, and the numbers of leaks that its p-values sum over."""
    return DenseTest(n, m, delta=delta, level=level), leaks_of(n, m, delta, level)


def chosen_test(
    n: int, m: int, *, delta: float, level: float
) -> tuple[RankTest, list[LeakPair] | None]:
    """The statistic, and the numbers of leaks; None where p-values are simulated."""
    test = DenseTest(n, m, delta=delta, level=level)
    work = test.guesses.top.size * (n + m + 3000)
    if delta * (1 - delta) * max(n, m) <= MOST_VARYING and work <= MOST_WORK:
        leaks = leaks_of(n, m, delta, level)
        if len(leaks) * work <= MOST_WORK:
            return test, leaks
    return test, None


def leaks_of(n: int, m: int, delta: float, level: float) -> list[LeakPair]:
    """The numbers of leaks that p-values sum over."""
    return joined(leak_pairs(n, m, delta, level, LEAK_VALUES), RARE * level)


def bound_of(test: RankTest, statistic: float, leaks: list[LeakPair]) -> float:
    """The bound from a value of the statistic; 0 where nothing is refuted."""
    if statistic == -np.inf:
        return 0.0
    # Below 0 a statistic may be rare, too, where classes are tiny.
    begin, records = max(statistic, 0.0), test.guesses.n_members + test.guesses.n_nonmembers
    search = partial(largest_refuted, level=test.level, records=records)
    p_near = max(min(BY_SEARCH * test.level, 0.5), test.level)
    p_value = PValue(test, statistic, leaks)
    if len(leaks) == 1:
        return search(p_value, near=begin, p_near=p_near)
    # Without leaks p-values are smaller, and sooner known: they say where to search.
    of_none = PValue(test, statistic, [(0, 0, 1.0)])
    near = search(of_none, near=begin, p_near=p_near, about=True)
    return search(p_value, near=near) if near > 0 else 0.0


def smallest_p_value(test: RankTest, leaks: list[LeakPair], epsilon: float) -> float:
    """That of a ranking with all members first; 1 where no guess is right."""
    most = test.largest()
    return PValue(test, most, leaks)(epsilon) if most > -np.inf else 1.0


class PValue:
    """The probability, by epsilon, of a statistic at least as large as one that was found."""

    def __init__(self, test: RankTest, statistic: float, leaks: list[LeakPair]) -> None:
        guesses = test.guesses
        needed = test.needed(statistic)
        both = guesses.top == guesses.bottom
        self._n, self._m = guesses.n_members, guesses.n_nonmembers
        self._leaks, self._least = leaks, NEGLIGIBLE * test.level
        self._depths = guesses.top[both]
        self._needed = [needed[at] for at in (guesses.bottom == 0, guesses.top == 0, both)]
        # Of a guess about all records, one end tells the number that is right at the other.
        ends = ((guesses.top, guesses.bottom, self._m), (guesses.bottom, guesses.top, self._n))
        for limits, (near, far, of_far) in zip(self._needed, ends, strict=False):
            split = (near > 0) & (near < far)
            depths = np.searchsorted(self._depths, near[split])
            # So many are right in all: twice those right at the near end, and what is left over.
            right = -((of_far - near[split] - needed[split]) // 2)
            limits[depths] = np.minimum(limits[depths], right)

    def __call__(self, epsilon: float) -> float:
        """At one epsilon; an upper bound, close."""
        stays = 0.0
        for first, last, chance in self._leaks:
            top, bottom = np.minimum(self._depths, first), np.minimum(self._depths, last)
            free = self._n + self._m - first - last
            walk = _PlaneWalk(
                np.minimum(self._depths - top, free),
                np.minimum(self._depths - bottom, free),
                [
                    needed - sure
                    for needed, sure in zip(self._needed, (top, bottom, top + bottom), strict=True)
                ],
                self._n - first,
                self._m - last,
                self._least / (chance * len(self._leaks)),
            )
            stays += chance * walk.stays(epsilon)
        return min(max(1 - stays, 0.0) + rounding(self._n + self._m), 1.0)


class _PlaneWalk:
    """Members among the first and non-members among the last ranks, without leaks.

    `needed` are the members, the non-members and the sum of both at which the walk crosses.
    """

    def __init__(
        self, top: Counts, bottom: Counts, needed: list[Counts], n: int, m: int, least: float
    ) -> None:
        self._top, self._bottom = [0, *top.tolist()], [0, *bottom.tolist()]
        self._needed = needed
        self._n, self._total, self._least = n, n + m, least

    def stays(self, epsilon: float) -> float:
        """The probability that the walk never crosses."""
        total = self._total
        if total == 0:  # all records leak
            return float(min(needed.min() for needed in self._needed) > 0)
        share = self._n / total
        upper, *chances = class_chances(share, epsilon)
        sizes = binomial(total, upper)
        # Walks whose upper class ends further in, has ended among the first ranks, or the last.
        inside, in_first, in_last = [_State.start()], list[_State](), list[_State]()
        final = len(self._top) - 2
        steps = zip(pairwise(self._top), pairwise(self._bottom), strict=True)
        for i, ((t0, t1), (b0, b1)) in enumerate(steps):
            above, below = binomial(t1 - t0, chances[0]), binomial(b1 - b0, 1 - chances[1])
            to_inside: list[Way] = [(each, above, below) for each in inside]
            to_first = [(each, binomial(t1 - t0, chances[1]), below) for each in in_first]
            to_last = [(each, above, binomial(b1 - b0, 1 - chances[0])) for each in in_last]
            ends = _mixed(t0, t1, sizes, *chances, from_start=i == 0)
            if ends is not None:
                to_first += [(each, ends, below) for each in inside]
            ends = _mixed(total - b1, total - b0, sizes, *chances)
            if ends is not None:
                to_last += [(each, above, _others(ends, b1 - b0)) for each in inside]
            if i < final:
                inside, in_first, in_last = (
                    self._after(ways, i) for ways in (to_inside, to_first, to_last)
                )
        middle = total - self._top[-1] - self._bottom[-1]
        found = self._ended(to_inside, _mixed(t1, total - b1, sizes, *chances))
        found += self._ended(to_first, binomial(middle, chances[1]))
        found += self._ended(to_last, binomial(middle, chances[0]))
        lowest, of_total = binomial(total, share)
        return found / float(of_total[self._n - lowest])

    def _after(self, ways: "list[Way]", i: int) -> "list[_State]":
        """The walks that have not crossed at cut-off i, as one; none if there is no way."""
        states = [way[0].after(*way[1:], self._limits(i), self._least) for way in ways]
        return [_State.joined(states)] if states else []

    def _ended(self, ways: "list[Way]", middle: Part | None) -> float:
        """The probability of no crossing with the last steps, and of n members in all."""
        more, limits = self._n - self._bottom[-1], self._limits(-1)
        if middle is None:
            return 0.0
        return sum(way[0].ending(*way[1:], middle, more, limits) for way in ways)

    def _limits(self, i: int) -> Limits:
        top, bottom, both = (int(needed[i]) for needed in self._needed)
        return top, bottom, both


class _State:
    """Joint probabilities of members at the top and non-members at the bottom."""

    def __init__(self, values: FloatArray, top: int, bottom: int) -> None:
        self.values, self._top, self._bottom = values, top, bottom

    @classmethod
    def start(cls) -> "_State":
        return cls(np.ones((1, 1)), 0, 0)

    @classmethod
    def joined(cls, states: "list[_State]") -> "_State":
        """The sum of several."""
        if len(states) == 1:
            return states[0]
        top, bottom = min(each._top for each in states), min(each._bottom for each in states)
        ends = [
            (each._top + each.values.shape[0], each._bottom + each.values.shape[1])
            for each in states
        ]
        values = np.zeros((max(end[0] for end in ends) - top, max(end[1] for end in ends) - bottom))
        for each, (last_top, last_bottom) in zip(states, ends, strict=True):
            values[
                each._top - top : last_top - top, each._bottom - bottom : last_bottom - bottom
            ] += each.values
        return cls(values, top, bottom)

    def after(self, top: Part, bottom: Part, limits: Limits, least: float) -> "_State":
        """With what is added at both ends and has not crossed.

        Steps, rows and columns with a probability of at most `least` are left out.
        """
        top, bottom = _followed(top, least), _followed(bottom, least)
        first_row, first_column = self._top + top[0], self._bottom + bottom[0]
        values = _spread(self.values, top[1])[: max(limits[0] - first_row, 0)]
        values = _spread(values.T, bottom[1])[: max(limits[1] - first_column, 0)].T
        both = np.arange(values.shape[0])[:, None] + np.arange(values.shape[1])
        values[both >= limits[2] - first_row - first_column] = 0
        r = np.flatnonzero(values.sum(axis=1) > least)
        c = np.flatnonzero(values.sum(axis=0) > least)
        if r.size == 0 or c.size == 0:
            return _State(np.zeros((1, 1)), first_row, first_column)
        kept = values[r[0] : r[-1] + 1, c[0] : c[-1] + 1]
        return _State(kept, first_row + int(r[0]), first_column + int(c[0]))

    def ending(self, top: Part, bottom: Part, middle: Part, more: int, limits: Limits) -> float:
        """The probability of no crossing, after a step, and of so many members in all.

        Members of the top and of the `middle` are together so many `more` than the non-members at
        the bottom. For each number in the middle, only a diagonal of the state is needed.
        """
        by_top = _spread(self.values, top[1])
        # Row k has the chances to come from each column to k: the step, reversed and moved.
        before = self.values.shape[1]
        by_bottom = sliding_window_view(np.pad(bottom[1], before - 1), before)[:, ::-1]
        rows, first = self._top + top[0] + np.arange(by_top.shape[0]), self._bottom + bottom[0]
        found = 0.0
        for members, chance in enumerate(middle[1].tolist(), middle[0]):
            columns = rows + members - more
            kept = (rows < limits[0]) & (columns < limits[1]) & (rows + columns < limits[2])
            kept &= (columns >= first) & (columns < first + by_bottom.shape[0])
            found += chance * float(np.sum(by_top[kept] * by_bottom[columns[kept] - first]))
        return found


Way = tuple[_State, Part, Part]  # walks, and their steps at the top and at the bottom


def _spread(values: FloatArray, step: FloatArray) -> FloatArray:
    """Each column convolved with a step.

    By Fourier transforms: matrix products would take threads, which wait for each other's cores.
    """
    size = values.shape[0] + step.size - 1
    fast = next_fast_len(size, real=True)
    transform = rfft(values, fast, axis=0)
    transform *= rfft(step, fast)[:, None]
    return np.asarray(irfft(transform, fast, axis=0, overwrite_x=True)[:size])


def _mixed(
    begin: int, end: int, sizes: Part, above: float, below: float, *, from_start: bool = False
) -> Part | None:
    """Members in ranks (begin, end], where the upper class ends; None if it hardly ever does."""
    first = max(begin if from_start else begin + 1, sizes[0])
    chances = sizes[1][first - sizes[0] : max(end + 1 - sizes[0], 0)]
    if first > end or chances.sum() < UNLIKELY:
        return None
    return mixture(begin, end, first, chances, above, below)


def _followed(part: Part, least: float) -> Part:
    """Without ends whose counts have a probability of at most `least` each."""
    kept = np.flatnonzero(part[1] > least)
    if kept.size == 0:
        return part
    return part[0] + int(kept[0]), part[1][kept[0] : kept[-1] + 1]


def _others(members: Part, ranks: int) -> Part:
    """Non-members, from the members in so many ranks."""
    return ranks - members[0] - members[1].size + 1, members[1][::-1]


METHOD = BoundMethod(label="rank test", rule=exact_bound, separated=separated)
