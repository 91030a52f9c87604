"""The default bound: a rank test over all thresholds, exact in the least favourable case.

**Statement.** Members are independent draws of a distribution Q of scores, non-members of a
distribution P; n and m of them. If for every threshold t

    ``Q(score >= t) <= e^epsilon P(score >= t) + delta`` and
    ``P(score < t) <= e^epsilon Q(score < t) + delta``,

the returned bound exceeds epsilon with probability at most ``1 - confidence_level``. So what is
bounded is the epsilon of half-lines of scores in the attack's direction; the epsilon of all events,
of both directions, and of a mechanism behind the scores is no smaller.

**Proof.** Order all records by descending score, ties at random. Let h be any function of who is a
member there that does not fall when a member changes places with a non-member above.

1. Only ranks matter, so let scores be such that a non-member's place from the top is uniform on
   [0, 1]. A member's place then has the distribution function ``R(t) = TPR at FPR t``, the curve of
   the attack, straight where scores are tied.
2. The assumption says that R lies nowhere above ``L(t) = min(1, delta + e^epsilon t,
   1 - e^-epsilon (1 - delta - t))``, the boundary of the (epsilon, delta) region turned upside
   down; L is concave, so this holds on the straight pieces, too.
3. Let U be uniform. A member at the place where L reaches U is never below a member at the place
   where R reaches U. So members whose places have distribution L can be made from those at hand by
   moving each upwards, and h does not fall: ``P(h >= c)`` is largest for L, whatever P and Q.
4. L is an attack on leaky randomized response. A member shows with probability delta that it is one
   and else says "member" with probability ``q = e^epsilon / (1 + e^epsilon)``; a non-member shows
   what it is with probability delta, too, and else says "non-member" with probability q. They are
   ranked in this order: members that show it, those that say "member" (the upper class), those that
   say "non-member" (the lower class), non-members that show it, at random within each class. This
   satisfies the assumption: for it the p-values below are exact.

Call the p-value of epsilon the probability under L of an h at least as large as the data's. Where
the assumption holds, it is at most a with probability at most a; and it does not fall when epsilon
grows, because L does not. So the epsilons that are refuted, those with a p-value of at most
``1 - confidence_level``, end below the true one.

**The statistic.** Rank cut-offs k from half of all records down to 4, fixed in advance. For each,
three counts of right guesses: members among the first k and non-members among the last k together,
and either alone; near half, and where k is the size of the smaller class, also for a guess about
every record, those before one rank members and all others not. Each guess has a level, which does
not fall with epsilon. Let e(c) be the epsilon that a count c refutes alone, by a binomial limit, at
the level of epsilon 0, and E(c) the one that it refutes at the level of e(c). The statistic h is
the largest E(c) of all guesses. When a member moves up, no c falls. With c rises what it refutes at
a fixed level, so e(c) does; with it the level, and with both E(c).

The levels are multiples of the whole level, and at most 0.5. They only order the guesses: the
p-value accounts for the search among all of them. With N records, s the share of them that is
guessed, r twice the share of the smaller class, and x the excess of members over non-members as a
share of all records, 0 if there is none::

    all records, cut at one rank    2.6
    as many at both ends            1.6 s^(1 / (1 + r epsilon))
    the k first ranks               f(k) = (0.2 + 0.4 epsilon) min(1, 1000 / N)^(1 / 2)
                                           min(1, 25 / k)^(1.5 / (1 + epsilon))
    the k last ranks                0.05 + 0.05 epsilon + 0.5 x f(k)

A weak leak is everywhere: near epsilon 0 the level is spent at large cut-offs. Where epsilon is
large the evidence is an almost clean run of right guesses, which may end anywhere. The first ranks
are where models leak much about few records. With more records as many of them are a smaller share,
and more of them leak, so they need less of the level; at a fixed one, chance among few ranks would
hide what many records show. Where most records are members, few of the first guesses are wrong
anyway, and the last ranks tell more.

These numbers were chosen by the ratio of the median bound to the largest that any valid method can
have: as even as possible over 50 cases, smooth distributions, leaks of 1 to 20 % of the members, an
end of the ranking without members, classes of 30 to 10 000 records, levels of 1 to 20 %.
`benchmarks/limit.py` measures it, also on distributions that were not among them. A higher level of
the first ranks gains where 2 % of the members leak and loses where the leak is everywhere.

Cut-offs are densest where one record more counts most (`default_cut_offs`): where few are left, and
near a half, where the two classes of randomized response meet. Guesses about all records are for
scores with few values: the last record that an attack calls "member" is there the last of many tied
ones, rarely in the middle of all records, and most other guesses are lost because tied members are
ranked last.

**Delta.** Right guesses that delta alone may explain do not count, and their number depends on
delta. Where fewer than `SHARED_LEAKS` records are expected to leak, all guesses count: so the
statistic is the same for all such deltas. L rises with delta, so by step 3 p-values do, and the
bound does not: there it is valid for all deltas at once. Medians of the bound are lower by at most
1.2 % (2 % of the members leak; 500 records of each class). At larger deltas each delta has its own
test, and a test at a larger delta may certify slightly more.

**The p-values.** The statistic is at least the data's if, at some cut-off, a count reaches
`RankTest.fewest_right_to_refute`: a walk crosses a boundary
(`dpviz.audit.bounds.boundary_crossing`). P-values of every statistic that is the largest epsilon of
some guesses are computed alike (`RankTest`, `p_value_curve`).

**Ties.** At random, as in the proof, they need a seed. So tied members are ranked last: then no c
is larger than at random, nor is the statistic, and the bound holds. Few values lower it: by 1 to
2 % at 250 values, 5 to 13 % at 35, 8 to 24 % at 8 (Laplace 1, Gaussian 1 and 2; 500 records of each
class), and to 0 for some attacks that only say yes or no. Where members and non-members together
have at most `FEW_VALUES` scores, ties are ranked at random. Whatever a
rule on the data chooses, the statistic is at most that of the random ranking, whose p-values are
valid: so the choice costs nothing. The seed is made of the numbers of records with each score, so
nobody can choose it, and other data have another ranking. Where a single outcome is likely, a lucky
ranking would make it false too often: so two of the scores must have `MANY_TIED` records each.

Of many records, or with a large delta, exact p-values take too long. There the p-values of the same
statistic are simulated (`dpviz.audit.bounds.simulation`), with a seed that nobody can choose.

**One training run.** Scores of one run depend on each other. With a random split of fixed sizes the
test holds for replace-one epsilon nevertheless: `dpviz.audit.bounds.fixed_split`.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betainc, betaincinv, expit, logit

from dpviz import checks
from dpviz.audit.bounds import boundary_crossing, result
from dpviz.audit.bounds.boundary_crossing import LeakPair, leak_pairs, merge_rare_leak_pairs
from dpviz.audit.bounds.result import BoundMethod, BoundRequest, ChanceByEpsilon, MethodResult
from dpviz.audit.bounds.simulation import SMALLEST_LEVEL, LeastFavourableRankings, simulated_bound
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Counts, Scores, reject_too_many_records
from dpviz.checks import FloatArray
from dpviz.theory.profile import first_whole_numbers_where

SMALLEST_CUT = 4  # records
CUT_OFF_RATIO = 1.5  # of neighbouring cut-offs in audits of one training run
FEW_VALUES = 32  # distinct scores up to which ties are ranked at random
MANY_TIED = 100  # records of two scores at least, so that no single outcome is likely
RANKINGS = 16  # random rankings of ties, for the spread of the bound over them
LEVEL_ROUNDING = 1e-6  # relative excess over a level that counts as rounding
# The step from a cut-off k to the next smaller one: the smallest of OF_CUT k, k^(5/4) / SMALL, and
# AT_HALF sqrt(half) + AWAY (half - k), where half is half of all records.
OF_CUT, SMALL, AT_HALF, AWAY = 0.12, 32, 0.08, 0.52
SMALLEST_SPLIT_SHARE = 0.7  # of a half: the smallest cut of guesses about all records
# Levels of sets of guesses, over the whole level: about all records, at both ends, about the last
# and the first ones. They increase with epsilon; those of the first ones fall with two sizes.
ALL, BOTH_ENDS, LAST, LAST_BY_EPSILON, LAST_OF_MAJORITY = 2.6, 1.6, 0.05, 0.05, 0.5
FIRST, FIRST_BY_EPSILON, FEW, FALL, MANY = 0.2, 0.4, 25, 1.5, 1000
HIGHEST_SET_LEVEL = 0.5  # of a set of guesses
SHARED_LEAKS = 0.03  # expected number of leaking records up to which all deltas share a statistic
LEAK_LEVEL_SHARE = 0.1  # share of the level at which `GuessSets.leaks` may be exceeded
NEGLIGIBLE_LEVEL_SHARE = 1e-6  # probability of a walk that is not followed, over the level
LEAK_VALUES = 8  # distinct numbers of leaking records of a class that are tried
RARE = 0.1  # share of the level: total probability of the pairs `merge_rare_leak_pairs` merges
MOST_VARYING = 25  # variance of such a number above which 8 values are too coarse
CACHED = 1024  # bounds that are kept
MOST_WORK = 2.5e7  # numbers of leaks times guesses times records: about 2 seconds
P_VALUE_OF_SEARCH = 5  # typical p-value of epsilon = the statistic, over the level
SEED = 0  # of simulations, the same for all data
SEARCHED_AT = 0.1  # share of the level that sets the width of the first window of simulations
MOST_RECORDS_WITHOUT_TIES = 10**6  # of `perfect_scores`; ties would take random draws
SIMULATED_P_VALUES_NOTE = (
    f"p-values are simulated (seed {SEED}): exact p-values take too long for this many records or "
    "a delta this large"
)
RANDOM_TIES_NOTE = (
    f"scores have at most {FEW_VALUES} values: tied records are ranked at random, with a seed from "
    "their numbers"
)


def rank_bound(scores: Scores, request: BoundRequest) -> MethodResult:
    """Return the default lower bound: the largest epsilon whose p-value is at most the level."""
    n, m, level = scores.n_members, scores.n_nonmembers, 1 - request.confidence_level
    test, leaks = default_test_and_leaks(n, m, delta=request.delta, level=level)
    cuts = test.guesses.cuts
    members = fewest_members_above_cuts(scores, cuts)
    counts = class_counts_if_few_values(scores)
    if counts is None:
        return _bound_from_members_above(test, leaks, members, request)
    rng = np.random.default_rng([SEED, *counts])
    rankings = members_above_cuts(scores, cuts, rng, rankings=RANKINGS)
    bound = _bound_from_members_above(test, leaks, rankings[:, 0], request)
    if (rankings == members[:, None]).all():  # no cut-off divides tied records of both classes
        return bound
    # The bound varies over seeds about as the statistic does over rankings.
    spread = np.std([max(float(test.refuted_epsilons(each).max()), 0.0) for each in rankings.T])
    varies = float(np.hypot(spread, bound.seed_spread or 0.0))
    return replace(bound, seed=SEED, seed_spread=varies, notes=(*bound.notes, RANDOM_TIES_NOTE))


def class_counts_if_few_values(scores: Scores) -> list[int] | None:
    """Return both classes' counts at each score; None if scores have many values or few ties."""
    if scores.n_distinct > FEW_VALUES:
        return None
    values, samples = scores.distinct_scores(), (scores.members, scores.nonmembers)
    counts = np.array([np.diff(sample.count_at_most(values), prepend=0) for sample in samples])
    frequent = np.sort(counts.sum(axis=0))[-2:]
    return counts.ravel().tolist() if frequent.size == 2 and frequent[0] >= MANY_TIED else None


