"""A bound from the ranks of members, calibrated against leaky randomized response.

**Statement.** Members are independent draws of a law Q of scores, non-members of a law P; n and m
of them. If for every threshold t

    ``Q(score >= t) <= e^epsilon P(score >= t) + delta`` and
    ``P(score < t) <= e^epsilon Q(score < t) + delta``,

the returned bound exceeds epsilon with probability at most ``1 - confidence_level``. So what is
bounded is the epsilon of half-lines of scores in the attack's direction; the epsilon of all events,
of both directions, and of a mechanism behind the scores is no smaller.

**Proof.** Order all records by descending score, ties at random, and let h be any function of who
is a member in that order that does not fall when a member changes places with a non-member above
it.

1. Only ranks matter, so let scores be such that a non-member's place from the top is uniform on
   [0, 1]. A member's place then has the distribution function ``R(t) = TPR at FPR t``, the curve of
   the attack, straight where scores are tied.
2. The assumption says that R lies nowhere above ``L(t) = min(1, delta + e^epsilon t,
   1 - e^-epsilon (1 - delta - t))``, the boundary of the (epsilon, delta) region turned upside
   down; L is concave, so this holds on the straight pieces, too.
3. Let U be uniform. A member at the place where L reaches U is never below a member at the place
   where R reaches U. So members whose places have law L can be made from those at hand by moving
   each upwards, and h does not fall: ``P(h >= c)`` is largest for L, whatever P and Q.
4. L is an attack on leaky randomized response. A member shows with probability delta that it is one
   and else says "member" with probability ``q = e^epsilon / (1 + e^epsilon)``; a non-member shows
   what it is with probability delta, too, and else says "non-member" with probability q. They are
   ranked in this order: members that show it, those that say "member", those that say "non-member",
   non-members that show it, at random within each class. This law can be simulated, and satisfies
   the assumption: for it the p-values below are exact.

Call the p-value of epsilon the probability under this law of an h at least as large as the data's.
Where the assumption holds, it is at most a with probability at most a; and it does not fall when
epsilon grows, because L does not. So the epsilons that are refuted, those with a p-value of at most
``1 - confidence_level``, end below the true one.

**The statistic.** Rank cut-offs k from half of all records down to 4, fixed in advance. For each,
three counts of right guesses: members among the first k and non-members among the last k together,
and either alone. Each count alone would refute some epsilon, by a binomial limit at a small level;
h is the largest of these. So the bound is the number that most audits report, the best of many
thresholds, with the search over them accounted for exactly.

**The p-values** are simulated. A curve fitted to some first simulations says where which p-value
will be; then a few epsilons, in descending order, are tested by fresh simulations, and the first
that is refuted is the bound. Where they are tested may depend on the data: a false bound needs the
refutation of an epsilon whose p-value is not below that of the true one, in one of as many
independent tests. `allowed_counts` takes the chance of that into account.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, betainc, betaincinv, expit, logit, ndtr, ndtri

from dpviz import checks
from dpviz.audit.bounds.result import (
    BoundMethod,
    MethodResult,
    RankEvidence,
    Request,
    separated_cells,
)
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Counts, OrderedSample, Scores, reject_too_many
from dpviz.checks import FloatArray

Event = Callable[[FloatArray], NDArray[np.bool]]  # epsilons to outcomes, one simulation each
WINDOWS = 40  # windows tried at most
FEWEST = 20  # simulations of either outcome that a fit needs
STEPS = 25  # iterations of a fit at most
FINEST = 1e-4  # width of the narrowest window in epsilon


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """A fitted ``probability = Phi((epsilon - center) * slope)``.

    `errors` is the covariance of intercept and slope as functions of ``(epsilon - middle) / unit``.
    """

    center: float
    slope: float
    middle: float
    unit: float
    errors: FloatArray

    def at(self, probability: float) -> float:
        """The epsilon at which the fit has this probability."""
        return self.center + float(ndtri(probability)) / self.slope

    def standard_error(self, probability: float) -> float:
        """Standard error of `at`, from the number of simulations."""
        place = np.array([1.0, (self.at(probability) - self.middle) / self.unit])
        return float(np.sqrt(place @ self.errors @ place)) / self.slope


def located(
    event: Event,
    rng: np.random.Generator,
    *,
    low: float,
    high: float,
    level: float,
    runs: int,
) -> Crossing:
    """Fit the probability of the event around where it passes `level`.

    The first fit is in a window where both outcomes happen. Then, with three times the simulations,
    windows go from a quarter of the level to four times it by the last fit, until a fit agrees with
    its window: where the probability is far from a probit curve, first fits may describe another
    part of it.
    The first window is from `low` to `high`, the first fit from `runs` simulations.
    """
    refined, missed = False, set()
    for _ in range(WINDOWS):
        epsilons = rng.uniform(low, high, 3 * runs if refined else runs)
        happened = event(epsilons)
        few, many, width = happened.sum() < FEWEST, (~happened).sum() < FEWEST, high - low
        if few or many:
            missed.add(bool(few))
            border = high if few else low
            if len(missed) == 2:  # the step is at a border
                low, high = border - width / 4, border + width / 4
            else:
                low, high = (border, border + 2 * width) if few else (border - 2 * width, border)
            continue
        fit = _fit(epsilons, happened)
        below, above = fit.at(level / 4), fit.at(min(4 * level, (1 + level) / 2))
        covered = low <= fit.at(level / 2) and fit.at(level) <= high
        if refined and covered and max(above - below, FINEST) > width / 3:
            return fit
        above = max(above, below + FINEST)
        low, high, refined, missed = below, above, True, set()
    return _fit(epsilons, happened)


def _fit(epsilons: FloatArray, happened: NDArray[np.bool]) -> Crossing:
    """Probit regression by iterated weighted least squares."""
    middle, unit = float(epsilons.mean()), float(epsilons.std())
    design = np.stack([np.ones_like(epsilons), (epsilons - middle) / unit], axis=1)
    fit = np.array([ndtri((happened.sum() + 1) / (happened.size + 2)), 0.5])
    for _ in range(STEPS):
        # Simulations beyond 5 carry no information, and the density would underflow.
        z = np.clip(design @ fit, -5, 5)
        p, density = ndtr(z), np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        weighted = design * (density**2 / (p * (1 - p)))[:, None]
        errors = np.linalg.inv(weighted.T @ design)
        step = errors @ (weighted.T @ ((happened - p) / density))
        fit = fit + step
        if np.abs(step).max() < 1e-6:
            break
    slope = max(float(fit[1]), 1e-3) / unit
    return Crossing(
        center=middle - float(fit[0]) / slope,
        slope=slope,
        middle=middle,
        unit=unit,
        errors=np.asarray(errors),
    )


# Guesses of membership at rank cut-offs fixed in advance, and the epsilon that each one refutes.
#
# At a cut-off, the guess "member" is made of the records ranked first and "non-member" of the
# last.
# Why counts of right guesses are limited at any (epsilon, delta) guarantee, and what a search
# over
# cut-offs costs, is proved in `dpviz.audit.bounds.rank` and, for fair coins, in `three_paths`.

RATIO = 1.5  # of a cut-off to the next smaller one, by default
SMALLEST_CUT = 4  # records
ROUNDING = 1e-6  # relative excess over a level that is ignored, so that equal guesses stay equal


@dataclass(frozen=True, kw_only=True, eq=False)
class Guesses:
    """Guesses "member" of the `top` first records and "non-member" of the `bottom` last.

    A guess about a record that leaks its membership is surely right: `leaks` such records are
    subtracted, from the guesses and from the right ones.
    """

    top: Counts  # shape (g,), like `bottom` and `leaks`
    bottom: Counts
    leaks: Counts
    n_members: int
    n_nonmembers: int
    odds: float  # log odds that a record is a member, before its score is seen

    @cached_property
    def cuts(self) -> Counts:
        """Numbers of first records in which members have to be counted; ascending.

        Guesses of one kind add 0 or the number of all records.
        """
        return np.union1d(self.top, self.n_members + self.n_nonmembers - self.bottom)

    def with_splits(self, cuts: Counts) -> "Guesses":
        """With guesses about all records: that the first `cuts` are members, or all but the last.

        They must be fewer than half. Guesses of this object begin with those at both ends.
        """
        others = self.n_members + self.n_nonmembers - cuts
        return replace(
            self,
            top=np.concatenate([self.top, cuts, others]),
            bottom=np.concatenate([self.bottom, others, cuts]),
            leaks=np.concatenate([self.leaks, np.repeat(self.leaks[:1], 2 * cuts.size)]),
        )

    def at(self, which: Counts) -> "Guesses":
        """Some of the guesses, perhaps repeated."""
        return replace(
            self, top=self.top[which], bottom=self.bottom[which], leaks=self.leaks[which]
        )

    def right(self, members: Counts) -> Counts:
        """Right guesses, shape (g, ...), from the members among the first `cuts` records."""
        total, cuts = self.n_members + self.n_nonmembers, self.cuts
        in_top = members[np.searchsorted(cuts, self.top)]
        before_bottom = members[np.searchsorted(cuts, total - self.bottom)]
        last = self.bottom.reshape(-1, *[1] * (members.ndim - 1))
        return np.asarray(in_top + last - (self.n_members - before_bottom))

    def evidence(self, i: int, members: Counts) -> RankEvidence:
        """The right guesses at one pair of cut-offs, from the `members` of one ranking."""
        top, bottom = int(self.top[i]), int(self.bottom[i])
        in_top = int(members[np.searchsorted(self.cuts, top)])
        return RankEvidence(
            top=top,
            members_in_top=in_top,
            bottom=bottom,
            nonmembers_in_bottom=int(self.right(members)[i]) - in_top,
        )

    def refuted(self, right: Counts, levels: FloatArray) -> FloatArray:
        """The epsilon that each count refutes at its level; -inf where none.

        Each by itself, for guesses that are right independently of each other.
        """
        found, tried = np.maximum(right - self.leaks, 0), self._tried
        limit = betaincinv(np.maximum(found, 1), tried - found + 1, levels)
        epsilons = self.epsilon_of(limit)
        return np.asarray(np.where((found > 0) & (self.leaks < self._count), epsilons, -np.inf))

    def needed(self, epsilon: float, levels: FloatArray) -> Counts:
        """The smallest counts that refute an epsilon; more than all guesses where none does.

        Never more than the counts by which `refuted` found that epsilon.
        """
        chance, tried = self.chance_of(epsilon), self._tried
        levels = levels * (1 + ROUNDING)
        few, enough = np.zeros_like(tried), tried + 1  # 0 right guesses refute nothing
        while (unknown := enough - few > 1).any():
            middle = (few + enough) // 2
            refutes = betainc(np.maximum(middle, 1), tried - middle + 1, chance) <= levels
            enough = np.where(unknown & refutes, middle, enough)
            few = np.where(unknown & ~refutes, middle, few)
        return np.asarray(np.where(self.leaks < self._count, enough + self.leaks, self._count + 1))

    @property
    def _count(self) -> Counts:
        return self.top + self.bottom

    @property
    def _tried(self) -> Counts:
        return np.asarray(np.maximum(self._count - self.leaks, 1))

    @property
    def _of_top(self) -> FloatArray:
        """The share of the guesses that are "member"."""
        return np.asarray(self.top / self._count)

    def chance_of(self, epsilon: float) -> FloatArray:
        """The largest probability that a guess is right; the mean of those at both ends."""
        up, down = expit(epsilon + self.odds), expit(epsilon - self.odds)
        return np.asarray(self._of_top * up + (1 - self._of_top) * down)

    def epsilon_of(self, chance: FloatArray) -> FloatArray:
        """Inverse of `chance_of`."""
        # Both ends: a quadratic equation in e^epsilon; the form of its root without cancellation.
        up, down = self._of_top * np.exp(self.odds), (1 - self._of_top) * np.exp(-self.odds)
        half = up + down - 2 * chance * np.cosh(self.odds)
        root = np.sqrt(half * half + 4 * chance * (1 - chance))
        both = np.where(half > 0, 2 * chance / (half + root), (root - half) / (2 * (1 - chance)))
        one = logit(chance) + np.where(self.bottom == 0, -self.odds, self.odds)
        return np.where((self.top > 0) & (self.bottom > 0), np.log(both), one)


def guesses(
    n_members: int,
    n_nonmembers: int,
    *,
    delta: float,
    level: float,
    odds: float | None = None,
    cuts: Counts | None = None,
) -> Guesses:
    """Guesses at both ends together and at either end alone, k records each, for all cut-offs k.

    `leaks` is the number that is exceeded with probability at most `level`. It depends on the odds,
    not on how many of the records turned out to be members.

    `odds` are log odds of a member, by default those of the class sizes; `cuts` are by default
    those of `cut_offs`.
    """
    n, m = checks.whole("n_members", n_members, 1), checks.whole("n_nonmembers", n_nonmembers, 1)
    k = cut_offs(n + m) if cuts is None else cuts
    none = np.zeros_like(k)
    odds = float(np.log(n / m)) if odds is None else odds
    leaks = [leak_limit(n + m, delta * part, level) for part in (1.0, expit(odds), expit(-odds))]
    return Guesses(
        top=np.concatenate([k, k, none]),
        bottom=np.concatenate([k, none, k]),
        leaks=np.repeat(leaks, k.size),
        n_members=n,
        n_nonmembers=m,
        odds=odds,
    )


def cut_offs(records: int, *, ratio: float = RATIO) -> Counts:
    """Numbers of records, ascending: half of all, and less by a ratio, down to 4."""
    cuts = [max(records // 2, 1)]
    while cuts[-1] / ratio >= SMALLEST_CUT:
        cuts.append(int(cuts[-1] / ratio))
    return np.array(cuts[::-1], np.int64)


def leak_limit(records: int, delta: float, level: float) -> int:
    """The smallest number of leaks that is exceeded with probability at most `level`."""
    return bisect_left(range(records), True, key=lambda k: bool(bdtrc(k, records, delta) <= level))


def members_in_first(
    scores: Scores, cuts: Counts, rng: np.random.Generator, *, times: int = 1
) -> Counts:
    """Members among the records with the highest scores, shape (cuts, times).

    Tied scores are ranked at random, independently for each of `times` rankings: the order of the
    input would rank ties by membership.
    """
    reject_too_many(scores, "a bound by ranks (local_levels counts any number)")
    last = _last_places(scores, cuts)
    above, tied_members = _above_and_at(scores.members, last)
    above_nonmembers, tied_nonmembers = _above_and_at(scores.nonmembers, last)
    found = np.empty((cuts.size, times), np.int64)
    taken = drawn = np.zeros(times, np.int64)
    for i, cut in enumerate(cuts):
        # Among tied records, those above one cut are part of those above the next.
        if i == 0 or last[i] != last[i - 1]:
            taken = drawn = np.zeros(times, np.int64)
        left = tied_members[i] - drawn
        wanted = cut - above[i] - above_nonmembers[i] - taken
        drawn = drawn + rng.hypergeometric(left, tied_nonmembers[i] - (taken - drawn), wanted)
        taken = taken + wanted
        found[i] = above[i] + drawn
    return found


def least_in_first(scores: Scores, cuts: Counts) -> Counts:
    """Members among the records with the highest scores, tied members last; shape (cuts,).

    Of all rankings of tied scores the one with the fewest.
    """
    reject_too_many(scores, "a bound by ranks (local_levels counts any number)")
    last = _last_places(scores, cuts)
    above, _ = _above_and_at(scores.members, last)
    above_nonmembers, tied_nonmembers = _above_and_at(scores.nonmembers, last)
    return np.asarray(above + np.maximum(cuts - above - above_nonmembers - tied_nonmembers, 0))


def _last_places(scores: Scores, cuts: Counts) -> FloatArray:
    """The score of the last record before each cut-off."""
    pooled = scores.pooled()
    return pooled.at(np.minimum(pooled.size - cuts, pooled.size - 1))


def _above_and_at(sample: OrderedSample, places: FloatArray) -> tuple[Counts, Counts]:
    """Numbers of records greater than each place, and equal to it."""
    upto = sample.upto(places)
    return sample.size - upto, upto - sample.below(places)


# A bound from the ranks of members, calibrated against leaky randomized response.
#
# **Statement.** Members are independent draws of a law Q of scores, non-members of a law P; n and
# m
# of them. If for every threshold t
#
#     ``Q(score >= t) <= e^epsilon P(score >= t) + delta`` and
#     ``P(score < t) <= e^epsilon Q(score < t) + delta``,
#
# the returned bound exceeds epsilon with probability at most ``1 - confidence_level``. So what is
# bounded is the epsilon of half-lines of scores in the attack's direction; the epsilon of all
# events,
# of both directions, and of a mechanism behind the scores is no smaller.
#
# **Proof.** Order all records by descending score, ties at random, and let h be any function of
# who
# is a member in that order that does not fall when a member changes places with a non-member
# above
# it.
#
# 1. Only ranks matter, so let scores be such that a non-member's place from the top is uniform on
#    [0, 1]. A member's place then has the distribution function ``R(t) = TPR at FPR t``, the
# curve of
#    the attack, straight where scores are tied.
# 2. The assumption says that R lies nowhere above ``L(t) = min(1, delta + e^epsilon t,
#    1 - e^-epsilon (1 - delta - t))``, the boundary of the (epsilon, delta) region turned upside
#    down; L is concave, so this holds on the straight pieces, too.
# 3. Let U be uniform. A member at the place where L reaches U is never below a member at the
# place
#    where R reaches U. So members whose places have law L can be made from those at hand by
# moving
#    each upwards, and h does not fall: ``P(h >= c)`` is largest for L, whatever P and Q.
# 4. L is an attack on leaky randomized response. A member shows with probability delta that it is
# one
#    and else says "member" with probability ``q = e^epsilon / (1 + e^epsilon)``; a non-member
# shows
#    what it is with probability delta, too, and else says "non-member" with probability q. They
# are
#    ranked in this order: members that show it, those that say "member", those that say "non-
# member",
#    non-members that show it, at random within each class. This law can be simulated, and
# satisfies
#    the assumption: for it the p-values below are exact.
#
# Call the p-value of epsilon the probability under this law of an h at least as large as the
# data's.
# Where the assumption holds, it is at most a with probability at most a; and it does not fall
# when
# epsilon grows, because L does not. So the epsilons that are refuted, those with a p-value of at
# most
# ``1 - confidence_level``, end below the true one.
#
# **The statistic.** Rank cut-offs k from half of all records down to 4, fixed in advance. For
# each,
# three counts of right guesses: members among the first k and non-members among the last k
# together,
# and either alone. Each count alone would refute some epsilon, by a binomial limit at a small
# level;
# h is the largest of these. So the bound is the number that most audits report, the best of many
# thresholds, with the search over them accounted for exactly.
#
# **The p-values** are simulated. A curve fitted to some first simulations says where which
# p-value
# will be; then a few epsilons, in descending order, are tested by fresh simulations, and the
# first
# that is refuted is the bound. Where they are tested may depend on the data: a false bound needs
# the
# refutation of an epsilon whose p-value is not below that of the true one, in one of as many
# independent tests. `allowed_counts` takes the chance of that into account.


# The level at which each count alone refutes, as a fraction of the whole level. More favours
# distributions that leak in the tails, less those that leak everywhere: at 0.25 small cut-offs,
# whose counts carry little information, take most of the level from the large ones.
LOCAL_SHARE = 0.1
ONE_SIDED_SHARE = 0.35  # of LOCAL_SHARE, for counts at one end only
LOCATING = 50.0  # simulations of the first fit, times the level: 1000 at 0.05
TESTING = 300.0  # simulations of each test, times the level: 6000 at 0.05
TARGETS = (0.94, 0.82, 0.5)  # p-values to test at, as fractions of the largest that refutes
CHUNK = 20_000  # simulations per batch
TIE_BREAKS = 20  # rankings of tied scores that estimate what they change
ONE_BY_ONE = 10**6  # records up to which `separated` has no ties, so that ties take no random draws

# Class sizes, delta and level to guesses, and the level at which each count of them refutes alone.
Statistic = Callable[..., tuple[Guesses, FloatArray]]


def at_one_delta(
    n_members: int, n_nonmembers: int, *, delta: float, level: float
) -> tuple[Guesses, FloatArray]:
    """The statistic described above: its guesses, and the level at which each refutes alone."""
    local = level * LOCAL_SHARE
    tried = guesses(n_members, n_nonmembers, delta=delta, level=local)
    both = (tried.top > 0) & (tried.bottom > 0)
    return tried, np.where(both, local, local * ONE_SIDED_SHARE)


def rank_bound(scores: Scores, request: Request) -> MethodResult:
    """The first of a few epsilons, in descending order, that is refuted; 0 where none is."""
    rng = np.random.default_rng(request.seed)
    n, m, level = scores.n_members, scores.n_nonmembers, 1 - request.confidence_level
    test = RankTest(n, m, delta=request.delta, level=level)
    members = members_in_first(scores, test.guesses.cuts, rng)
    found = replace(simulated(test, members[:, 0], rng), seed=request.seed)
    if found.low == 0:
        return found
    others = members_in_first(scores, test.guesses.cuts, rng, times=TIE_BREAKS)
    # Another ranking of ties changes h, and with it the bound.
    moved = np.std([np.max(test.refuted(of_one), initial=0.0) for of_one in others.T])
    spread = float(np.hypot(found.seed_spread or 0, moved))
    return replace(found, seed_spread=spread)


def simulated(test: "RankTest", members: Counts, rng: np.random.Generator) -> MethodResult:
    """The bound of one ranking, from the `members` among the first records at each cut-off."""
    low, curve = test.bound(members, rng)
    if curve is None or low == 0:
        return MethodResult(low=0.0)
    evidence = test.guesses.evidence(int(np.argmax(test.refuted(members))), members)
    return MethodResult(low=low, evidence=(evidence,), seed_spread=test.simulation_spread(curve))


def separated(n: int, m: int) -> Scores:
    """Scores of a perfect attack, without ties unless there are very many records."""
    if n + m > ONE_BY_ONE:
        return separated_cells(n, m)
    member, nonmember = np.arange(1.0, n + 1), np.arange(-float(m), 0.0)
    return AttackScores.of_sorted(member, nonmember, kind="score")


@dataclass(frozen=True, kw_only=True, eq=False)
class LeastFavourable:
    """Leaky randomized response (step 4 above), as members among the first `cuts` records."""

    n_members: int
    n_nonmembers: int
    delta: float
    cuts: Counts

    def draw(self, epsilons: FloatArray, rng: np.random.Generator) -> Counts:
        """Members among the first records, shape (cuts, runs): one run per epsilon.

        Draws the class sizes, then goes from cut to cut by hypergeometric steps: the time does not
        depend on the number of records.
        """
        n, m, size = self.n_members, self.n_nonmembers, epsilons.size
        first, last = rng.binomial(n, self.delta, size), rng.binomial(m, self.delta, size)
        upper = rng.binomial(n - first, expit(epsilons))
        upper_nonmembers = rng.binomial(m - last, expit(-epsilons))
        classes = [(upper, upper_nonmembers), (n - first - upper, m - last - upper_nonmembers)]
        found, begin = np.minimum(self.cuts[:, None], first), first
        for members, nonmembers in classes:
            end = begin + members + nonmembers
            left, drawn = members, np.zeros(size, np.int64)
            taken = np.zeros(size, np.int64)
            for i, cut in enumerate(self.cuts):
                until = np.clip(cut, begin, end) - begin
                if (until > taken).any():
                    step = rng.hypergeometric(left, end - begin - taken - left, until - taken)
                    drawn, left, taken = drawn + step, left - step, until
                found[i] += drawn
            begin = end
        return np.asarray(found)


class RankTest:
    """The statistic and its p-values for given class sizes; p-values up to `level` refute.

    A test refutes with at most `allowed` of `size` simulations as extreme as the data. `tested` are
    the p-values at which epsilons are tested, as far as they can be located.
    """

    def __init__(
        self,
        n_members: int,
        n_nonmembers: int,
        *,
        delta: float,
        level: float,
        statistic: Statistic = at_one_delta,
    ) -> None:
        self.level = level
        self.guesses, self.levels = statistic(n_members, n_nonmembers, delta=delta, level=level)
        self.law = LeastFavourable(
            n_members=n_members, n_nonmembers=n_nonmembers, delta=delta, cuts=self.guesses.cuts
        )
        self.size = int(np.ceil(TESTING / level))
        self.allowed = allowed_counts(self.size, len(TARGETS), level)
        self.tested = np.array(TARGETS) * self.allowed / self.size

    def refuted(self, members: Counts) -> FloatArray:
        """The epsilon that each count of a ranking refutes alone; the statistic is the largest."""
        right = self.guesses.right(members)
        return self.alone(np.arange(right.size), right)

    def alone(self, which: Counts, right: Counts) -> FloatArray:
        """The epsilon that each count refutes, of the guesses `which`."""
        return self.guesses.at(which).refuted(right, self.levels[which])

    def needed(self, epsilon: float) -> Counts:
        """The counts of right guesses with which the statistic is at least `epsilon`."""
        return self.guesses.needed(epsilon, self.levels)

    def largest(self) -> float:
        """The statistic of a ranking with all members first."""
        return float(np.max(self.refuted(np.minimum(self.guesses.cuts, self.guesses.n_members))))

    def bound(self, members: Counts, rng: np.random.Generator) -> tuple[float, Crossing | None]:
        """The bound from the members among the first records, and the fitted p-value curve."""
        refuted = self.refuted(members)
        best = int(np.argmax(refuted))
        most = float(refuted[best])
        if most <= 0:
            return 0.0, None
        right = self.guesses.right(members)
        needed = self.needed(most)

        def as_large(epsilons: FloatArray) -> NDArray[np.bool]:
            """Whether the statistic of a simulation at each epsilon reaches the data's."""
            return np.concatenate(
                [
                    (self.guesses.right(self.law.draw(some, rng)) >= needed[:, None]).any(axis=0)
                    for some in np.array_split(epsilons, -(-epsilons.size // CHUNK))
                ]
            )

        # Looked for between what this count shows alone, at a small level and at one half.
        small = np.minimum(self.levels, self.level * LOCAL_SHARE)
        of_best = [
            self.guesses.refuted(right, each)[best] for each in (small, np.full(right.size, 0.5))
        ]
        width = float(of_best[1] - of_best[0])
        curve = located(
            as_large,
            rng,
            low=most - 0.5 * width,
            high=most + 0.5 * width,
            level=self.level,
            runs=int(np.ceil(LOCATING / self.level)),
        )
        for p in self.tested:
            epsilon = curve.at(p)
            if epsilon <= 0:
                break
            if as_large(np.full(self.size, epsilon)).sum() <= self.allowed:
                return epsilon, curve
        return 0.0, curve

    def simulation_spread(self, curve: Crossing) -> float:
        """Standard deviation of the bound over simulations."""
        refuted = bdtr(self.allowed, self.size, self.tested)
        chance = refuted * np.cumprod(np.concatenate([[1.0], 1 - refuted[:-1]]))
        places = np.array([curve.at(each) for each in self.tested])
        mean = np.average(places, weights=chance)
        of_place = np.average((places - mean) ** 2, weights=chance)
        return float(np.sqrt(of_place + curve.standard_error(self.level) ** 2))


@cache
def allowed_counts(size: int, tries: int, level: float) -> int:
    """The most of `size` simulations as extreme as the data with which a test may refute.

    For a uniform p-value, some of `tries` tests refutes with probability at most `level`. The
    probability falls in p, so its mean over many small intervals is bounded by their lower ends.
    """
    p = np.concatenate([np.linspace(0, 3 * level, 3001), np.linspace(3 * level, 1, 3001)])
    p = np.clip(p, 0, 1)

    def chance(allowed: int) -> float:
        some = 1 - (1 - bdtr(allowed, size, p[:-1])) ** tries
        return float(np.sum(np.diff(p) * some))

    return bisect_left(range(size), True, key=lambda allowed: chance(allowed) > level) - 1


METHOD = BoundMethod(
    label="simulated rank test", rule=rank_bound, smallest_level=1e-4, separated=separated
)

# A rank bound whose statistic does not know delta: one test for all (epsilon, delta) at once.
#
# **Statement.** As of `dpviz.audit.bounds.rank`, and for all deltas together: let epsilon(delta)
# be
# the smallest epsilon of the two distributions of scores, in the attack's direction. The
# probability
# that the returned bound exceeds epsilon(delta) *for any delta* is at most ``1 -
# confidence_level``.
#
# **Proof.** Let h be a function of the ranking, not of epsilon or delta, that does not fall when
# a
# member changes places with a non-member above it; let ``p(epsilon, delta)`` be the probability
# under
# leaky randomized response of an h at least as large as the data's. By the proof in
# `dpviz.audit.bounds.rank`, where (epsilon, delta) holds, ``p(epsilon, delta)`` is at most a with
# probability at most a. Two facts are added.
#
# 1. *It does not fall with epsilon or delta.* The boundary L of the region rises with both, so by
#    step 3 of that proof h is stochastically larger. So the bound never rises with delta.
# 2. *All deltas at once.* If the bound at delta exceeds epsilon(delta), then by fact 1
#    ``p(epsilon(delta), delta)`` is at most the level: h is at least some number c(delta), which
# has
#    a probability of at most the level. Of the events ``h >= c(delta)``, one of any two contains
# the
#    other, and there are finitely many of them, because there are finitely many rankings. So the
#    bound is false for some delta only if the largest of these events happens; that is one of
# them,
#    and its probability is at most the level. Nothing is paid for looking at many deltas.
#
# Ties are ranked at random once, the same for all deltas. p-values must be exact or upper bounds:
# with simulations of its own for each delta, fact 2 would not hold. `audit.certified_profile`
# computes them so.
#
# **The statistic** has the form of that in `dpviz.audit.bounds.rank`: the largest epsilon that
# some
# count of right guesses refutes alone. It was chosen by power. Cut-offs are denser, so that a run
# of
# right guesses is used nearly to its end. Where a model leaks much about few records they are the
# first of all: guesses at one end are given the same level at every cut-off, and guesses at both
# ends
# less the fewer they are. No records are set aside for leaks. So it is made for deltas well below
# one
# over the number of records: for larger ones the first records tell nothing, and method "rank",
# which
# knows delta, shows more.

PROFILE_RATIO = 1.12  # of a cut-off to the next smaller one

# Levels at which counts refute alone, as fractions of the whole level.
HALVES = 1.0  # every record is guessed: what tells most of distributions that leak everywhere
BOTH_ENDS = 0.5  # times the share of the records that is guessed, to the power FEWER
FEWER = 0.3
ONE_END = 0.05


def at_all_deltas(
    n_members: int, n_nonmembers: int, *, delta: float, level: float
) -> tuple[Guesses, FloatArray]:
    """The statistic: its guesses, and the level at which each refutes alone; `delta` is ignored."""
    del delta
    cuts = cut_offs(n_members + n_nonmembers, ratio=PROFILE_RATIO)
    tried = guesses(n_members, n_nonmembers, delta=0.0, level=level, cuts=cuts)
    both = (tried.top > 0) & (tried.bottom > 0)
    share = (tried.top + tried.bottom) / (n_members + n_nonmembers)
    halves = tried.top == tried.top.max()
    of_both = np.where(halves, HALVES, BOTH_ENDS * share**FEWER)
    return tried, level * np.where(both, of_both, ONE_END)
