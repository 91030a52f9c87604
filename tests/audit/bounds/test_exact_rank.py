"""Exact p-values of the rank statistic: by enumeration, by simulation, and the bounds from them."""

import importlib
import json
from itertools import combinations, product
from math import exp
from pathlib import Path

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import binom, hypergeom

from dpviz.audit import AttackScores
from dpviz.audit.bounds import RankEvidence, exact_rank, lower_bound
from dpviz.audit.bounds.exact_rank import (
    DenseTest,
    PValue,
    bound_of,
    chosen_test,
    exact_test,
    smallest_p_value,
)
from dpviz.audit.bounds.number_law import leak_pairs
from dpviz.audit.bounds.rank import Guesses, RankTest, guesses, members_in_first
from tests.slow import parametrize

TABLE = Path(__file__).parents[3] / "benchmarks" / "exact_p_values.json"


def orders_with_chances(
    n: int, m: int, epsilon: float, delta: float
) -> tuple[np.ndarray, np.ndarray]:
    """Members among the first k records, for all k and orders, and the chances of the orders."""
    labels = np.zeros((comb(n + m, n, exact=True), n + m), int)
    for row, places in enumerate(combinations(range(n + m), n)):
        labels[row, list(places)] = 1
    members = np.concatenate([np.zeros((len(labels), 1), int), np.cumsum(labels, axis=1)], axis=1)
    q, chances = 1 / (1 + exp(-epsilon)), np.zeros(len(labels))
    for top in range(n + 1):
        for bottom in range(m + 1):
            leak = binom.pmf(top, n, delta) * binom.pmf(bottom, m, delta)
            if leak == 0:
                continue
            end, free, others = n + m - bottom, n - top, m - bottom
            fits = (members[:, top] == top) & (members[:, end] == n)
            for border in range(top, end + 1):
                a = members[:, border] - top
                b = border - top - a
                told = binom.pmf(a, free, q) * binom.pmf(b, others, 1 - q)
                ways = comb(border - top, a) * comb(end - border, free - a)
                chances += leak * np.where(fits & (ways > 0), told / np.maximum(ways, 1), 0)
    assert chances.sum() == pytest.approx(1)
    return members, chances


@pytest.mark.parametrize(
    ("n", "m", "epsilon", "delta"),
    [
        (7, 7, 0.0, 0.0),
        (5, 8, 0.6, 0.0),
        (8, 4, 0.3, 0.0),
        (4, 9, 0.1, 0.0),
        (5, 5, 0.4, 0.02),
        (2, 11, 0.3, 0.15),
    ],
)
def test_every_p_value_is_that_of_enumeration(n: int, m: int, epsilon: float, delta: float) -> None:
    level = 0.2
    members, chances = orders_with_chances(n, m, epsilon, delta)
    test = RankTest(n, m, delta=delta, level=level)
    found = np.array([np.max(test.refuted(row[test.guesses.cuts])) for row in members])
    leaks = leak_pairs(n, m, delta, level, 20)
    values = np.unique(found[np.isfinite(found)])
    assert values.size > 2
    p_values = []
    for value in values:
        exact = chances[found >= value - 1e-9].sum()
        p_values.append(PValue(test, float(value), leaks)(epsilon))
        assert exact - 1e-9 <= p_values[-1] <= exact + (1e-9 if delta == 0 else 3e-4)
    # So a true epsilon is refuted with a probability of at most the level, whatever the level.
    for p in p_values:
        refuting = values[np.array(p_values) <= p]
        assert chances[found >= refuting.min() - 1e-9].sum() <= p + 1e-9


@pytest.mark.parametrize("of", [RankTest, DenseTest])
@pytest.mark.parametrize(
    ("n", "m", "first", "last", "epsilon"),
    [
        *[(6, 6, 2, 0, 0.5), (6, 5, 1, 2, 0.9), (4, 8, 0, 3, 0.4), (8, 3, 5, 1, 1.5)],
        *[(2, 10, 0, 9, 0.0), (7, 4, 7, 1, 0.4), (4, 6, 1, 6, 0.3), (8, 8, 8, 8, 0.3)],
    ],
)
def test_where_so_many_records_leak_p_values_are_those_of_the_orders_of_the_others(
    of: type[RankTest], n: int, m: int, first: int, last: int, epsilon: float
) -> None:
    others, chances = orders_with_chances(n - first, m - last, epsilon, 0.0)
    ends = np.arange(first), np.full(last, n)
    members = np.stack([np.concatenate([ends[0], first + row, ends[1]]) for row in others])
    test = of(n, m, delta=0.0, level=0.2)
    found = np.array([np.max(test.refuted(row[test.guesses.cuts])) for row in members])
    values = np.unique(found[found > 0])
    # One more: what no order reaches, or none but a perfect one.
    for value in [*values.tolist(), (values.max(initial=0.0) + test.largest()) / 2 + 0.01]:
        p = PValue(test, value, [(first, last, 1.0)])(epsilon)
        assert p == pytest.approx(chances[found >= value - 1e-9].sum(), abs=1e-9)
        assert p > 0  # rounding is allowed for


