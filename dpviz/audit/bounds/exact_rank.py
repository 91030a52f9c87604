"""The rank bound with exact p-values instead of simulated ones: no seed, any confidence level.

Statement and proof are those of `dpviz.audit.bounds.rank`; the statistic is that one, or another
one of the same form. It is at least the data's if, for some rank cut-off k, the members among the
first k records, the non-members among the last k, or both together reach the numbers that
`Guesses.needed` says. So its p-value is the probability that a walk in the plane crosses a
boundary, under leaky randomized response.

**The walk.** As in `dpviz.audit.bounds.leaky_law`: let each record that does not leak be a member
with probability n / (n + m), independently. Given the number K of records in the upper class, the
ranks are independent members, with one probability down to rank K and another below; the sum over K
of ``P(K) P(no crossing, n members | K)``, divided by ``P(n members)``, is what is wanted. From one
cut-off to the next, members are added at the top and non-members at the bottom, independently: two
matrix products. Steps depend on K only in the one interval between cut-offs in which the upper
class ends; so for each such interval one walk is enough, with the mixture over K as its step there.

What is too small to be followed counts as a crossing, as do more leaks than are told apart.
"""

from dataclasses import replace
from itertools import pairwise
from math import expm1, log1p

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dpviz import checks
from dpviz.audit.bounds.leaky_law import (
    LeakPair,
    Part,
    binomial,
    class_chances,
    leak_pairs,
    mixture,
)
from dpviz.audit.bounds.method import BoundMethod, MethodResult, Request
from dpviz.audit.bounds.number_law import Chance, refuted_up_to
from dpviz.audit.bounds.rank import METHOD as SIMULATING
from dpviz.audit.bounds.rank import RankTest, Statistic, at_one_delta, rank_bound, separated
from dpviz.audit.bounds.rank_guesses import members_in_first
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

UNLIKELY = 1e-14  # that the upper class ends in an interval that is left out
LATTICE_UNIT, LATTICE_STEP = 0.1, 1e-3  # neighbours are 0.001 (epsilon + 0.1) apart
STEP = 0.02  # first step of the search in epsilon where there are leaks
NEGLIGIBLE = 1e-9  # probabilities of the state that are not followed, as a share of the level
LEAK_VALUES = 8  # numbers of leaks of a class that are told apart
MOST_LEAKS = 25  # pairs of such numbers
MOST_WORK = 2e6  # measured: about 2 seconds
SIMULATED = (
    "p-values are simulated: exact ones take too long for so many records or so large a delta"
)


def exact_bound(
    scores: Scores, request: Request, statistic: Statistic = at_one_delta
) -> MethodResult:
    """The largest epsilon with a p-value of at most the level. The seed only ranks ties."""
    n, m, level = scores.n_members, scores.n_nonmembers, 1 - request.confidence_level
    leaks = leak_pairs(n, m, request.delta, level, LEAK_VALUES)
    work = len(leaks) * ((n + m) ** 1.5 + 15_000)
    if len(leaks) > MOST_LEAKS or work > MOST_WORK:
        if not SIMULATING.resolves(request.confidence_level):
            most = f"at most {1 - SIMULATING.smallest_level:g} where p-values are simulated"
            raise checks.fail("confidence_level", most, request.confidence_level)
        found = rank_bound(scores, request, statistic)
        return replace(found, notes=(*found.notes, SIMULATED))
    test = RankTest(n, m, delta=request.delta, level=level, statistic=statistic)
    members = members_in_first(scores, test.guesses.cuts, np.random.default_rng(request.seed))[:, 0]
    refuted = test.refuted(members)
    best = int(np.argmax(refuted))
    low = largest_refuted(test, float(refuted[best]), leaks)
    tied = np.isin(scores.members.values, scores.nonmembers.values).any()
    return MethodResult(
        low=low,
        evidence=(test.guesses.evidence(best, members),) if low > 0 else (),
        seed_spread=None if tied else 0.0,
    )


def largest_refuted(test: RankTest, statistic: float, leaks: list[LeakPair]) -> float:
    """The bound from a value of the statistic; 0 where nothing is refuted."""
    p_value = PValue(test, statistic, leaks)
    if statistic <= 0 or p_value(0.0) > test.level:
        return 0.0
    # Without leaks, p-values are smaller and sooner known: they say where to search.
    near = refuted_up_to(PValue(test, statistic, [(0, 0, 1.0)]), test.level, start=statistic)
    if len(leaks) > 1:
        near = refuted_up_to(p_value, test.level, start=near, step=STEP)
    return on_lattice(p_value, near, test.level)


def on_lattice(p_value: Chance, near: float, level: float) -> float:
    """The largest epsilon of a fixed lattice with a p-value of at most the level.

    `near` has one, and is close. Without the lattice, where a search ends would depend on where it
    began, and a smaller p-value might give a smaller bound.
    """

    def place(i: int) -> float:
        return LATTICE_UNIT * expm1(LATTICE_STEP * i)

    i = int(log1p(near / LATTICE_UNIT) / LATTICE_STEP * (1 - 1e-12))
    while p_value(place(i + 1)) <= level:
        i += 1
    return place(i)


