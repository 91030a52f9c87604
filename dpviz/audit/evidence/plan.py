"""Sample size of an audit: the records needed to certify an epsilon with a given power.

The power of `lower_bound` is the probability that the bound from new records is at least `epsilon`,
if the attack has the assumed ROC curve. So a plan is an estimate, however small its error.

**Power of one attack** fixed in advance: an exact sum over both binomial distributions. From a
curve, the threshold is taken that certifies most if all counts are as expected.

**Power of the rank test**: simulated. The critical value of the statistic is taken from its least
favourable distribution (`dpviz.audit.bounds.rank`) at that epsilon, and the probability of reaching
this value from the attack's curve. A record's place on the curve is the FPR at its score: uniform
for non-members, with the TPR as distribution function for members. Places are drawn in cells, and
are random within a cell: so chords replace the curve, which lie below a concave one. Around a rank
cut-off a cell is as wide as the standard deviation of the place of that rank.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincc, betaincinv

from dpviz import checks
from dpviz.audit.bounds.fixed_threshold import attack_epsilon
from dpviz.audit.bounds.lower_bound import class_sizes
from dpviz.audit.bounds.one_run import sharp_p_value
from dpviz.audit.bounds.rank import GuessSets, RankTest, default_test_and_leaks, guess_sets
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import DEFAULT
from dpviz.audit.bounds.simulation import SMALLEST_LEVEL, runs_limit_and_tested_p_values
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.whole_curve import curve_test_power
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray, Rng
from dpviz.theory import ApproximateDP, GaussianDP, LaplaceMechanism, TradeoffFunction
from dpviz.theory.calibration import gaussian_noise
from dpviz.theory.profile import first_whole_numbers_where
from dpviz.value_object import ValueObject

METHODS = (DEFAULT, "clopper_pearson", "one_run_curve")
SMALLEST_PLAN = 4  # records of the larger class in the smallest plan
SIZE_RATIO = 1.05  # ratio of neighbouring sizes
DOUBLING = 14  # steps that double a size
RUNS_PER_SIZE = 2000  # data sets simulated at each size
RUNS_FACTOR_AT_PLAN = 4  # data sets simulated at the planned size, over RUNS_PER_SIZE
WHOLE_CURVE = "curve"  # the test of a claim of another form than (epsilon, delta)
NOTE_FOR_CURVE = "an estimate, which holds if the attack has the assumed curve"
NOTE_FOR_SCORES = (
    "an optimistic estimate: records are resampled from these scores, whose curve exceeds the "
    "attack's true curve by chance"
)
KNOWN = "; the best threshold must be known before the records are drawn"
NOTE_FOR_RATES = "exact if the attack is fixed in advance and has these error rates"
MOST_NULLS = 60_000  # simulations of the least favourable distribution, at most
NULLS_PER_RUN = 5  # such simulations for each data set that is simulated under the curve
CELL_ENDS_AROUND_CUT = np.array([-4.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4.5])  # in s.d.
FPR_NODES = np.concatenate([[0.0], np.geomspace(1e-15, 0.5, 3000)])  # FPR nodes, from either end
P_VALUE_FIT_ERROR = 0.1  # s.d. of the log p-value where the bound is tested (measured)
REACH = 9.0  # standard deviations from the mean of a count beyond which it is left out
THRESHOLDS = 2000  # thresholds of a curve that are tried, dense at either end
ROUNDING_TOLERANCE = 1e-9
Estimate = tuple[float, float]  # a power and its standard error
Power = Callable[[int, int, int], Estimate]  # of numbers of members, non-members and runs


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackRates(ValueObject):
    """The true error rates of one attack.

    Parameters
    ----------
    fpr, fnr : float, in [0, 1]

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.plan(audit.evidence.AttackRates(fpr=0.01, fnr=0.5), epsilon=2, delta=0).n_members
    141
    """

    fpr: float
    fnr: float

    def __post_init__(self) -> None:
        for name in ("fpr", "fnr"):
            object.__setattr__(self, name, checks.real(name, getattr(self, name), 0, 1))


GivenRates = AttackRates | OperatingPoint  # or another object with `fpr` and `fnr`


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(ValueObject):
    """The sample size of an audit that is to certify an epsilon.

    Parameters
    ----------
    n_members, n_nonmembers : int or None, the smallest size found; None if the largest is too small
        Smaller sizes can be enough with "one_run_curve" and delta > 0, as each canary adds to the
        p-value, and with "rank_exact" just below the size from which p-values are simulated.
    power : float, probability of a bound >= `epsilon` at that size, or else at the largest one
    power_error : float, its standard error; 0 where it is exact, if the attack is as assumed
    epsilon, delta, confidence_level : float
    method : {"rank_exact", "clopper_pearson", "one_run_curve"}, or "curve": of a whole curve
    tried_members, tried_nonmembers : ndarray of int, shape (k,), sizes evaluated, ascending
    tried_powers : ndarray, shape (k,), the power at each, from fewer simulations
    note : str, the assumption behind the numbers

    Examples
    --------
    >>> from dpviz import audit
    >>> attack = audit.evidence.AttackRates(fpr=0.01, fnr=0.5)
    >>> round(audit.plan(attack, epsilon=2, delta=0, method="clopper_pearson").power, 3)
    0.816
    """

    n_members: int | None
    n_nonmembers: int | None
    power: float
    power_error: float
    epsilon: float
    delta: float
    confidence_level: float
    method: str
    tried_members: Counts = field(repr=False)
    tried_nonmembers: Counts = field(repr=False)
    tried_powers: FloatArray = field(repr=False)
    note: str


def plan(
    attack: TradeoffFunction | ScoresLike | GivenRates,
    *,
    epsilon: float,
    delta: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    method: str | None = None,
    claim: TradeoffFunction | None = None,
    ratio: float = 1.0,
    largest: int = 1_000_000,
    n_resamples: int = RUNS_PER_SIZE,
    rng: Rng = 0,
    progress: Progress = iter,
) -> Plan:
    """Return the numbers of records or retrained models that certify `epsilon` with a given power.

    Parameters
    ----------
    attack : TradeoffFunction, AttackScores, BinnedScores, AttackRates or OperatingPoint
        The true attack: its curve, scores to resample, or error rates (for "clopper_pearson").
    epsilon : float, to be certified, > 0
    delta : float, in [0, 1]
    power : float, in (0, 1)
    confidence_level : float, in [0.5, 1); of the rank test up to 0.9999
    method : {"rank_exact", "clopper_pearson", "one_run_curve"}, by default what fits the attack
        "clopper_pearson" with a curve supposes that its best threshold is known beforehand;
        "one_run_curve", that all records are canaries of one training.
    claim : TradeoffFunction, optional, not (epsilon, delta)
        To be contradicted by `curve_test`; `epsilon` is what it allows at `delta`, `rng` is 0.
    ratio : float, members per non-member, in [0.001, 1000]
    largest : int, records of the larger class, at most; at least 4
    n_resamples : int, data sets simulated at each size; four times as many at the planned one
    rng : int or Generator, of simulations
    progress : callable, wraps the range of sizes to try; the search may need only a part of it

    Raises
    ------
    ValueError, if an argument is out of range or the attack cannot show `epsilon` by the method

    Examples
    --------
    >>> from dpviz import audit
    >>> attack = audit.evidence.AttackRates(fpr=0.001, fnr=0.9)
    >>> audit.plan(attack, epsilon=3, delta=1e-5).n_members
    2166
    """
    if isinstance(attack, tuple):
        attack = as_scores("attack", attack)
    if method is None:
        method = DEFAULT if isinstance(attack, TradeoffFunction | Scores) else "clopper_pearson"
    checks.choice("method", method, METHODS)
    epsilon = checks.real("epsilon", epsilon, 0, np.inf, closed="neither")
    delta = checks.real("delta", delta, 0, 1)
    power = checks.real("power", power, 0, 1, closed="neither")
    level = checks.confidence_level(confidence_level)
    ratio = checks.real("ratio", ratio, 1e-3, 1e3)
    seed, runs = checks.seed(rng), checks.whole("n_resamples", n_resamples, 1)
    # Fair coins decide the class sizes, and simulated p-values have a smallest level.
    if BOUNDS[method].requires_fair_coins and ratio != 1:
        raise checks.fail("ratio", f"1 for {method!r}", ratio, "fair coins decide who is a member")
    if method == DEFAULT and level > 1 - SMALLEST_LEVEL:
        raise checks.fail("confidence_level", f"at most {1 - SMALLEST_LEVEL:g} in a plan", level)
    largest = checks.whole("largest", largest, SMALLEST_PLAN)
    # Sizes of the larger class grow by a constant ratio, in whole records.
    steps = int(np.log(largest / SMALLEST_PLAN) / np.log(SIZE_RATIO)) + 1
    of_larger = np.append(np.ceil(SMALLEST_PLAN * SIZE_RATIO ** np.arange(steps)), largest)
    of_larger = np.unique(np.minimum(of_larger, largest)).astype(np.int64)
    sizes = [class_sizes(size, ratio=ratio) for size in of_larger.tolist()]
    given = {"epsilon": epsilon, "delta": delta, "confidence_level": level}
    of_size, note = _power_function_and_note(attack, method, seed=seed, **given)
    if claim is not None and isinstance(attack, TradeoffFunction | Scores):
        of_size, method = power_of_claim_test(claim, attack, level), WHOLE_CURVE
    if (shown := largest_provable_epsilon(attack, delta)) <= epsilon:
        raise checks.fail("epsilon", f"below {shown:.6g}, the most the attack can prove", epsilon)
    # The power grows with the size: longer steps until it is enough, then bisection.
    tried: dict[int, tuple[float, float]] = {}
    few, enough, last = -1, None, len(sizes) - 1
    for _ in progress(range(len(sizes))):
        doubled = 0 if few < 0 else min(few + DOUBLING, last)
        index = doubled if enough is None else (few + enough) // 2
        tried[index] = of_size(*sizes[index], runs)
        few, enough = (few, index) if tried[index][0] >= power else (index, enough)
        if few == last or (enough is not None and enough - few == 1):
            break
    # Simulate more at this size; if the power is not confirmed, try the next larger sizes.
    place = last if enough is None else enough
    estimate, error = of_size(*sizes[place], RUNS_FACTOR_AT_PLAN * runs)
    while enough is not None and estimate < power and place < last:
        place += 1
        estimate, error = of_size(*sizes[place], RUNS_FACTOR_AT_PLAN * runs)
    is_enough = enough is not None and estimate >= power
    looked_at = np.array([sizes[i] for i in sorted(tried)])
    return Plan(
        n_members=sizes[place][0] if is_enough else None,
        n_nonmembers=sizes[place][1] if is_enough else None,
        power=estimate,
        power_error=error,
        **given,
        method=method,
        tried_members=checks.read_only(looked_at[:, 0]),
        tried_nonmembers=checks.read_only(looked_at[:, 1]),
        tried_powers=checks.read_only(np.array([tried[i][0] for i in sorted(tried)])),
        note=note,
    )


def power_of_claim_test(
    claim: TradeoffFunction, attack: TradeoffFunction | Scores, confidence_level: float
) -> Power:
    """Return the power of `claim_test` to contradict `claim`, as a function of class sizes."""
    curve = RocPolyline.of(attack)
    if isinstance(claim, ApproximateDP):
        given: dict[str, Any] = {"epsilon": claim.claimed_epsilon, "delta": claim.claimed_delta}
        return RankTestPower(curve=curve, **given, confidence_level=confidence_level)
    return partial(curve_test_power, claim, curve.fpr, 1 - curve.tpr, confidence_level)


def noise_mechanism_with_epsilon(epsilon: float, delta: float) -> TradeoffFunction:
    """Return Gaussian noise with this epsilon and delta, or Laplace noise if delta is 0."""
    if delta == 0:
        return LaplaceMechanism(epsilon=epsilon)
    return GaussianDP(mu=1 / gaussian_noise(epsilon=epsilon, delta=delta, sensitivity=1.0))


def largest_provable_epsilon(attack: TradeoffFunction | Scores | GivenRates, delta: float) -> float:
    """Return the limit of an audit's lower bound on epsilon as the number of records grows."""
    if isinstance(attack, TradeoffFunction):
        return max(attack.epsilon(delta), attack.inverse().epsilon(delta))
    if isinstance(attack, Scores):
        curve = AttackCurve.from_scores(attack)
        return float(attack_epsilon(fpr=curve.fpr, fnr=1 - curve.tpr, delta=delta).max())
    return max(0.0, float(attack_epsilon(fpr=attack.fpr, fnr=attack.fnr, delta=delta)))