def _bound_from_members_above(
    test: "DefaultRankTest", leaks: list[LeakPair] | None, members: Counts, request: BoundRequest
) -> MethodResult:
    """Return the bound from the numbers of members above each cut-off, for `rank_bound`."""
    n, m, level = test.guesses.n_members, test.guesses.n_nonmembers, test.level
    # The rounding errors that p-values include must be small beside the level.
    smallest = 10 * boundary_crossing.rounding_error_bound(n + m)
    if level < smallest:
        most = f"at most 1 - {smallest:.0e} for this many records"
        raise checks.fail("confidence_level", most, request.confidence_level)
    if leaks is None:
        if level < SMALLEST_LEVEL * (1 - 1e-9):  # 1 - 0.9999 is 1e-4 up to rounding
            most = f"at most {1 - SMALLEST_LEVEL:g} where p-values are simulated"
            raise checks.fail("confidence_level", most, request.confidence_level)
        bound = bound_from_simulations(test, members, np.random.default_rng(SEED))
        return replace(bound, seed=SEED, notes=(SIMULATED_P_VALUES_NOTE,))
    # The statistic is the largest epsilon that one guess refutes; that guess is the evidence.
    refuted = test.refuted_epsilons(members)
    low = exact_bound(n, m, delta=request.delta, level=level, statistic=float(refuted.max()))
    evidence = (test.guesses.rank_evidence(int(np.argmax(refuted)), members),) if low > 0 else ()
    return MethodResult(low=low, evidence=evidence)