class PValue:
    """The probability, by epsilon, of a statistic at least as large as one that was found."""

    def __init__(self, test: RankTest, statistic: float, leaks: list[LeakPair]) -> None:
        guesses = test.guesses
        needed = guesses.needed(statistic, test.levels)
        both = (guesses.top > 0) & (guesses.bottom > 0)
        self._n, self._m = guesses.n_members, guesses.n_nonmembers
        self._leaks, self._least = leaks, NEGLIGIBLE * test.level
        self._depths = guesses.top[both]
        self._needed = [needed[at] for at in (guesses.bottom == 0, guesses.top == 0, both)]

    def __call__(self, epsilon: float) -> float:
        """At one epsilon; an upper bound, close."""
        stays = 0.0
        for first, last, chance in self._leaks:
            top, bottom = np.minimum(self._depths, first), np.minimum(self._depths, last)
            walk = _PlaneWalk(
                self._depths - top,
                self._depths - bottom,
                [
                    needed - sure
                    for needed, sure in zip(self._needed, (top, bottom, top + bottom), strict=True)
                ],
                self._n - first,
                self._m - last,
                self._least,
            )
            stays += chance * walk.stays(epsilon)
        return float(np.clip(1 - stays, 1e-12, 1))


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
        found, state = 0.0, _State.start()
        tops, bottoms = [*pairwise(self._top)], [*pairwise(self._bottom)]
        for i, ((t0, t1), (b0, b1)) in enumerate(zip(tops, bottoms, strict=True)):
            # The upper class ends among the first ranks, or among the last.
            ends = _mixed(t0, t1, sizes, *chances, from_start=i == 0)
            if ends is not None:
                step = ends, binomial(b1 - b0, 1 - chances[1])
                found += self._rest(state, step, i, chances[1])
            ends = _mixed(total - b1, total - b0, sizes, *chances)
            if ends is not None:
                step = binomial(t1 - t0, chances[0]), _others(ends, b1 - b0)
                found += self._rest(state, step, i, chances[0])
            state = self._kept(
                state.after(binomial(t1 - t0, chances[0]), binomial(b1 - b0, 1 - chances[1])), i
            )
        begin, end = self._top[-1], total - self._bottom[-1]
        ends = _mixed(begin, end, sizes, *chances)
        if ends is not None:
            found += self._ended(state, ends)
        lowest, of_total = binomial(total, share)
        return found / float(of_total[self._n - lowest])

    def _rest(self, state: "_State", step: tuple[Part, Part], i: int, chance: float) -> float:
        """With this step at cut-off i, and one probability of a member in all ranks further in."""
        state = self._kept(state.after(*step), i)
        for j in range(i + 1, len(self._needed[0])):
            top = self._top[j + 1] - self._top[j]
            bottom = self._bottom[j + 1] - self._bottom[j]
            state = self._kept(state.after(binomial(top, chance), binomial(bottom, 1 - chance)), j)
        middle = self._total - self._top[-1] - self._bottom[-1]
        return self._ended(state, binomial(middle, chance))

    def _kept(self, state: "_State", i: int) -> "_State":
        top, bottom, both = (int(needed[i]) for needed in self._needed)
        return state.without(top, bottom, both, self._least)

    def _ended(self, state: "_State", middle: Part) -> float:
        """With n members in all."""
        rows, columns = state.counts()
        wanted = self._n - rows - (self._bottom[-1] - columns) - middle[0]
        inside = (wanted >= 0) & (wanted < middle[1].size)
        chances = middle[1][np.clip(wanted, 0, middle[1].size - 1)]
        return float(np.sum(state.values * np.where(inside, chances, 0.0)))


class _State:
    """Joint probabilities of members at the top and non-members at the bottom."""

    def __init__(self, values: FloatArray, top: int, bottom: int) -> None:
        self.values, self._top, self._bottom = values, top, bottom

    @classmethod
    def start(cls) -> "_State":
        return cls(np.ones((1, 1)), 0, 0)

    def counts(self) -> tuple[Counts, Counts]:
        """Members by row, and non-members by column."""
        rows, columns = self.values.shape
        return self._top + np.arange(rows)[:, None], self._bottom + np.arange(columns)

    def after(self, top: Part, bottom: Part) -> "_State":
        """With what is added at both ends."""
        values = _spread(top[1], self.values.shape[0]) @ self.values
        values = values @ _spread(bottom[1], self.values.shape[1]).T
        return _State(values, self._top + top[0], self._bottom + bottom[0])

    def without(self, top: int, bottom: int, both: int, least: float) -> "_State":
        """What has not crossed, without negligible rows and columns."""
        rows, columns = self.counts()
        values = np.where(
            (rows < top) & (columns < bottom) & (rows + columns < both), self.values, 0
        )
        r = np.flatnonzero(values.sum(axis=1) > least)
        c = np.flatnonzero(values.sum(axis=0) > least)
        if r.size == 0 or c.size == 0:
            return _State(np.zeros((1, 1)), self._top, self._bottom)
        kept = values[r[0] : r[-1] + 1, c[0] : c[-1] + 1]
        return _State(kept, self._top + int(r[0]), self._bottom + int(c[0]))


def _spread(step: FloatArray, size: int) -> FloatArray:
    """The matrix by which a vector of this size is convolved with a step."""
    padded = np.concatenate([np.zeros(size - 1), step, np.zeros(size - 1)])
    return sliding_window_view(padded, size)[:, ::-1]


def _mixed(
    begin: int, end: int, sizes: Part, above: float, below: float, *, from_start: bool = False
) -> Part | None:
    """Members in ranks (begin, end], where the upper class ends; None if it hardly ever does."""
    first = max(begin if from_start else begin + 1, sizes[0])
    chances = sizes[1][first - sizes[0] : max(end + 1 - sizes[0], 0)]
    if first > end or chances.sum() < UNLIKELY:
        return None
    return mixture(begin, end, first, chances, above, below)


def _others(members: Part, ranks: int) -> Part:
    """Non-members, from the members in so many ranks."""
    return ranks - members[0] - members[1].size + 1, members[1][::-1]


METHOD = BoundMethod(label="rank test, exact", rule=exact_bound, separated=separated)
