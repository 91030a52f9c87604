"""Probabilities of crossing a boundary: by enumeration and by simulation."""

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb, exp

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from dpviz.audit.bounds import boundary_crossing
from dpviz.audit.bounds.boundary_crossing import (
    _leak_counts,
    binomial_pmf,
    leak_pairs,
    member_pmf_over_class_ends,
)
from dpviz.audit.bounds.worst_case_distribution import chance_of_auc_at_least, chance_of_crossing
from tests.slow import parametrize

Statistic = Callable[[np.ndarray], bool]


def orders(first: int, size: int) -> Iterator[np.ndarray]:
    """All places of `first` ones among `size` ranks."""
    for places in combinations(range(size), first):
        labels = np.zeros(size, int)
        labels[list(places)] = 1
        yield labels


def enumerated(n: int, m: int, epsilon: float, delta: float, holds: Statistic) -> float:
    """By all class sizes and all orders within a class."""
    q, total = 1 / (1 + exp(-epsilon)), 0.0
    for top in range(n + 1):
        for bottom in range(m + 1):
            leak = binom.pmf(top, n, delta) * binom.pmf(bottom, m, delta)
            for a in range(n - top + 1):
                for b in range(m - bottom + 1):
                    weight = leak * binom.pmf(a, n - top, q) * binom.pmf(b, m - bottom, 1 - q)
                    if weight == 0:
                        continue
                    c, d = n - top - a, m - bottom - b
                    found = sum(
                        holds(np.concatenate([np.ones(top), up, down, np.zeros(bottom)]))
                        for up in orders(a, a + b)
                        for down in orders(c, c + d)
                    )
                    total += weight * found / comb(a + b, a) / comb(c + d, c)
    return float(total)


def simulated(
    n: int, m: int, epsilon: float, delta: float, runs: int, seed: int
) -> Iterator[np.ndarray]:
    """Rankings drawn record by record."""
    rng, q = np.random.default_rng(seed), 1 / (1 + exp(-epsilon))
    is_member = np.repeat([1, 0], [n, m])
    for _ in range(runs):
        told = rng.random(n + m) < np.where(is_member, q, 1 - q)
        leaks = rng.random(n + m) < delta
        place = np.where(leaks, np.where(is_member, 3, 0), 1 + told) + rng.random(n + m) / 2
        yield is_member[np.argsort(-place)]


def pairs_of(labels: np.ndarray) -> int:
    """Pairs with the member first."""
    return int(np.sum(np.cumsum(labels)[labels == 0]))


