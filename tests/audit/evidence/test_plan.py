"""Plans: the power of every method, and the smallest sizes that have it."""

import math
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpviz import theory
from dpviz.audit import AttackCurve, AttackScores, lower_bound, lower_bound_from_counts, plan
from dpviz.audit.bounds import rank
from dpviz.audit.bounds.rank import DefaultRankTest, exact_test_and_leaks, smallest_p_value
from dpviz.audit.evidence.plan import (
    AttackRates,
    FixedThresholdPower,
    OneRunPower,
    Plan,
    RankTestPower,
    RocPolyline,
    chance_of_simulated_refutation,
    clopper_pearson_power,
    draw_members_above_cuts,
    largest_provable_epsilon,
    power_and_standard_error,
)
from dpviz.audit.evidence.plan import rank_statistics as statistic
from dpviz.theory import GaussianDP, LaplaceMechanism, PureDP, TradeoffFunction
from tests.slow import parametrize

MODULE = "dpviz.audit.evidence.plan"


@pytest.fixture(params=["exact", pytest.param("simulated", marks=pytest.mark.slow)])
def p_values(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact p-values of the rank test, and simulated ones for any number of records."""
    if request.param == "simulated":
        monkeypatch.setattr(rank, "MOST_WORK", 0)


def drawn(law: str, rng: np.random.Generator, n: int, by: float) -> np.ndarray:
    if law == "response":  # ties everywhere
        return (rng.random(n) < (1 / (1 + math.exp(-1)) if by else 1 / (1 + math.e))) * 1.0
    return np.asarray(getattr(rng, law)(by, 1, n))


@pytest.mark.parametrize(
    ("n", "m", "fpr", "fnr", "epsilon", "delta", "level"),
    [
        (12, 9, 0.1, 0.3, 0.2, 0.0, 0.8),
        (9, 14, 0.3, 0.05, 0.1, 0.01, 0.8),
        (13, 8, 0.0, 0.2, 0.4, 0.1, 0.7),
        (8, 12, 0.1, 0.0, 0.3, 0.0, 0.7),
        (40, 3, 0.5, 0.0, 0.1, 0.0, 0.6),
        pytest.param(40, 40, 0.02, 0.3, 1.0, 0.0, 0.95, marks=pytest.mark.slow),
        pytest.param(25, 60, 0.1, 0.4, 0.5, 0.01, 0.9, marks=pytest.mark.slow),
        pytest.param(60, 20, 0.5, 0.02, 1.0, 0.0, 0.95, marks=pytest.mark.slow),
        pytest.param(30, 30, 0.0, 0.0, 1.5, 0.1, 0.95, marks=pytest.mark.slow),
        pytest.param(30, 30, 0.0, 1.0, 0.1, 0.0, 0.95, marks=pytest.mark.slow),
    ],
)
def test_exact_power_is_the_sum_over_all_counts(
    n: int, m: int, fpr: float, fnr: float, epsilon: float, delta: float, level: float
) -> None:
    expected = 0.0
    for x in range(m + 1):
        for y in range(n + 1):
            chance = stats.binom.pmf(x, m, fpr) * stats.binom.pmf(y, n, fnr)
            if chance > 0:
                bound = lower_bound_from_counts(
                    false_positives=x,
                    n_nonmembers=m,
                    false_negatives=y,
                    n_members=n,
                    delta=delta,
                    confidence_level=level,
                )
                expected += chance * (bound.low >= epsilon)
    found = clopper_pearson_power(
        n, m, fpr=fpr, fnr=fnr, epsilon=epsilon, delta=delta, confidence_level=level
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_exact_power_of_many_records_is_near_its_normal_limit() -> None:
    n, fpr, fnr, epsilon = 400_000, 0.1, 0.6, 1.37
    found = clopper_pearson_power(
        n, n, fpr=fpr, fnr=fnr, epsilon=epsilon, delta=0.0, confidence_level=0.95
    )
    sds = [math.sqrt(p * (1 - p) / n) for p in (fpr, fnr)]
    scale = math.exp(epsilon)
    gap = 1 - fnr - scale * fpr - 1.96 * (sds[1] + scale * sds[0])
    expected = stats.norm.cdf(gap / math.hypot(sds[1], scale * sds[0]))
    assert 0.05 < expected < 0.95
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("law", "attack", "by", "n", "m", "cuts"),
    [
        ("normal", GaussianDP(mu=1.0), 1.0, 30, 20, [1, 4, 7, 25, 43, 49]),
        ("normal", GaussianDP(mu=2.0), 2.0, 300, 500, [4, 20, 100, 400, 700, 790]),
        ("laplace", LaplaceMechanism(epsilon=1.0), 1.0, 40, 40, [4, 13, 40, 67, 76]),
        ("response", theory.RandomizedResponse(epsilon=1.0), 1.0, 30, 40, [4, 13, 35, 57, 66]),
    ],
)
def test_members_before_each_cut_are_as_many_as_among_ranked_records(
    law: str, attack: TradeoffFunction, by: float, n: int, m: int, cuts: list[int]
) -> None:
    runs, rng = 3000, np.random.default_rng(1)
    found = draw_members_above_cuts(RocPolyline.of(attack), n, m, np.array(cuts), runs, rng)
    scores = np.stack(
        [np.concatenate([drawn(law, rng, n, by), drawn(law, rng, m, 0.0)]) for _ in range(runs)]
    )
    scores = scores + rng.random(scores.shape) * 1e-9  # ties at random
    is_member = np.argsort(-scores, axis=1) < n
    expected = np.cumsum(is_member, axis=1)[:, np.array(cuts) - 1].T
    for one, other in zip(found, expected, strict=True):
        error = math.sqrt((one.var() + other.var()) / runs)
        assert abs(one.mean() - other.mean()) <= 4 * error
        assert one.std() == pytest.approx(other.std(), rel=0.08, abs=0.02)
    for i in range(1, len(cuts)):  # together, too
        joint = [np.corrcoef(each[i - 1], each[i])[0, 1] for each in (found, expected)]
        assert joint[0] == pytest.approx(joint[1], abs=4 * math.sqrt(2 / runs))
    assert np.all(np.diff(found, axis=0) >= 0)
    assert np.all(np.diff(found, axis=0) <= np.diff(cuts)[:, None])


def test_the_statistic_of_many_runs_is_the_tests_own() -> None:
    test, rng = DefaultRankTest(60, 40, delta=0.01, level=0.05), np.random.default_rng(2)
    members = test.law.draw(np.full(40, 1.0), rng)
    found = statistic(test, test.guesses.count_right(members))
    np.testing.assert_array_equal(
        found, [np.max(test.refuted_epsilons(of_one)) for of_one in members.T]
    )


def test_the_chance_to_refute_falls_from_1_to_0_about_the_level() -> None:
    for level in (0.01, 0.05):
        p = np.linspace(0, 3 * level, 200)
        chance = chance_of_simulated_refutation(p, level)
        assert np.all(np.diff(chance) <= 1e-12)
        assert chance[0] == pytest.approx(1, abs=0.01)
        assert chance[-1] == 0
        # A uniform p-value is refuted at no more than the level, and hardly less.
        spent = float(np.sum((chance[1:] + chance[:-1]) / 2 * np.diff(p)))
        assert 0.75 * level <= spent <= level


def plain(attack: Any, **changes: Any) -> Plan:
    return plan(attack, **{"epsilon": 0.5, "delta": 0.0, **changes})


@pytest.mark.parametrize("ratio", [3.3, 0.3, 1.5, 100.0])
def test_sizes_have_the_ratio_of_the_classes_and_steps_of_five_percent(ratio: float) -> None:
    given: dict[str, Any] = {"epsilon": 1.5, "delta": 0.0}
    found = plan(AttackRates(fpr=0.01, fnr=0.5), ratio=ratio, largest=20_000, **given)
    members, nonmembers = found.tried_members, found.tried_nonmembers
    larger, smaller = (members, nonmembers) if ratio > 1 else (nonmembers, members)
    np.testing.assert_array_equal(smaller, np.maximum(1, np.rint(larger * min(ratio, 1 / ratio))))
    assert set(larger.tolist()) <= {20_000, *(math.ceil(4 * 1.05**i) for i in range(200))}
    assert larger[0] == 4
    planned = found.n_members, found.n_nonmembers
    assert planned in zip(members.tolist(), nonmembers.tolist(), strict=True)
    assert found.power == clopper_pearson_power(
        *planned, fpr=0.01, fnr=0.5, confidence_level=0.95, **given
    )


def test_a_limit_just_above_a_plan_does_not_change_it() -> None:
    attack, given = AttackRates(fpr=0.01, fnr=0.5), {"epsilon": 2.0, "delta": 0.0}
    found = plan(attack, **given)
    assert found.n_members is not None
    assert plan(attack, largest=found.n_members + 1, **given).n_members == found.n_members


def test_sizes_that_more_simulations_do_not_confirm_are_passed_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = sorted({math.ceil(4 * 1.05**i) for i in range(130)})
    first, second = (n for n in sizes if 50 <= n < 56)

    def power(n: int, _: int, runs: int) -> tuple[float, float]:
        return (0.9 if n >= (first if runs == 1 else second) else 0.1), 0.0

    monkeypatch.setattr(f"{MODULE}._power_function_and_note", lambda *_, **__: (power, ""))
    assert plan(GaussianDP(mu=2), epsilon=0.1, delta=0, n_resamples=1).n_members == second


def test_what_an_attack_shows_is_the_larger_ratio_of_either_kind_of_error() -> None:
    leaning = theory.OneWaySubsampled(base=GaussianDP(mu=3), sampling_rate=0.4)
    both = leaning.epsilon(1e-5), leaning.inverse().epsilon(1e-5)
    assert both[0] != pytest.approx(both[1], rel=0.1)
    assert (
        largest_provable_epsilon(leaning, 1e-5)
        == largest_provable_epsilon(leaning.inverse(), 1e-5)
        == max(both)
    )
    # TPR and FPR: (0, 1/5), (2/4, 1/5), (2/4, 4/5), (3/4, 4/5), (3/4, 1), (1, 1).
    member, nonmember = [3, 3, 1, -1], [4, 2, 2, 2, 0]
    scores = AttackScores(member=member, nonmember=nonmember)
    assert largest_provable_epsilon(scores, 0.1) == pytest.approx(math.log((0.5 - 0.1) / 0.2))
    # With both classes and the order exchanged, the same ratio is that of TNR and FNR.
    mirrored = AttackScores(member=np.negative(nonmember), nonmember=np.negative(member))
    assert largest_provable_epsilon(mirrored, 0.1) == pytest.approx(math.log((0.5 - 0.1) / 0.2))
    reverse = AttackRates(fpr=0.9, fnr=0.95)
    assert largest_provable_epsilon(reverse, 0.0) <= 0


@pytest.mark.usefixtures("p_values")
def test_a_plan_says_the_power_of_its_method_with_four_times_the_runs() -> None:
    given: dict[str, Any] = {"epsilon": 0.3, "delta": 0.0, "confidence_level": 0.9999}
    found = plan(GaussianDP(mu=3.0), n_resamples=50, **given)
    assert found.n_members is not None
    assert found.n_nonmembers is not None
    curve = RocPolyline.of(GaussianDP(mu=3.0))
    power = RankTestPower(curve=curve, seed=0, **given)
    assert (found.power, found.power_error) == power(found.n_members, found.n_nonmembers, 200)


def test_the_threshold_is_the_one_that_certifies_most_if_counts_are_as_expected() -> None:
    rng = np.random.default_rng(3)
    scores = AttackScores(
        member=rng.normal(1.5, 1, 60).round(1), nonmember=rng.normal(0, 1.5, 40).round(1)
    )
    curve = RocPolyline.of(scores)
    for n, m in product((20, 60, 160), repeat=2):
        for epsilon, delta in ((0.4, 0.0), (0.2, 0.15), (0.5, 0.3)):
            given = {"epsilon": epsilon, "delta": delta, "confidence_level": 0.9}
            shown = []
            for rates in zip(curve.fpr, 1 - curve.tpr, strict=True):
                # Clopper-Pearson's upper limits of numbers of errors that need not be whole.
                x, y = (
                    stats.beta.ppf(0.95, size * rate + 1, max(size * (1 - rate), 1e-9))
                    for size, rate in zip((m, n), rates, strict=True)
                )
                shown.append((max((1 - delta - y) / x, (1 - delta - x) / y), rates))
            fpr, fnr = max(shown)[1]
            found = FixedThresholdPower(curve=curve, **given)(n, m, 1)
            assert found == (
                clopper_pearson_power(n, m, fpr=float(fpr), fnr=float(fnr), **given),
                0,
            )


@pytest.mark.usefixtures("p_values")
def test_what_no_attack_on_so_few_records_reaches_has_power_0_without_an_error() -> None:
    given: dict[str, Any] = {"delta": 0.0, "seed": 0, "curve": RocPolyline.of(GaussianDP(mu=9))}
    for n, epsilon in ((2, 1.0), (6, 9.0)):
        power = RankTestPower(epsilon=epsilon, confidence_level=0.95, **given)
        assert power(n, n, 300) == (0, 0)


def test_a_small_epsilon_is_reached_by_few_records_at_a_low_confidence() -> None:
    power = RankTestPower(
        curve=RocPolyline.of(GaussianDP(mu=9)),
        epsilon=0.01,
        delta=0.0,
        confidence_level=0.7,
        seed=0,
    )
    assert power(2, 2, 300)[0] == 1


@parametrize("seeds", [15, 60], slow_but=[15])
def test_a_power_is_unsure_where_its_p_value_is_within_an_error_of_the_level(seeds: int) -> None:
    # All data sets of a perfect attack have one p-value, estimated from 500 simulations.
    test, leaks = exact_test_and_leaks(20, 20, delta=0.0, level=0.05)
    p_value = 0.0385
    epsilon = brentq(lambda at: smallest_p_value(test, leaks, at) - p_value, 0.1, 9)
    given: dict[str, Any] = {"epsilon": epsilon, "delta": 0.0, "confidence_level": 0.95}
    curve = RocPolyline.of(GaussianDP(mu=30))
    errors = [
        RankTestPower(curve=curve, seed=seed, **given)(20, 20, 100)[1] for seed in range(seeds)
    ]
    # Its error is 1 in sqrt(500 * 0.05) = 5: 21 to 25 of them are at most 25, but not with a fifth.
    unsure = stats.binom.cdf(25, 500, p_value) - stats.binom.cdf(20, 500, p_value)
    share = np.mean(np.array(errors) > 0.5)
    assert share == pytest.approx(unsure, abs=3 * math.sqrt(unsure * (1 - unsure) / seeds))


def test_the_error_of_a_share_has_one_run_more_of_either_outcome() -> None:
    power, error = power_and_standard_error(np.array([1.0] * 3 + [0.0] * 7))
    assert power == pytest.approx(0.3)
    assert error == pytest.approx(math.sqrt(4 / 12 * 8 / 12 / 10))


FRESH = 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "attack", "by", "epsilon", "delta", "ratio"),
    [
        ("laplace", LaplaceMechanism(epsilon=1.0), 1.0, 0.5, 0.0, 0.4),
        ("normal", GaussianDP(mu=2.0), 2.0, 2.0, 1e-5, 1.0),
    ],
)
def test_bounds_of_fresh_records_reach_epsilon_as_often_as_planned(
    law: str, attack: TradeoffFunction, by: float, epsilon: float, delta: float, ratio: float
) -> None:
    found = plan(attack, epsilon=epsilon, delta=delta, ratio=ratio)
    assert found.n_members is not None
    assert found.n_nonmembers is not None
    assert found.power >= 0.8
    assert found.n_members == pytest.approx(ratio * found.n_nonmembers, abs=0.5)
    reached = 0
    for seed in range(FRESH):
        rng = np.random.default_rng([seed, 3])
        scores = AttackScores(
            member=drawn(law, rng, found.n_members, by),
            nonmember=drawn(law, rng, found.n_nonmembers, 0.0),
        )
        reached += lower_bound(scores, delta=delta, rng=seed).low >= epsilon
    error = math.sqrt(found.power * (1 - found.power) / FRESH)
    assert reached / FRESH == pytest.approx(found.power, abs=3 * math.hypot(error, 0.01))


@pytest.mark.slow
def test_more_is_needed_for_more_epsilon_and_for_more_power() -> None:
    sizes = [
        [plain(GaussianDP(mu=1.5), epsilon=epsilon, power=power).n_members for power in (0.5, 0.9)]
        for epsilon in (0.5, 1.0)
    ]
    assert sizes[0][0] < sizes[0][1] < sizes[1][1]
    assert sizes[0][0] < sizes[1][0]


def test_the_plan_of_one_attack_is_the_smallest_of_the_sizes_it_tried() -> None:
    rates = AttackRates(fpr=0.01, fnr=0.7)
    found = plain(rates, epsilon=2.0, delta=1e-5, method="clopper_pearson")
    assert found.n_members == found.n_nonmembers
    assert found.power_error == 0
    powers = {
        n: clopper_pearson_power(
            n, n, fpr=0.01, fnr=0.7, epsilon=2.0, delta=1e-5, confidence_level=0.95
        )
        for n in found.tried_members.tolist()
    }
    np.testing.assert_array_equal(found.tried_powers, list(powers.values()))
    assert found.power == powers[found.n_members]
    assert found.power >= 0.8
    smaller = [n for n in powers if n < found.n_members]
    assert all(powers[n] < 0.8 for n in smaller)
    assert max(smaller) >= found.n_members / 1.06 - 1
    # An operating point of a curve has rates, too.
    scores = AttackScores(member=np.arange(50) + 30.0, nonmember=np.arange(60) * 1.0)
    point = AttackCurve.from_scores(scores).at_fpr(0.1)
    assert plain(point, method="clopper_pearson", epsilon=0.1).n_members is not None


@pytest.mark.slow
def test_scores_are_planned_with_as_if_drawn_again() -> None:
    rng = np.random.default_rng(4)
    scores = AttackScores(member=rng.normal(1.5, 1, 20_000), nonmember=rng.normal(0, 1, 20_000))
    found, of_law = (plain(attack, epsilon=0.8) for attack in (scores, GaussianDP(mu=1.5)))
    assert found.n_members == pytest.approx(of_law.n_members, rel=0.16)
    assert "optimistic" in found.note
    assert "optimistic" not in of_law.note


@pytest.mark.slow
def test_where_the_largest_size_is_not_enough_there_is_no_plan() -> None:
    found = plain(LaplaceMechanism(epsilon=1.0), epsilon=0.8, largest=300)
    assert (found.n_members, found.n_nonmembers) == (None, None)
    assert 0 < found.power < 0.8
    assert found.tried_members[-1] == found.tried_nonmembers[-1] == 300
    # Not even without an error.
    tiny = plain(GaussianDP(mu=9.0), epsilon=9.0, largest=50)
    assert (tiny.n_members, tiny.power, tiny.power_error) == (None, 0, 0)


def test_if_nothing_else_is_said_up_to_a_million_records_are_planned() -> None:
    # TPR / FPR is 50, which so many records tell from 49.999 half the time at most.
    found = plan(AttackRates(fpr=0.01, fnr=0.5), epsilon=math.log(49.999), delta=0)
    assert found.n_members is None
    assert found.tried_members[-1] == found.tried_nonmembers[-1] == 10**6


@pytest.mark.usefixtures("p_values")
def test_nothing_is_certified_of_a_null_but_at_the_level_and_of_a_reversed_attack() -> None:
    at_it = RankTestPower(
        curve=RocPolyline.of(theory.PureDP(epsilon=0.5)),
        epsilon=0.5,
        delta=0.0,
        confidence_level=0.95,
        seed=0,
    )
    share, _ = at_it(200, 200, 2000)
    assert 0.03 <= share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)  # little is given away
    rng = np.random.default_rng(5)
    backwards = AttackScores(member=rng.normal(-1, 1, 500), nonmember=rng.normal(0, 1, 500))
    reverse = RankTestPower(
        curve=RocPolyline.of(backwards),
        epsilon=0.1,
        delta=0.0,
        confidence_level=0.95,
        seed=0,
    )
    assert reverse(300, 300, 1000)[0] == 0


@pytest.mark.usefixtures("p_values")
@parametrize("runs", [60, 500], slow_but=[60])
def test_a_bound_of_0_certifies_nothing_however_unlikely_the_ranks(
    runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    null = theory.PureDP(epsilon=0.0)
    power = RankTestPower(
        curve=RocPolyline.of(null),
        epsilon=1e-6,
        delta=0.0,
        confidence_level=0.5,
        seed=0,
    )(8, 8, 4000)[0]
    rng, positive = np.random.default_rng(7), 0
    for seed in range(runs):
        scores = AttackScores(member=rng.normal(size=8), nonmember=rng.normal(size=8))
        # Equal ranks, of which there are few, would all have the bound of one seed.
        monkeypatch.setattr(rank, "SEED", seed)
        positive += lower_bound(scores, delta=0.0, confidence_level=0.5).low > 0
    assert positive / runs == pytest.approx(power, abs=3 * math.sqrt(power * (1 - power) / runs))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "seed"),
    [*((0.5, seed) for seed in range(4)), *((1.5, seed) for seed in range(3))],
)
def test_a_plan_has_the_power_asked_for(epsilon: float, seed: int) -> None:
    # Some seeds had stopped too early.
    found = plain(GaussianDP(mu=1.5), epsilon=epsilon, power=0.6, rng=seed)
    assert 0.6 <= found.power <= 0.7
    assert found.power_error < 0.02


@pytest.mark.slow
@pytest.mark.usefixtures("p_values")
def test_the_error_of_a_power_is_its_spread_over_seeds() -> None:
    given: dict[str, Any] = {"epsilon": 0.5, "delta": 0.0, "confidence_level": 0.95}
    curve = RocPolyline.of(LaplaceMechanism(epsilon=1.0))
    found = [RankTestPower(curve=curve, seed=seed, **given)(110, 110, 500) for seed in range(20)]
    powers, errors = np.array(found).T
    assert np.median(errors) / 2 <= powers.std(ddof=1) <= 2 * np.median(errors)


@pytest.mark.slow
def test_progress_wraps_the_sizes_and_the_seed_decides() -> None:
    seen: list[int] = []

    def counted(sizes: range) -> Iterator[int]:
        for step in sizes:
            seen.append(step)
            yield step

    attack = GaussianDP(mu=2.0)
    one = plain(attack, epsilon=0.3, progress=counted)
    assert seen == list(range(one.tried_members.size))
    same, other = (plain(attack, epsilon=0.3, rng=s) for s in (0, 2))
    assert one.power == same.power
    assert one.power != other.power


@pytest.mark.parametrize(
    ("attack", "arguments", "message"),
    [
        (
            GaussianDP(mu=1.0),
            {"method": "dkw"},
            "method must be one of 'rank_exact', 'clopper_pearson'",
        ),
        (
            AttackRates(fpr=0.1, fnr=0.1),
            {"method": "rank_exact"},
            "attack must be a trade-off function or scores",
        ),
        ("gaussian", {}, "attack must be a trade-off function, scores or AttackRates"),
        (LaplaceMechanism(epsilon=1.0), {"epsilon": 1.0}, r"epsilon must be below 1, the most"),
        (GaussianDP(mu=1.0), {"epsilon": 5.0, "delta": 1e-5}, r"below 4.37718, the most"),
        (
            AttackRates(fpr=0.1, fnr=0.5),
            {"epsilon": 1.7, "method": "clopper_pearson"},
            r"below 1.60944, the most",
        ),
        (GaussianDP(mu=1.0), {"epsilon": 0.0}, r"epsilon must be in \(0, inf\)"),
        (GaussianDP(mu=1.0), {"power": 1.0}, r"power must be in \(0, 1\)"),
        (GaussianDP(mu=1.0), {"ratio": 0.0}, "ratio must be in"),
        (GaussianDP(mu=1.0), {"largest": 3}, "largest must be a whole number of at least 4"),
        (GaussianDP(mu=1.0), {"confidence_level": 0.99999}, "confidence_level must be at most"),
        (GaussianDP(mu=1.0), {"confidence_level": 1.5}, r"confidence_level must be in \[0.5, 1\)"),
        (GaussianDP(mu=1.0), {"delta": 1.5}, r"delta must be in \[0, 1\], got 1.5"),
        (
            SimpleNamespace(fpr=0.1),
            {},
            "attack must be a trade-off function, scores or AttackRates",
        ),
    ],
)
def test_illegal_arguments_are_named(attack: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plain(attack, **arguments)


@parametrize("n", [30, 300, 3000], slow_but=[30, 300])
def test_a_known_threshold_is_about_the_best_of_all(n: int) -> None:
    given = {"epsilon": 0.75, "delta": 1e-5, "confidence_level": 0.95}
    curve = RocPolyline.of(LaplaceMechanism(epsilon=1.0))
    found, error = FixedThresholdPower(curve=curve, **given)(n, n, 1)
    fpr = np.linspace(0.01, 0.99, 99)
    # TPR of Laplace noise 1 at an FPR.
    tpr = np.where(fpr < 0.5 / math.e, math.e * fpr, 1 - 0.25 / math.e / fpr)
    tpr = np.where(fpr > 0.5, 1 - (1 - fpr) / math.e, tpr)
    best = max(
        clopper_pearson_power(n, n, fpr=float(x), fnr=float(1 - y), **given)
        for x, y in zip(fpr, tpr, strict=True)
    )
    assert error == 0
    assert best - 0.03 <= found <= best + 0.02
    planned = plain(LaplaceMechanism(epsilon=1.0), method="clopper_pearson")
    assert "must be known" in planned.note
    assert planned.power_error == 0


def test_rates_are_checked() -> None:
    with pytest.raises(ValueError, match="fpr must be in"):
        AttackRates(fpr=1.5, fnr=0.1)


@pytest.mark.parametrize("ratio", [0.0009, 1050.0])
def test_the_ratio_of_the_classes_has_limits(ratio: float) -> None:
    with pytest.raises(ValueError, match=r"^ratio must be in \[0\.001, 1000\], got "):
        plan(AttackRates(fpr=0.1, fnr=0.5), epsilon=1.0, delta=0.0, ratio=ratio)


@pytest.mark.usefixtures("p_values")
def test_the_power_of_a_perfect_attack_on_classes_of_two_sizes() -> None:
    # All its data sets have the same ranks, so the bound is nearly the same one, too.
    members, nonmembers = np.arange(80.0, 100.0), np.arange(80.0)
    apart = AttackScores(member=members, nonmember=nonmembers)
    low = lower_bound(apart, delta=0.0).low
    for epsilon, power in ((low - 0.2, 1.0), (low + 0.2, 0.0)):
        perfect = RankTestPower(
            curve=RocPolyline.of(GaussianDP(mu=30.0)),
            epsilon=epsilon,
            delta=0.0,
            confidence_level=0.95,
            seed=0,
        )
        assert perfect(20, 80, 100)[0] == pytest.approx(power, abs=0.05)


def test_a_size_whose_power_more_simulations_do_not_confirm_is_not_planned() -> None:
    given: dict[str, Any] = {
        "delta": 1e-5,
        "n_resamples": 20,
        "largest": 20,
        "method": "one_run_curve",
    }
    found = plan(theory.PureDP(epsilon=3), epsilon=1, **given)
    assert max(found.tried_powers) >= 0.8 > found.power
    assert (found.n_members, found.n_nonmembers) == (None, None)


def test_the_power_of_rare_errors_does_not_depend_on_how_many_records_make_none() -> None:
    # 30 false alarms and 300 detections are expected of each: nearly Poisson.
    powers = [
        clopper_pearson_power(
            n, n, fpr=30 / n, fnr=1 - 300 / n, epsilon=1.9, delta=0.0, confidence_level=0.95
        )
        for n in (10**7, 10**9, 3 * 10**9, 10**11)
    ]
    assert 0.1 < powers[0] < 0.9
    np.testing.assert_allclose(powers, powers[0], atol=1e-4)


def test_random_guessing_shows_nothing_rather_than_less() -> None:
    guess = AttackRates(fpr=0.5, fnr=0.5)
    with pytest.raises(ValueError, match=r"below 0, the most the attack can prove, got 1"):
        plan(guess, epsilon=1, delta=1e-5)


ONE_RUNS = 150


def power_of(attack: TradeoffFunction | AttackScores, epsilon: float, delta: float) -> OneRunPower:
    curve = RocPolyline.of(attack)
    return OneRunPower(curve=curve, epsilon=epsilon, delta=delta, confidence_level=0.95, seed=0)


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(80, 0.5, 0.0), (200, 1.0, 1e-4)])
def test_bounds_of_fresh_records_reach_epsilon_as_often(
    n: int, epsilon: float, delta: float
) -> None:
    power, error = power_of(GaussianDP(mu=1.0), epsilon, delta)(n, n, 1000)
    assert 0.3 < power < 0.95
    reached = 0
    for seed in range(ONE_RUNS):
        rng = np.random.default_rng([seed, n])
        scores = AttackScores(member=rng.normal(1, 1, n), nonmember=rng.normal(0, 1, n))
        reached += lower_bound(scores, delta=delta, method="one_run_curve").low >= epsilon
    spread = math.hypot(error, math.sqrt(power * (1 - power) / ONE_RUNS))
    assert reached / ONE_RUNS == pytest.approx(power, abs=3 * spread)


def test_a_claim_that_is_just_kept_is_refuted_at_the_level_and_by_a_reversed_attack_never() -> None:
    share, _ = power_of(PureDP(epsilon=1.0), 1.0, 0.0)(200, 200, 4000)
    assert 0 < share <= 0.05
    rng = np.random.default_rng(5)
    backwards = AttackScores(member=rng.normal(-1, 1, 500), nonmember=rng.normal(0, 1, 500))
    assert power_of(backwards, 0.1, 0.0)(300, 300, 1000)[0] == 0


def test_a_perfect_attack_reaches_what_its_bound_is() -> None:
    perfect = AttackScores(member=np.arange(50) + 50.0, nonmember=np.arange(50) * 1.0)
    low = lower_bound(perfect, delta=1e-3, method="one_run_curve").low
    assert power_of(GaussianDP(mu=30.0), low * 0.999, 1e-3)(50, 50, 100)[0] == 1
    assert power_of(GaussianDP(mu=30.0), low * 1.001, 1e-3)(50, 50, 100) == (0, 0)


@pytest.mark.slow
def test_delta_counts_for_every_canary_of_one_training() -> None:
    # m delta of leaks: with many canaries they could explain the right guesses.
    attack = {"epsilon": 2.0, "delta": 1e-4, "n_resamples": 200}
    found = plan(GaussianDP(mu=1.0), method="one_run_curve", largest=100_000, **attack)
    assert found.n_members is None
    assert found.tried_powers[-1] < found.tried_powers.max()
    separate = plan(GaussianDP(mu=1.0), **attack)
    assert separate.n_members is not None
    with pytest.raises(ValueError, match="ratio must be 1 for 'one_run_curve', where fair"):
        plan(GaussianDP(mu=1.0), method="one_run_curve", ratio=2.0, **attack)
