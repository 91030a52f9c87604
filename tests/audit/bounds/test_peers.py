"""The measured comparison with other libraries, and its page."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest


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
        if cell[1] == cell[2] or not method.fair_coins
    ] + [(*cell, key) for key, cell in benchmark.HARDEST.items()]
    assert measured == wanted
    for row in rows:
        few = row["method"] == "one run f-DP"
        assert row["runs"] >= (benchmark.FEW_RUNS if few else benchmark.RUNS)


@pytest.mark.parametrize(("page", "table"), [("PAGE", "tables"), ("README", "short_table")])
def test_a_page_has_the_measured_tables(
    benchmark: Any, page: str, table: str, tmp_path: Path
) -> None:
    written = getattr(benchmark, page).read_text("utf-8")
    before, after = written.split(benchmark.BEGIN)[0], written.split(benchmark.END)[1]
    file = tmp_path / "page.md"
    file.write_text(f"{before}{benchmark.BEGIN}\n{benchmark.END}{after}", "utf-8")
    benchmark.write_page(file, getattr(benchmark, table)([*benchmark.load().values()]))
    assert file.read_text("utf-8") == written


def test_dpviz_certifies_more_than_what_others_find_and_may_say(
    benchmark: Any, rows: list[dict[str, Any]]
) -> None:
    # And are not false too often: the last two know the best threshold beforehand.
    others = ("CP", "CP two-sided", "CP split", "oracle", "beta")
    for cell in benchmark.CELLS:
        medians = {
            row["method"]: row["median"]
            for row in rows
            if tuple(row[x] for x in benchmark.COLUMNS[:4]) == cell
        }
        assert all(medians["rank_exact"] >= medians[other] for other in others)
    (null,) = (r for r in rows if (r["law"], r["method"]) == ("null", "one run"))
    assert (null["runs"], null["false"]) == (10_000, 601)


def test_where_jeffreys_limits_are_false_most_often_is_counted(
    benchmark: Any, rows: list[dict[str, Any]]
) -> None:
    law, n, m, _ = benchmark.HARDEST["Jeffreys"]
    (row,) = (row for row in rows if row["law"] == law)
    assert (row["method"], row["members"], row["nonmembers"]) == ("Jeffreys", n, m)
    # The sum over both counts, by SciPy's binomial and beta distributions: 0.0709.
    assert row["false"] / row["runs"] == pytest.approx(0.0709, abs=3 * 0.0026)
    assert benchmark.is_false_too_often(row)
