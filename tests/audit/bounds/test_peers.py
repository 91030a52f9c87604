"""The measured comparison with other libraries, and its page."""

import importlib
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, gammaln, xlogy
from scipy.stats import binom

from benchmarks.pages import write_table


@pytest.fixture
def benchmark() -> Any:
    return importlib.import_module("benchmarks.peers")


@pytest.fixture
def rows(benchmark: Any) -> list[dict[str, Any]]:
    table = json.loads(benchmark.FILE.read_text())
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def test_every_method_was_measured_on_the_same_data(
    benchmark: Any, rows: list[dict[str, Any]]
) -> None:
    measured = [(*(row[x] for x in benchmark.COLUMNS[:4]), row["method"]) for row in rows]
    wanted = [
        (*cell, key)
        for cell in benchmark.CELLS
        for key, method in benchmark.METHODS.items()
        if cell[1] == cell[2] or not method.requires_fair_coins
    ] + [(*cell, key) for key, cell in benchmark.HARDEST.items()]
    assert measured == wanted
    for row in rows:
        cell = tuple(row[x] for x in benchmark.COLUMNS[:4])
        assert row["runs"] >= benchmark.runs_of(cell, row["method"])


@pytest.mark.parametrize(("page", "table"), [("PAGE", "tables"), ("README", "short_table")])
def test_a_page_has_the_measured_tables(
    benchmark: Any, page: str, table: str, tmp_path: Path
) -> None:
    written = getattr(benchmark, page).read_text("utf-8")
    file = tmp_path / "page.md"
    file.write_text(written, "utf-8")
    write_table(file, "peers", [])
    assert file.read_text("utf-8") != written
    write_table(file, "peers", getattr(benchmark, table)([*benchmark.load().values()]))
    assert file.read_text("utf-8") == written


def medians_by_cell(benchmark: Any) -> dict[tuple[Any, ...], dict[str, float]]:
    return {
        cell: benchmark.medians_of([*benchmark.load().values()], cell) for cell in benchmark.CELLS
    }


def test_dpviz_certifies_more_than_what_others_find_and_may_say(benchmark: Any) -> None:
    # And are not false too often; they do not know the threshold.
    others = {"CP", "CP split", "CP 100 splits", "CP two-sided", "one run split"}
    for medians in medians_by_cell(benchmark).values():
        found = [low for key, low in medians.items() if key in others]
        assert medians["rank_exact"] >= max(found)


def test_a_known_threshold_certifies_much_more_only_where_few_records_leak(benchmark: Any) -> None:
    # What the README and the page say beside their tables.
    ratios = {
        law: medians.get("flagged", 0) / medians["rank_exact"]
        for (law, *_, delta), medians in medians_by_cell(benchmark).items()
        if delta == 1e-5 and medians["rank_exact"] > 0
    }
    assert {law for law, ratio in ratios.items() if ratio > 1.07} == {"5 % far out", "2 % far out"}
    assert {law for law, ratio in ratios.items() if 1.02 < ratio <= 1.07} == {
        "Laplace 1",
        "randomized response 1",
    }


def test_no_median_of_a_valid_method_is_above_the_limit(benchmark: Any) -> None:
    rows = [*benchmark.load().values()]
    worst = benchmark.worst_rows(rows)
    valid = {key for key in worst if not benchmark.is_false_too_often(worst[key])}
    compared = set()
    for (law, n, m), (most, *_) in benchmark.limit.load().items():
        for key, median in benchmark.medians_of(rows, (law, n, m, 1e-5)).items():
            if key in valid:
                assert median < most
                compared.add(law)
    assert {*benchmark.SHOWN, "Gaussian 4"} <= compared


def test_one_run_with_a_correction_for_all_thresholds_is_false_in_six_percent(
    benchmark: Any, rows: list[dict[str, Any]]
) -> None:
    (null,) = (r for r in rows if (r["law"], r["method"]) == ("null", "one run"))
    assert (null["runs"], null["false"]) == (10_000, 601)
    assert benchmark.is_false_too_often(null)


def test_binomial_test_of_the_flagged_records_is_a_bound_at_every_delta(benchmark: Any) -> None:
    # Exact sums over all counts of 40 records: members and others above the threshold.
    records, levels = 40, []
    hits, alarms = (x.ravel() for x in np.indices((records + 1, records + 1)))
    hits, alarms = hits[hits + alarms <= records], alarms[hits + alarms <= records]
    rest = records - hits - alarms
    ways = gammaln(records + 1) - sum(gammaln(x + 1) for x in (hits, alarms, rest))
    for epsilon, delta in product((0.0, 0.5, 1.5), (0.0, 0.02, 0.2)):
        low = benchmark.refuted_by_flagged(hits, hits + alarms, records, delta)
        for fpr in np.geomspace(1e-3, 1, 40) * (1 - delta) / np.exp(epsilon):
            tpr = np.exp(epsilon) * fpr + delta
            chance = np.exp(
                ways
                + xlogy(hits, tpr / 2)
                + xlogy(alarms, fpr / 2)
                + xlogy(rest, 1 - tpr / 2 - fpr / 2)
            )
            levels.append(chance[low > epsilon + 1e-9].sum())
    assert 0.04 < max(levels) <= 0.05


def test_binomial_test_is_scipys_without_delta(benchmark: Any) -> None:
    low = float(benchmark.refuted_by_flagged(np.array(24), np.array(26), 1000, 0.0))
    assert binom.sf(23, 26, expit(low)) == pytest.approx(0.05)
    assert benchmark.refuted_by_flagged(np.array([0, 12]), np.array([9, 26]), 1000, 0.0).max() == 0


def test_where_jeffreys_limits_are_false_most_often_is_counted(
    benchmark: Any, rows: list[dict[str, Any]]
) -> None:
    law, n, m, _ = benchmark.HARDEST["Jeffreys"]
    (row,) = (row for row in rows if row["law"] == law)
    assert (row["method"], row["members"], row["nonmembers"]) == ("Jeffreys", n, m)
    # The sum over both counts, by SciPy's binomial and beta distributions: 0.0709.
    assert row["false"] / row["runs"] == pytest.approx(0.0709, abs=3 * 0.0026)
    assert benchmark.is_false_too_often(row)
