"""Limits of one proportion against sums over all outcomes and SciPy's own intervals."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest

from dpviz import checks
from dpviz.audit.roc.intervals import INTERVALS, clopper_pearson, jeffreys, upper_rates

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
    upper = upper_rates(x, 12, level)
    np.testing.assert_allclose(binom.cdf(x[:-1], 12, upper[:-1]), level, rtol=1e-7)
    assert upper[-1] == 1
    many = np.array([0, 7, 19_999])  # more records than are tabulated
    np.testing.assert_allclose(
        binom.cdf(many, 20_000, upper_rates(many, 20_000, level)), level, rtol=1e-6
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
    found = checks.counts("x", values, 0)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize(
    ("values", "value"),
    [(0, "0"), ([2, 1.5, 0], r"1\.5"), ([[1], [-2]], "-2"), (-math.inf, "-inf"), ([1, None], None)],
)
def test_what_is_no_count_is_named(values: Any, value: str | None) -> None:
    with pytest.raises(ValueError, match=rf"^x must be .*, got {value}"):
        checks.counts("x", values, 1)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^successes must be at most trials = 2, got 3"):
        clopper_pearson(3, 2, confidence_level=0.95)
