"""Power: the probability that a lower bound reaches an epsilon, under a given attack.

**Of one attack** fixed in advance: an exact sum over both binomial distributions. Of a curve, the
attack is taken at the threshold that certifies most if all counts are as expected.

**Of the rank bounds**: simulated. The critical value of the statistic is taken from its least
favourable distribution (`dpviz.audit.bounds.rank`) at that epsilon, and the probability of reaching
it from the attack's curve. Under the curve, a non-member's place from the top is uniform on [0, 1],
and a member's has the curve's TPR as distribution function. Records are drawn into cells of places,
and ranked at random within a cell: so the curve is replaced by chords, which lie below a concave
one. Around each rank cut-off they are as wide as the standard deviation of its place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincc, betaincinv

from dpviz.audit.bounds.exact_rank import chosen_test
from dpviz.audit.bounds.one_run import sharp_limit
from dpviz.audit.bounds.rank import TARGETS, TESTING, Guesses, RankTest, allowed_counts, guesses
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray
from dpviz.theory import TradeoffFunction
from dpviz.theory.region import log_ratio

SMALLEST_LEVEL = 1e-4  # that such simulations resolve
MOST_NULLS = 60_000  # simulations of the least favourable distribution, at most
NULLS_PER_RUN = 5  # such simulations per data set under the curve
OFFSETS = np.array([-4.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4.5])  # cell ends around a cut, in s.d.
PLACES = np.concatenate([[0.0], np.geomspace(1e-15, 0.5, 3000)])  # FPR nodes, from either end
LOCATED = 0.1  # s.d. of the log p-value at an epsilon where the bound is tested (measured)
REACH = 9.0  # standard deviations of a count that are followed
THRESHOLDS = 2000  # of a curve that are tried, dense at either end
TINY = 1e-9
Estimate = tuple[float, float]  # a power and its standard error
Refutes = Callable[[FloatArray], FloatArray]  # the probability of it, of p-values


@dataclass(frozen=True, kw_only=True, eq=False)
class RocPolyline:
    """An attack's ROC curve as a polyline from (0, 0) to (1, 1); tied scores are one segment."""

    fpr: FloatArray
    tpr: FloatArray

    @classmethod
    def of(cls, attack: TradeoffFunction | Scores) -> "RocPolyline":
        """The best attack's curve that a guarantee allows, or the empirical curve of scores."""
        if isinstance(attack, Scores):
            counted = AttackCurve.from_scores(attack)
            return cls(fpr=counted.fpr, tpr=counted.tpr)
        fpr = np.unique(np.concatenate([PLACES, 1 - PLACES, attack.kinks]))
        tpr = np.maximum.accumulate(attack.tpr(fpr))
        # A curve that begins above TPR 0 begins with a vertical segment.
        return cls(fpr=np.append(0.0, fpr), tpr=np.append(0.0, tpr))


def exact_power(
    n: int, m: int, *, fpr: float, fnr: float, epsilon: float, delta: float, confidence_level: float
) -> float:
    """Probability that the exact limits of one attack give a bound of at least `epsilon`.

    There are n members and m non-members; `fpr` and `fnr` are the attack's true error rates.
    """
    each = (1 + confidence_level) / 2
    around = REACH * np.sqrt(m * fpr * (1 - fpr)) + REACH
    errors = np.arange(max(0, int(m * fpr - around)), min(m, int(m * fpr + around)) + 1)
    upper = clopper_pearson(errors, m, confidence_level=each, side="upper")
    # The largest limit of the FNR that still gives the bound, by either inequality.
    rate = np.maximum(1 - delta - np.exp(epsilon) * upper, (1 - upper - delta) * np.exp(-epsilon))
    most = _most_errors(n, np.maximum(rate, 0.0), 1 - each)
    below = _at_most(most, n, fnr)
    chance = np.diff(_at_most(np.append(errors[0] - 1, errors), m, fpr))
    return float(np.clip(chance @ below, 0, 1))


def _at_most(counts: Counts, n: int, rate: float | FloatArray) -> FloatArray:
    """Binomial probabilities of at most such counts; SciPy's bdtr has whole numbers of 32 bits."""
    some = betaincc(np.maximum(counts, 0) + 1.0, np.maximum(n - counts, 1.0), rate)
    return np.select([counts < 0, counts >= n], [0.0, 1.0], some)


