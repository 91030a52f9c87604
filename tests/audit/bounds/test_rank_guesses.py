"""Guesses at rank cut-offs: by binomial tails; members counted by sorting and enumeration."""

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from dpviz.audit import AttackScores
from dpviz.audit.bounds import rank as module
from dpviz.audit.bounds.rank import Guesses, guesses, least_in_first, members_in_first

SIZES = [(40, 40), (25, 90), (300, 20), (6, 3)]


def odds_of(n: int, m: int) -> float:
    return math.log(n / m)


def chances(tried: Guesses, epsilon: float, odds: float) -> list[Decimal]:
    """How likely each guess is right at most: odds e^epsilon times those of random guessing."""
    up, down = (1 / (1 + (-Decimal(epsilon) - x).exp()) for x in (Decimal(odds), -Decimal(odds)))
    counts = zip(tried.top.tolist(), tried.bottom.tolist(), strict=True)
    return [(up * top + down * bottom) / (top + bottom) for top, bottom in counts]


def test_cut_offs_fall_from_half_of_all_records_to_four() -> None:
    tried = guesses(50, 30, delta=0.0, level=0.01)
    k = [4, 7, 11, 17, 26, 40]
    np.testing.assert_array_equal(tried.top, [*k, *k, *[0] * 6])
    np.testing.assert_array_equal(tried.bottom, [*k, *[0] * 6, *k])
    np.testing.assert_array_equal(tried.cuts, sorted({0, *k, *[80 - x for x in k], 80}))
    assert guesses(6, 6, delta=0.0, level=0.01).cuts.tolist() == [0, 4, 6, 8, 12]
    assert guesses(1, 1, delta=0.0, level=0.1).top.tolist() == [1, 1, 0]
    assert guesses(2, 1, delta=0.0, level=0.1).bottom.tolist() == [1, 0, 1]


@pytest.mark.parametrize(("n", "m"), [(40, 40), (25, 60), (1, 9), (2, 1)])
def test_right_guesses_are_counted_from_both_ends(n: int, m: int) -> None:
    tried, rng = guesses(n, m, delta=0.0, level=0.01), np.random.default_rng(1)
    labels = rng.permuted(np.repeat([[1, 0]] * 5, [n, m], axis=1), axis=1)
    members = np.array([[row[:cut].sum() for row in labels] for cut in tried.cuts])
    expected = [
        [row[:top].sum() + (1 - row[n + m - bottom :]).sum() for row in labels]
        for top, bottom in zip(tried.top, tried.bottom, strict=True)
    ]
    np.testing.assert_array_equal(tried.right(members), expected)
    np.testing.assert_array_equal(tried.right(members[:, 0]), np.array(expected)[:, 0])
    for i in range(tried.top.size):
        found = tried.evidence(i, members[:, 0])
        assert (found.top, found.bottom) == (tried.top[i], tried.bottom[i])
        assert found.members_in_top == labels[0, : found.top].sum()
        assert found.nonmembers_in_bottom == (1 - labels[0, n + m - found.bottom :]).sum()


@pytest.mark.parametrize(("n", "m"), [*SIZES, (1, 3000)])
@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
def test_needed_is_the_smallest_count_with_so_small_a_tail(
    n: int, m: int, delta: float, epsilon: float
) -> None:
    tried = guesses(n, m, delta=delta, level=0.0125)
    levels = np.where((tried.top > 0) & (tried.bottom > 0), 0.0125, 0.004)
    found = tried.needed(epsilon, levels)
    exact = chances(tried, epsilon, odds_of(n, m))
    for i, (leaks, count) in enumerate(zip(tried.leaks, tried.top + tried.bottom, strict=True)):
        free = int(count - leaks)
        right = np.arange(1, free + 1)
        enough = right[binom.sf(right - 1, free, float(exact[i])) <= levels[i]]
        assert found[i] == np.min(leaks + enough, initial=count + 1)


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_what_a_count_refutes_needs_that_count(n: int, m: int, delta: float) -> None:
    tried = guesses(n, m, delta=delta, level=0.0125)
    levels = np.where((tried.top > 0) & (tried.bottom > 0), 0.0125, 0.004)
    count = tried.top + tried.bottom
    for share in np.linspace(0, 1, 12):
        right = (share * count).astype(np.int64)
        refuted = tried.refuted(right, levels)
        for i, epsilon in enumerate(refuted):
            if right[i] <= tried.leaks[i]:
                assert epsilon == -math.inf
                continue
            assert tried.needed(epsilon, levels)[i] == right[i]
            # The tail at this very epsilon is the level.
            chance = chances(tried, epsilon, odds_of(n, m))[i]
            tail = binom.sf(right[i] - tried.leaks[i] - 1, count[i] - tried.leaks[i], float(chance))
            assert tail == pytest.approx(levels[i], rel=1e-7)


def test_an_epsilon_is_refuted_from_what_it_needs_on() -> None:
    tried = guesses(70, 50, delta=0.01, level=0.02)
    levels = np.full(tried.top.size, 0.02)
    for epsilon in np.linspace(0, 5, 40):
        needed = tried.needed(float(epsilon), levels)
        reachable = needed <= tried.top + tried.bottom
        assert np.all(tried.refuted(needed, levels)[reachable] >= epsilon)
        assert np.all(tried.refuted(needed - 1, levels) < epsilon)


