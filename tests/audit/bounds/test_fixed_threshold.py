"""Bounds and intervals from error counts at a threshold that was fixed in advance."""

import math
from dataclasses import FrozenInstanceError, asdict
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom

from dpviz.audit import AttackScores, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds import EpsilonBound, Evidence
from dpviz.audit.bounds.fixed_threshold import AttackEpsilonInterval, attack_epsilon_interval
from dpviz.theory import epsilon_at
from tests.audit.oracles import of_losses
from tests.slow import parametrize


def bound_of(
    fp: int,
    m: int,
    fn: int,
    n: int,
    *,
    delta: float = 0.0,
    confidence_level: float = 0.95,
) -> EpsilonBound:
    return lower_bound_from_counts(
        false_positives=fp,
        n_nonmembers=m,
        false_negatives=fn,
        n_members=n,
        delta=delta,
        confidence_level=confidence_level,
    )


def implied(fpr: float, fnr: float, delta: float) -> float:
    """The larger of log((1 - fnr - delta) / fpr) and log((1 - fpr - delta) / fnr), at least 0."""
    return max(
        [0.0]
        + [
            math.log((1 - a - delta) / b)
            for a, b in ((fnr, fpr), (fpr, fnr))
            if 1 - a - delta > 0 and b > 0
        ]
    )


def evidence_of(bound: EpsilonBound) -> Evidence:
    (evidence,) = bound.evidence
    assert isinstance(evidence, Evidence)
    return evidence


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 9), (7, 7), (5, 20)])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.2])
def test_limits_are_quantiles_and_imply_the_bound(n: int, m: int, delta: float) -> None:
    for fp in range(m + 1):
        for fn in range(n + 1):
            bound = bound_of(fp, m, fn, n, delta=delta)
            limits = [
                1.0 if x == size else beta.ppf(0.975, x + 1, size - x)
                for x, size in ((fp, m), (fn, n))
            ]
            evidence = evidence_of(bound)
            np.testing.assert_allclose([evidence.fpr_upper, evidence.fnr_upper], limits, rtol=1e-9)
            assert bound.low == pytest.approx(implied(*limits, delta), rel=1e-8, abs=1e-12)
            counts = (evidence.false_positives, evidence.false_negatives, evidence.threshold)
            assert counts == (fp, fn, None)


@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0])
@parametrize(("n", "m"), [(3, 3), (5, 9), (12, 12)], slow_but=[(5, 9)])
def test_the_exact_bound_exceeds_epsilon_at_most_as_rarely_as_said(
    n: int, m: int, epsilon: float, delta: float
) -> None:
    for level in (0.6, 0.95):
        lows = np.array(
            [
                [
                    bound_of(fp, m, fn, n, delta=delta, confidence_level=level).low
                    for fn in range(n + 1)
                ]
                for fp in range(m + 1)
            ]
        )
        for fpr in np.linspace(0, 1 - delta, 21):  # every attack on the edge of the region
            fnr = max(
                0.0,
                1 - delta - math.exp(epsilon) * fpr,
                math.exp(-epsilon) * (1 - delta - fpr),
            )
            chances = np.outer(
                binom.pmf(np.arange(m + 1), m, fpr), binom.pmf(np.arange(n + 1), n, fnr)
            )
            assert np.sum(chances[lows > epsilon + 1e-9]) <= 1 - level + 1e-12


def test_the_bound_falls_with_errors_with_delta_and_with_confidence() -> None:
    def low(fp: int, fn: int, delta: float, level: float) -> float:
        return bound_of(fp, 50, fn, 40, delta=delta, confidence_level=level).low

    for chain in (
        [low(fp, 5, 1e-3, 0.95) for fp in range(0, 17, 5)],
        [low(5, fn, 1e-3, 0.95) for fn in range(0, 14, 4)],
        [low(3, 8, delta, 0.95) for delta in (1e-9, 1e-5, 0.01, 0.1, 0.3, 1)],
        [low(3, 8, 1e-3, level) for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)],
    ):
        assert np.all(np.diff(chain) <= 1e-7)
        assert chain[0] > chain[-1] >= 0
    assert low(3, 8, 1.0, 0.95) == 0