def default_test_and_leaks(
    n: int, m: int, *, delta: float, level: float
) -> tuple["DefaultRankTest", list[LeakPair] | None]:
    """Return the default rank test and its leak pairs, which are None if p-values are simulated."""
    test = DefaultRankTest(n, m, delta=delta, level=level)
    # The time of a p-value is about proportional to this product, for each pair of leaks.
    work = test.guesses.top.size * (n + m + 3000)
    if delta * (1 - delta) * max(n, m) <= MOST_VARYING and work <= MOST_WORK:
        leaks = likely_leak_pairs(n, m, delta, level)
        if len(leaks) * work <= MOST_WORK:
            return test, leaks
    return test, None


def exact_test_and_leaks(
    n: int, m: int, *, delta: float, level: float
) -> tuple["DefaultRankTest", list[LeakPair]]:
    """Return the default rank test and its leak pairs, even if exact p-values take long."""
    return DefaultRankTest(n, m, delta=delta, level=level), likely_leak_pairs(n, m, delta, level)


def likely_leak_pairs(n: int, m: int, delta: float, level: float) -> list[LeakPair]:
    """Return likely numbers of leaks (members, non-members) and their probabilities."""
    return merge_rare_leak_pairs(leak_pairs(n, m, delta, level, LEAK_VALUES), RARE * level)


