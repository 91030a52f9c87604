"""An exact test of a whole trade-off function that uses every threshold.

**Statement.** The scores of n members are independent draws of one law, those of m non-members of
another. If ``TPR <= 1 - f(FPR)`` at every threshold, the p-value is at most a with probability at
most a, for every a, any two laws and any trade-off function f.

**Proof.** By steps 1 to 3 of the proof in `dpviz.audit.bounds.rank`, with ``L(t) = 1 - f(t)``: for
any h of that kind, ``P(h >= c)`` is largest for L, the least favourable of all laws. It can be
simulated; members in the jump of L at 0 stand above all non-members.

**The statistic.** For some j fixed in advance, A_j is the number of members above the j-th highest
non-member. Its log-odds ``log((A_j + 1) / (n - A_j + 1))`` are divided by their standard deviation,
simulated in advance. A vector has these values as coordinates, and sums of two of them, one from
either end of the ranking. The vector of the data is compared with S simulated vectors. In each
coordinate, the share of a vector is the fraction of the S + 1 vectors with at least as large a
value. Vectors are ordered by their smallest share; equal ones, such as those beyond all others, by
their largest value. The p-value is the fraction of the vectors, the data's included, that are no
less extreme than the data's.

- Under L the S + 1 vectors are exchangeable and are treated alike, so the p-value is at most a with
  probability at most a: no approximation, whatever S.
- When a member of the data moves up, the data's values do not fall, its shares do not grow, and the
  others' shares do not fall: the p-value does not grow, so it is such a function.

**The simulated curve.** `MemberCountDistribution` is the distribution of the counts A_j, and
`members_above` counts members in the data. A polyline replaces f: it is nowhere above f and touches
f at `KNOTS` positions, so that the time does not depend on f: scores that obey f obey the
polyline. Between two knots a convex function lies above the lines through its neighbouring pieces,
so isolated corners are exact. Positions are float64, whose rounding is far smaller than one record.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.audit.roc.curve import RatesOfCounts
from dpviz.audit.scores.attack_scores import ScoresLike, without_copies
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray, Rng
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff
from dpviz.value_object import ValueObject

RATIO = 1.5  # of neighbouring rank cut-offs
KNOTS = 4000  # FPRs at which the polyline touches f
REACH = 9.0  # knots go beyond FPR 1 / m by these log-odds, at either end
RUNS_TIMES_LEVEL = 200.0  # simulations, times the level: 4000 at 0.05
SMALLEST_LEVEL = 1e-3  # the least 1 - confidence_level that may be requested
RUNS_FOR_SCALING = 200  # simulations that estimate the standard deviations
CHUNK = 20_000  # simulations per batch


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveEvidence(RatesOfCounts[int, float], ValueObject):
    """The counts with the strongest evidence against a trade-off function.

    Their rates, each in [0, 1], are `fpr`, `fnr`, `tpr` and `tnr`.

    Parameters
    ----------
    false_positives, n_nonmembers, true_positives, n_members : int
        Of an attack that flags the records above some rank as members; tied scores are ranked at
        random, so a threshold with these counts need not exist.
    permitted_tpr : float, the largest TPR allowed at this FPR; a measured TPR above it is no proof

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> test = audit.curve_test((range(100), range(50, 150)), theory.GaussianDP(mu=0.5))
    >>> round(test.evidence.permitted_tpr, 3)
    0.726
    """

    false_positives: int
    n_nonmembers: int
    true_positives: int
    n_members: int
    permitted_tpr: float


def evidence_from_counts(
    f: TradeoffFunction, false_positives: int, m: int, true_positives: int, n: int
) -> CurveEvidence:
    """Return an attack's counts as evidence, with the largest TPR that `f` allows at their FPR."""
    counts = {"false_positives": false_positives, "true_positives": true_positives}
    permitted = f.tpr(false_positives / m)
    return CurveEvidence(n_nonmembers=m, n_members=n, permitted_tpr=permitted, **counts)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveTest(ValueObject):
    """The result of an exact test of a trade-off function.

    Parameters
    ----------
    p_value : float, in (0, 1]
        If f is true, it is at most a with probability at most a, for a seed fixed in advance.
    smallest_p_value : float, that of a perfect attack on as many records
    confidence_level : float
    n_resamples : int, number of simulations
    evidence : CurveEvidence, the counts with the smallest p-value of their own, significant or not
    n_members, n_nonmembers : int

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> audit.curve_test((range(100), range(50, 150)), theory.GaussianDP(mu=0.5)).rejected
    True
    """

    p_value: float
    smallest_p_value: float
    confidence_level: float
    n_resamples: int
    evidence: CurveEvidence
    n_members: int
    n_nonmembers: int

    @property
    def rejected(self) -> bool:
        """Whether the p-value is at most ``1 - confidence_level``, so that `f` is rejected."""
        return self.p_value <= 1 - self.confidence_level