def _most_errors(n: int, rates: FloatArray, level: float) -> Counts:
    """The most errors of n with an exact upper limit of at most a rate < 1; -1 where none."""
    few, many = np.full(rates.size, -1), np.full(rates.size, n)
    while (apart := many - few > 1).any():
        middle = (few + many) // 2
        within = _at_most(middle, n, rates) <= level
        few = np.where(apart & within, middle, few)
        many = np.where(apart & ~within, middle, many)
    return few


@dataclass(frozen=True, kw_only=True, eq=False)
class ThresholdPower:
    """The power of exact limits at the curve's best threshold, which has to be known."""

    curve: RocPolyline
    epsilon: float
    delta: float
    confidence_level: float

    def __call__(self, n: int, m: int, _: int) -> Estimate:
        """Power with n members and m non-members; exact at the threshold that is chosen."""
        ends = np.geomspace(1, self.curve.fpr.size, THRESHOLDS).astype(np.int64) - 1
        places = np.union1d(ends, self.curve.fpr.size - 1 - ends)
        fpr, fnr = self.curve.fpr[places], 1 - self.curve.tpr[places]
        each = (1 + self.confidence_level) / 2
        upper_fpr, upper_fnr = (
            np.asarray(
                betaincinv(size * rate + 1, np.maximum(size * (1 - rate), TINY), each), float
            )
            for size, rate in ((m, fpr), (n, fnr))
        )
        best = np.argmax(
            np.maximum(
                log_ratio(1 - self.delta - upper_fnr, upper_fpr),
                log_ratio(1 - self.delta - upper_fpr, upper_fnr),
            )
        )
        return exact_power(
            n,
            m,
            fpr=float(fpr[best]),
            fnr=float(fnr[best]),
            epsilon=self.epsilon,
            delta=self.delta,
            confidence_level=self.confidence_level,
        ), 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class RankPower:
    """The power of a rank bound under a curve, by simulation.

    Its p-values are exact or `simulated`.
    """

    curve: RocPolyline
    epsilon: float
    delta: float
    confidence_level: float
    simulated: bool
    seed: int

    def __call__(self, n: int, m: int, runs: int) -> Estimate:
        """Power with n members and m non-members, from `runs` data sets."""
        rng = np.random.default_rng([self.seed, n, m, runs])
        test, chance = self._test(n, m, 1 - self.confidence_level)
        nulls = min(NULLS_PER_RUN * runs, MOST_NULLS)
        null = test.guesses.right(test.law.draw(np.full(nulls, self.epsilon), rng))
        under_null = np.sort(refuted(test, null))
        most = test.largest()
        if most <= 0 or chance((under_null >= most).mean()) == 0:
            return 0.0, 0.0  # a perfect attack does not reach it
        members = members_before(self.curve, n, m, test.guesses.cuts, runs, rng)
        found = refuted(test, test.guesses.right(members))
        p_values = 1 - np.searchsorted(under_null, found) / nulls
        is_found = found > 0  # otherwise the bound is 0, whatever the p-value
        reached = chance(p_values) * is_found
        # Standard errors: from the number of data sets, and from that of the null simulations.
        error = 1 / np.sqrt(nulls * (1 - self.confidence_level))
        moved = chance(p_values * (1 + error)) * is_found
        power, spread = share_and_error(reached)
        return power, float(np.hypot(spread, moved.mean() - power))

    def _test(self, n: int, m: int, level: float) -> tuple[RankTest, Refutes]:
        """The statistic, and the probability that a p-value refutes."""
        by_simulations = partial(chance_to_refute, level=level)
        if self.simulated:
            return RankTest(n, m, delta=self.delta, level=level), by_simulations
        test, leaks = chosen_test(n, m, delta=self.delta, level=level)
        if leaks is None:
            return test, by_simulations
        return test, lambda p_values: np.where(p_values <= level, 1.0, 0.0)


def share_and_error(reached: FloatArray | NDArray[np.bool_]) -> Estimate:
    """The mean of what data sets reach, and its standard error, which is never 0."""
    power = float(np.mean(reached))
    share = (power * len(reached) + 1) / (len(reached) + 2)
    return power, float(np.sqrt(share * (1 - share) / len(reached)))


def chance_to_refute(p_values: FloatArray, level: float) -> FloatArray:
    """Probability that the bound is at least an epsilon whose p-value under the data is given.

    The bound is the first of a few epsilons that fresh simulations refute. They are located where
    the p-value is as planned, up to the error of a fit.
    """
    size = int(np.ceil(TESTING / level))
    allowed = allowed_counts(size, len(TARGETS), level)
    planned = np.array(TARGETS) * allowed / size
    z = np.linspace(-3, 3, 31)[:, None]
    located = planned * np.exp(LOCATED * z)
    refutes = bdtr(allowed, size, located)
    first = refutes * np.cumprod(np.insert(1 - refutes[:, :-1], 0, 1.0, axis=1), axis=1)
    weights = (first * np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()).ravel()
    order = np.argsort(located, axis=None)
    upto = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(upto[-1] - upto[np.searchsorted(located.ravel()[order], p_values)])


