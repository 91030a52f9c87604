"""The interval of one attack: exact coverage over all outcomes, rectangles, the posterior."""

import math
from dataclasses import FrozenInstanceError, asdict
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom

from dpviz.audit import lower_bound_from_counts
from dpviz.audit.bounds import joint_beta_cdf
from dpviz.audit.bounds.fixed_threshold import AttackEpsilonInterval, attack_epsilon_interval
from dpviz.theory import epsilon_at

METHODS = ["clopper_pearson", "jeffreys", "joint_beta"]


@cache
def interval_of(
    fp: int,
    m: int,
    fn: int,
    n: int,
    *,
    delta: float = 0.0,
    level: float = 0.95,
    method: str = "clopper_pearson",
) -> AttackEpsilonInterval:
    return attack_epsilon_interval(
        false_positives=fp,
        n_nonmembers=m,
        false_negatives=fn,
        n_members=n,
        delta=delta,
        confidence_level=level,
        method=method,
    )


def truth(fpr: float, fnr: float, delta: float) -> float:
    return float(epsilon_at(fpr=fpr, fnr=fnr, delta=delta))


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.2])
@pytest.mark.parametrize(("m", "n"), [(3, 3), (5, 14), (14, 14)])
def test_both_ends_hold_at_least_as_often_as_said(m: int, n: int, delta: float) -> None:
    for level in (0.6, 0.95):
        found = [
            [interval_of(fp, m, fn, n, delta=delta, level=level) for fn in range(n + 1)]
            for fp in range(m + 1)
        ]
        low = np.array([[interval.low for interval in row] for row in found])
        high = np.array([[interval.high for interval in row] for row in found])
        rates = (0.0, 0.01, 0.1, 0.35, 0.5, 0.8, 0.99, 1.0)
        for fpr in rates:
            for fnr in rates:
                chances = np.outer(
                    binom.pmf(np.arange(m + 1), m, fpr), binom.pmf(np.arange(n + 1), n, fnr)
                )
                epsilon = truth(fpr, fnr, delta)
                holds = (low <= epsilon + 1e-9) & (epsilon <= high + 1e-9)
                assert chances[holds].sum() >= level - 1e-12


@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys"])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_ends_are_those_of_a_rectangle_of_rates(method: str, delta: float) -> None:
    left, right = (0, 1) if method == "clopper_pearson" else (0.5, 0.5)
    for fp, fn in ((0, 0), (0, 4), (3, 7), (11, 2), (15, 15), (28, 20), (30, 25)):
        sides = []
        for x, size in ((fp, 30), (fn, 25)):
            low = 0.0 if x == 0 else beta.ppf(0.0125, x + left, size - x + right)
            high = 1.0 if x == size else beta.isf(0.0125, x + right, size - x + left)
            sides.append(np.linspace(low, high, 301))
        inside = epsilon_at(fpr=sides[0][:, None], fnr=sides[1], delta=delta)
        found = interval_of(fp, 30, fn, 25, delta=delta, method=method)
        assert found.high == pytest.approx(np.max(inside), rel=1e-9)
        # Over the rectangle, 0 is reached between two points of the grid.
        assert found.low <= np.min(inside) + 1e-9
        assert found.low == pytest.approx(np.min(inside), abs=0.02)


@pytest.mark.parametrize("counts", [(5, 50, 10, 40), (0, 50, 0, 50), (45, 50, 30, 40)])
def test_the_posterior_has_the_level_between_and_half_the_rest_on_either_side(
    counts: tuple[int, int, int, int],
) -> None:
    fp, m, fn, n = counts
    for level in (0.5, 0.95):
        found = interval_of(*counts, delta=1e-5, level=level, method="joint_beta")
        below = [
            joint_beta_cdf(
                epsilon,
                false_positives=fp,
                true_negatives=m - fp,
                false_negatives=fn,
                true_positives=n - fn,
                delta=1e-5,
            )
            for epsilon in (found.low, found.high)
        ]
        assert below == pytest.approx([(1 - level) / 2, (1 + level) / 2], abs=1e-7)


@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys"])
def test_low_is_the_lower_bound_at_half_of_what_is_left(method: str) -> None:
    counts = {"false_positives": 4, "n_nonmembers": 60, "false_negatives": 9, "n_members": 50}
    bound = lower_bound_from_counts(**counts, delta=1e-5, confidence_level=0.975, method=method)  # type: ignore[arg-type]
    assert interval_of(4, 60, 9, 50, delta=1e-5, method=method).low == pytest.approx(bound.low)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("counts", [(0, 20, 0, 30), (2, 20, 9, 30), (20, 20, 30, 30), (0, 1, 1, 1)])