def curve_test(
    scores: ScoresLike, f: TradeoffFunction, *, confidence_level: float = 0.95, rng: Rng = 0
) -> CurveTest:
    """Return a test of the hypothesis "TPR <= 1 - f(FPR) at every threshold".

    The test is exact for any class sizes, distributions and ties (see the module). A test that does
    not reject f does not confirm it.

    Parameters
    ----------
    scores : AttackScores or BinnedScores; a reversed attack rejects nothing
    f : TradeoffFunction, for the adjacency of what the scores compare
    confidence_level : float, in (0, 0.999]; the closer to 1, the more simulations are needed
    rng : int or Generator, of ties and simulations: the same seed gives the same p-value

    Raises
    ------
    ValueError, if an argument is out of range, or `f` is not convex

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> audit.curve_test((range(100), range(50, 150)), theory.GaussianDP(mu=2)).p_value > 0.05
    True
    """
    f = checked_tradeoff("f", f)
    scores = without_copies(scores)
    confidence = checks.confidence_level(confidence_level)
    level = 1 - confidence
    if level < SMALLEST_LEVEL * (1 - 1e-9):  # 1 - 0.999 is 1e-3 up to rounding
        raise checks.fail("confidence_level", f"at most {1 - SMALLEST_LEVEL:g}", confidence)
    rng = np.random.default_rng(checks.seed(rng))
    n, m = scores.n_members, scores.n_nonmembers
    law, pairs = least_favourable_counts_and_row_pairs(f, n, m)
    # Separate simulations scale the counts, so that the others and the data are exchangeable.
    runs = int(np.ceil(RUNS_TIMES_LEVEL / level))
    scaling = law.draw(RUNS_FOR_SCALING, rng)
    simulated = [law.draw(min(CHUNK, runs - begin), rng) for begin in range(0, runs, CHUNK)]
    above = np.concatenate([members_above(scores, law.ranks, rng)[:, None], *simulated], axis=1)
    log_odds = standardised_log_odds(above, scaling, n)
    best, smallest, largest = _best_row_and_run_extremes(log_odds, pairs)
    # Vectors in order of their smallest shares, equal ones in order of their largest values.
    as_extreme = (smallest < smallest[0]) | ((smallest == smallest[0]) & (largest >= largest[0]))
    # Only simulations that rank all members first, too, are as extreme as a perfect attack.
    perfect = np.count_nonzero(above[0, 1:] == n)
    return CurveTest(
        p_value=float(np.mean(as_extreme)),
        smallest_p_value=(1 + perfect) / (1 + runs),
        confidence_level=confidence,
        n_resamples=runs,
        evidence=evidence_from_counts(f, int(law.ranks[best]) - 1, m, int(above[best, 0]), n),
        n_members=n,
        n_nonmembers=m,
    )


def least_favourable_counts_and_row_pairs(
    f: TradeoffFunction, n: int, m: int
) -> tuple["MemberCountDistribution", Counts]:
    """Return the distribution of counts if TPR = 1 - f(FPR), and index pairs of its `ranks`."""
    fpr, fnr = polyline_below(f, log_odds_limit=float(np.log(m)) + REACH)
    chosen = nonmember_ranks_at_both_ends(f, m)
    ranks = np.unique(chosen)
    law = MemberCountDistribution(n_members=n, n_nonmembers=m, ranks=ranks, fpr=fpr, fnr=fnr)
    return law, np.searchsorted(ranks, chosen).T


