"""Limits of TPR / FPR against the R package asbio, whose numbers TensorFlow Privacy tests with."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from dpviz import audit

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
        found = audit.ratio_interval(
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
            found = audit.ratio_interval(
                x, n, y, m, confidence_level=0.95, method=method, side="lower"
            )
            assert found == pytest.approx(low, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_each_limit_has_half_of_what_is_left(method: Any) -> None:
    tp, fp = np.array([900, 0, 10, 1000]), np.array([600, 14, 0, 1200])
    low, high = audit.ratio_interval(tp, 1000, fp, 1200, confidence_level=0.9, method=method)
    assert np.all((low >= 0) & (low < high))
    for side, limit in (("lower", low), ("upper", high)):
        alone = audit.ratio_interval(
            tp, 1000, fp, 1200, confidence_level=0.95, method=method, side=side
        )
        np.testing.assert_allclose(limit, alone, rtol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_they_cover_about_as_often_as_they_say(method: Any) -> None:
    n, m, p, q = 300, 200, 0.4, 0.15
    x, y = np.arange(n + 1), np.arange(m + 1)
    chance = np.outer(binom.pmf(x, n, p), binom.pmf(y, m, q))
    low, high = audit.ratio_interval(
        x[:, None], n, y[None, :], m, confidence_level=0.9, method=method
    )
    covered = chance[(low <= p / q) & (p / q <= high)].sum()
    assert covered == pytest.approx(0.9, abs=0.015)


def test_nothing_flagged_has_no_upper_limit() -> None:
    low, high = audit.ratio_interval(3, 10, 0, 10, confidence_level=0.9, method="katz_log")
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
        audit.ratio_interval(**{**usual, "confidence_level": 0.9, **arguments})