@lru_cache(maxsize=CACHED)
def exact_bound(n: int, m: int, *, delta: float, level: float, statistic: float) -> float:
    """Return the lower bound that exact p-values give for an observed `statistic`."""
    test, leaks = exact_test_and_leaks(n, m, delta=delta, level=level)
    return bound_from_statistic(test, statistic, leaks)


def bound_from_statistic(test: "RankTest", statistic: float, leaks: list[LeakPair]) -> float:
    """Return the lower bound on epsilon, at least 0, from a value of the rank statistic."""
    if statistic == -np.inf:
        return 0.0
    # Where classes are tiny, a statistic below 0 may be significant, too.
    begin, records = max(statistic, 0.0), test.guesses.n_members + test.guesses.n_nonmembers
    search = partial(result.largest_refuted_epsilon, level=test.level, records=records)
    p_near = max(min(P_VALUE_OF_SEARCH * test.level, 0.5), test.level)
    p_value = p_value_curve(test, statistic, leaks)
    if len(leaks) == 1:
        return search(p_value, near=begin, p_near=p_near)
    # Without leaks p-values are smaller, and computed faster: they say where to search.
    of_none = p_value_curve(test, statistic, [(0, 0, 1.0)])
    near = search(of_none, near=begin, p_near=p_near, approximate=True)
    return search(p_value, near=near) if near > 0 else 0.0


def smallest_p_value(test: "RankTest", leaks: list[LeakPair], epsilon: float) -> float:
    """Return the p-value of `epsilon` for a perfect attack; 1 if that attack refutes no epsilon."""
    most = test.largest_statistic()
    return p_value_curve(test, most, leaks)(epsilon) if most > -np.inf else 1.0