def test_more_records_with_the_same_rates_show_more() -> None:
    lows = [bound_of(k, 10 * k, 2 * k, 10 * k, delta=1e-5).low for k in (1, 5, 50)]
    assert np.all(np.diff(lows) > 0)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"false_positives": 11}, r"false_positives must be .* from 0 to 10, got 11"),
    ({"false_negatives": 21}, r"false_negatives must be .* from 0 to 20, got 21"),
    ({"false_positives": -1}, r"false_positives must be .*, got -1"),
    ({"false_negatives": 1.5}, r"false_negatives must be .*, got 1\.5"),
    ({"n_members": 0}, r"n_members must be .*, got 0"),
    ({"n_nonmembers": math.nan}, r"n_nonmembers must be .*, got nan"),
    ({"delta": -0.1}, r"delta must be .*, got -0\.1"),
    ({"delta": 1.1}, r"delta must be .*, got 1\.1"),
    ({"confidence_level": 1.0}, r"confidence_level must be .*, got 1\.0"),
    ({"confidence_level": 0.0}, r"confidence_level must be .*, got 0\.0"),
    ({"applies_to": "model"}, r"applies_to must be one of 'instance', 'mechanism', got 'model'"),
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
        lower_bound_from_counts(**{**arguments, **changed})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"delta": 1.01}, r"delta must be in \[0, 1\], got 1.01"),
        ({"delta": 0, "confidence_level": 1.0}, r"confidence_level must be in \[0.5, 1\), got 1"),
    ],
)
def test_what_is_no_probability_is_named(given: dict[str, float], message: str) -> None:
    counts = {"false_positives": 1, "n_nonmembers": 9, "false_negatives": 1, "n_members": 9}
    with pytest.raises(ValueError, match=message):
        lower_bound_from_counts(**counts, **given)


@cache
def interval_of(
    fp: int,
    m: int,
    fn: int,
    n: int,
    *,
    delta: float = 0.0,
    level: float = 0.95,
) -> AttackEpsilonInterval:
    return attack_epsilon_interval(
        false_positives=fp,
        n_nonmembers=m,
        false_negatives=fn,
        n_members=n,
        delta=delta,
        confidence_level=level,
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


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_ends_are_those_of_a_rectangle_of_rates(delta: float) -> None:
    for fp, fn in ((0, 0), (0, 4), (3, 7), (11, 2), (15, 15), (28, 20), (30, 25)):
        sides = []
        for x, size in ((fp, 30), (fn, 25)):
            low = 0.0 if x == 0 else beta.ppf(0.0125, x, size - x + 1)
            high = 1.0 if x == size else beta.isf(0.0125, x + 1, size - x)
            sides.append(np.linspace(low, high, 301))
        inside = epsilon_at(fpr=sides[0][:, None], fnr=sides[1], delta=delta)
        found = interval_of(fp, 30, fn, 25, delta=delta)
        assert found.high == pytest.approx(np.max(inside), rel=1e-9)
        # Over the rectangle, 0 is reached between two points of the grid.
        assert found.low <= np.min(inside) + 1e-9
        assert found.low == pytest.approx(np.min(inside), abs=0.02)


def test_low_is_the_lower_bound_at_half_of_what_is_left() -> None:
    counts = {"false_positives": 4, "n_nonmembers": 60, "false_negatives": 9, "n_members": 50}
    bound = lower_bound_from_counts(**counts, delta=1e-5, confidence_level=0.975)  # type: ignore[arg-type]
    assert interval_of(4, 60, 9, 50, delta=1e-5).low == pytest.approx(bound.low)


@pytest.mark.parametrize("counts", [(0, 20, 0, 30), (2, 20, 9, 30), (20, 20, 30, 30), (0, 1, 1, 1)])
def test_a_higher_level_gives_a_wider_interval(counts: tuple[int, int, int, int]) -> None:
    for delta in (0.0, 0.05):
        found = [
            interval_of(*counts, delta=delta, level=level)
            for level in (0.5, 0.8, 0.9, 0.99, 1 - 1e-9)
        ]
        assert np.all(np.diff([interval.low for interval in found]) <= 1e-8)
        highs = [interval.high for interval in found]
        assert all(a <= b + 1e-8 for a, b in pairwise(highs))
        assert all(0 <= interval.low <= interval.high for interval in found)


def test_classes_and_guesses_may_change_names() -> None:
    ends = [
        (interval.low, interval.high)
        for interval in (
            interval_of(3, 40, 12, 30, delta=0.01),
            interval_of(12, 30, 3, 40, delta=0.01),
            interval_of(37, 40, 18, 30, delta=0.01),
        )
    ]
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)
    assert ends[2] == pytest.approx(ends[0], abs=1e-8)


