"""Limits of one proportion and of ratios against sums over outcomes, SciPy and R's asbio."""

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest, norm

from benchmarks.methods.upper_limits import upper_limits_of_rates
from dpviz import audit, checks
from dpviz.audit.roc.intervals import INTERVALS, clopper_pearson, jeffreys

LEVELS = [0.5, 0.9, 0.95, 0.999]
SIZES = [1, 2, 7, 30, 1000]


def outcomes(n: int) -> np.ndarray:
    return np.arange(n + 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", range(1, 31))
def test_clopper_pearson_covers_every_proportion(n: int, level: float) -> None:
    x = outcomes(n)
    lower = clopper_pearson(x, n, confidence_level=level, side="lower")
    upper = clopper_pearson(x, n, confidence_level=level, side="upper")
    low, high = clopper_pearson(x, n, confidence_level=level)
    # Coverage is worst just beside a limit.
    limits = np.concatenate([lower, upper, low, high])
    beside = np.concatenate([limits - 1e-9, limits + 1e-9])
    p = np.clip(np.concatenate([np.linspace(0, 1, 101), beside]), 0, 1)[:, None]
    chances = binom.pmf(x, n, p)
    for covers in (lower <= p, p <= upper, (low <= p) & (p <= high)):
        assert np.min(np.sum(chances * covers, axis=1)) >= level - 1e-7


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_at_a_clopper_pearson_limit_the_outcome_is_exactly_as_rare_as_said(
    n: int, level: float
) -> None:
    x = outcomes(n)
    upper = clopper_pearson(x[:-1], n, confidence_level=level, side="upper")
    np.testing.assert_allclose(binom.cdf(x[:-1], n, upper), 1 - level, rtol=1e-8)
    lower = clopper_pearson(x[1:], n, confidence_level=level, side="lower")
    np.testing.assert_allclose(binom.sf(x[1:] - 1, n, lower), 1 - level, rtol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("name", "method"), [("clopper_pearson", "exact"), ("wilson", "wilson")])
def test_scipy_has_the_same_limits(name: str, method: str, level: float) -> None:
    for n in (1, 5, 40):
        for x in range(n + 1):
            for side, alternative in (
                ("both", "two-sided"),
                ("lower", "greater"),
                ("upper", "less"),
            ):
                if name == "wilson" and side != "both" and level <= 0.5:
                    continue  # both limits are the estimate itself
                found = INTERVALS[name](x, n, confidence_level=level, side=side)
                test = binomtest(x, n, alternative=alternative)
                known = test.proportion_ci(confidence_level=level, method=method)
                expected = {"both": known, "lower": known.low, "upper": known.high}[side]
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_jeffreys_limits_are_quantiles_of_the_posterior(n: int, level: float) -> None:
    x = outcomes(n)
    upper = jeffreys(x, n, confidence_level=level, side="upper")
    lower = jeffreys(x, n, confidence_level=level, side="lower")
    np.testing.assert_allclose(upper[:-1], beta.ppf(level, x + 0.5, n - x + 0.5)[:-1], rtol=1e-9)
    np.testing.assert_allclose(lower[1:], beta.ppf(1 - level, x + 0.5, n - x + 0.5)[1:], rtol=1e-9)


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_all_limits_are_ordered_and_mirrored(name: str, n: int, level: float) -> None:
    interval, x = INTERVALS[name], outcomes(n)
    low, high = interval(x, n, confidence_level=level)
    assert low[0] == 0
    assert high[-1] == 1
    assert np.all((low >= 0) & (high <= 1) & (low <= x / n + 1e-15) & (x / n <= high + 1e-15))
    assert np.all(np.diff(low) > 0)
    assert np.all(np.diff(high) > 0)
    np.testing.assert_allclose(low[::-1], 1 - high, rtol=0, atol=1e-13)
    for k, side in enumerate(("lower", "upper")):
        one_sided = interval(x, n, confidence_level=(1 + level) / 2, side=side)
        np.testing.assert_allclose(one_sided, (low, high)[k], rtol=1e-10)


@pytest.mark.parametrize("name", INTERVALS)
def test_more_confidence_means_wider_limits(name: str) -> None:
    x = outcomes(20)
    pairs = [INTERVALS[name](x, 20, confidence_level=level) for level in np.linspace(0.05, 0.99, 9)]
    for (low, high), (lower, higher) in pairwise(pairs):
        assert np.all(lower[1:] < low[1:])
        assert np.all(higher[:-1] > high[:-1])


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize("side", ["lower", "upper", "both"])
def test_arrays_hold_what_single_calls_give(name: str, side: str) -> None:
    successes, trials = np.array([[0], [2], [3]]), np.array([3, 10, 10**6])
    arguments: dict[str, Any] = {"confidence_level": 0.9, "side": side}
    found = INTERVALS[name](successes, trials, **arguments)
    for k, array in enumerate(found if side == "both" else (found,)):
        assert array.shape == (3, 3)
        for i, j in np.ndindex(3, 3):
            single = INTERVALS[name](int(successes[i, 0]), float(trials[j]), **arguments)
            single = single[k] if side == "both" else single
            assert isinstance(single, float)
            assert single == array[i, j]


@pytest.mark.parametrize("n", [1, 1000, 10**9, 10**12])
@pytest.mark.parametrize("level", [0.95, 1 - 1e-9])
def test_without_successes_the_exact_limit_is_a_power(n: int, level: float) -> None:
    upper = clopper_pearson(0, n, confidence_level=level, side="upper")
    assert upper == pytest.approx(-math.expm1(math.log(1 - level) / n), rel=1e-9)
    assert clopper_pearson(0, n, confidence_level=level)[0] == 0.0
    assert clopper_pearson(n, n, confidence_level=level)[1] == 1.0


@pytest.mark.parametrize("level", [1e-7, 1e-4, 0.05])
def test_limits_at_a_given_level_are_those_of_the_counts(level: float) -> None:
    x = outcomes(12)
    upper = upper_limits_of_rates(x, 12, level)
    np.testing.assert_allclose(binom.cdf(x[:-1], 12, upper[:-1]), level, rtol=1e-7)
    assert upper[-1] == 1
    many = np.array([0, 7, 19_999])  # more records than are tabulated
    np.testing.assert_allclose(
        binom.cdf(many, 20_000, upper_limits_of_rates(many, 20_000, level)), level, rtol=1e-6
    )


BAD: list[tuple[Any, Any, dict[str, Any], str]] = [
    (4, 3, {}, r"successes must be at most trials = 3, got 4"),
    ([3, 7], [3, 5], {}, r"successes must be at most trials = 5, got 7"),
    (-1, 3, {}, r"successes must be .*, got -1"),
    (0.5, 3, {}, r"successes must be .*, got 0\.5"),
    (math.nan, 3, {}, r"successes must be .*, got nan"),
    (math.inf, 3, {}, r"successes must be .*, got inf"),
    (True, 3, {}, r"successes must be .*, got True"),
    ("1", 3, {}, r"successes must be .*, got '1'"),
    (0, 0, {}, r"trials must be .*, got 0"),
    (1, 2.5, {}, r"trials must be .*, got 2\.5"),
    (1, math.nan, {}, r"trials must be .*, got nan"),
    (1, math.inf, {}, r"trials must be .*, got inf"),
    (1, 3, {"confidence_level": 0}, r"confidence_level must be .*, got 0"),
    (1, 3, {"confidence_level": 1}, r"confidence_level must be .*, got 1"),
    (1, 3, {"confidence_level": math.nan}, r"confidence_level must be .*, got nan"),
    (1, 3, {"confidence_level": 95}, r"confidence_level must be .*, got 95"),
    (1, 3, {"side": "left"}, r"side must be one of 'lower', 'upper', 'both', got 'left'"),
]


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize(("successes", "trials", "changed", "message"), BAD)
def test_bad_input_is_named_with_its_value(
    name: str, successes: Any, trials: Any, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        INTERVALS[name](successes, trials, **{"confidence_level": 0.95, **changed})


@pytest.mark.parametrize("values", [3, 3.0, np.int8(3), [0, 1, 2], np.zeros((2, 2)), []])
def test_counts_are_whole_numbers_of_any_shape(values: Any) -> None:
    found = checks.whole_numbers("x", values, 0)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize(
    ("values", "value"),
    [(0, "0"), ([2, 1.5, 0], r"1\.5"), ([[1], [-2]], "-2"), (-math.inf, "-inf"), ([1, None], None)],
)
def test_what_is_no_count_is_named(values: Any, value: str | None) -> None:
    with pytest.raises(ValueError, match=rf"^x must be .*, got {value}"):
        checks.whole_numbers("x", values, 1)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^successes must be at most trials = 2, got 3"):
        clopper_pearson(3, 2, confidence_level=0.95)


# `ci.prat` of https://CRAN.R-project.org/package=asbio: TP, FN, FP, TN and the lower limits at
# 95 % by katz_log, adjusted_log, bailey and inverse_sinh
ASBIO: list[tuple[tuple[int, int, int, int], tuple[float, float, float, float]]] = [
    ((473, 511, 755, 950), (1.01166194, 1.01189079, 1.01148934, 1.01167669)),
    ((2, 697, 213, 313), (0.00220470, 0.00310880, 0.00162322, 0.00233503)),
    ((1000, 10, 10, 10000), (589.27335593, 568.32659563, 613.58766147, 592.63264572)),
    ((0, 511, 755, 950), (0.0, 0.00021568, 0.0, 0.0)),
    ((2, 697, 0, 313), (0.13325535, 0.17571862, 0.18481008, 0.08081083)),
    ((0, 10, 0, 10000), (0.0, 0.0, 0.0, 0.0)),
    ((473, 0, 755, 950), (2.15959024, 2.15883995, 2.15787013, 2.15959827)),
    ((2, 697, 213, 0), (0.00089568, 0.00126522, 0.00066016, 0.00094821)),
    ((1000, 0, 10, 0), (0.93375356, 0.93686007, 0.93591485, 0.93381958)),
]
METHODS: tuple[Any, ...] = ("katz_log", "adjusted_log", "bailey", "inverse_sinh")


@pytest.mark.parametrize(("counts", "expected"), ASBIO)
def test_lower_limits_are_those_of_asbio(counts: Any, expected: Any) -> None:
    tp, fn, fp, tn = counts
    for method, low in zip(METHODS, expected, strict=True):
        found = audit.roc.ratio_interval(
            tp, tp + fn, fp, fp + tn, confidence_level=0.95, method=method, side="lower"
        )
        assert found == pytest.approx(low, abs=1.1e-8)


def test_lower_limits_are_their_textbook_formulas_wherever_nothing_is_all_or_none() -> None:
    n, m, z = 9, 12, norm.isf(0.05)
    for x, y in product(range(1, n), range(1, m)):
        ratio, variance = (x / n) / (y / m), 1 / x - 1 / n + 1 / y - 1 / m
        more = 1 / (x + 0.5) - 1 / (n + 0.5) + 1 / (y + 0.5) - 1 / (m + 0.5)
        shrunk = ((x + 0.5) / (n + 0.5)) / ((y + 0.5) / (m + 0.5))
        # Bailey's by Fieller: (a - r b)^2 = (z / 3)^2 (a^2 v + r^2 b^2 w), r the limit's cube root.
        a, b, v, w = (x / n) ** (1 / 3), (y / m) ** (1 / 3), 1 / x - 1 / n, 1 / y - 1 / m
        square = [b**2 * (1 - z**2 * w / 9), -2 * a * b, a**2 * (1 - z**2 * v / 9)]
        expected = (
            ratio * math.exp(-z * math.sqrt(variance)),
            shrunk * math.exp(-z * math.sqrt(more)),
            min(np.roots(square)) ** 3,
            ratio * math.exp(-2 * math.asinh(z / 2 * math.sqrt(variance))),
        )
        for method, low in zip(METHODS, expected, strict=True):
            found = audit.roc.ratio_interval(
                x, n, y, m, confidence_level=0.95, method=method, side="lower"
            )
            assert found == pytest.approx(low, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_each_limit_has_half_of_what_is_left(method: Any) -> None:
    tp, fp = np.array([900, 0, 10, 1000]), np.array([600, 14, 0, 1200])
    low, high = audit.roc.ratio_interval(tp, 1000, fp, 1200, confidence_level=0.9, method=method)
    assert np.all((low >= 0) & (low < high))
    for side, limit in (("lower", low), ("upper", high)):
        alone = audit.roc.ratio_interval(
            tp, 1000, fp, 1200, confidence_level=0.95, method=method, side=side
        )
        np.testing.assert_allclose(limit, alone, rtol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_they_cover_about_as_often_as_they_say(method: Any) -> None:
    n, m, p, q = 300, 200, 0.4, 0.15
    x, y = np.arange(n + 1), np.arange(m + 1)
    chance = np.outer(binom.pmf(x, n, p), binom.pmf(y, m, q))
    low, high = audit.roc.ratio_interval(
        x[:, None], n, y[None, :], m, confidence_level=0.9, method=method
    )
    covered = chance[(low <= p / q) & (p / q <= high)].sum()
    assert covered == pytest.approx(0.9, abs=0.015)


def test_nothing_flagged_has_no_upper_limit() -> None:
    low, high = audit.roc.ratio_interval(3, 10, 0, 10, confidence_level=0.9, method="katz_log")
    assert low > 0
    assert math.isinf(high)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"true_positives": 11}, r"true_positives must be at most n_members = 10, got 11"),
        ({"true_positives": [10, 11]}, r"true_positives must be at most n_members = 10, got 11"),
        ({"false_positives": 1.5}, r"false_positives must be whole numbers"),
        ({"n_nonmembers": 0}, r"n_nonmembers must be whole numbers of at least 1"),
        ({"confidence_level": 1.0}, r"confidence_level must be in \(0, 1\)"),
        ({"method": "wald"}, r"method must be one of"),
        ({"side": "left"}, r"side must be one of"),
    ],
)
def test_bad_input(arguments: dict[str, Any], message: str) -> None:
    usual = {"true_positives": 5, "n_members": 10, "false_positives": 1, "n_nonmembers": 10}
    with pytest.raises(ValueError, match=message):
        audit.roc.ratio_interval(**{**usual, "confidence_level": 0.9, **arguments})