@pytest.mark.parametrize("n", [100, 500, 20_000, 1_000_000])
def test_equal_depths_at_either_end_need_the_same(n: int) -> None:
    # Or the p-value would forget that the other end could have shown as much.
    tried = guesses(n, n, delta=0.0, level=0.0125)
    levels = np.full(tried.top.size, 0.004)
    k = tried.top.size // 3
    for share in (0.6, 0.7, 0.8, 0.9, 1.0):
        right = (share * (tried.top + tried.bottom)).astype(np.int64)
        refuted = tried.refuted(right, levels)
        for i in range(k, 2 * k):
            needed = tried.needed(float(refuted[i]), levels)
            assert needed[i] == needed[i + k] == right[i]


@pytest.mark.parametrize("k", [4, 40])
def test_all_guesses_right_in_closed_form(k: int) -> None:
    tried = guesses(40, 40, delta=0.0, level=0.01)
    i = int(np.flatnonzero((tried.top == k) & (tried.bottom == k))[0])
    share = 0.01 ** (1 / (2 * k))
    found = tried.refuted(tried.top + tried.bottom, np.full(tried.top.size, 0.01))[i]
    assert found == pytest.approx(math.log(share / (1 - share)), rel=1e-12)


@pytest.mark.parametrize("odds", [0.0, 0.4, -1.5, 6.0])
def test_an_epsilon_is_found_from_its_chance(odds: float) -> None:
    tried = guesses(12, 12, delta=0.0, level=0.01, odds=odds, cuts=np.array([1, 4, 12]))
    step = 1e-6
    for epsilon in (-25.0, -8.0, -1.0, -1e-3, 0.0, 0.2, 1.0, 3.0, 9.0):
        exact = chances(tried, epsilon, odds)
        rounded = np.array(exact, float)
        np.testing.assert_allclose(tried.chance_of(epsilon), rounded, rtol=1e-14)
        slopes = (np.array(chances(tried, epsilon + step, odds)) - np.array(exact)) / Decimal(step)
        # Of the very numbers that are given, rounded as they are.
        moved = [(Decimal(r) - e) / s for r, e, s in zip(rounded, exact, slopes, strict=True)]
        expected = epsilon + np.array(moved, float)
        np.testing.assert_allclose(tried.epsilon_of(rounded), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("n", "m"), [(40, 40), (25, 90)])
@pytest.mark.parametrize("delta", [1e-5, 0.02, 0.4, 1.0])
def test_so_many_leaks_are_set_aside_as_are_hardly_exceeded(n: int, m: int, delta: float) -> None:
    tried = guesses(n, m, delta=delta, level=0.03)
    share = n / (n + m)
    k = tried.top.size // 3
    for leaks, part in zip(tried.leaks[[0, k, 2 * k]], (1.0, share, 1 - share), strict=True):
        assert binom.sf(leaks, n + m, delta * part) <= 0.03
        assert leaks == 0 or binom.sf(leaks - 1, n + m, delta * part) > 0.03
    assert np.all(tried.leaks == np.repeat(tried.leaks[[0, k, 2 * k]], k))


def test_with_odds_given_nothing_depends_on_how_many_turned_out_members() -> None:
    few, many = (guesses(n, 100 - n, delta=0.05, level=0.01, odds=0.0) for n in (30, 70))
    np.testing.assert_array_equal(few.leaks, many.leaks)
    levels = np.full(few.top.size, 0.01)
    right = (0.8 * (few.top + few.bottom)).astype(np.int64)
    np.testing.assert_array_equal(few.refuted(right, levels), many.refuted(right, levels))
    np.testing.assert_array_equal(few.needed(0.5, levels), many.needed(0.5, levels))


@pytest.mark.parametrize("delta", [0.5, 1.0])
def test_more_leaks_than_guesses_refute_nothing(delta: float) -> None:
    tried = guesses(30, 30, delta=delta, level=0.01)
    count, levels = tried.top + tried.bottom, np.full(tried.top.size, 0.01)
    hopeless = tried.leaks >= count
    assert hopeless.any()
    assert hopeless.all() == (delta == 1)
    assert np.all(tried.refuted(count, levels)[hopeless] == -math.inf)
    assert np.all(tried.needed(0.0, levels)[hopeless] > count[hopeless])


def test_no_rounding_hides_what_a_count_refutes_among_very_many_records() -> None:
    assert module.ROUNDING <= 1e-6
    tried = guesses(10**8, 10**7, delta=0.0, level=1e-5)
    count, levels = tried.top + tried.bottom, np.full(tried.top.size, 1e-5)
    for share in (0.5, 0.9, 0.999, 1.0):
        right = (share * count).astype(np.int64)
        for i, epsilon in enumerate(tried.refuted(right, levels)):
            assert tried.needed(float(epsilon), levels)[i] <= right[i]


