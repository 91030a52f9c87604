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
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, expit

from dpviz.audit.bounds.level_crossing import Crossing, located
from dpviz.audit.bounds.method import BoundMethod, MethodResult, Request, separated_cells
from dpviz.audit.bounds.rank_guesses import Guesses, guesses, members_in_first
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

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