def table_of_cells() -> list[tuple[float, ...]]:
    # Made by benchmarks/exact_p_values.py, whose simulations draw the least favourable law.
    return [tuple(row) for row in json.loads(TABLE.read_text("utf-8"))["cells"]]


SIZES = sorted({row[:3] for row in table_of_cells()})


def test_p_values_agree_with_a_million_simulations() -> None:
    assert len({row[:4] for row in table_of_cells()}) == 30
    for *_, exact, simulated, standard_error in table_of_cells():
        assert abs(exact - simulated) <= 3 * max(standard_error, 1e-6)


@parametrize("size", SIZES, slow_but=SIZES[::2][2:])
def test_p_values_of_the_table_are_those_of_this_program(size: tuple[float, ...]) -> None:
    p_value = PValue(*importlib.import_module("benchmarks.exact_p_values").tested(*size))
    for row in table_of_cells():
        if row[:3] == size:  # the table's epsilons are rounded
            assert p_value(row[3]) == pytest.approx(row[4], rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "delta"), [(60, 40, 0.0), (30, 90, 0.001)])
def test_the_bound_is_where_the_p_value_is_the_level(n: int, m: int, delta: float) -> None:
    test = RankTest(n, m, delta=delta, level=0.05)
    leaks = leak_pairs(n, m, delta, 0.05, 8)
    for statistic in (0.4, 0.9, 1.7):
        low = bound_of(test, statistic, leaks)
        p_value = PValue(test, statistic, leaks)
        assert p_value(low) <= 0.05
        assert low == 0 or p_value(1.01 * low + 0.003) > 0.05


def one_cut(n: int, m: int, *, delta: float, level: float) -> tuple[Guesses, np.ndarray]:
    """Guesses about the first 40 records, the last 40, and both."""
    return guesses(n, m, delta=delta, level=level, cuts=np.array([40])), np.full(3, level)


@pytest.mark.parametrize(("n", "m"), [(60, 60), (70, 50), (46, 74)])
def test_where_few_counts_are_likely_p_values_are_those_of_sums(n: int, m: int) -> None:
    # Then the steps of the walk begin far above 0. The upper class ends in neither 40.
    epsilon, q = 6.0, 1 / (1 + exp(-6))
    counts = np.arange(41)
    joint = np.zeros((41, 41))  # members among the first and among the last
    for a, b in product(range(n - 6, n + 1), range(7)):
        told = binom.pmf(a, n, q) * binom.pmf(b, m, 1 - q)
        in_first = hypergeom.pmf(counts, a + b, a, 40)
        in_last = hypergeom.pmf(counts, n + m - a - b, n - a, 40)
        joint += told * np.outer(in_first, in_last)
    assert joint.sum() == pytest.approx(1, abs=1e-6)

    test = RankTest(n, m, delta=0.0, level=0.05, statistic=one_cut)
    found = np.full(joint.shape, -np.inf)
    for i, j in np.argwhere(joint > 0):
        found[i, j] = np.max(test.refuted(np.array([0, i, n - j, n])))
    compared = 0
    for value in np.unique(found[joint > 1e-3]):
        exact = joint[found >= value - 1e-9].sum()
        p = PValue(test, float(value), [(0, 0, 1.0)])(epsilon)
        assert p == pytest.approx(exact, abs=1e-6)
        compared += 0.01 < exact < 0.9
    assert compared > 0


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_what_is_too_small_to_be_followed_adds_next_to_nothing(
    monkeypatch: pytest.MonkeyPatch, delta: float
) -> None:
    test, leaks = exact_test(100, 80, delta=delta, level=0.05)
    p_value = PValue(test, 0.9, leaks)(0.3)
    monkeypatch.setattr(exact_rank, "NEGLIGIBLE", 1e-12)
    exact = PValue(test, 0.9, leaks)(0.3)
    assert 0 < exact <= p_value <= exact + 3e-4 * 0.05