def p_value_curve(test: "RankTest", statistic: float, leaks: list[LeakPair]) -> ChanceByEpsilon:
    """Return a function from epsilon to an upper bound on P(rank statistic >= `statistic`)."""
    guesses, needed = test.guesses, test.fewest_right_to_refute(statistic)
    n, m, both = guesses.n_members, guesses.n_nonmembers, guesses.top == guesses.bottom
    depths = guesses.top[both]
    limits = [needed[at] for at in (guesses.bottom == 0, guesses.top == 0, both)]
    # For a guess about all records, the count at one end determines that at the other.
    ends = ((guesses.top, guesses.bottom, m), (guesses.bottom, guesses.top, n))
    for of_end, (near, far, of_far) in zip(limits, ends, strict=False):
        split = (near > 0) & (near < far)
        places = np.searchsorted(depths, near[split])
        # With x right at the near end, 2 x + of_far - near are right in all, x rounded up.
        right = -((of_far - near[split] - needed[split]) // 2)
        of_end[places] = np.minimum(of_end[places], right)
    walk = partial(boundary_crossing.chance_that_walk_crosses, depths, depths, limits, n, m)
    return partial(walk, leaks=leaks, negligible=NEGLIGIBLE_LEVEL_SHARE * test.level)


def bound_from_simulations(
    test: "RankTest", members_above: Counts, rng: np.random.Generator
) -> MethodResult:
    """Return the bound by simulated p-values, from the numbers of members above each cut-off."""
    guesses, refuted = test.guesses, test.refuted_epsilons(members_above)
    best = int(np.argmax(refuted))
    most, right = float(refuted[best]), guesses.count_right(members_above)
    if most <= 0:
        return MethodResult(low=0.0)
    # A simulated statistic is as large if one of its counts refutes as much.
    needed = test.fewest_right_to_refute(most)

    def is_as_large(epsilons: FloatArray) -> NDArray[np.bool]:
        """Return, for each epsilon, whether a simulated statistic is at least that of the data."""
        right = guesses.count_right(test.law.draw(epsilons, rng))
        return np.asarray((right >= needed[:, None]).any(axis=0))

    # The first window is as wide as from what the best count refutes at a small level to at 1/2.
    small, half = np.minimum(test.levels, test.level * SEARCHED_AT), np.full(right.size, 0.5)
    alone = [guesses.refuted_epsilons(right, levels)[best] for levels in (small, half)]
    width = float(alone[1] - alone[0])
    low, spread = simulated_bound(
        is_as_large, rng, low=most - 0.5 * width, high=most + 0.5 * width, level=test.level
    )
    if low == 0:
        return MethodResult(low=0.0)
    evidence = (guesses.rank_evidence(best, members_above),)
    return MethodResult(low=low, evidence=evidence, seed_spread=spread)


class RankTest:
    """A rank test; its statistic is the largest epsilon that any of the sets of guesses refutes."""

    def __init__(
        self, guesses: "GuessSets", levels: FloatArray, *, delta: float, level: float
    ) -> None:
        self.guesses, self.levels, self.level = guesses, levels, level
        n, m, cuts = guesses.n_members, guesses.n_nonmembers, guesses.cuts
        self.law = LeastFavourableRankings(n_members=n, n_nonmembers=m, delta=delta, cuts=cuts)

    def refuted_epsilons(self, members_above: Counts) -> FloatArray:
        """Return, for each set of guesses, the largest epsilon that its right guesses refute."""
        right = self.guesses.count_right(members_above)
        return self.refuted_epsilons_of_sets(np.arange(right.size), right)

    def refuted_epsilons_of_sets(self, sets: Counts, right: Counts) -> FloatArray:
        """Return the largest epsilon that `right[j]` right guesses of each set `sets[j]` refute."""
        return self.guesses.select(sets).refuted_epsilons(right, self.levels[sets])

    def fewest_right_to_refute(self, epsilon: float) -> Counts:
        """Return, for each set of guesses, the fewest right guesses that refute `epsilon`."""
        return self.guesses.fewest_right_to_refute(epsilon, self.levels)

    def largest_statistic(self) -> float:
        """Return the largest value of the statistic, which a ranking with all members first has."""
        members = np.minimum(self.guesses.cuts, self.guesses.n_members)
        return float(np.max(self.refuted_epsilons(members)))


class DefaultRankTest(RankTest):
    """The default rank test, in which the level of each set of guesses rises with epsilon."""

    def __init__(self, n_members: int, n_nonmembers: int, *, delta: float, level: float) -> None:
        tried = default_guess_sets(n_members, n_nonmembers, delta=delta, level=level)
        levels = level_of_each_set(tried, level, np.zeros(tried.top.size))
        super().__init__(tried, levels, delta=delta, level=level)

    def refuted_epsilons_of_sets(self, sets: Counts, right: Counts) -> FloatArray:
        """Return the largest epsilon that `right[j]` right guesses of each set `sets[j]` refute."""
        # First at the level of epsilon 0, then at the level of the epsilon that this refutes.
        tried = self.guesses.select(sets)
        about = np.maximum(tried.refuted_epsilons(right, self.levels[sets]), 0)
        return tried.refuted_epsilons(right, level_of_each_set(tried, self.level, about))

    def fewest_right_to_refute(self, epsilon: float) -> Counts:
        """Return, for each set of guesses, the fewest right guesses that refute `epsilon`."""
        # Levels do not fall with epsilon, so the number at the levels of epsilon 0 is enough.
        enough = self.guesses.fewest_right_to_refute(epsilon, self.levels)

        def refutes(right: Counts) -> NDArray[np.bool]:
            return self.refuted_epsilons_of_sets(np.arange(right.size), right) >= epsilon

        return first_whole_numbers_where(refutes, np.zeros_like(enough), enough)


def default_guess_sets(
    n_members: int, n_nonmembers: int, *, delta: float, level: float
) -> "GuessSets":
    """Return the sets of guesses that the default method tests, at `default_cut_offs`."""
    records, fewer = n_members + n_nonmembers, min(n_members, n_nonmembers)
    # A cut-off at the size of the smaller class makes all guesses about a perfect ranking right.
    cuts = np.union1d(default_cut_offs(records), fewer)
    own_delta = 0.0 if delta * records <= SHARED_LEAKS else delta
    at_leaks = level * LEAK_LEVEL_SHARE
    tried = guess_sets(n_members, n_nonmembers, delta=own_delta, level=at_leaks, cuts=cuts)
    splits = (cuts >= SMALLEST_SPLIT_SHARE * (records // 2)) | (cuts == fewer)
    return tried.with_guesses_about_all_records(cuts[splits & (2 * cuts < records)])


def default_cut_offs(records: int) -> Counts:
    """Return the rank cut-offs of the default method, descending from half of all records."""
    half = max(records // 2, 1)
    cuts, smaller = [half], half
    while smaller >= SMALLEST_CUT:
        cuts.append(smaller)
        at_half = AT_HALF * half**0.5 + AWAY * (half - smaller)
        smaller = int(smaller - max(min(OF_CUT * smaller, smaller**1.25 / SMALL, at_half), 1))
    return np.array(cuts, np.int64)


def level_of_each_set(tried: "GuessSets", level: float, epsilons: FloatArray) -> FloatArray:
    """Return the significance level of each set for the given epsilon; it rises with epsilon."""
    n, m = tried.n_members, tried.n_nonmembers
    guessed, smaller = tried.top + tried.bottom, 2 * min(n, m) / (n + m)
    # The table of levels in the module's text, by the kind of each guess.
    both = BOTH_ENDS * (guessed / (n + m)) ** (1 / (1 + smaller * epsilons))
    of_two = np.where(tried.top == tried.bottom, both, ALL)
    fall = np.minimum(1, FEW / np.maximum(guessed, 1)) ** (FALL / (1 + epsilons))
    first = (FIRST + FIRST_BY_EPSILON * epsilons) * fall * min(1, MANY / (n + m)) ** 0.5
    last = LAST + LAST_BY_EPSILON * epsilons + LAST_OF_MAJORITY * max(n - m, 0) / (n + m) * first
    one = np.where(tried.top > 0, first, last)
    shares = np.where((tried.top > 0) & (tried.bottom > 0), of_two, one)
    return np.minimum(level * shares, HIGHEST_SET_LEVEL)


@dataclass(frozen=True, kw_only=True, eq=False)
class GuessSets:
    """Sets of guesses: "member" for the first `top` records, "non-member" for the last `bottom`."""

    top: Counts  # shape (g,), like `bottom` and `leaks`
    bottom: Counts
    leaks: Counts  # guesses that may be right because of delta: subtracted from all and from right
    n_members: int
    n_nonmembers: int
    log_odds: float  # log odds that a record is a member, before its score is seen

    @cached_property
    def cuts(self) -> Counts:
        """The cut-offs of all sets, ascending: numbers of top-ranked records, possibly 0."""
        return np.union1d(self.top, self.n_members + self.n_nonmembers - self.bottom)

    def with_guesses_about_all_records(self, cuts: Counts) -> "GuessSets":
        """Add two sets per cut k: guess as members the first k records, or all but the last k."""
        others = self.n_members + self.n_nonmembers - cuts
        return replace(
            self,
            top=np.concatenate([self.top, cuts, others]),
            bottom=np.concatenate([self.bottom, others, cuts]),
            leaks=np.concatenate([self.leaks, np.repeat(self.leaks[:1], 2 * cuts.size)]),
        )

    def select(self, indices: Counts) -> "GuessSets":
        """Return the sets of guesses with these indices, which may be repeated."""
        some = {name: getattr(self, name)[indices] for name in ("top", "bottom", "leaks")}
        return replace(self, **some)

    def count_right(self, members_above: Counts) -> Counts:
        """Return each set's number of right guesses, from the numbers of members above cuts."""
        total, cuts = self.n_members + self.n_nonmembers, self.cuts
        in_top = members_above[np.searchsorted(cuts, self.top)]
        before_bottom = members_above[np.searchsorted(cuts, total - self.bottom)]
        last = self.bottom.reshape(-1, *[1] * (members_above.ndim - 1))
        return np.asarray(in_top + last - (self.n_members - before_bottom))

    def rank_evidence(self, i: int, members_above: Counts) -> result.RankEvidence:
        """Return, as evidence, the numbers of right guesses at the top and bottom of set `i`."""
        top, bottom = int(self.top[i]), int(self.bottom[i])
        in_top = int(members_above[np.searchsorted(self.cuts, top)])
        ends = {"top": top, "bottom": bottom, "members_in_top": in_top}
        right = int(self.count_right(members_above)[i])
        return result.RankEvidence(**ends, nonmembers_in_bottom=right - in_top)

    def refuted_epsilons(self, right: Counts, levels: FloatArray) -> FloatArray:
        """Return, for each set, the largest epsilon that `right` right guesses refute, or -inf."""
        free, tried = np.maximum(right - self.leaks, 0), self._sizes_without_leaks
        limit = betaincinv(np.maximum(free, 1), tried - free + 1, levels)
        epsilons = self.epsilon_at_chance(limit)
        return np.asarray(np.where((free > 0) & (self.leaks < self._sizes), epsilons, -np.inf))

    def fewest_right_to_refute(self, epsilon: float, levels: FloatArray) -> Counts:
        """Return each set's fewest right guesses to refute `epsilon`; size + 1 if impossible."""
        chance, tried = self.chance_of_right_guess(epsilon), self._sizes_without_leaks

        def refutes(right: Counts) -> NDArray[np.bool]:
            # At a slightly larger level: right guesses that `refuted` this epsilon are enough.
            values = betainc(np.maximum(right, 1), tried - right + 1, chance)
            return np.asarray(values <= levels * (1 + LEVEL_ROUNDING))

        # 0 right guesses refute nothing.
        enough = first_whole_numbers_where(refutes, np.zeros_like(tried), tried + 1)
        return np.asarray(np.where(self.leaks < self._sizes, enough + self.leaks, self._sizes + 1))

    @property
    def _sizes(self) -> Counts:
        return self.top + self.bottom

    @property
    def _sizes_without_leaks(self) -> Counts:
        return np.asarray(np.maximum(self._sizes - self.leaks, 1))

    @property
    def _share_of_member_guesses(self) -> FloatArray:
        return np.asarray(self.top / self._sizes)

    def chance_of_right_guess(self, epsilon: float) -> FloatArray:
        """Return the largest P(right) that `epsilon` allows, averaged over each set of guesses."""
        share = self._share_of_member_guesses
        up, down = expit(epsilon + self.log_odds), expit(epsilon - self.log_odds)
        return np.asarray(share * up + (1 - share) * down)

    def epsilon_at_chance(self, chance: FloatArray) -> FloatArray:
        """Return, for each set, the epsilon at which `chance_of_right_guess` equals `chance`."""
        # Both ends: a quadratic equation in e^epsilon; the form of its root without cancellation.
        share, log_odds = self._share_of_member_guesses, self.log_odds
        up, down = share * np.exp(log_odds), (1 - share) * np.exp(-log_odds)
        half = up + down - 2 * chance * np.cosh(log_odds)
        root = np.sqrt(half * half + 4 * chance * (1 - chance))
        both = np.where(half > 0, 2 * chance / (half + root), (root - half) / (2 * (1 - chance)))
        one = logit(chance) + np.where(self.bottom == 0, -log_odds, log_odds)
        return np.where((self.top > 0) & (self.bottom > 0), np.log(both), one)


def guess_sets(
    n_members: int,
    n_nonmembers: int,
    *,
    delta: float,
    level: float,
    log_odds: float | None = None,
    cuts: Counts | None = None,
) -> GuessSets:
    """Return three sets of guesses per cut-off k: about the first k records, the last k, or both.
    With probability <= `level`, delta makes more than `GuessSets.leaks` guesses of a set right.
    """
    n, m = checks.whole("n_members", n_members, 1), checks.whole("n_nonmembers", n_nonmembers, 1)
    k = cut_offs(n + m) if cuts is None else cuts
    none = np.zeros_like(k)
    log_odds = float(np.log(n / m)) if log_odds is None else log_odds
    # A guess at the top is surely right only about members that leak, one at the bottom only
    # about non-members that do.
    shares = (1.0, expit(log_odds), expit(-log_odds))
    leaks = [leak_count_limit(n + m, delta * share, level) for share in shares]
    return GuessSets(
        top=np.concatenate([k, k, none]),
        bottom=np.concatenate([k, none, k]),
        leaks=np.repeat(leaks, k.size),
        n_members=n,
        n_nonmembers=m,
        log_odds=log_odds,
    )


def cut_offs(records: int, *, ratio: float = CUT_OFF_RATIO) -> Counts:
    """Return ascending rank cut-offs, a factor `ratio` apart, from about 4 to half the records."""
    cuts = [max(records // 2, 1)]
    while cuts[-1] / ratio >= SMALLEST_CUT:
        cuts.append(int(cuts[-1] / ratio))
    return np.array(cuts[::-1], np.int64)


def leak_count_limit(records: int, delta: float, level: float) -> int:
    """Return the smallest k with P(K > k) <= `level`, where K is binomial(records, delta)."""
    return bisect_left(range(records), True, key=lambda k: bool(bdtrc(k, records, delta) <= level))


def members_above_cuts(
    scores: Scores, cuts: Counts, rng: np.random.Generator, *, rankings: int = 1
) -> Counts:
    """Count members above each cut-off, with ties ranked at random; shape (cuts, rankings)."""
    # The record before a cut-off may be tied: then the cut-off divides the tied records.
    last, (above, tied_members), (above_nonmembers, tied_nonmembers) = _scores_at_cuts(scores, cuts)
    in_first = np.empty((cuts.size, rankings), np.int64)
    taken = drawn = np.zeros(rankings, np.int64)
    for i, cut in enumerate(cuts):
        # Tied records above one cut are above the next, too.
        if i == 0 or last[i] != last[i - 1]:
            taken = drawn = np.zeros(rankings, np.int64)
        left = tied_members[i] - drawn
        wanted = cut - above[i] - above_nonmembers[i] - taken
        drawn = drawn + rng.hypergeometric(left, tied_nonmembers[i] - (taken - drawn), wanted)
        taken = taken + wanted
        in_first[i] = above[i] + drawn
    return in_first


def fewest_members_above_cuts(scores: Scores, cuts: Counts) -> Counts:
    """Count members above each cut-off; among records of equal score, members are ranked last."""
    _, (above, _), (above_nonmembers, tied_nonmembers) = _scores_at_cuts(scores, cuts)
    # Tied non-members are ranked first; members take the places that are left.
    return np.asarray(above + np.maximum(cuts - above - above_nonmembers - tied_nonmembers, 0))


def _scores_at_cuts(scores: Scores, cuts: Counts) -> tuple[FloatArray, list[Counts], list[Counts]]:
    """Return the score s at each cut-off, and each class's numbers of scores > s and = s."""
    reject_too_many_records(scores, "a bound by ranks")
    size = scores.n_members + scores.n_nonmembers
    last = scores.at_pooled_ranks(np.minimum(size - cuts, size - 1))
    members, nonmembers = (
        [x.size - x.count_at_most(last), x.count_at_most(last) - x.count_below(last)]
        for x in (scores.members, scores.nonmembers)
    )
    return last, members, nonmembers


def perfect_scores(n: int, m: int) -> Scores:
    """Return scores of a perfect attack; they have ties only if there are very many records."""
    if n + m > MOST_RECORDS_WITHOUT_TIES:
        return result.perfect_binned_scores(n, m)
    member, nonmember = np.arange(1.0, n + 1), np.arange(-float(m), 0.0)
    return AttackScores.of_sorted(member, nonmember, kind="score")


METHOD = BoundMethod(
    label="rank test",
    rule=rank_bound,
    samplings=("independent_trainings", "fixed_split"),
    separated=perfect_scores,
)
