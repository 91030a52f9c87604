"""The probability that a lower bound reaches an epsilon, if the attack is known.

**Of one attack** fixed beforehand, a sum over both binomial laws; exact.

**Of the rank bound**, simulated, at any number of records in about the same time. Under the least
favourable law of epsilon, the statistic of `dpviz.audit.bounds.rank` has critical values; under the
attack's curve it reaches them with some probability. There, a non-member's place from the top is
uniform on [0, 1], and a member's has the curve's TPR as distribution function. Records are dealt to
cells of places, and ranked at random within: so the curve is replaced by chords, which lie below a
concave one. Around each cut they are as wide as the standard deviation of the place of that cut.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import bdtr

from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import Scores
from dpviz.audit.bounds.rank import TARGETS, TESTING, RankTest, allowed_counts
from dpviz.audit.curve import AttackCurve
from dpviz.audit.intervals import clopper_pearson
from dpviz.checks import FloatArray
from dpviz.theory import TradeoffFunction

MOST_NULLS = 60_000
"""Simulations of the least favourable law, at most."""
OFFSETS = np.array([-4.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4.5])
"""Ends of cells around a cut, in standard deviations."""
PLACES = np.concatenate([[0.0], np.geomspace(1e-15, 0.5, 3000)])
"""Where a curve is looked at, from either end."""
NULLS_PER_RUN = 5
"""Of them, for each data set under the curve."""
LOCATED = 0.1
"""Standard deviation of the log p-value at an epsilon that the bound is tested at; measured."""
REACH = 9.0
"""Standard deviations beyond which counts do not occur."""

Estimate = tuple[float, float]
"""A power and its standard error."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """An attack's curve as a polyline from (0, 0) to (1, 1); straight where scores are tied.

    Parameters
    ----------
    fpr, tpr : ndarray, shape (k,)
        Nondecreasing.
    """

    fpr: FloatArray
    tpr: FloatArray

    @classmethod
    def of(cls, attack: TradeoffFunction | Scores) -> "Curve":
        """The best attack a guarantee admits, or the one that scores show."""
        if isinstance(attack, Scores):
            counted = AttackCurve.from_scores(attack)
            return cls(fpr=counted.fpr, tpr=counted.tpr)
        fpr = np.unique(np.concatenate([PLACES, 1 - PLACES, attack.kinks]))
        tpr = np.maximum.accumulate(attack.tpr(fpr))
        # A curve that begins above 0 begins with a leap.
        return cls(fpr=np.append(0.0, fpr), tpr=np.append(0.0, tpr))


def exact_power(
    n: int, m: int, *, fpr: float, fnr: float, epsilon: float, delta: float, confidence_level: float
) -> float:
    """Probability that both exact limits of one attack refute every smaller epsilon.

    Parameters
    ----------
    n, m : int
        Members and non-members.
    fpr, fnr : float
        The attack's true error rates.
    epsilon, delta, confidence_level : float
    """
    each = (1 + confidence_level) / 2
    around = REACH * np.sqrt(m * fpr * (1 - fpr)) + REACH
    errors = np.arange(max(0, int(m * fpr - around)), min(m, int(m * fpr + around)) + 1)
    upper = clopper_pearson(errors, m, confidence_level=each, side="upper")
    # What the limit of the other rate must not exceed, by either inequality.
    rate = np.maximum(1 - delta - np.exp(epsilon) * upper, (1 - upper - delta) * np.exp(-epsilon))
    most = _most_errors(n, np.maximum(rate, 0.0), 1 - each)
    below = np.where(most >= 0, bdtr(np.maximum(most, 0), n, fnr), 0.0)
    chance = np.diff(bdtr(errors, m, fpr), prepend=bdtr(errors[0] - 1, m, fpr) if errors[0] else 0)
    return float(np.clip(chance @ below, 0, 1))


def _most_errors(n: int, rates: FloatArray, level: float) -> Counts:
    """The most errors of n whose exact upper limit is at most a rate < 1; -1 where none is."""
    few, many = np.full(rates.size, -1), np.full(rates.size, n)
    while (apart := many - few > 1).any():
        middle = (few + many) // 2
        within = bdtr(middle, n, rates) <= level
        few = np.where(apart & within, middle, few)
        many = np.where(apart & ~within, middle, many)
    return few


@dataclass(frozen=True, kw_only=True, eq=False)
class RankPower:
    """The power of the rank bound under a curve, by simulation.

    Parameters
    ----------
    curve : Curve
    epsilon, delta, confidence_level : float
    seed : int
    """

    curve: Curve
    epsilon: float
    delta: float
    confidence_level: float
    seed: int

    def __call__(self, n: int, m: int, runs: int) -> Estimate:
        """Of n members and m non-members, from so many data sets."""
        rng = np.random.default_rng([self.seed, n, m, runs])
        test = RankTest(n, m, delta=self.delta, level=1 - self.confidence_level)
        nulls = min(NULLS_PER_RUN * runs, MOST_NULLS)
        null = test.guesses.right(test.law.draw(np.full(nulls, self.epsilon), rng))
        under_null = np.sort(refuted(test, null))
        chance = partial(chance_to_refute, level=1 - self.confidence_level)
        most = test.refuted(np.minimum(test.guesses.cuts, n)).max()
        if most <= 0 or chance((under_null >= most).mean()) == 0:
            return 0.0, 0.0  # not even without an error
        members = members_before(self.curve, n, m, test.guesses.cuts, runs, rng)
        found = refuted(test, test.guesses.right(members))
        p_values = 1 - np.searchsorted(under_null, found) / nulls
        is_found = found > 0  # else the bound is 0, whatever the p-value
        reached = chance(p_values) * is_found
        # Of the data sets; and of the p-values, with which the power moves.
        error = 1 / np.sqrt(nulls * (1 - self.confidence_level))
        moved = chance(p_values * (1 + error)) * is_found
        power = float(reached.mean())
        share = (power * runs + 1) / (runs + 2)
        return power, float(np.hypot(np.sqrt(share * (1 - share) / runs), moved.mean() - power))


def chance_to_refute(p_values: FloatArray, level: float) -> FloatArray:
    """How likely a bound is at least an epsilon whose p-value, by the data, is this.

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
    """The test's statistic of many runs, shape (runs,); each count is looked up once."""
    found = np.full(right.shape[1], -np.inf)
    tried, level = test.guesses, test.levels
    for i, counts in enumerate(right):
        values, place = np.unique(counts, return_inverse=True)
        same = np.full(values.size, i)
        alike = replace(
            tried, top=tried.top[same], bottom=tried.bottom[same], leaks=tried.leaks[same]
        )
        np.maximum(found, alike.refuted(values, level[same])[place], out=found)
    return found


def members_before(
    curve: Curve, n: int, m: int, cuts: Counts, runs: int, rng: np.random.Generator
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
