"""Tails of the area given the classes, and of all rankings: against exact distributions."""

from functools import lru_cache
from math import comb, exp

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from dpviz.audit.bounds import number_law as area_law
from dpviz.audit.bounds import number_law as class_sizes
from dpviz.audit.bounds.number_law import (
    FAR,
    MARGIN,
    _of_large_classes,
    _omitted,
    _tail,
    chance_of_area,
)
from dpviz.audit.bounds.number_law import SMOOTHING as NOISE
from tests.slow import parametrize

Classes = tuple[int, int, int, int]  # members and non-members of the upper, then the lower class
ROUNDED = exp(-(FAR**2) / 2)  # is added for tails that the period does not hold


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
    return _tail(np.array(pairs), list(np.array(classes).T), chances, tolerance)


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
        if abs(pairs - mean) >= FAR * spread:
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
    noise = NOISE * spread
    assert noise > 2.6  # sums over whole numbers are integrals, nearly
    monkeypatch.setattr(area_law, "MOST_TERMS", 1)
    cases = [(int(mean + at * spread), classes) for at in (-2, 0, 1, 2, 3)]
    for (pairs, _), found in zip(cases, tails_of(cases), strict=True):
        above = np.arange(law.size) - pairs + 0.5
        noisy = float(law @ ndtr(above / noise + MARGIN)) + ROUNDED
        assert found == pytest.approx(noisy / ndtr(MARGIN), abs=3e-6)
        assert found >= law[pairs:].sum()


def test_what_is_left_out_is_added_the_largest_of_all_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(area_law, "ENOUGH", 1.0)
    classes = [(12, 10, 9, 10), (10, 12, 12, 12), (20, 20, 20, 20)]
    most = [float(_omitted([np.array([float(each)]) for each in of])[0]) for of in classes]
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
    found, error = _of_large_classes(above, of, variance)
    largest = np.abs(found - exact).max()
    assert error[0] / 30 < largest < error[0] / 5
    assert error[0] < 2e-3
    # And where it is used, it is added.
    tails = tails_of([(pairs, classes) for pairs in range(exact.size)], tolerance=1e9)
    assert np.all(exact - 1e-12 <= tails)
    assert np.all(tails <= exact + 2 * error + _omitted(of))


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
    assert _of_large_classes(a, of, variance)[1] == pytest.approx(error / np.pi, rel=1e-12)


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
    given = {"n_members": n, "n_nonmembers": n, "epsilon": epsilon, "delta": delta, "level": 0.05}
    assert chance_of_area(round(area * n * n), **given) == pytest.approx(chance, rel=2e-3)


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
    monkeypatch.setattr(class_sizes, "VALUES", values)
    monkeypatch.setattr(class_sizes, "FEWEST_VALUES", values)
    sizes = {"n_members": n, "n_nonmembers": m, "epsilon": epsilon, "delta": 0.0, "level": 0.05}
    for pairs in range(0, n * m + 1, 3):
        exact, found = law[pairs:].sum(), chance_of_area(pairs, **sizes)
        assert exact - 1e-12 <= found <= exact + (1e-8 if values > n else 0.45)