@parametrize(("n", "m"), [(3, 4), (5, 1), (1, 5), (4, 3)], slow_but=[(3, 4), (5, 1)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.7, 0.0), (2.0, 0.1)])
def test_tails_are_those_of_enumeration(n: int, m: int, epsilon: float, delta: float) -> None:
    rng = np.random.default_rng([n, m])
    cuts = np.array([1, (n + m) // 2, n + m - 1])
    boundary = np.minimum(rng.integers((cuts + 1) // 2, cuts + 1), n) + (rng.random(3) < 0.3)

    def crosses(labels: np.ndarray) -> bool:
        return bool(np.any(np.concatenate([[0], np.cumsum(labels)])[cuts] >= boundary))

    given = {"n": n, "m": m, "epsilon": epsilon, "delta": delta}
    exact = enumerated(n, m, epsilon, delta, crosses)
    found = chance_of_crossing(cuts, boundary, **given, level=0.05)
    # Numbers of leaks are rounded up.
    assert exact - 1e-12 <= found <= exact + (0 if delta == 0 else 0.1) + 1e-12

    for pairs in {n * m // 2, n * m - 1, n * m}:
        exact = enumerated(n, m, epsilon, delta, lambda x, u=pairs: pairs_of(x) >= u)
        found = chance_of_auc_at_least(pairs, **given, level=1e-9)
        assert exact - 1e-12 <= found <= exact + (1e-8 if delta == 0 else 0.02)


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_cuts_within_the_records_that_leak_are_crossed_as_often_as_by_enumeration(cut: int) -> None:
    # Of two records, all numbers of leaks are told apart.
    for least in (1, 2, 3):
        exact = enumerated(2, 2, 0.5, 0.4, lambda x, least=least: x[:cut].sum() >= least)
        given = {"n": 2, "m": 2, "epsilon": 0.5, "delta": 0.4, "level": 0.01}
        found = chance_of_crossing(np.array([cut]), np.array([least]), **given)
        assert exact - 1e-12 <= found <= exact + 1e-4


def test_what_never_happens_has_the_probability_of_rounding() -> None:
    given = {"n": 800, "m": 700, "epsilon": 0.5, "delta": 0.0, "level": 0.05}
    found = chance_of_crossing(np.array([2, 1000]), np.array([3, 801]), **given)
    assert found == pytest.approx(1500e-15)


@pytest.mark.parametrize(("records", "delta"), [(400, 0.05), (3000, 0.01), (60, 0.02), (5, 1.0)])
def test_numbers_of_leaks_are_rounded_up_to_a_few(records: int, delta: float) -> None:
    kept, chances = map(np.array, zip(*_leak_counts(records, delta, 0.05, 8), strict=True))
    law = binom(records, delta)
    np.testing.assert_allclose(np.cumsum(chances), law.cdf(kept), atol=1e-13)
    assert law.sf(kept[-1]) <= 0.05e-3 < law.sf(kept[-1] - 1)
    assert kept.size <= 9
    # By less than a standard deviation: few are enough.
    assert np.all(np.diff(kept) <= max(law.std(), 1))
    assert chances @ kept <= law.mean() + 0.6 * law.std()


@pytest.mark.parametrize("values", [3, 8])
@pytest.mark.parametrize(("n", "m", "delta"), [(400, 300, 0.05), (9, 5000, 0.01), (3, 4, 0.2)])
def test_pairs_of_numbers_of_leaks_that_are_left_out_are_rare(
    n: int, m: int, delta: float, values: int
) -> None:
    pairs = leak_pairs(n, m, delta, 0.05, values)
    # A thousandth of the level for each class, and one for pairs of both.
    assert 1 - 3 * 0.05e-3 <= sum(chance for _, _, chance in pairs) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("trials", "chance"),
    [(10**5, 1e-5), (10**5, 0.3), (40, 0.999), (40, 1 - 1e-15), (100, 1e-15), (7, 1.0)],
)
def test_binomial_counts_that_are_followed_lack_nothing(trials: int, chance: float) -> None:
    first, found = binomial_pmf(trials, chance)
    assert 0 <= first <= first + found.size - 1 <= trials
    exact = binom.pmf(np.arange(first, first + found.size), trials, chance)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-15)
    assert exact.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("begin", "end", "first", "above", "below"),
    [(0, 400, 0, 0.985, 0.55), (30, 330, 31, 0.5, 0.01), (4, 9, 6, 1.0, 0.2), (0, 500, 90, 0.9, 0)],
)
def test_members_where_the_upper_class_ends_are_those_of_convolved_laws(
    begin: int, end: int, first: int, above: float, below: float
) -> None:
    chances = np.random.default_rng(begin).dirichlet(np.ones(end - first + 1)) / 3
    exact = np.zeros(end - begin + 1)
    for last, chance in enumerate(chances, first):
        upper, lower = (
            binom.pmf(np.arange(size + 1), size, share)
            for size, share in ((last - begin, above), (end - last, below))
        )
        exact += chance * np.convolve(upper, lower)
    low, found = member_pmf_over_class_ends(begin, end, first, chances, above, below)
    followed = np.zeros_like(exact)
    followed[low : low + found.size] = found
    np.testing.assert_allclose(followed, exact, atol=1e-15)
    assert found.sum() <= chances.sum() * (1 + 1e-14)


@pytest.mark.parametrize(
    ("n", "m", "cut", "least"),
    [(300, 200, 40, 34), (300, 200, 250, 205), (300, 200, 460, 288), (9, 7, 8, 7)],
)
def test_one_cut_is_crossed_as_often_as_by_sums(n: int, m: int, cut: int, least: int) -> None:
    epsilon = 1.0
    q = 1 / (1 + exp(-epsilon))
    a, b = np.arange(n + 1)[:, None], np.arange(m + 1)
    upper = a + b
    within = hypergeom.sf(
        least - 1, np.maximum(upper, cut), np.minimum(a, np.maximum(upper, cut)), cut
    )
    beyond = hypergeom.sf(least - a - 1, n + m - upper, n - a, np.maximum(cut - upper, 0))
    told = binom.pmf(a, n, q) * binom.pmf(b, m, 1 - q)
    exact = float(np.sum(told * np.where(cut <= upper, within, beyond)))
    assert 0.2 < exact < 0.4
    given = {"n": n, "m": m, "epsilon": epsilon, "delta": 0.0, "level": 0.05}
    found = chance_of_crossing(np.array([cut]), np.array([least]), **given)
    assert found == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("epsilon", [0.8, 0.3, 0.02])
def test_what_saves_work_changes_no_probability(
    epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, m = 3000, 5000
    cuts = np.arange(0, n + m + 1, 40)
    boundary = np.ceil((np.tanh(epsilon / 2) + 0.02) * n * m / (n + m) + cuts * n / (n + m))
    given = {"n": n, "m": m, "epsilon": epsilon, "delta": 0.0, "level": 0.05}
    found = [chance_of_crossing(cuts, boundary.astype(int), **given)]
    monkeypatch.setattr(boundary_crossing, "FOURIER_FROM_COUNTS", 2)
    found.append(chance_of_crossing(cuts, boundary.astype(int), **given))
    monkeypatch.setattr(boundary_crossing, "ENDS_PER_BLOCK", 1)
    monkeypatch.setattr(boundary_crossing, "FOURIER_FROM_COUNTS", 10**9)
    found.append(chance_of_crossing(cuts, boundary.astype(int), **given))
    assert 0.01 < found[0] < 0.99
    assert found == pytest.approx([found[2]] * 3, abs=1e-11)


@pytest.mark.parametrize("area", [0.1, 0.2, 0.5])
def test_the_area_of_three_members_is_a_mean_of_three_uniform_numbers(area: float) -> None:
    # Irwin and Hall: the distribution of a sum, where there are very many non-members.
    total = 3 * (1 - area)
    exact = sum((-1) ** k * comb(3, k) * max(total - k, 0.0) ** 3 / 6 for k in range(4))
    n, m = 3, 20_000
    given = {"n": n, "m": m, "epsilon": 0.0, "delta": 0.0, "level": 0.05}
    found = chance_of_auc_at_least(round(area * n * m), **given)
    assert exact - 1e-4 <= found <= 1.05 * exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "epsilon", "delta", "area", "looseness"),
    [
        (40, 300, 0.4, 0.0, 0.67, 0.15),
        (220, 220, 1.0, 0.0, 0.755, 0.02),
        (300, 300, 0.3, 0.004, 0.60, 0.35),
    ],
)
def test_tails_are_those_of_simulations(
    n: int, m: int, epsilon: float, delta: float, area: float, looseness: float
) -> None:
    runs, pairs = 4000, int(area * n * m)
    cuts = np.arange(1, n + m + 1)
    advantage = 2 * area - 1
    boundary = np.ceil((advantage * n * m + cuts * n) / (n + m)).astype(int)
    counts = np.zeros(2)
    for labels in simulated(n, m, epsilon, delta, runs, seed=n):
        counts += [pairs_of(labels) >= pairs, np.any(np.cumsum(labels) >= boundary)]
    given = {"n": n, "m": m, "epsilon": epsilon, "delta": delta, "level": 0.05}
    found = [chance_of_auc_at_least(pairs, **given), chance_of_crossing(cuts, boundary, **given)]
    for chance, share in zip(found, counts / runs, strict=True):
        error = 4 * np.sqrt(share * (1 - share) / runs)
        assert 0.005 < share < 0.995
        assert share - error <= chance <= share * (1 + looseness) + error


def test_tails_rise_with_epsilon_and_with_delta() -> None:
    sizes = {"n": 20, "m": 15, "level": 0.05}
    cuts, boundary = np.array([6, 20]), np.array([6, 15])
    for tail in (
        lambda **at: chance_of_auc_at_least(210, **sizes, **at),
        lambda **at: chance_of_crossing(cuts, boundary, **sizes, **at),
    ):
        found = [tail(epsilon=e, delta=0.0) for e in (0.0, 0.4, 1.0, 3.0, 30.0)]
        assert np.all(np.diff(found) >= 0)
        assert found[-1] > 1 - 1e-6
        found = [tail(epsilon=0.3, delta=d) for d in (0.0, 0.05, 1.0)]
        assert np.all(np.diff(found) >= -1e-12)
        assert found[-1] > 1 - 1e-2
