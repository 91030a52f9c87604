"""Simulated p-values: their distribution, where they are tested, and what the tests allow."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import expit, logit, ndtr, ndtri
from scipy.stats import binom, chi2_contingency

from dpviz.audit.bounds import simulation
from dpviz.audit.bounds.simulation import (
    TESTED_P_VALUE_FRACTIONS,
    LeastFavourableRankings,
    ProbitFit,
    fit_probit_near_level,
    most_extreme_runs_to_refute,
    runs_limit_and_tested_p_values,
    simulated_bound,
)

Labels = tuple[int, ...]


def least_favourable(
    rng: np.random.Generator, n: int, m: int, *, epsilon: float, delta: float, runs: int
) -> np.ndarray:
    """Scores of n members, then m non-members, record by record, from the statement of the law.

    Classes from the top: 3 revealed members, 2 and 1 the told bit, 0 revealed non-members; random
    order within each.
    """
    truth = 1 / (1 + math.exp(-epsilon))
    member = np.where(rng.random((runs, n)) < truth, 2, 1)
    member[rng.random((runs, n)) < delta] = 3
    nonmember = np.where(rng.random((runs, m)) < truth, 1, 2)
    nonmember[rng.random((runs, m)) < delta] = 0
    return np.concatenate([member, nonmember], axis=1) + rng.random((runs, n + m)) / 2


def members_above_cuts(scores: np.ndarray, n: int, cuts: np.ndarray) -> np.ndarray:
    """Counts, shape (cuts, runs), by sorting all records of each run."""
    ranked = np.argsort(-scores, axis=1)
    found = np.cumsum(ranked < n, axis=1)
    return np.asarray(np.pad(found, ((0, 0), (1, 0)))[:, cuts].T)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(20, 20), (7, 30), (33, 6), (1, 4)])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_simulated_counts_have_the_law_of_records(
    n: int, m: int, epsilon: float, delta: float
) -> None:
    runs = 8000
    cuts = np.unique(np.linspace(0, n + m, 9).astype(int))
    law = LeastFavourableRankings(n_members=n, n_nonmembers=m, delta=delta, cuts=cuts)
    rng = np.random.default_rng(30)
    counts = law.draw(np.full(runs, epsilon), rng)
    scores = least_favourable(rng, n, m, epsilon=epsilon, delta=delta, runs=runs)
    records = members_above_cuts(scores, n, cuts)
    assert counts.shape == records.shape == (cuts.size, runs)
    # Each count, and each number of members between two cuts: the joint law, pair by pair.
    places = list(combinations(range(cuts.size), 2))
    both = [
        np.concatenate([found, [found[j] - found[i] for i, j in places]]) if places else found
        for found in (counts, records)
    ]
    for found, expected in zip(*both, strict=True):
        squares = [(x - expected.mean()) ** 2 for x in (found, expected)]
        for a, b in ((found, expected), squares):
            error = math.sqrt((np.var(a) + np.var(b)) / runs)
            assert abs(np.mean(a) - np.mean(b)) <= 4.5 * error + 1e-12
    for i in range(0, cuts.size, 2):
        tables = Counter(counts[i].tolist()), Counter(records[i].tolist())
        common = [x for x in tables[0] | tables[1] if tables[0][x] + tables[1][x] >= 20]
        if len(common) > 1:
            table = [[found[x] for x in common] for found in tables]
            assert chi2_contingency(table).pvalue > 1e-5


def test_whole_ranges_may_be_leaked() -> None:
    cuts = np.arange(22)
    law = LeastFavourableRankings(n_members=12, n_nonmembers=9, delta=1.0, cuts=cuts)
    found = law.draw(np.ones(50), np.random.default_rng(0))
    expected = np.minimum(cuts, 12)[:, None]
    np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape))


def law_of_labels(classes: Labels, n: int, epsilon: float) -> dict[Labels, float]:
    """Labels from the top, given the classes from the top: 3 and 0 reveal, 2 and 1 are told bits.

    The rest are the more likely the more labels agree with the bit, and have n members in all.
    """
    law = {}
    for labels in product((0, 1), repeat=len(classes)):
        revealed = all(
            label == (c == 3) for label, c in zip(labels, classes, strict=True) if c in (0, 3)
        )
        if sum(labels) == n and revealed:
            agree = sum(
                label == (c == 2) for label, c in zip(labels, classes, strict=True) if c in (1, 2)
            )
            law[labels] = math.exp(epsilon * agree)
    total = sum(law.values())
    return {labels: weight / total for labels, weight in law.items()}


def increasing_events(size: int, n: int) -> list[frozenset[Labels]]:
    """All sets of labellings that a labelling never leaves when a member moves up."""

    def above(labels: Labels) -> list[Labels]:
        found = []
        for i in range(size - 1):
            if labels[i : i + 2] == (0, 1):
                found.append((*labels[:i], 1, 0, *labels[i + 2 :]))
        return found

    everything = [x for x in product((0, 1), repeat=size) if sum(x) == n]
    # From the top of the order down: a labelling may join when all above it have.
    everything.sort(key=lambda x: sum(i for i, label in enumerate(x) if label))
    events: list[frozenset[Labels]] = [frozenset()]
    for labels in everything:
        events += [event | {labels} for event in events if event.issuperset(above(labels))]
    return events


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 3), (2, 2)])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.0])
def test_no_order_of_the_classes_makes_any_increasing_event_likelier(
    n: int, m: int, epsilon: float
) -> None:
    events = increasing_events(n + m, n)
    assert len(events) >= 8
    contains = np.array(
        [[x in event for x in product((0, 1), repeat=n + m) if sum(x) == n] for event in events]
    )
    labellings = [x for x in product((0, 1), repeat=n + m) if sum(x) == n]
    for leaks in ((0, 0), (1, 0), (1, 1), (2, 1)):
        told = n + m - sum(leaks)
        for ones in range(told + 1):
            worst = (3,) * leaks[0] + (2,) * ones + (1,) * (told - ones) + (0,) * leaks[1]
            largest: np.ndarray | None = None
            for classes in [worst, *set(permutations(worst))]:
                law = law_of_labels(classes, n, epsilon)
                chances = contains @ np.array([law.get(x, 0.0) for x in labellings])
                largest = chances if largest is None else largest
                assert np.all(chances <= largest + 1e-12)


def exact_law(n: int, m: int, epsilon: float, delta: float) -> dict[Labels, float]:
    """Of the labels from the top: binomial class sizes, all orders within a class alike."""
    q = 1 / (1 + math.exp(-epsilon))
    law = {x: 0.0 for x in product((0, 1), repeat=n + m) if sum(x) == n}
    for first, last in product(range(n + 1), range(m + 1)):
        for a, b in product(range(n - first + 1), range(m - last + 1)):
            chance = binom.pmf(first, n, delta) * binom.pmf(last, m, delta)
            chance *= binom.pmf(a, n - first, q) * binom.pmf(b, m - last, 1 - q)
            upper = list(combinations(range(a + b), a))
            rest = n - first - a, m - last - b
            lower = list(combinations(range(sum(rest)), rest[0]))
            for up, low in product(upper, lower):
                of_upper = (int(i in up) for i in range(a + b))
                of_lower = (int(i in low) for i in range(sum(rest)))
                labels = (*[1] * first, *of_upper, *of_lower, *[0] * last)
                law[labels] += float(chance) / len(upper) / len(lower)
    return law


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 4), (4, 1)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_no_increasing_event_gets_less_likely_as_epsilon_grows(
    n: int, m: int, delta: float
) -> None:
    events = increasing_events(n + m, n)
    before = np.zeros(len(events))
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0):
        law = exact_law(n, m, epsilon, delta)
        assert math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
        chances = np.array([math.fsum(law[x] for x in event) for event in events])
        assert np.all(chances >= before - 1e-12)
        before = chances


@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_all_counts_together_have_the_exact_law(delta: float) -> None:
    runs, cuts = 20_000, np.arange(7)
    law = LeastFavourableRankings(n_members=3, n_nonmembers=3, delta=delta, cuts=cuts)
    drawn = law.draw(np.full(runs, 0.8), np.random.default_rng(35))
    found = Counter(tuple(np.diff(column).tolist()) for column in drawn.T)
    exact = exact_law(3, 3, 0.8, delta)
    assert set(found) <= set(exact)
    for labels, chance in exact.items():
        error = math.sqrt(chance * (1 - chance) / runs)
        assert abs(found[labels] / runs - chance) <= 4.5 * error


def test_each_run_has_an_epsilon_of_its_own() -> None:
    law = LeastFavourableRankings(n_members=50, n_nonmembers=50, delta=0.0, cuts=np.array([50]))
    found = law.draw(np.repeat([0.0, 40.0], 200), np.random.default_rng(36))[0]
    assert np.all(found[200:] == 50)
    assert abs(found[:200].mean() - 25) < 1


FloatArray = NDArray[np.float64]


def of_curve(
    curve: Callable[[FloatArray], FloatArray],
    seed: int,
    *,
    low: float,
    high: float,
    level: float = 0.05,
    runs: int = 1000,
) -> tuple[ProbitFit, int]:
    """The fit, and how many runs it took."""
    rng, taken = np.random.default_rng(seed), [0]

    def event(epsilons: FloatArray) -> NDArray[np.bool]:
        taken[0] += epsilons.size
        return np.asarray(rng.random(epsilons.size) < curve(epsilons))

    return fit_probit_near_level(event, rng, low=low, high=high, level=level, runs=runs), taken[0]


def probit(epsilons: FloatArray) -> FloatArray:
    return np.asarray(ndtr((epsilons - 1.3) / 0.2))


def logistic(epsilons: FloatArray) -> FloatArray:
    return np.asarray(expit((epsilons - 1.3) / 0.1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("curve", "inverse"),
    [
        (probit, lambda p: 1.3 + 0.2 * ndtri(p)),
        (logistic, lambda p: 1.3 + 0.1 * logit(p)),
    ],
)
@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_the_level_is_found_with_the_error_that_is_said(
    curve: Callable[[FloatArray], FloatArray], inverse: Callable[[float], float], level: float
) -> None:
    runs = int(50 / level)
    fits = [
        of_curve(curve, seed, low=1.0, high=1.4, level=level, runs=runs)[0] for seed in range(100)
    ]
    places = np.array([fit.epsilon_at(level) for fit in fits])
    errors = np.array([fit.standard_error(level) for fit in fits])
    assert np.all(np.abs(places - inverse(level)) <= 4 * errors)
    # 100 seeds know a standard deviation to 7 %.
    assert 0.7 <= np.std(places) / np.mean(errors) <= 1.3
    assert np.mean(errors) < 0.03
    for share in (0.5, 0.8):
        around = np.array([fit.epsilon_at(share * level) for fit in fits])
        assert abs(np.median(around) - inverse(share * level)) <= 0.02


@pytest.mark.parametrize(
    ("low", "high"), [(1.1, 1.2), (-3.0, -2.9), (5.0, 5.2), (1.3, 1.3001), (-400.0, 400.0)]
)
def test_the_first_window_may_be_anywhere(low: float, high: float) -> None:
    truth = 1.3 + 0.2 * ndtri(0.05)
    for seed in range(5):
        fit, taken = of_curve(probit, seed, low=low, high=high)
        assert abs(fit.epsilon_at(0.05) - truth) <= 0.06
        assert taken <= 40_000


@pytest.mark.parametrize("chance", [0.0, 1.0, 0.5])
def test_a_curve_that_never_crosses_ends_without_complaint(chance: float) -> None:
    fit, taken = of_curve(lambda x: np.full(x.size, chance), 1, low=0.0, high=1.0)
    assert np.isfinite([fit.epsilon_at(0.05), fit.standard_error(0.05)]).all()
    assert taken <= 120_000


@pytest.mark.parametrize("where", [0.2, 0.999, 1.0, 7.3])
def test_a_step_is_found_as_closely_as_its_windows_are(where: float) -> None:
    fit, _ = of_curve(lambda x: (x > where).astype(float), 2, low=0.0, high=1.0)
    assert abs(fit.epsilon_at(0.05) - where) <= 0.05 * max(1.0, where)
    assert np.isfinite(fit.standard_error(0.05))


def test_a_fit_is_read_along_its_curve() -> None:
    fit = ProbitFit(center=2.0, slope=4.0, middle=2.5, unit=0.5, errors=np.diag([0.04, 0.09]))
    assert fit.epsilon_at(0.5) == 2.0
    assert fit.epsilon_at(ndtr(-1.2)) == pytest.approx(2.0 - 1.2 / 4)
    # z = a + b (x - 2.5) / 0.5 has variance 0.04 + 0.09 * 1 at x = 2; x moves by a 4th of it.
    assert fit.standard_error(0.5) == pytest.approx(np.sqrt(0.13) / 4)


@pytest.mark.parametrize("center", [1.0, 1.02])
def test_a_slow_tail_below_a_sudden_rise_is_found(center: float) -> None:
    # Shallow depths of many records make the one, deep ones the other.
    def curve(epsilons: FloatArray) -> FloatArray:
        slow = ndtr((epsilons - 1.3) / 0.2)  # 0.05 at 0.971
        return np.asarray(1 - (1 - slow) * (1 - ndtr((epsilons - center) / 0.004)))

    truth = 1.3 + 0.2 * ndtri(0.05)
    for seed in range(10):
        fit, _ = of_curve(curve, seed, low=0.5, high=1.5)
        assert curve(np.array([fit.epsilon_at(0.5 * 0.05)]))[0] < 0.04
        assert abs(fit.epsilon_at(0.05) - truth) <= 0.08


@pytest.mark.parametrize("level", [0.005, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("tries", [1, 3, 5])
def test_so_many_tests_of_a_uniform_p_value_refute_at_the_level(level: float, tries: int) -> None:
    size = math.ceil(300 / level)

    def chance(allowed: int) -> float:
        def some(p: float) -> float:
            return float(1 - (1 - binom.cdf(allowed, size, p)) ** tries)

        middle, width = allowed / size, 8 * math.sqrt(allowed) / size
        lower, upper = max(middle - width, 0.0), min(middle + width, 1.0)
        assert some(lower) > 1 - 1e-9
        assert some(upper) < 1e-9
        return lower + float(quad(some, lower, upper, epsabs=1e-10, limit=200)[0])

    allowed = most_extreme_runs_to_refute(size, tries, level)
    assert chance(allowed) <= level
    assert chance(allowed + 1 + math.ceil(0.003 * allowed)) > level
    if tries == 1:  # the integral of a binomial distribution function
        assert chance(allowed) == pytest.approx((allowed + 1) / (size + 1), rel=1e-6)


def test_the_tests_that_are_made_are_those_that_are_allowed_for() -> None:
    size, allowed, tested = runs_limit_and_tested_p_values(0.05)
    assert (size, allowed) == (6000, most_extreme_runs_to_refute(6000, 3, 0.05))
    assert len(tested) == len(TESTED_P_VALUE_FRACTIONS) == 3
    assert all(
        a > b
        for a, b in zip((1.0, *TESTED_P_VALUE_FRACTIONS), TESTED_P_VALUE_FRACTIONS, strict=False)
    )


@pytest.mark.parametrize("center", [6.0, 2.4])
def test_a_place_that_was_guessed_too_high_refutes_nothing(
    monkeypatch: pytest.MonkeyPatch, center: float
) -> None:
    guess = ProbitFit(center=center, slope=4.0, middle=center, unit=1.0, errors=np.eye(2) / 100)
    monkeypatch.setattr(simulation, "fit_probit_near_level", lambda *_, **__: guess)
    rng = np.random.default_rng(0)

    def event(epsilons: FloatArray) -> NDArray[np.bool]:
        return np.asarray(rng.random(epsilons.size) < ndtr(4 * (epsilons - 1)))

    assert simulated_bound(event, rng, low=0.0, high=2.0, level=0.05) == (0, 0)


def test_a_test_refutes_with_so_many_simulations_as_are_allowed_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guess = ProbitFit(center=1.2, slope=4.0, middle=1.0, unit=1.0, errors=np.eye(2) / 100)
    monkeypatch.setattr(simulation, "fit_probit_near_level", lambda *_, **__: guess)
    monkeypatch.setattr(simulation, "CHUNK", 1000)
    size, allowed, tested = runs_limit_and_tested_p_values(0.05)
    for extreme, refutes in ((allowed, True), (allowed + 1, False)):
        left = [extreme]

        def event(epsilons: FloatArray, left: list[int] = left) -> NDArray[np.bool]:
            assert epsilons.size == 1000
            happened = np.arange(1000) < left[0]
            left[0] = max(left[0] - 1000, 0) if epsilons[0] == guess.epsilon_at(tested[0]) else 1000
            return happened

        low, _ = simulated_bound(event, np.random.default_rng(0), low=0.0, high=2.0, level=0.05)
        assert (low == guess.epsilon_at(tested[0])) == refutes
    assert 0 < allowed < size


def test_the_spread_said_is_that_of_places_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = ProbitFit(center=1.0, slope=5.0, middle=0.7, unit=0.2, errors=np.diag([4e-4, 1e-4]))
    size, allowed, tested = runs_limit_and_tested_p_values(0.05)
    allowed += 5  # all three tests have a say
    monkeypatch.setattr(
        simulation, "runs_limit_and_tested_p_values", lambda _: (size, allowed, tested)
    )
    rng, runs = np.random.default_rng(6), 200_000
    refuted = rng.binomial(size, tested, (runs, 3)) <= allowed
    first, some = np.argmax(refuted, axis=1), refuted.any(axis=1)
    places = np.array([curve.epsilon_at(p) for p in tested])[first[some]]
    fits = rng.normal(0, curve.standard_error(0.05), some.sum())
    assert len(set(places)) == 3
    assert simulation.bound_sd_over_seeds(curve, 0.05) == pytest.approx(
        np.std(places + fits), rel=0.02
    )