def _power_function_and_note(
    attack: TradeoffFunction | Scores | GivenRates, method: str, *, seed: int, **given: float
) -> tuple[Power, str]:
    """Return a method's power as a function of class sizes, and a note on its assumptions."""
    if not isinstance(attack, TradeoffFunction | Scores):
        rates = _checked_rates(attack, method)

        def exact_power(n: int, m: int, _: int) -> Estimate:
            return clopper_pearson_power(n, m, fpr=rates.fpr, fnr=rates.fnr, **given), 0.0

        return exact_power, NOTE_FOR_RATES
    curve = RocPolyline.of(attack)
    powers: dict[str, Callable[..., Power]] = {DEFAULT: RankTestPower, "one_run_curve": OneRunPower}
    power = powers.get(method, FixedThresholdPower)(curve=curve, seed=seed, **given)
    note = NOTE_FOR_CURVE if isinstance(attack, TradeoffFunction) else NOTE_FOR_SCORES
    return power, note + KNOWN * (method == "clopper_pearson")


def _checked_rates(attack: GivenRates, method: str) -> AttackRates:
    if not (hasattr(attack, "fpr") and hasattr(attack, "fnr")):
        raise checks.fail("attack", "a trade-off function, scores or AttackRates", attack)
    if method != "clopper_pearson":
        raise checks.fail(
            "attack", f"a trade-off function or scores if method is {method!r}", attack
        )
    return AttackRates(fpr=attack.fpr, fnr=attack.fnr)


