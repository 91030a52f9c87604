"""The dense rank statistic: its definition, its order, its exact p-values, and its power."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds.exact_rank import NEGLIGIBLE, DenseTest, PValue, exact_test
from dpviz.audit.bounds.number_law import joined, leak_pairs
from tests.audit.bounds.test_exact_rank import orders_with_chances


def guessed_ranks(n: int, m: int) -> set[tuple[int, int]]:
    """How many first and last ranks each guess is about, in other words."""
    total = n + m
    half = cut = total // 2
    cuts = {half, min(n, m)}
    while cut >= 4:
        cuts.add(cut)
        near_half = 0.08 * math.sqrt(half) + 0.52 * (half - cut)
        cut = math.floor(cut - max(1, min(0.12 * cut, cut * cut**0.25 / 32, near_half)))
    guessed = {pair for k in cuts for pair in ((k, k), (k, 0), (0, k))}
    for k in cuts:
        if 2 * k < total and (k >= 0.7 * half or k == min(n, m)):
            guessed |= {(k, total - k), (total - k, k)}
    return guessed


def by_definition(
    members: np.ndarray, n: int, m: int, level: float
) -> dict[tuple[int, int], float]:
    """What each guess refutes, in other words and without leaks, by its first and last ranks."""
    total, weight = n + m, 2 * min(n, m) / (n + m)

    def chance(epsilon: float, top: int, bottom: int) -> float:
        up = n * math.exp(epsilon) / (n * math.exp(epsilon) + m)
        down = m * math.exp(epsilon) / (m * math.exp(epsilon) + n)
        return (top * up + bottom * down) / (top + bottom)

    def alone(epsilon: float, top: int, bottom: int) -> float:
        if top == 0 or bottom == 0:
            few = (0.1 + 0.06 * epsilon) * min(1, 100 / max(top, 1))
            share = few if top else 0.035 * (2 - weight)
        elif top == bottom:
            share = 0.7 * (2 * top / total) ** (1 / (1 + weight * epsilon))
        else:
            share = 2.6
        return min(share * level, 0.5)

    def refuted(top: int, bottom: int, at: float) -> float:
        right = int(members[top]) + bottom - (n - int(members[total - bottom]))
        if right == 0:
            return -math.inf
        return float(
            brentq(
                lambda e: binom.sf(right - 1, top + bottom, chance(e, top, bottom)) - at, -60, 60
            )
        )

    found = {}
    for top, bottom in guessed_ranks(n, m):
        first = refuted(top, bottom, alone(0.0, top, bottom))
        found[top, bottom] = refuted(top, bottom, alone(max(first, 0.0), top, bottom))
    return found


@pytest.mark.parametrize(
    ("n", "m", "level"),
    [(10, 10, 0.4), (5, 8, 0.4), (9, 4, 0.4), (1, 12, 0.4), (60, 25, 0.05), (40, 400, 0.05)],
)
def test_the_statistic_is_as_defined(n: int, m: int, level: float) -> None:
    test, rng = DenseTest(n, m, delta=0.0, level=level), np.random.default_rng(n)
    guessed = list(zip(test.guesses.top.tolist(), test.guesses.bottom.tolist(), strict=True))
    for _ in range(8 if n + m < 20 else 2):
        # Orders with few and with many members among the first.
        moved = np.arange(n + m) < n
        places = np.argsort(rng.normal(0, 1, n + m) - rng.choice([0, 1, 3]) * moved)
        members = np.append(0, np.cumsum(moved[places]))
        wanted = by_definition(members, n, m, level)
        assert set(guessed) == wanted.keys()
        found = test.refuted(members[test.guesses.cuts])
        assert found == pytest.approx([wanted[pair] for pair in guessed], abs=1e-6)


def test_guesses_are_about_the_ranks_that_are_defined() -> None:
    sizes = [(n, total - n) for total in range(2, 40) for n in (1, total // 3, total // 2) if n]
    for n, m in [*sizes, (3000, 2000), (100, 70_000)]:
        tried = DenseTest(n, m, delta=0.0, level=0.05).guesses
        assert set(zip(tried.top.tolist(), tried.bottom.tolist(), strict=True)) == guessed_ranks(
            n, m
        )


def test_so_many_leaks_are_set_aside_as_are_hardly_ever_exceeded() -> None:
    for delta in np.linspace(0.001, 0.1, 30).tolist():
        tried = DenseTest(60, 25, delta=delta, level=0.05).guesses
        (leaks,) = np.unique(tried.leaks[(tried.top > 0) & (tried.bottom > 0)])
        assert binom.sf(leaks, 85, delta) <= 0.1 * 0.05 < binom.sf(leaks - 1, 85, delta)


@pytest.mark.parametrize(
    ("n", "m", "epsilon", "delta", "level"),
    [
        (6, 6, 0.0, 0.0, 0.3),
        (6, 6, 1.2, 0.0, 0.3),
        (5, 7, 0.4, 1e-5, 0.05),
        (7, 5, 0.4, 0.01, 0.3),
        (3, 9, 0.0, 0.0, 0.3),
        (9, 3, 1.2, 0.1, 0.3),
    ],
)
def test_p_values_are_those_of_enumeration_and_refute_a_truth_at_their_level(
    n: int, m: int, epsilon: float, delta: float, level: float
) -> None:
    members, chances = orders_with_chances(n, m, epsilon, delta)
    test, leaks = exact_test(n, m, delta=delta, level=level)
    right = test.guesses.right(members.T[test.guesses.cuts])
    of_orders = np.array([np.max(test.refuted(row[test.guesses.cuts])) for row in members])
    refuting = np.zeros(of_orders.size, bool)
    for value in np.unique(of_orders[of_orders > -np.inf]).tolist():
        reached = (right >= test.needed(value)[:, None]).any(axis=0)
        np.testing.assert_array_equal(reached, of_orders >= value)
        exact, p = chances[reached].sum(), PValue(test, value, leaks)(epsilon)
        assert exact - 1e-9 <= p <= exact + (NEGLIGIBLE if delta == 0 else 0.25 * level)
        refuting |= reached & (p <= level)
    assert chances[refuting].sum() <= level


@pytest.mark.slow
def test_p_values_do_not_fall_with_epsilon_and_rise_with_delta() -> None:
    values = []
    for delta in (0.0, 0.01):
        test, leaks = exact_test(40, 60, delta=delta, level=0.05)
        p_value = PValue(test, 1.0, leaks)
        values.append([p_value(epsilon) for epsilon in (0.0, 0.3, 0.6, 1.0, 1.5, 3.0)])
        assert all(a <= b for a, b in pairwise(values[-1]))
        assert values[-1][0] < 0.05 < values[-1][-1]
    test, _ = exact_test(40, 60, delta=0.0, level=0.05)
    several = [PValue(test, 1.0, leak_pairs(40, 60, d, 0.05, 8))(0.5) for d in (0.0, 1e-3, 0.01)]
    assert all(a < b for a, b in pairwise(several))


def test_rare_numbers_of_leaks_are_joined_on_the_safe_side() -> None:
    pairs = leak_pairs(50, 80, 1e-3, 0.05, 8)
    few = joined(pairs, 0.01)
    assert len(few) < len(pairs)
    assert sum(pair[2] for pair in few) == pytest.approx(sum(pair[2] for pair in pairs))
    kept = [pair for pair in pairs if pair in few]
    (most,) = [pair for pair in few if pair not in pairs]
    others = [pair for pair in pairs if pair not in few]
    assert kept
    assert most[:2] == (max(a for a, _, _ in others), max(b for _, b, _ in others))
    assert most[2] <= 0.01
    assert joined([(0, 0, 1.0)], 0.01) == [(0, 0, 1.0)]
    test = DenseTest(50, 80, delta=1e-3, level=0.05)
    for epsilon in (0.3, 1.0):
        of_all, of_few = (PValue(test, 1.2, some)(epsilon) for some in (pairs, few))
        assert of_all <= of_few <= of_all + 0.01


@pytest.mark.slow
def test_where_few_members_are_far_out_it_shows_more_and_elsewhere_no_less() -> None:
    def medians(gap: float, share: float) -> dict[str, float]:
        lows: dict[str, list[float]] = {"rank": [], "rank_exact": []}
        for run in range(30):
            rng = np.random.default_rng([run, 5])
            member = rng.normal(size=500) + gap * (rng.random(500) < share)
            scores = AttackScores(member=member, nonmember=rng.normal(size=500))
            for method, found in lows.items():
                found.append(lower_bound(scores, delta=0, method=method).low)
        return {method: float(np.median(found)) for method, found in lows.items()}

    rare, everywhere = medians(6.0, 0.02), medians(2.0, 1.0)
    assert rare["rank_exact"] > 1.5 * rare["rank"]
    assert everywhere["rank_exact"] > everywhere["rank"]