def test_a_higher_level_gives_a_wider_interval(
    counts: tuple[int, int, int, int], method: str
) -> None:
    for delta in (0.0, 0.05):
        found = [
            interval_of(*counts, delta=delta, level=level, method=method)
            for level in (1e-9, 0.1, 0.5, 0.9, 0.99, 1 - 1e-9)
        ]
        assert np.all(np.diff([interval.low for interval in found]) <= 1e-8)
        highs = [interval.high for interval in found]
        assert all(a <= b + 1e-8 for a, b in pairwise(highs))
        assert all(0 <= interval.low <= interval.high for interval in found)


@pytest.mark.parametrize("method", METHODS)
def test_classes_and_guesses_may_change_names(method: str) -> None:
    ends = [
        (interval.low, interval.high)
        for interval in (
            interval_of(3, 40, 12, 30, delta=0.01, method=method),
            interval_of(12, 30, 3, 40, delta=0.01, method=method),
            interval_of(37, 40, 18, 30, delta=0.01, method=method),
        )
    ]
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)
    assert ends[2] == pytest.approx(ends[0], abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_more_records_close_in_on_the_epsilon_of_the_rates(method: str) -> None:
    found = [
        interval_of(k, 10 * k, 3 * k, 10 * k, delta=1e-5, method=method) for k in (1, 30, 10**6)
    ]
    widths = [interval.high - interval.low for interval in found]
    assert widths[0] > widths[1] > widths[2]
    assert found[-1].low < truth(0.1, 0.3, 1e-5) < found[-1].high < found[-1].low + 0.01


def test_without_errors_of_a_kind_there_is_no_upper_end() -> None:
    for fp, fn in ((0, 20), (5, 0), (0, 0), (50, 20), (5, 40)):
        for method in ("clopper_pearson", "jeffreys"):
            assert interval_of(fp, 50, fn, 40, delta=0.01, method=method).high == math.inf
        assert interval_of(fp, 50, fn, 40, delta=0.01, method="joint_beta").high < math.inf


@pytest.mark.parametrize("method", METHODS)
def test_all_epsilons_are_0_at_delta_1(method: str) -> None:
    found = interval_of(0, 50, 0, 40, delta=1.0, method=method)
    assert (found.low, found.high) == (0, 0)


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_says_what_it_rests_on(method: str) -> None:
    found = interval_of(3, 40, 12, 30, delta=0.01, level=0.9, method=method)
    told = asdict(found)
    del told["low"], told["high"], told["assumption"]
    assert told == {
        "delta": 0.01,
        "confidence_level": 0.9,
        "method": method,
        "false_positives": 3,
        "n_nonmembers": 40,
        "false_negatives": 12,
        "n_members": 30,
    }
    assert ("prior" in found.assumption) == (method != "clopper_pearson")
    with pytest.raises(FrozenInstanceError):
        found.high = 1.0  # type: ignore[misc]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"false_positives": 11}, r"false_positives must be .* from 0 to 10, got 11"),
    ({"false_negatives": -1}, r"false_negatives must be .*, got -1"),
    ({"false_negatives": 1.5}, r"false_negatives must be .*, got 1\.5"),
    ({"n_members": 0}, r"n_members must be .*, got 0"),
    ({"n_nonmembers": math.nan}, r"n_nonmembers must be .*, got nan"),
    ({"delta": -0.1}, r"delta must be .*, got -0\.1"),
    ({"delta": 1.1}, r"delta must be .*, got 1\.1"),
    ({"confidence_level": 1.0}, r"confidence_level must be .*, got 1\.0"),
    ({"confidence_level": 0.0}, r"confidence_level must be .*, got 0\.0"),
    ({"method": "gdp"}, r"method must be one of 'clopper_pearson', .*'joint_beta', got 'gdp'"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_bad_input_is_named_with_its_value(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "false_positives": 1,
        "n_nonmembers": 10,
        "false_negatives": 2,
        "n_members": 20,
        "delta": 0.0,
    }
    with pytest.raises(ValueError, match=message):
        attack_epsilon_interval(**{**arguments, **changed})