@dataclass(frozen=True, kw_only=True, eq=False)
class RocPolyline:
    """An attack's ROC curve as a polyline from (0, 0) to (1, 1); tied scores are one segment."""

    fpr: FloatArray
    tpr: FloatArray

    @classmethod
    def of(cls, attack: TradeoffFunction | Scores) -> "RocPolyline":
        """Return the empirical ROC curve of scores, or the best attack's curve under a claim."""
        if isinstance(attack, Scores):
            counted = AttackCurve.from_scores(attack)
            return cls(fpr=counted.fpr, tpr=counted.tpr)
        fpr = np.unique(np.concatenate([FPR_NODES, 1 - FPR_NODES, attack.kinks]))
        tpr = np.maximum.accumulate(attack.tpr(fpr))
        # A curve that begins above TPR 0 begins with a vertical segment.
        return cls(fpr=np.append(0.0, fpr), tpr=np.append(0.0, tpr))


def clopper_pearson_power(
    n: int, m: int, *, fpr: float, fnr: float, epsilon: float, delta: float, confidence_level: float
) -> float:
    """Return P(the Clopper-Pearson bound is >= `epsilon`) for an attack with these true rates."""
    each = (1 + confidence_level) / 2
    around = REACH * np.sqrt(m * fpr * (1 - fpr)) + REACH
    errors = np.arange(max(0, int(m * fpr - around)), min(m, int(m * fpr + around)) + 1)
    upper = clopper_pearson(errors, m, confidence_level=each, side="upper")
    rate = np.maximum(1 - delta - np.exp(epsilon) * upper, (1 - upper - delta) * np.exp(-epsilon))
    most = _most_errors_within_limit(n, np.maximum(rate, 0.0), 1 - each)
    # The power: for each number of false positives, the chance of few enough false negatives.
    below = _binomial_cdf(most, n, fnr)
    chance = np.diff(_binomial_cdf(np.append(errors[0] - 1, errors), m, fpr))
    return float(np.clip(chance @ below, 0, 1))