def test_p_values_are_between_what_is_allowed_for_rounding_and_1() -> None:
    # At a level so small that hardly anything is too small to be followed.
    test, none = DenseTest(800, 700, delta=0.0, level=1e-9), [(0, 0, 1.0)]
    never = PValue(test, test.largest() + 1, none)(0.5)
    assert never == pytest.approx(1500e-15, rel=0.1, abs=0)
    assert PValue(test, 0.01, none)(5.0) == 1
    # Of two records the member is first with odds e^epsilon.
    for epsilon in (0.0, 0.1, 2.0):
        p = smallest_p_value(*exact_test(1, 1, delta=0.0, level=0.05), epsilon)
        assert p == pytest.approx(1 / (1 + exp(-epsilon)), abs=1e-6)
    assert smallest_p_value(*exact_test(1, 1, delta=1.0, level=0.05), 0.1) == 1


def test_exact_p_values_give_more_than_simulated_ones() -> None:
    exact, simulated = [], []
    for run in range(6):
        rng = np.random.default_rng(run)
        scores = AttackScores(member=rng.laplace(1.5, 1, 120), nonmember=rng.laplace(0, 1, 80))
        test = RankTest(120, 80, delta=0.0, level=0.05)  # the same statistic for both
        members = members_in_first(scores, test.guesses.cuts, rng)[:, 0]
        exact.append(bound_of(test, float(np.max(test.refuted(members))), [(0, 0, 1.0)]))
        simulated.append(lower_bound(scores, delta=0, method="rank").low)
    assert np.mean(exact) > np.mean(simulated)


def test_no_seed_changes_the_bound_with_ties_and_without() -> None:
    rng = np.random.default_rng(3)
    classes = rng.laplace(1.5, 1, 90), rng.laplace(0, 1, 90)
    for decimals in (8, 0):
        member, nonmember = (each.round(decimals) for each in classes)
        scores = AttackScores(member=member, nonmember=nonmember)
        bounds = [lower_bound(scores, delta=0, method="rank_exact", seed=s) for s in range(3)]
        assert bounds[0].low > 0
        assert all(bound == bounds[0] for bound in bounds)
        assert lower_bound(scores.reversed(), delta=0, method="rank_exact").low == 0


@pytest.mark.slow
def test_what_is_simulated_is_simulated_with_one_seed() -> None:
    rng = np.random.default_rng(3)
    member, nonmember = (each.round(0) for each in (rng.laplace(1.5, 1, 90), rng.laplace(0, 1, 90)))
    scores = AttackScores(member=member, nonmember=nonmember)
    given = {"delta": 0.3, "confidence_level": 0.8, "method": "rank_exact"}
    assert lower_bound(scores, **given, seed=0).low == lower_bound(scores, **given, seed=1).low


@parametrize(("records", "chance"), [(10, 0.05), (24, 0.021), (51, 0.01)], slow_but=[(10, 0.05)])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_scores_of_two_values_show_a_leak_that_is_none_at_most_at_the_level(
    records: int, chance: float, level: float
) -> None:
    # Few data sets are likely: a lucky ranking of the ties of one would be false too often.
    false = 0.0
    for a in range(5):
        for b in range(5):
            member, nonmember = (1.0 * (np.arange(records) < each) for each in (a, b))
            scores = AttackScores(member=member, nonmember=nonmember)
            bound = lower_bound(scores, delta=1e-5, method="rank_exact", confidence_level=1 - level)
            each = binom.pmf([a, b], records, chance)
            false += float(each[0] * each[1]) * (bound.low > 0)
    assert false <= level


def test_with_ties_the_bound_is_the_smallest_of_all_rankings() -> None:
    rng = np.random.default_rng(8)
    scores = AttackScores(member=rng.poisson(4, 60), nonmember=rng.poisson(2, 60))
    bound = lower_bound(scores, delta=0, method="rank_exact").low
    classes = scores.members.values, scores.nonmembers.values
    lows = []
    for _ in range(20):
        member, nonmember = (each + rng.uniform(0, 0.5, 60) for each in classes)
        ranked = AttackScores(member=member, nonmember=nonmember)
        lows.append(lower_bound(ranked, delta=0, method="rank_exact").low)
    last = AttackScores(member=classes[0] - 0.5, nonmember=classes[1])
    assert 0 < bound == lower_bound(last, delta=0, method="rank_exact").low
    assert bound <= min(lows) < max(lows)


def test_equal_laws_show_nothing_but_at_the_level() -> None:
    false = 0
    for run in range(100):
        rng = np.random.default_rng(run)
        scores = AttackScores(member=rng.normal(size=20), nonmember=rng.normal(size=15))
        false += lower_bound(scores, delta=0, confidence_level=0.8, method="rank_exact").low > 0
    assert false / 100 <= 0.2 + 3 * (0.2 * 0.8 / 100) ** 0.5