def curve_test_power(
    f: TradeoffFunction,
    fpr: FloatArray,
    fnr: FloatArray,
    confidence_level: float,
    n: int,
    m: int,
    runs: int,
) -> tuple[float, float]:
    """Return the simulated power of `curve_test` for an attack, and the power's standard error."""
    rng = np.random.default_rng(0)
    law, pairs = least_favourable_counts_and_row_pairs(f, n, m)
    under_attack = replace(law, fpr=fpr, fnr=fnr)
    scaling = law.draw(RUNS_FOR_SCALING, rng)
    nulls = int(np.ceil(RUNS_TIMES_LEVEL / (1 - confidence_level)))
    drawn = (law.draw(nulls, rng), under_attack.draw(runs, rng))
    log_odds = [standardised_log_odds(counts, scaling, n) for counts in drawn]
    smallest, largest = ([np.full(size, fill) for size in (nulls, runs)] for fill in (nulls, -9e9))
    for both in zip(*(_rows_and_pair_sums(each, pairs) for each in log_odds), strict=True):
        ordered = np.sort(both[0])
        for i, values in enumerate(both):
            share = nulls - np.searchsorted(ordered, values)
            smallest[i] = np.minimum(smallest[i], share)
            largest[i] = np.maximum(largest[i], values)
    # Complex numbers are sorted by their real parts, equal ones by their imaginary parts.
    under_f, data = (share - 1j * value for share, value in zip(smallest, largest, strict=True))
    p_values = (1 + np.searchsorted(np.sort(under_f), data, side="right")) / (1 + nulls)
    power = float(np.mean(p_values <= 1 - confidence_level))
    return power, float(np.sqrt((power * (1 - power) + 1 / runs) / runs))


def standardised_log_odds(counts: Counts, simulated_counts: Counts, n: int) -> FloatArray:
    """Return log-odds of `counts` out of n, standardised by those of simulated counts."""
    mean = simulated_counts.mean(axis=1, keepdims=True)
    of_one = 1 / (mean + 1) + 1 / (n - mean + 1)  # change by one member more
    units = _log_odds(simulated_counts, n)
    # The step of one member keeps the spread above 0 where all simulated counts are equal.
    spread = np.sqrt(units.var(axis=1, keepdims=True) + of_one**2)
    return np.asarray((_log_odds(counts, n) - units.mean(axis=1, keepdims=True)) / spread)


def _log_odds(counts: Counts, n: int) -> FloatArray:
    return np.log((counts + 1.0) / (n - counts + 1.0))


def _best_row_and_run_extremes(
    log_odds: FloatArray, row_pairs: Counts
) -> tuple[int, Counts, FloatArray]:
    """Return the data's most extreme row, and each run's smallest rank from the top and maximum."""
    runs = log_odds.shape[1]
    smallest, largest = np.full(runs, runs), np.full(runs, -np.inf)
    of_data: list[tuple[int, float]] = []
    for coordinate in _rows_and_pair_sums(log_odds, row_pairs):
        # A share: the runs with at least as large a value; few of their values are distinct.
        _, place, times = np.unique(coordinate, return_inverse=True, return_counts=True)
        share = np.cumsum(times[::-1])[::-1][place]
        smallest, largest = np.minimum(smallest, share), np.maximum(largest, coordinate)
        of_data.append((int(share[0]), -float(coordinate[0])))
    best = of_data.index(min(of_data))
    if best >= log_odds.shape[0]:  # a pair: take the row with the stronger evidence
        best = min(row_pairs[best - log_odds.shape[0]].tolist(), key=lambda end: of_data[end])
    return best, smallest, largest


def _rows_and_pair_sums(log_odds: FloatArray, row_pairs: Counts) -> Iterator[FloatArray]:
    """Yield the rows of `log_odds`, then (row i + row j) / sqrt(2) for each pair in `row_pairs`."""
    yield from log_odds
    yield from ((log_odds[i] + log_odds[j]) / np.sqrt(2) for i, j in row_pairs)


def nonmember_ranks_at_both_ends(f: TradeoffFunction, m: int) -> Counts:
    """Return k ranks of non-members from each end, shape (2, k), above which members are counted.
    Row 0 grows geometrically to the rank where FPR = FNR on `f`; row 1 mirrors it at the lower end.
    """
    upper, last = [1], (m + 1) // 2
    while upper[-1] < last:
        upper.append(min(int(np.ceil(upper[-1] * RATIO)), last))
    above = np.array(upper, np.int64)
    mirror = np.rint((m + 1) * np.asarray(f.beta(above / (m + 1)))).astype(np.int64)
    kept = (mirror >= above) | (above == 1)
    return np.stack([above, np.clip(mirror, above, m)])[:, kept]