def _binomial_cdf(counts: Counts, n: int, rate: float | FloatArray) -> FloatArray:
    """Return P(binomial(n, rate) <= `counts`); SciPy's bdtr would be limited to 32 bits."""
    some = betaincc(np.maximum(counts, 0) + 1.0, np.maximum(n - counts, 1.0), rate)
    return np.select([counts < 0, counts >= n], [0.0, 1.0], some)


def _most_errors_within_limit(n: int, rates: FloatArray, level: float) -> Counts:
    """Return, per rate, the largest error count of n trials with upper limit <= rate (-1: none)."""
    none, all_wrong = np.full(rates.size, -1), np.full(rates.size, n)

    def is_above(errors: Counts) -> NDArray[np.bool_]:
        return _binomial_cdf(errors, n, rates) > level

    return first_whole_numbers_where(is_above, none, all_wrong) - 1


@dataclass(frozen=True, kw_only=True, eq=False)
class PowerForRocCurve:
    """A function from class sizes to a method's power, for an attack with a given ROC curve."""

    curve: RocPolyline
    epsilon: float
    delta: float
    confidence_level: float
    seed: int = 0


class FixedThresholdPower(PowerForRocCurve):
    """The power of the Clopper-Pearson bound at the attack's best threshold, fixed in advance."""

    def __call__(self, n: int, m: int, _: int) -> Estimate:
        """Return the power with n members and m non-members, and 0 as its standard error."""
        # Thresholds dense at both ends of the curve, where low error rates are.
        ends = np.geomspace(1, self.curve.fpr.size, THRESHOLDS).astype(np.int64) - 1
        places = np.union1d(ends, self.curve.fpr.size - 1 - ends)
        fpr, fnr = self.curve.fpr[places], 1 - self.curve.tpr[places]
        each = (1 + self.confidence_level) / 2
        upper_fpr, upper_fnr = (
            betaincinv(size * rate + 1, np.maximum(size * (1 - rate), ROUNDING_TOLERANCE), each)
            for size, rate in ((m, fpr), (n, fnr))
        )
        # The threshold whose expected counts certify most.
        best = np.argmax(attack_epsilon(fpr=upper_fpr, fnr=upper_fnr, delta=self.delta))
        rates = {"fpr": float(fpr[best]), "fnr": float(fnr[best]), "epsilon": self.epsilon}
        given = {**rates, "delta": self.delta, "confidence_level": self.confidence_level}
        return clopper_pearson_power(n, m, **given), 0.0


