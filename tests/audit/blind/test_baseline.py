"""The blind baseline: exact rates of small populations, no leak, drift, many rows."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import blind
from dpviz.audit.blind import blind_baseline

LIMITS = ("AUC", "TPR", "AUC difference", "TPR difference")


def rows(n: int, shift: float = 0.0, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([n, seed]).normal(shift, 1, (n, 3))


def test_where_features_tell_nothing_the_p_value_keeps_its_level() -> None:
    """Of 80 data sets: P(Bin(80, 0.1) > 15) < 0.01; and the AUC's limits miss 1/2 rarely."""
    false = missed = 0
    for seed in range(80):
        found = blind_baseline(rows(40, seed=seed), rows(60, seed=seed), n_resamples=99, rng=seed)
        false += found.p_value <= 0.1
        missed += not found.auc.low <= 0.5 <= found.auc.high
    assert false <= 15
    assert missed <= 9  # P(Bin(80, 0.05) > 9) < 0.01


@pytest.mark.parametrize(
    "law",
    ["null, 3 features", "shift", "weak shift, attack knows it", "attack knows nothing else"],
)
def test_limits_cover_the_exact_rates_of_small_populations(law: str) -> None:
    """Of 40 runs at 95 %: P(Bin(40, 0.05) > 6) < 0.01. More cells: `benchmarks/blind.py`."""
    row = dict(zip(blind.COLUMNS, blind.measure(law, 60, 90, runs=40, resamples=1), strict=True))
    assert all(row[name] <= 6 for name in LIMITS), row


def test_the_auc_is_the_mean_of_both_halves_by_hand() -> None:
    found = blind_baseline(rows(30), rows(41, 0.5))
    areas = []
    for half in found.halves:
        pairs = np.sign(half.scores.member[:, None] - half.scores.nonmember)
        areas.append((pairs.mean() + 1) / 2)
    assert found.auc.value == pytest.approx(np.mean(areas), rel=1e-12)
    for name, n in (("member_rows", 30), ("nonmember_rows", 41)):
        together = np.concatenate([getattr(half, name) for half in found.halves])
        assert sorted(together) == [*range(n)]


def test_the_p_value_is_twice_the_smaller_one_of_both_halves() -> None:
    """Beside SciPy's exact p-values: within four standard errors of 9999 permutations."""
    found = blind_baseline(rows(30, 0.5), rows(41), n_resamples=9999)
    pairs = [(half.scores.member, half.scores.nonmember) for half in found.halves]
    exact = min(stats.mannwhitneyu(*pair, alternative="greater").pvalue for pair in pairs)
    assert 0.01 < exact < 0.4
    assert abs(found.p_value - 2 * exact) <= 8 * np.sqrt(exact / 9999) + 2e-4


def test_no_record_is_scored_by_a_classifier_that_has_seen_it() -> None:
    """Another value of one record leaves the scores of its half's other records as they are."""
    member, nonmember = rows(30), rows(30, 1.0)
    first = blind_baseline(member, nonmember).halves[0]
    member[first.member_rows[0]] += 5
    again = blind_baseline(member, nonmember).halves[0]
    assert np.array_equal(first.scores.member[1:], again.scores.member[1:])
    assert np.array_equal(first.scores.nonmember, again.scores.nonmember)
    assert first.scores.member[0] != again.scores.member[0]


def test_a_rare_category_cannot_show_its_label() -> None:
    """Every record has a category of its own, which says nothing about the other half."""
    names = np.array([f"record {i}" for i in range(80)])
    found = blind_baseline(names[:40], names[40:])
    assert (found.auc.value, found.p_value) == (0.5, 1.0)


@pytest.mark.parametrize("kind", ["mean", "spread", "category", "one number"])
def test_drift_is_found(kind: str) -> None:
    place = np.where(np.arange(300) % 10 < 8, "a", "b")
    pairs: dict[str, tuple[Any, Any]] = {
        "mean": (rows(200), rows(300, 0.6)),
        "spread": (rows(200), 2 * rows(300)),
        "category": (
            pd.DataFrame({"place": place[::-1], "age": rows(300)[:, 0]}),
            pd.DataFrame({"place": np.where(place == "a", "b", "a"), "age": rows(300, 0, 1)[:, 0]}),
        ),
        "one number": (rows(200)[:, 0], rows(300, 0.6)[:, 0]),
    }
    one, other = pairs[kind]
    found = blind_baseline(one, other)
    assert found.p_value == 2 / 1000
    assert found.auc.low > 0.5
    # With the sets exchanged the classifier turns its scores round.
    turned = blind_baseline(other, one)
    assert turned.p_value == 2 / 1000
    assert turned.auc.value == pytest.approx(found.auc.value, abs=0.06)