def test_confidence_has_no_limit_but_the_records() -> None:
    scores = AttackScores(member=np.arange(60.0, 160), nonmember=np.arange(100.0))
    lows = [
        lower_bound(scores, delta=0, method="rank_exact", confidence_level=level).low
        for level in (0.9, 0.9999, 1 - 1e-6)
    ]
    assert lows[0] > lows[1] > lows[2] > 0


def test_where_exact_p_values_take_too_long_they_are_simulated_and_that_is_said() -> None:
    rng = np.random.default_rng(4)
    scores = AttackScores(member=rng.normal(1, 1, 300), nonmember=rng.normal(0, 1, 300))
    given = {"delta": 0.3, "confidence_level": 0.8}
    bound = lower_bound(scores, method="rank_exact", **given)
    simulated = lower_bound(scores, **given, method="rank")
    assert bound.low == pytest.approx(simulated.low, abs=4 * (simulated.seed_spread or 0))
    assert any("p-values are simulated" in each for each in bound.warnings)
    assert not lower_bound(scores, delta=0, method="rank_exact").warnings
    many = AttackScores(member=rng.normal(1, 1, 160_000), nonmember=rng.normal(0, 1, 160_000))
    (warning,) = lower_bound(many, delta=0, method="rank_exact").warnings
    assert "p-values are simulated" in warning
    with pytest.raises(ValueError, match=r"confidence_level must be at most 0\.9999 where p-"):
        lower_bound(many, delta=0, method="rank_exact", confidence_level=1 - 1e-6)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_a_bound_below_one_shows_its_evidence(delta: float) -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(0.5, 1, 200), nonmember=rng.normal(0, 1, 200))
    found = lower_bound(scores, delta=delta, method="rank_exact")
    assert 0 < found.low < 1
    (evidence,) = found.evidence
    assert isinstance(evidence, RankEvidence)
    ranked = np.argsort(-np.concatenate([scores.member, scores.nonmember])) < 200
    assert evidence.members_in_top == ranked[: evidence.top].sum()
    assert evidence.nonmembers_in_bottom == np.sum(~ranked[400 - evidence.bottom :])
    assert not lower_bound(scores.reversed(), delta=delta, method="rank_exact").evidence


def test_where_it_simulates_it_shows_nearly_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    member = rng.normal(0, 1, 1000) + 6 * (rng.random(1000) < 0.05)
    scores = AttackScores(member=member, nonmember=rng.normal(0, 1, 1000))
    exact = lower_bound(scores, delta=0)
    monkeypatch.setattr("dpviz.audit.bounds.exact_rank.MOST_WORK", 0)
    simulated = lower_bound(scores, delta=0)
    assert (exact.seed, simulated.seed) == (None, 0)
    # By simulations a fifth of the level is given away: 0.06 of epsilon here.
    assert simulated.low == pytest.approx(exact.low, abs=0.15)
    assert lower_bound(scores, delta=0, method="rank").low < exact.low - 0.25


def test_a_confidence_nearer_to_1_than_rounding_is_refused() -> None:
    scores = AttackScores(member=np.arange(50.0) + 50, nonmember=np.arange(50.0))
    assert lower_bound(scores, delta=0, confidence_level=1 - 1e-11).low > 1
    with pytest.raises(ValueError, match=r"confidence_level must be at most 1 - 1e-12 for so many"):
        lower_bound(scores, delta=0, confidence_level=1 - 1e-13)
    more = AttackScores(member=np.arange(500.0) + 500, nonmember=np.arange(500.0))
    with pytest.raises(ValueError, match=r"confidence_level must be at most 1 - 1e-11 for so many"):
        lower_bound(more, delta=0, confidence_level=1 - 5e-12)


@pytest.mark.parametrize(
    ("n", "m", "delta", "is_exact"),
    [
        *[(300, 300, 0.0, True), (20_000, 20_000, 0.0, True), (60_000, 60_000, 0.0, False)],
        *[(3000, 3000, 1e-5, True), (10_000, 10_000, 1e-5, False)],
        # Numbers of leaks with a variance of 13, 63, 63, 27 and 12.
        *[(60, 60, 0.3, True), (300, 300, 0.3, False), (60, 300, 0.3, False)],
        *[(300, 60, 0.9, False), (300, 60, 0.96, True)],
    ],
)
def test_p_values_are_exact_where_that_is_little_work(
    n: int, m: int, delta: float, is_exact: bool
) -> None:
    test, leaks = chosen_test(n, m, delta=delta, level=0.05)
    assert (test.guesses.n_members, test.guesses.n_nonmembers) == (n, m)
    assert (leaks is not None) == is_exact