class RankTestPower(PowerForRocCurve):
    """The power of the default rank test, simulated for an attack with the given ROC curve."""

    def __call__(self, n: int, m: int, runs: int) -> Estimate:
        """Return the power and its standard error, from `runs` data sets of n + m records."""
        rng = np.random.default_rng([self.seed, n, m, runs])
        level = 1 - self.confidence_level
        test, leaks = default_test_and_leaks(n, m, delta=self.delta, level=level)
        # Exact p-values up to the level refute, simulated ones with some probability.
        exact: Callable[[FloatArray], FloatArray] = partial(np.greater_equal, level)
        chance = partial(chance_of_simulated_refutation, level=level) if leaks is None else exact
        # The statistic under its least favourable distribution gives the p-values.
        nulls = min(NULLS_PER_RUN * runs, MOST_NULLS)
        null = test.guesses.count_right(test.law.draw(np.full(nulls, self.epsilon), rng))
        under_null = np.sort(rank_statistics(test, null))
        most = test.largest_statistic()
        if most <= 0 or chance((under_null >= most).mean()) == 0:
            return 0.0, 0.0  # even a perfect attack does not
        members = draw_members_above_cuts(self.curve, n, m, test.guesses.cuts, runs, rng)
        statistics = rank_statistics(test, test.guesses.count_right(members))
        p_values = 1 - np.searchsorted(under_null, statistics) / nulls
        is_above_0 = statistics > 0  # otherwise the bound is 0, whatever the p-value
        reached = chance(p_values) * is_above_0
        # Standard errors: from the number of data sets, and from that of the null simulations.
        error = 1 / np.sqrt(nulls * (1 - self.confidence_level))
        moved = chance(p_values * (1 + error)) * is_above_0
        power, spread = power_and_standard_error(reached)
        return power, float(np.hypot(spread, moved.mean() - power))


def power_and_standard_error(reached: FloatArray | NDArray[np.bool_]) -> Estimate:
    """Return the mean of `reached` (0, 1 or a probability per run) and its standard error."""
    power = float(np.mean(reached))
    share = (power * len(reached) + 1) / (len(reached) + 2)
    return power, float(np.sqrt(share * (1 - share) / len(reached)))


def chance_of_simulated_refutation(p_values: FloatArray, level: float) -> FloatArray:
    """Return P(`simulated_bound` refutes an epsilon) for each exact p-value of the epsilon."""
    # The bound is the first refuted of a few epsilons, where a fit expects the planned p-values.
    size, allowed, planned = runs_limit_and_tested_p_values(level)
    # The fit's error is taken as normal: a grid of its standard deviations.
    z = np.linspace(-3, 3, 31)[:, None]
    located = planned * np.exp(P_VALUE_FIT_ERROR * z)
    refutes = bdtr(allowed, size, located)
    # The probability that each planned test is the first to refute.
    first = refutes * np.cumprod(np.insert(1 - refutes[:, :-1], 0, 1.0, axis=1), axis=1)
    weights = (first * np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()).ravel()
    # The bound is at least epsilon if the p-value at the first refuted test is at least epsilon's.
    order = np.argsort(located, axis=None)
    upto = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(upto[-1] - upto[np.searchsorted(located.ravel()[order], p_values)])