def test_the_shift_of_one_number_has_its_known_auc() -> None:
    """The best classifier of N(0.5, 1) against N(0, 1) has the AUC Phi(0.5 / sqrt(2)) = 0.638."""
    rng = np.random.default_rng(1)
    found = blind_baseline(rng.normal(0.5, 1, 4000), rng.normal(0, 1, 4000))
    assert found.auc.value == pytest.approx(stats.norm.cdf(0.5 / np.sqrt(2)), abs=0.02)
    assert found.tpr.value == pytest.approx(stats.norm.sf(stats.norm.isf(0.01) - 0.5), abs=0.01)
    assert found.tpr.low < found.tpr.value < found.tpr.high


def test_constant_features_tell_nothing() -> None:
    found = blind_baseline(np.full((50, 3), 0.1), np.full((20, 3), 0.1))
    assert (found.auc.value, found.p_value) == (0.5, 1.0)
    assert found.auc.low < 0.5 < found.auc.high
    # A constant column beside another one changes nothing.
    with_one = [np.column_stack([rows(40, by), np.full(40, 7.0)]) for by in (0.0, 1.0)]
    without = [each[:, :-1] for each in with_one]
    alike = [blind_baseline(*pair).auc.value for pair in (with_one, without)]
    assert alike[0] == pytest.approx(alike[1], abs=1e-9)


def test_the_units_of_features_do_not_matter() -> None:
    one, other = rows(40), rows(40, 0.5)
    found = blind_baseline(one, other)
    for factor in (1e-100, 1e100):
        again = blind_baseline(factor * one, factor * other)
        assert again.auc.value == pytest.approx(found.auc.value, abs=1e-3)


def test_the_same_seed_gives_the_same_result() -> None:
    one, other = (blind_baseline(rows(30), rows(40)) for _ in range(2))
    assert one == other
    assert blind_baseline(rows(30), rows(40), rng=1) != one
    assert one.to_dict()["seed"] == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fpr": 2}, r"fpr must be in \[0, 1\], got 2"),
        ({"confidence_level": 0.05}, r"confidence_level must be in \[0.5, 1\)"),
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1, got 0"),
        ({"rng": -1}, "rng must be a whole number of at least 0"),
    ],
)
def test_numbers_out_of_their_range_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        blind_baseline(rows(20), rows(20), **given)


def test_of_a_hundred_thousand_rows_a_small_drift_is_found() -> None:
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, (50_000, 4)), rng.normal(0.05, 1, (50_000, 4))
    found = blind_baseline(member, nonmember, n_resamples=99)
    assert found.p_value == 0.02
    assert found.auc.high - found.auc.low < 0.011


def test_the_page_has_the_measured_shares() -> None:
    """No statement is false more often than its level allows, by two standard errors."""
    found = json.loads(blind.FILE.read_text("utf-8"))
    assert "\n".join(blind.table(found["rows"])) in blind.PAGE.read_text("utf-8")
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    assert len(rows) == len(blind.LAWS) * len(blind.SIZES)
    assert {row["law"] for row in rows} == blind.LAWS.keys()
    allowed = 0.05 + 2 * np.sqrt(0.05 * 0.95 / 500)
    for row in rows:
        assert all(row[name] / row["runs"] <= allowed for name in LIMITS), row
    # Limits that take the halves for independent miss too often where features tell nothing.
    nulls = [row for row in rows if row["law"].startswith("null")]
    large = [row["AUC, as if independent"] / row["runs"] for row in nulls if row["members"] >= 100]
    assert np.mean(large) > 0.08
    # The largest of fifteen shares of p-values is tested together.
    small, runs = (sum(row[name] for row in nulls) for name in ("p <= .05", "runs"))
    assert small / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)