def test_more_records_close_in_on_the_epsilon_of_the_rates() -> None:
    found = [interval_of(k, 10 * k, 3 * k, 10 * k, delta=1e-5) for k in (1, 30, 10**6)]
    widths = [interval.high - interval.low for interval in found]
    assert widths[0] > widths[1] > widths[2]
    assert found[-1].low < truth(0.1, 0.3, 1e-5) < found[-1].high < found[-1].low + 0.01


def test_without_errors_of_a_kind_there_is_no_upper_end() -> None:
    for fp, fn in ((0, 20), (5, 0), (0, 0), (50, 20), (5, 40)):
        assert interval_of(fp, 50, fn, 40, delta=0.01).high == math.inf


def test_all_epsilons_are_0_at_delta_1() -> None:
    found = interval_of(0, 50, 0, 40, delta=1.0)
    assert (found.low, found.high) == (0, 0)


def test_the_interval_says_what_it_rests_on() -> None:
    found = interval_of(3, 40, 12, 30, delta=0.01, level=0.9)
    told = asdict(found)
    del told["low"], told["high"]
    assert told == {
        "delta": 0.01,
        "confidence_level": 0.9,
        "false_positives": 3,
        "n_nonmembers": 40,
        "false_negatives": 12,
        "n_members": 30,
    }
    with pytest.raises(FrozenInstanceError):
        found.high = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(("changed", "message"), BAD[:-1])
def test_bad_input_of_an_interval_is_named(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "false_positives": 1,
        "n_nonmembers": 10,
        "false_negatives": 2,
        "n_members": 20,
        "delta": 0.0,
    }
    with pytest.raises(ValueError, match=message):
        attack_epsilon_interval(**{**arguments, **changed})


@pytest.mark.parametrize("kind", ["loss", "score"])
@pytest.mark.parametrize("tau", [-10.0, -0.5, 0.0, 1.0, 10.0])
def test_a_threshold_is_in_the_unit_of_the_scores_and_includes_ties(kind: str, tau: float) -> None:
    rng = np.random.default_rng(7)
    member, nonmember = rng.integers(-2, 3, 60).astype(float), rng.integers(-1, 4, 80).astype(float)
    if kind == "loss":
        scores = of_losses(list(member), list(nonmember))
        errors = np.sum(nonmember <= tau), np.sum(member > tau)
    else:
        scores = AttackScores(member=member, nonmember=nonmember)
        errors = np.sum(nonmember >= tau), np.sum(member < tau)
    bound = lower_bound(scores, delta=0.0, method="clopper_pearson", threshold=tau)
    evidence = evidence_of(bound)
    assert (evidence.false_positives, evidence.false_negatives) == errors
    assert evidence.threshold == tau
    expected = implied(
        *(
            1.0 if x == size else float(beta.isf(0.025, x + 1, size - x))
            for x, size in zip(errors, (80, 60), strict=True)
        ),
        0.0,
    )
    assert bound.low == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_preset_threshold_has_to_be_given() -> None:
    scores = of_losses([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"threshold must be given for method 'clopper_pearson'"):
        lower_bound(scores, delta=0.0, method="clopper_pearson")
    with pytest.raises(ValueError, match=r"threshold must be .*, got nan"):
        lower_bound(scores, delta=0.0, method="clopper_pearson", threshold=math.nan)