def rank_statistics(test: RankTest, right_guesses: Counts) -> FloatArray:
    """Return each run's rank statistic; `right_guesses[i, j]` are those of set i in run j."""
    largest = np.full(right_guesses.shape[1], -np.inf)
    for i, counts in enumerate(right_guesses):
        # Many runs have equal counts, and each distinct count is judged once.
        values, place = np.unique(counts, return_inverse=True)
        alone = test.refuted_epsilons_of_sets(np.full(values.size, i), values)
        np.maximum(largest, alone[place], out=largest)
    return largest


def draw_members_above_cuts(
    curve: RocPolyline, n: int, m: int, cuts: Counts, runs: int, rng: np.random.Generator
) -> Counts:
    """Simulate numbers of members in the first k records, k in `cuts`; shape (cuts, runs)."""
    before = m * curve.fpr + n * curve.tpr
    before, kept = np.unique(before, return_index=True)
    fpr, tpr = curve.fpr[kept], curve.tpr[kept]
    t, r = (np.interp(cuts, before, rates) for rates in (fpr, tpr))
    spread = np.sqrt(m * t * (1 - t) + n * r * (1 - r))
    # Cells of places around the cut-offs, and the records of both classes that fall into each.
    ends = np.unique(np.clip(cuts[:, None] + spread[:, None] * CELL_ENDS_AROUND_CUT, 0, n + m))
    ends = np.union1d(ends, [0.0, n + m])
    chances = [np.diff(np.interp(ends, before, rates)) for rates in (tpr, fpr)]
    members, nonmembers = (
        rng.multinomial(size, chance / chance.sum(), size=runs)
        for size, chance in zip((n, m), chances, strict=True)
    )
    # Within the cell that a cut-off divides, records are in random order.
    upto, members_upto = np.cumsum(members + nonmembers, axis=1), np.cumsum(members, axis=1)
    rows, cell = np.arange(runs), np.full(runs, -1)
    before_cuts = np.empty((cuts.size, runs), np.int64)
    taken = drawn = np.zeros(runs, np.int64)
    for i, cut in enumerate(cuts.tolist()):
        last, cell = cell, np.minimum((upto < cut).sum(axis=1), ends.size - 2)
        # A cut-off in the same cell as the one before continues its sample without replacement.
        is_same = cell == last
        taken, drawn = np.where(is_same, taken, 0), np.where(is_same, drawn, 0)
        inside, inside_members = (members + nonmembers)[rows, cell], members[rows, cell]
        left = inside_members - drawn
        step = cut - (upto[rows, cell] - inside) - taken
        drawn = drawn + rng.hypergeometric(left, inside - taken - left, step)
        taken = taken + step
        before_cuts[i] = members_upto[rows, cell] - inside_members + drawn
    return before_cuts


class OneRunPower(PowerForRocCurve):
    """The power of the method "one_run_curve", simulated with independent scores of canaries."""

    def __call__(self, n: int, m: int, runs: int) -> Estimate:
        """Return the power and its standard error, with n canaries included and m left out."""
        tried = guess_sets(n, m, delta=0.0, level=1.0, log_odds=0.0)
        needed = self._fewest_right_to_refute(tried)
        if np.all(needed > tried.top + tried.bottom):
            return 0.0, 0.0  # even a perfect attack does not
        rng = np.random.default_rng([self.seed, n, m, runs])
        right = tried.count_right(draw_members_above_cuts(self.curve, n, m, tried.cuts, runs, rng))
        return power_and_standard_error(np.any(right >= needed[:, None], axis=0))

    def _fewest_right_to_refute(self, tried: GuessSets) -> Counts:
        """Return each set's fewest right guesses to refute epsilon; size + 1 if impossible."""
        level = (1 - self.confidence_level) / tried.top.size
        canaries, enough = tried.n_members + tried.n_nonmembers, tried.top + tried.bottom + 1
        for i, guessed in enumerate((tried.top + tried.bottom).tolist()):
            # More right guesses have smaller p-values: bisection for the fewest that refute.
            refutes = partial(self._refutes, canaries=canaries, guesses=guessed, level=level)
            enough[i] = bisect_left(range(1, int(enough[i])), True, key=refutes) + 1
        return enough

    def _refutes(self, correct: int, *, level: float, **counts: int) -> bool:
        return sharp_p_value(self.epsilon, correct=correct, delta=self.delta, **counts) <= level
