"""The law of every number and the bounds that follow from it: by enumeration, as fractions."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, exp, lcm

import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dpviz import audit
from dpviz.audit.bounds import number_law
from dpviz.audit.bounds.number_law import LARGEST, NumberLaw, Published, refuted_up_to

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
    found |= {f"precision {k}": Fraction(at[k][0], k) for k in (1, n, n + m)}
    return found


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 2), (1, 1)])
@pytest.mark.parametrize("epsilon", [0.0, 1.3])
def test_each_number_is_reached_as_often_as_by_enumeration(n: int, m: int, epsilon: float) -> None:
    law = law_of_orders(n, m, epsilon)
    units = {"auc": 2 * n * m, "advantage": lcm(n, m), "accuracy": n + m, "tpr": n}
    third = Published(name="fpr", text="1/3", low=Fraction(1, 3), high=Fraction(34, 100))
    numbers = {each: numbers_of(each) for each in law}
    for name in next(iter(numbers.values())):
        statistic, _, k = name.partition(" ")
        of_number = NumberLaw(
            statistic=statistic,
            n_members=n,
            n_nonmembers=m,
            delta=0.0,
            level=0.21,
            ties="none",
            fpr=third if name == "tpr" else None,
            k=int(k or 0),
        )
        total = of_number.total
        assert total == (int(k) if k else units[name])
        assert Fraction(of_number.most, total) == max(each[name] for each in numbers.values())
        by_chance = total
        for count in reversed(range(of_number.most + 1)):
            reaching = [each for each in law if numbers[each][name] >= Fraction(count, total)]
            exact = sum(law[each] for each in reaching)
            assert of_number.chance(count)(epsilon) == pytest.approx(exact, abs=1e-8)
            at_zero = len(reaching) / comb(n + m, n)
            by_chance = count if at_zero <= of_number.level else by_chance
        assert of_number.by_chance == by_chance


@pytest.mark.parametrize("root", [0.05, 2.0, 45.0])
@pytest.mark.parametrize("start", [0.0, 0.04, 0.1, 3.0, 50.0])
@pytest.mark.parametrize("slope", [1.0, 0.1, 40.0])
def test_epsilons_are_refuted_up_to_the_root(root: float, start: float, slope: float) -> None:
    level, asked = 0.05, []

    def chance(epsilon: float) -> float:
        asked.append(epsilon)
        return float(ndtr(ndtri(level) + slope * (epsilon - root)))

    found = refuted_up_to(chance, level, start=start)
    assert root - 2e-3 * (root + 0.1) - 0.01 / slope <= found <= root
    assert min(asked) >= 0
    assert len(asked) <= 25


def test_where_the_probability_jumps_the_search_goes_on() -> None:
    for root in (0.3, 7.0):
        found = refuted_up_to(lambda at, root=root: 0.001 if at <= root else 0.9, 0.05)
        assert root - 2e-3 * (root + 0.1) <= found <= root


def test_what_is_never_or_always_refuted() -> None:
    for start in (0.0, 3.0):
        assert refuted_up_to(lambda _: 0.06, 0.05, start=start) == 0
        assert refuted_up_to(lambda _: 0.05, 0.05, start=start) > LARGEST
        assert refuted_up_to(lambda _: 1.0, 0.9999999, start=start) == 0
        assert refuted_up_to(lambda _: 0.0, 1e-100, start=start) > LARGEST


def test_fewer_thresholds_are_on_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    law = law_of_orders(3, 4, 0.5)
    given = {
        "statistic": "advantage",
        "n_members": 3,
        "n_nonmembers": 4,
        "delta": 0.0,
        "level": 0.1,
    }
    of_number = NumberLaw(**given)
    monkeypatch.setattr(number_law, "MOST_CUTS", 3)
    for count in range(of_number.total + 1):
        share = Fraction(count, of_number.total)
        exact = sum(law[each] for each in law if numbers_of(each)["advantage"] >= share)
        assert exact <= of_number.chance(count)(0.5) <= 1


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
        ({"precision": 1.0, "k": 1}, ("precision 1", 1)),
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
