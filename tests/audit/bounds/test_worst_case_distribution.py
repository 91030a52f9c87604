"""Probabilities of every number of an attack: by enumeration, as fractions, and by all sums."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, exp, lcm

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from dpviz import audit
from dpviz.audit.bounds import worst_case_distribution
from dpviz.audit.bounds.worst_case_distribution import (
    FAR_TAIL_SDS,
    MARGIN,
    NOISE_SD,
    PublishedRate,
    WorstCaseDistribution,
    _auc_tail_bounds_by_class_sizes,
    _chance_of_path_to_reach,
    _normal_tail_and_error,
    _omitted_fourier_terms_bound,
    chance_of_auc_at_least,
    chance_of_crossing,
    chance_of_member_surplus_at_a_cut,
)
from tests.slow import parametrize

Labels = tuple[int, ...]


def law_of_orders(n: int, m: int, epsilon: float) -> dict[Labels, float]:
    """Of the labels from the top: sizes of the classes, then any order within each."""
    q = 1 / (1 + exp(-epsilon))
    law: dict[Labels, float] = {}
    for a in range(n + 1):
        for b in range(m + 1):
            chance = binom.pmf(a, n, q) * binom.pmf(b, m, 1 - q)
            chance /= comb(a + b, a) * comb(n + m - a - b, n - a)
            for upper in orders(a, b):
                for lower in orders(n - a, m - b):
                    law[upper + lower] = law.get(upper + lower, 0.0) + float(chance)
    return law


def orders(members: int, others: int) -> Iterator[Labels]:
    for places in combinations(range(members + others), members):
        yield tuple(int(i in places) for i in range(members + others))


def numbers_of(labels: Labels) -> dict[str, Fraction]:
    """What an attack with this ranking would publish, by the words of each definition."""
    n, m = sum(labels), len(labels) - sum(labels)
    at = [(sum(labels[:i]), i - sum(labels[:i])) for i in range(n + m + 1)]  # flagged of both
    pairs = sum(flagged for label, (flagged, _) in zip(labels, at, strict=False) if not label)
    found = {
        "auc": Fraction(pairs, n * m),
        "advantage": max(Fraction(x, n) - Fraction(y, m) for x, y in at),
        "accuracy": max(Fraction(x + m - y, n + m) for x, y in at),
        "tpr": max(Fraction(x, n) for x, y in at if y <= m / 3),
    }
    found |= {f"precision {k}": Fraction(at[k][0], k) for k in (1, 2, n, n + m) if k <= n + m}
    return found


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 2), (1, 1)])
@pytest.mark.parametrize("epsilon", [0.0, 1.3])
def test_each_number_is_reached_as_often_as_by_enumeration(n: int, m: int, epsilon: float) -> None:
    law = law_of_orders(n, m, epsilon)
    units = {"auc": 2 * n * m, "advantage": lcm(n, m), "accuracy": n + m, "tpr": n}
    third = PublishedRate(name="fpr", text="1/3", low=Fraction(1, 3), high=Fraction(34, 100))
    numbers = {each: numbers_of(each) for each in law}
    for name in next(iter(numbers.values())):
        statistic, _, k = name.partition(" ")
        of_number = WorstCaseDistribution(
            statistic=statistic,
            n_members=n,
            n_nonmembers=m,
            delta=0.0,
            level=0.21,
            ties="none",
            fpr=third if name == "tpr" else None,
            k=int(k or 0),
        )
        total, most = of_number.total, of_number.largest_count
        assert total == (int(k) if k else units[name])
        assert Fraction(most, total) == max(each[name] for each in numbers.values())
        by_chance = total
        for count in reversed(range(most + 1)):
            reaching = [each for each in law if numbers[each][name] >= Fraction(count, total)]
            exact = sum(law[each] for each in reaching)
            assert of_number.tail_chance_by_epsilon(count)(epsilon) == pytest.approx(
                exact, abs=1e-8
            )
            at_zero = len(reaching) / comb(n + m, n)
            by_chance = count if at_zero <= of_number.level else by_chance
        assert of_number.least_count_refuting_zero == by_chance


def test_fewer_thresholds_are_on_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    law = law_of_orders(3, 4, 0.5)
    given = {
        "statistic": "advantage",
        "n_members": 3,
        "n_nonmembers": 4,
        "delta": 0.0,
        "level": 0.1,
    }
    of_number = WorstCaseDistribution(**given)
    monkeypatch.setattr(worst_case_distribution, "MOST_CUTS", 3)
    for count in range(of_number.total + 1):
        share = Fraction(count, of_number.total)
        exact = sum(law[each] for each in law if numbers_of(each)["advantage"] >= share)
        assert exact <= of_number.tail_chance_by_epsilon(count)(0.5) <= 1


@pytest.mark.slow
def test_an_advantage_certifies_the_same_with_the_classes_exchanged() -> None:
    found = [
        audit.certify(advantage=0.5, n_members=n, n_nonmembers=m, delta=1e-3)
        for n, m in ((2000, 20_000), (20_000, 2000))
    ]
    assert found[0].low == found[1].low > 0.9


@pytest.mark.parametrize(
    ("number", "shares"),
    [
        ({"auc": 0.75}, ("auc", 0.75)),
        ({"advantage": 0.75}, ("advantage", 0.75)),
        ({"accuracy": 0.875}, ("accuracy", 0.875)),
        ({"tpr": 0.75, "fpr": 1 / 3}, ("tpr", 0.75)),
        ({"precision": 1.0, "k": 2}, ("precision 2", 1)),
        ({"precision": 0.75, "k": 4}, ("precision 4", 0.75)),
    ],
)
def test_the_bound_is_where_so_large_a_number_has_the_level(
    number: dict[str, float], shares: tuple[str, float]
) -> None:
    # Four members and non-members. The level is above the p-value of epsilon 0.
    name, least = shares

    def chance(epsilon: float) -> float:
        law = law_of_orders(4, 4, epsilon)
        return sum(law[each] for each in law if numbers_of(each)[name] >= least)

    level = 1.3 * chance(0.0)
    found = audit.certify(
        **number, n_members=4, n_nonmembers=4, confidence_level=1 - level, ties="none"
    )
    assert found.p_value == pytest.approx(chance(0.0), abs=1e-8)
    assert chance(found.low) <= level < chance(found.low + 0.02)
    place = {"tpr": "FPR 0.333333333333", "precision": f"k = {number.get('k')}"}
    assert found.place == place.get(name.split()[0], "")


Classes = tuple[int, int, int, int]  # members and non-members of the upper, then the lower class
ROUNDED = exp(-(FAR_TAIL_SDS**2) / 2)  # is added for tails that the period does not hold


@lru_cache
def mann_whitney(a: int, b: int) -> np.ndarray:
    """Of 0, ..., a b pairs with the member first: the quotient of polynomials, divided out."""
    ways = np.array([1], dtype=object)
    for i in range(1, a + 1):
        ways = np.convolve(ways, [1] + [0] * (b + i - 1) + [-1])
        for place in range(i, ways.size):
            ways[place] += ways[place - i]
        ways = ways[: ways.size - i]
    return np.array([each / comb(a + b, a) for each in ways.tolist()])


def law_of(classes: Classes) -> np.ndarray:
    """The probabilities of 0, 1, ... pairs with the member first."""
    a, b, c, d = classes
    return np.pad(np.convolve(mann_whitney(a, b), mann_whitney(c, d)), (a * d, 0))


def tails_of(cases: list[tuple[int, Classes]], tolerance: float = 0.0) -> np.ndarray:
    """What is found for pairs and classes that are looked at together."""
    pairs, classes = zip(*cases, strict=True)
    chances = np.ones(len(pairs))
    return _auc_tail_bounds_by_class_sizes(
        np.array(pairs), list(np.array(classes).T), chances, tolerance
    )


def deviation(law: np.ndarray) -> tuple[float, float]:
    pairs = np.arange(law.size)
    mean = float(law @ pairs)
    return mean, float(np.sqrt(law @ (pairs - mean) ** 2))


EVERY = [(3, 4, 2, 5), (1, 9, 6, 1), (12, 10, 9, 12), (0, 4, 3, 2), (5, 0, 0, 6), (3, 60, 2, 50)]


def test_tails_given_the_classes_are_exact_or_those_of_fact_1() -> None:
    laws = {each: law_of(each) for each in EVERY}
    cases = [(pairs, each) for each in EVERY for pairs in range(laws[each].size + 1)]
    for (pairs, each), found in zip(cases, tails_of(cases), strict=True):
        law = laws[each]
        mean, spread = deviation(law)
        if abs(pairs - mean) >= FAR_TAIL_SDS * spread:
            above = (pairs - mean) / spread if spread else np.inf * (pairs - mean)
            assert found == pytest.approx(exp(-(above**2) / 2) if pairs > mean else 1, rel=1e-9)
        else:
            assert found == pytest.approx(min(law[pairs:].sum() + ROUNDED, 1), abs=1e-12)


@pytest.mark.parametrize("classes", [(3, 200, 2, 260), (30, 30, 5, 4)])
def test_where_terms_are_too_many_noise_is_added(
    classes: Classes, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = law_of(classes)
    mean, spread = deviation(law)
    noise = NOISE_SD * spread
    assert noise > 2.6  # sums over whole numbers are integrals, nearly
    monkeypatch.setattr(worst_case_distribution, "MOST_TERMS", 1)
    cases = [(int(mean + at * spread), classes) for at in (-2, 0, 1, 2, 3)]
    for (pairs, _), found in zip(cases, tails_of(cases), strict=True):
        above = np.arange(law.size) - pairs + 0.5
        noisy = float(law @ ndtr(above / noise + MARGIN)) + ROUNDED
        assert found == pytest.approx(noisy / ndtr(MARGIN), abs=3e-6)
        assert found >= law[pairs:].sum()


def test_what_is_left_out_is_added_the_largest_of_all_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worst_case_distribution, "OMITTED_PROBABILITY", 1.0)
    classes = [(12, 10, 9, 10), (10, 12, 12, 12), (20, 20, 20, 20)]
    most = [
        float(_omitted_fourier_terms_bound([np.array([float(each)]) for each in of])[0])
        for of in classes
    ]
    assert 0.5 > most[0] > 1.5 * most[1] > 1e-2
    laws = [law_of(each) for each in classes]
    cases = [(int(deviation(law)[0]) + 50, of) for law, of in zip(laws, classes, strict=True)]
    for law, (pairs, _), found in zip(laws, cases, tails_of(cases), strict=True):
        assert found == pytest.approx(law[pairs:].sum() + most[0] + ROUNDED, abs=1e-8)


@parametrize(
    "classes",
    [
        (50, 50, 50, 50),
        (20, 60, 30, 10),
        (90, 10, 12, 95),
        (5, 5, 80, 70),
        (150, 20, 3, 4),
        (60, 60, 3, 80),
        (30, 30, 0, 50),
    ],
    slow_but=[(50, 50, 50, 50), (20, 60, 30, 10), (30, 30, 0, 50)],
)
def test_tails_of_large_classes_err_by_no_more_than_is_said(classes: Classes) -> None:
    law = law_of(classes)
    exact = np.append(np.cumsum(law[::-1])[::-1], 0.0)
    a, b, c, d = of = [np.full(exact.size, float(each)) for each in classes]
    variance = (a * b * (a + b + 1) + c * d * (c + d + 1)) / 12
    above = np.arange(exact.size) - a * d - (a * b + c * d) / 2
    found, error = _normal_tail_and_error(above, of, variance)
    largest = np.abs(found - exact).max()
    assert error[0] / 30 < largest < error[0] / 5
    assert error[0] < 2e-3
    # And where it is used, it is added.
    tails = tails_of([(pairs, classes) for pairs in range(exact.size)], tolerance=1e9)
    assert np.all(exact - 1e-12 <= tails)
    assert np.all(tails <= exact + 2 * error + _omitted_fourier_terms_bound(of))


@pytest.mark.parametrize("classes", [(6, 4, 3, 3), (4, 3, 9, 7), (40, 4, 0, 7)])
def test_the_error_of_large_classes_is_that_of_the_module(classes: Classes) -> None:
    a, b, c, d = of = [np.array([float(each)]) for each in classes]
    pairs = [(float(x), float(y), float(x + y)) for x, y in (classes[:2], classes[2:]) if x * y]
    v = sum(x * y * (n + 1) / 12 for x, y, n in pairs)
    w = sum(x * y * (n + 1) * (x * x + x * y + y * y + n) / 2880 for x, y, n in pairs)
    k, g = w / v**2, max(n for _, _, n in pairs) ** 2 / v
    h = np.pi**2 / (2 * g)
    error = 24 * k**2 + 0.28 * g * k + 0.05 / v + np.exp(-h) * (1.3 / h + 2 * k * (1 + h))
    variance = (a * b * (a + b + 1) + c * d * (c + d + 1)) / 12
    assert _normal_tail_and_error(a, of, variance)[1] == pytest.approx(error / np.pi, rel=1e-12)


def test_so_much_error_is_allowed_as_is_said() -> None:
    classes = (12, 10, 9, 12)
    law = law_of(classes)
    exact = np.append(np.cumsum(law[::-1])[::-1], 0.0)
    cases = [(pairs, classes) for pairs in range(exact.size)]
    excess: list[float] = []
    for tolerance in (0.0, 0.1, 1.0, 1e9):
        tails = tails_of(cases, tolerance)
        assert np.all(tails >= exact - 1e-12)
        excess.append(np.sum(tails - exact))
        assert excess[-1] <= excess[0] + tolerance
    assert np.all(np.diff(excess) > 0)


# By sums over t for all class sizes, which took seconds (commit b28fa39).
@pytest.mark.parametrize(
    ("n", "area", "epsilon", "delta", "chance"),
    [
        (10**6, 0.6, 0.3676, 0.01, 0.015029874),
        (10**6, 0.6, 0.4017, 1e-5, 0.018099938),
        (10**5, 0.999, 6.72, 0.01, 0.023560384),
    ],
)
def test_tails_of_huge_classes_are_those_of_all_sums(
    n: int, area: float, epsilon: float, delta: float, chance: float
) -> None:
    given = {"n": n, "m": n, "epsilon": epsilon, "delta": delta, "level": 0.05}
    assert chance_of_auc_at_least(round(area * n * n), **given) == pytest.approx(chance, rel=2e-3)


@pytest.mark.parametrize("values", [3, 160])
def test_rounded_class_sizes_make_no_area_rarer(
    values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, m, epsilon = 7, 6, 0.9
    q = 1 / (1 + exp(-epsilon))
    law = np.zeros(n * m + 1)
    for a in range(n + 1):
        for b in range(m + 1):
            given = law_of((a, b, n - a, m - b))
            law[: given.size] += binom.pmf(a, n, q) * binom.pmf(b, m, 1 - q) * given
    monkeypatch.setattr(worst_case_distribution, "VALUES", values)
    monkeypatch.setattr(worst_case_distribution, "FEWEST_VALUES", values)
    sizes = {"n": n, "m": m, "epsilon": epsilon, "delta": 0.0, "level": 0.05}
    for pairs in range(0, n * m + 1, 3):
        exact, found = law[pairs:].sum(), chance_of_auc_at_least(pairs, **sizes)
        assert exact - 1e-12 <= found <= exact + (1e-8 if values > n else 0.45)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (3, 0), (0, 4), (4, 3), (3, 5), (1, 6)])
def test_paths_reach_a_height_as_often_as_by_enumeration(a: int, b: int) -> None:
    for height in range(-3, a + 2):
        reaching = 0
        for ups in combinations(range(a + b), a):
            steps = np.isin(np.arange(a + b), ups) * 2 - 1
            reaching += max(np.cumsum(steps), default=0) >= height or height <= 0
        found = _chance_of_path_to_reach(*(np.array([each]) for each in (height, a, b)))
        assert found[0] == pytest.approx(reaching / comb(a + b, a), rel=1e-11)
        assert found[0] >= reaching / comb(a + b, a) or found[0] == 1


def test_rounding_makes_no_height_of_a_long_path_rarer() -> None:
    size = 10**6
    for height in range(1, 1500, 37):
        steps = np.arange(1, height + 1)
        exact = np.exp(np.sum(np.log1p(-height / (size + steps))))
        found = _chance_of_path_to_reach(*(np.array([each]) for each in (height, size, size)))[0]
        assert exact <= found <= exact * (1 + 1e-7)


@pytest.mark.parametrize(("n", "m", "lead"), [(60, 60, 21), (90, 30, 66), (30, 90, 5)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.4, 0.0), (0.4, 0.02)])
def test_a_lead_is_as_likely_as_by_a_walk_over_all_ranks(
    n: int, m: int, lead: int, epsilon: float, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Numbers of leaks are told apart alike.
    monkeypatch.setattr(worst_case_distribution, "LEAKS_OF_SIZES", 3)
    given = {"n": n, "m": m, "epsilon": epsilon, "delta": delta, "level": 0.05}
    cuts = np.arange(n + m + 1)
    exact = chance_of_crossing(cuts, -(-(cuts + lead) // 2), **given)
    assert 1e-6 < exact < 0.999
    found = chance_of_member_surplus_at_a_cut(lead, **given)
    assert exact * (1 - 1e-9) <= found <= exact * (1 if delta == 0 else 1.03) + 1e-8


def test_rounded_class_sizes_make_no_lead_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"n": 300, "m": 200, "epsilon": 0.5, "delta": 0.0, "level": 0.05}
    exact = chance_of_member_surplus_at_a_cut(135, **given)
    assert 0.01 < exact < 0.9
    found = []
    for values in (40, 10, 4):
        monkeypatch.setattr(worst_case_distribution, "VALUES", values)
        monkeypatch.setattr(worst_case_distribution, "FEWEST_VALUES", values)
        found.append(chance_of_member_surplus_at_a_cut(135, **given))
    assert exact < found[0] < found[1] < found[2] < 1


def test_a_lead_of_nobody_is_certain() -> None:
    given = {"n": 5, "m": 9, "epsilon": 0.0, "level": 0.05}
    assert chance_of_member_surplus_at_a_cut(0, **given, delta=0.0) == 1
    # Of delta 1, all members show themselves.
    assert chance_of_member_surplus_at_a_cut(5, **given, delta=1.0) == 1
    assert chance_of_member_surplus_at_a_cut(6, **given, delta=1.0) < 1e-12


# Walks with a cut at every 800th or 2000th rank, which took 3 to 30 seconds (commit 1aeacb8), gave
# less: what crosses between cuts counted as if it did at the next one.
@parametrize(
    ("delta", "walked", "normal"),
    [(0.0, 0.399378, 0.403), (1e-5, 0.394719, 0.403), (0.01, 0.377861, 0.386)],
    slow_but=[(0.0, 0.399378, 0.403)],
)
def test_a_million_records_certify_what_walks_say_or_more(
    delta: float, walked: float, normal: float
) -> None:
    sizes = {"n_members": 10**6, "n_nonmembers": 10**6, "delta": delta}
    by_advantage = audit.certify(advantage=0.2, **sizes).low
    assert walked < by_advantage < normal
    assert audit.certify(accuracy=0.6, **sizes).low == by_advantage