def refuted(test: RankTest, right: Counts) -> FloatArray:
    """Test statistics of many runs, shape (runs,); each distinct count is evaluated once."""
    found = np.full(right.shape[1], -np.inf)
    for i, counts in enumerate(right):
        values, place = np.unique(counts, return_inverse=True)
        alone = test.alone(np.full(values.size, i), values)
        np.maximum(found, alone[place], out=found)
    return found


def members_before(
    curve: RocPolyline, n: int, m: int, cuts: Counts, runs: int, rng: np.random.Generator
) -> Counts:
    """Members among the first `cuts` (ascending) of n + m records, shape (cuts, runs)."""
    before = m * curve.fpr + n * curve.tpr
    before, kept = np.unique(before, return_index=True)
    fpr, tpr = curve.fpr[kept], curve.tpr[kept]
    t, r = (np.interp(cuts, before, rates) for rates in (fpr, tpr))
    spread = np.sqrt(m * t * (1 - t) + n * r * (1 - r))
    ends = np.unique(np.clip(cuts[:, None] + spread[:, None] * OFFSETS, 0, n + m))
    ends = np.union1d(ends, [0.0, n + m])
    of_cell = []
    for rates, size in ((tpr, n), (fpr, m)):
        chance = np.diff(np.interp(ends, before, rates))
        of_cell.append(rng.multinomial(size, chance / chance.sum(), size=runs))
    members, nonmembers = of_cell
    upto = np.cumsum(members + nonmembers, axis=1)
    members_upto = np.cumsum(members, axis=1)
    rows = np.arange(runs)
    found = np.empty((cuts.size, runs), np.int64)
    cell = np.full(runs, -1)
    taken = drawn = np.zeros(runs, np.int64)
    for i, cut in enumerate(cuts.tolist()):
        last, cell = cell, np.minimum((upto < cut).sum(axis=1), ends.size - 2)
        is_same = cell == last
        taken, drawn = np.where(is_same, taken, 0), np.where(is_same, drawn, 0)
        inside, inside_members = (members + nonmembers)[rows, cell], members[rows, cell]
        begin = upto[rows, cell] - inside
        left = inside_members - drawn
        step = cut - begin - taken
        drawn = drawn + rng.hypergeometric(left, inside - taken - left, step)
        taken = taken + step
        found[i] = members_upto[rows, cell] - inside_members + drawn
    return found


# Power of the audit of one training run, with canaries whose scores have a known curve.


@dataclass(frozen=True, kw_only=True, eq=False)
class OneRunPower:
    """The power of `one_run_curve_bound` with canaries of one training run, by simulation.

    Half of the canaries are included, and their scores are drawn independently.
    """

    curve: RocPolyline
    epsilon: float
    delta: float
    confidence_level: float
    seed: int

    def __call__(self, n: int, m: int, runs: int) -> Estimate:
        """Power with n canaries included and m left out, from `runs` data sets."""
        tried = guesses(n, m, delta=0.0, level=1.0, odds=0.0)
        needed = self._needed(tried)
        if np.all(needed > tried.top + tried.bottom):
            return 0.0, 0.0  # a perfect attack does not reach it
        rng = np.random.default_rng([self.seed, n, m, runs])
        right = tried.right(members_before(self.curve, n, m, tried.cuts, runs, rng))
        return share_and_error(np.any(right >= needed[:, None], axis=0))

    def _needed(self, tried: Guesses) -> Counts:
        """Right guesses that refute epsilon; more than all guesses where none does."""
        level = (1 - self.confidence_level) / tried.top.size
        canaries, enough = tried.n_members + tried.n_nonmembers, tried.top + tried.bottom + 1
        for i, guessed in enumerate((tried.top + tried.bottom).tolist()):
            few = 0
            while enough[i] - few > 1:
                middle = int(few + enough[i]) // 2
                counts = {"canaries": canaries, "guesses": guessed, "correct": middle}
                if sharp_limit(self.epsilon, **counts, delta=self.delta) <= level:
                    enough[i] = middle
                else:
                    few = middle
        return enough