@dataclass(frozen=True, kw_only=True, eq=False)
class MemberCountDistribution:
    """The joint distribution of the numbers of members above the non-members of given `ranks`."""

    n_members: int
    n_nonmembers: int
    ranks: Counts  # ascending; 1 is the highest score
    # Corners of the attack's curve, by default of random guessing.
    fpr: FloatArray = field(default_factory=lambda: np.array([0.0, 1.0]))
    fnr: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0]))

    def draw(self, runs: int, rng: np.random.Generator) -> Counts:
        """Simulate the numbers of members above the non-members of these ranks, shape (k, runs)."""
        spacings = np.diff(self.ranks, prepend=0, append=self.n_nonmembers + 1)
        sums = np.cumsum(rng.standard_gamma(spacings[:, None], (spacings.size, runs)), axis=0)
        left = np.stack([_interpolate(row, self.fpr, self.fnr) for row in sums[:-1] / sums[-1]])
        left = np.minimum.accumulate(left, axis=0)  # interpolation may round upwards
        before = np.concatenate([np.ones((1, runs)), left[:-1]])
        # Of the members below one selected non-member, the fraction above the next.
        share = np.divide(before - left, before, out=np.zeros_like(left), where=before > 0)
        counts, above = np.empty(left.shape, np.int64), np.zeros(runs, np.int64)
        for i in range(self.ranks.size):
            counts[i] = above = above + rng.binomial(self.n_members - above, share[i])
        return counts


def _interpolate(at: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return `np.interp(at, x, y)`; it is faster because `at` is sorted first."""
    order = np.argsort(at)
    values = np.empty_like(at)
    values[order] = np.interp(at[order], x, y)
    return values


def polyline_below(f: TradeoffFunction, *, log_odds_limit: float) -> tuple[FloatArray, FloatArray]:
    """Return corners (FPRs, FNRs) of a polyline below `f`, which touches `f` at `KNOTS` FPRs."""
    x = np.concatenate([[0.0], expit(np.linspace(-log_odds_limit, log_odds_limit, KNOTS)), [1.0]])
    y = np.minimum.accumulate(f.beta(x))
    slope, width = np.diff(y) / np.diff(x), np.diff(x)
    # At 0 the curve may jump, so only the line from the right is used. Beyond 1 it is flat.
    before, after = np.append(0.0, slope[:-1]), np.append(slope[1:], 0.0)
    # The position within the interval where the lines through both neighbouring pieces meet.
    rise = after - before
    part = np.divide(after - slope, rise, out=np.zeros_like(rise), where=rise > 0)
    part = np.clip(part, 0.0, 1.0)  # any position is valid: the lower line is taken
    met = np.minimum(y[:-1] + before * part * width, y[1:] - after * (1 - part) * width)
    fpr = np.column_stack([x[:-1] + part * width, x[1:]]).ravel()
    fnr = np.column_stack([np.maximum(met, 0.0), y[1:]]).ravel()
    return fpr, np.minimum.accumulate(fnr)


def members_above(scores: Scores, nonmember_ranks: Counts, rng: np.random.Generator) -> Counts:
    """Count the members above each of `nonmember_ranks`; ties are broken at random."""
    member, nonmember = scores.members, scores.nonmembers
    # Members above the score of each non-member, and those tied with it.
    at = nonmember.at_ranks(nonmember.size - nonmember_ranks)
    above = member.size - member.count_at_most(at)
    tied = member.count_at_least(at) - above
    # Ties are ranked at random: the members among them are drawn.
    for value in np.unique(at[tied > 0]):
        group = np.flatnonzero(at == value)
        begin, end = nonmember.count_below(value), nonmember.count_at_most(value)
        n, m = int(tied[group[0]]), int(end - begin)
        ranks = nonmember_ranks[group] - (nonmember.size - end)
        law = MemberCountDistribution(n_members=n, n_nonmembers=m, ranks=ranks)
        above[group] += law.draw(1, rng)[:, 0]
    return above