def scores_of(member: Sequence[float], nonmember: Sequence[float]) -> AttackScores:
    return AttackScores(member=np.array(member, float), nonmember=np.array(nonmember, float))


def exact_law(
    member: list[float], nonmember: list[float], cuts: list[int]
) -> dict[tuple[int, ...], float]:
    """Of the counts at all cuts, every order of each group of ties equally likely."""
    groups = []
    for value in sorted({*member, *nonmember}, reverse=True):
        members, others = member.count(value), nonmember.count(value)
        places = combinations(range(members + others), members)
        groups.append([[i in chosen for i in range(members + others)] for chosen in places])
    found: Counter[tuple[int, ...]] = Counter()
    for orders in product(*groups):
        labels = [label for order in orders for label in order]
        found[tuple(sum(labels[:cut]) for cut in cuts)] += 1
    total = sum(found.values())
    return {counts: times / total for counts, times in found.items()}


@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 30), (40, 25)])
def test_distinct_scores_are_counted_as_sorted(n: int, m: int) -> None:
    rng = np.random.default_rng(50)
    scores = AttackScores(member=rng.normal(0.5, 1, n), nonmember=rng.normal(0, 1, m))
    ranked = np.argsort(-np.concatenate([scores.member, scores.nonmember])) < n
    cuts = np.arange(n + m + 1)
    found = members_in_first(scores, cuts, rng, times=3)
    assert found.shape == (n + m + 1, 3)
    for column in found.T:
        np.testing.assert_array_equal(column, [ranked[:cut].sum() for cut in cuts])
    np.testing.assert_array_equal(members_in_first(scores, cuts, rng), found[:, :1])


@pytest.mark.parametrize(
    ("member", "nonmember", "cuts"),
    [
        ([3, 2, 2, 2], [2, 2, 1, 0], [0, 1, 2, 3, 4, 5, 8]),
        ([1, 1, 1], [1, 1, 1], [0, 1, 2, 4, 6]),
        ([2, 2, 1, 1], [2, 1, 1], [1, 2, 4, 5, 6]),
        ([0, 0], [5, 0, -5], [2, 3, 4]),
    ],
)
def test_ties_have_the_law_of_random_orders(
    member: list[float], nonmember: list[float], cuts: list[int]
) -> None:
    law = exact_law(member, nonmember, cuts)
    assert len(law) > 2
    runs = 6000
    scores = scores_of(member, nonmember)
    least = np.min(np.array(list(law)), axis=0)
    np.testing.assert_array_equal(least_in_first(scores, np.array(cuts)), least)
    drawn = members_in_first(scores, np.array(cuts), np.random.default_rng(51), times=runs)
    found = Counter(map(tuple, drawn.T.tolist()))
    assert set(found) <= set(law)
    expected = {counts: chance * runs for counts, chance in law.items()}
    common = [counts for counts, times in expected.items() if times >= 10]
    rest = runs - sum(expected[counts] for counts in common)
    observed = [found[counts] for counts in common]
    wanted = [expected[counts] for counts in common]
    if rest > 1e-9:
        observed, wanted = [*observed, runs - sum(observed)], [*wanted, rest]
    assert chisquare(observed, wanted).pvalue > 1e-4


def test_none_and_all_records_hold_no_and_all_members() -> None:
    for member, nonmember in (([1.0] * 9, [1.0] * 4), ([2.0, 1.0], [1.5])):
        scores = scores_of(member, nonmember)
        ends = np.array([0, len(member) + len(nonmember)])
        found = members_in_first(scores, ends, np.random.default_rng(0), times=20)
        np.testing.assert_array_equal(found, np.repeat([[0], [len(member)]], 20, axis=1))


def test_each_count_is_reached_step_by_step_in_one_ranking() -> None:
    rng = np.random.default_rng(52)
    scores = scores_of(rng.integers(0, 4, 60).tolist(), rng.integers(0, 3, 50).tolist())
    found = members_in_first(scores, np.arange(111), rng, times=50)
    steps = np.diff(found, axis=0)
    assert set(np.unique(steps).tolist()) == {0, 1}
    assert np.all(steps.sum(axis=0) == 60)
    assert len({tuple(column) for column in found.T.tolist()}) == 50


def test_the_input_order_of_ties_does_not_matter() -> None:
    # By the order of the input, the members would be first or last.
    for values in ([1.0] * 30, [-0.0, 0.0] * 15):
        scores = scores_of(values, values)
        found = members_in_first(scores, np.array([30]), np.random.default_rng(53), times=4000)
        error = np.sqrt(30 * 0.25 * 30 / 59 / 4000)
        assert abs(found.mean() - 15) <= 4.5 * error


def test_one_right_guess_at_a_level_above_one_half() -> None:
    # Refuted are the chances below the level, so e^epsilon is that of the level.
    tried = guesses(1, 1, delta=0.0, level=0.6, odds=0.0)
    alone = tried.top + tried.bottom == 1
    refuted = tried.refuted(np.ones(alone.size, np.int64), np.full(alone.size, 0.6))
    assert refuted[alone] == pytest.approx([math.log(1.5)] * alone.sum())
