"""The shipped table of measured coverage, and a small run of the benchmark that fills it."""

import importlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import BOUNDS, measured_coverage, worst_cell
from dpviz.audit.bounds.registry import RANK_TESTS
from dpviz.audit.roc import intervals
from tests.slow import parametrize

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "explanation" / "lower_bound.md"
NOMINAL = 0.05
UNCONDITIONAL = [name for name, method in BOUNDS.items() if not method.assumption]
CELLS = measured_coverage()


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark as a module; runs per task few."""
    module = importlib.import_module("benchmarks.coverage")
    monkeypatch.setattr(module, "CHUNK", 25)
    return module


def beyond(false: int, runs: int) -> bool:
    """Whether a rate is above the nominal one by more than two standard errors."""
    return false / runs > NOMINAL + 2 * math.sqrt(NOMINAL * (1 - NOMINAL) / runs)


@pytest.mark.slow
def test_every_cell_was_run_as_often_as_said(benchmark: Any) -> None:
    wanted = list(benchmark.keys(10_000))
    assert [(c.law, c.n, c.delta, c.method) for c in CELLS] == wanted
    assert len(CELLS) == 3 * 2 * len(benchmark.LAWS) * len(BOUNDS)
    for cell in CELLS:
        # A cell that was beyond its level after 1000 runs is run ten times as often.
        assert cell.runs == 10_000 or (cell.n == 10_000 and cell.runs == 1000)
        assert cell.truth == benchmark.LAWS[cell.law][1](cell.delta)


def test_unconditional_methods_are_false_as_rarely_as_they_say() -> None:
    assert all(0 <= cell.false <= cell.runs for cell in CELLS)
    unconditional = [cell for cell in CELLS if not BOUNDS[cell.method].assumption]
    assert [cell for cell in unconditional if beyond(cell.false, cell.runs)] == []


def test_gaussian_dp_is_false_where_its_assumption_is() -> None:
    laplace = [c for c in CELLS if c.method == "gdp" and c.law.startswith("laplace")]
    # A Laplace mechanism is not Gaussian DP: six times the nominal rate, and soon always.
    assert all(c.false_rate > 6 * NOMINAL for c in laplace if c.n >= 1000)
    assert all(c.false_rate == 1 for c in laplace if c.n == 10_000)


@pytest.mark.parametrize("method", RANK_TESTS)
def test_rank_tests_certify_most_wherever_they_do_not_say_zero(method: str) -> None:
    unconditional = [m for m, method in BOUNDS.items() if not method.assumption]
    medians = {(c.law, c.n, c.delta, c.method): c.median for c in CELLS}
    tied = {"randomized response 1", "discrete laplace 0.5"} if method == "rank_exact" else set()
    lows = {key[:3]: low for key, low in medians.items() if key[3] == method and key[0] not in tied}
    scans = ("local_levels", "dkw", "bonferroni", "split", "e_process", "one_run", "one_run_curve")
    assert set(scans) < set(unconditional)
    for cell, low in lows.items():
        assert all(low >= medians[*cell, other] - 0.01 for other in scans)


def test_the_worst_cell_is_the_largest_rate_with_its_exact_interval() -> None:
    for method in BOUNDS:
        worst = worst_cell(method)
        assert worst.method == method
        assert worst.false_rate == max(c.false_rate for c in CELLS if c.method == method)
        expected = intervals.clopper_pearson(worst.false, worst.runs, confidence_level=0.95)
        assert worst.interval == expected
    with pytest.raises(KeyError, match="no measured coverage of method 'none'"):
        worst_cell("none")


@parametrize("method", UNCONDITIONAL, slow_but=set(UNCONDITIONAL) - set(RANK_TESTS))
def test_a_small_run_agrees(benchmark: Any, method: str) -> None:
    # Of the laws where the default is exact, nothing at all, and the wrong way round.
    runs = false = 0
    for law in ("least favourable 1", "null", "reversed", "discrete laplace 0.5"):
        for begin in (0, 25):
            lows = benchmark.chunk(((law, 100, 1e-5, method), begin, None))
            truth = benchmark.LAWS[law][1](1e-5)
            runs, false = runs + len(lows), false + sum(low > truth for low in lows)
    assert runs == 200
    assert not beyond(false, runs)


@pytest.mark.slow
def test_a_run_of_a_cell_can_be_repeated(benchmark: Any) -> None:
    task = (("laplace 1", 100, 0.0, "rank"), 0, None)
    assert benchmark.chunk(task) == benchmark.chunk(task)


@pytest.mark.slow
def test_shared_critical_values_give_the_bound_of_fresh_simulations(benchmark: Any) -> None:
    table = benchmark.rank_table
    n, delta, level = 100, 1e-5, 0.05
    epsilons = [0.3, 0.6, 0.9, 1.2]
    values = [table.critical_value((n, delta, level, epsilon)) for epsilon in epsilons]
    fresh = benchmark.chunk((("laplace 1", n, delta, "rank"), 0, None))
    shared = benchmark.chunk((("laplace 1", n, delta, "rank"), 0, (epsilons, values)))
    inside = [(a, b) for a, b in zip(fresh, shared, strict=True) if 0.3 < b < 1.2]
    assert len(inside) >= 12
    # A fresh bound is lower by what its fewer simulations cost, and varies with its seed.
    assert all(-0.1 < b - a < 0.15 for a, b in inside)


@pytest.mark.slow
def test_bounds_of_few_records_are_those_of_the_method_itself(benchmark: Any) -> None:
    key = ("least favourable 1", 100, 0.0, "rank_exact")
    fresh, shared = (benchmark.chunk((key, 0, each)) for each in (None, (np.zeros(0), np.zeros(0))))
    assert len(set(fresh)) > 10
    assert shared == pytest.approx(fresh, abs=1e-9)


@pytest.mark.slow
def test_the_default_is_about_half_lines_whatever_other_events_would_tell() -> None:
    # Three times as many members as non-members between 0.4 and 0.6, half as many elsewhere: of
    # thresholds, 0.4 tells most, P(score < 0.4) = 2 Q(score < 0.4).
    lows = []
    for run in range(100):
        rng = np.random.default_rng(run)
        middle = rng.random(400) < 0.6
        outer = rng.random(400) * 0.8
        member = np.where(middle, 0.4 + 0.2 * rng.random(400), outer + 0.2 * (outer > 0.4))
        scores = AttackScores(member=member, nonmember=rng.random(400))
        lows.append(lower_bound(scores, delta=0.0, seed=run).low)
    false = sum(low > math.log(2) for low in lows)
    assert not beyond(false, len(lows))
    assert np.median(lows) > 0.15


def test_the_table_in_the_documentation_is_this_table() -> None:
    page = PAGE.read_text("utf-8")
    for method in BOUNDS:
        of_method = {(c.law, c.n, c.delta): c.median for c in CELLS if c.method == method}
        medians = [
            of_method[law, 1000, delta]
            for law, delta in (("laplace 1", 0.0), ("gaussian 2", 1e-5), ("null", 0.0))
        ]
        shown = " | ".join(f"{median:.2f}" for median in medians)
        row = f"| `{method}` | {100 * worst_cell(method).false_rate:.1f} % | {shown} |"
        assert row in page


def test_the_benchmark_writes_the_table_in_the_documentation(
    benchmark: Any, tmp_path: Path
) -> None:
    page = PAGE.read_text("utf-8")
    before, after = page.split(benchmark.BEGIN)[0], page.split(benchmark.END)[1]
    file = tmp_path / "page.md"
    file.write_text(f"{before}{benchmark.BEGIN}\n| nothing |\n{benchmark.END}{after}", "utf-8")
    benchmark.write_page(file, benchmark.load(benchmark.TABLE))
    assert file.read_text("utf-8") == page


# All statements: rows are statement, law, class sizes, delta, confidence, runs and false ones.
MEASURED, ENUMERATED = (
    json.loads((ROOT / "benchmarks" / f"coverage_{name}.json").read_text("utf-8"))["cells"]
    for name in ("statements", "enumerated")
)


def test_no_statement_is_false_more_often_than_it_says() -> None:
    for _, _, _, _, _, confidence, runs, false in MEASURED:
        level = 1 - confidence
        assert runs >= 10_000
        limit = level * runs + 2 * math.sqrt(level * confidence * runs)
        assert false <= limit


def test_no_statement_about_fourteen_records_is_false_with_more_than_its_probability() -> None:
    for _, n, m, _, confidence, _, chance in ENUMERATED:
        assert n + m == 14
        assert chance <= (1 - confidence) * (1 + 1e-9)


def test_statements_are_measured_where_it_is_hard_for_them() -> None:
    exact = [row for row in MEASURED if row[0] == "lower_bound, rank_exact"]
    assert {row[4] for row in MEASURED} == {row[3] for row in ENUMERATED} == {0, 1e-5, 0.01, 0.1}
    assert {row[5] for row in exact} == {row[4] for row in ENUMERATED}
    assert (min(row[5] for row in exact), max(row[5] for row in exact)) == (0.8, 0.999999)
    assert {"ties", "least favourable"} <= {row[1] for row in exact}
    assert {(20, 2000), (2000, 20)} <= {(row[2], row[3]) for row in exact}


def test_every_statement_is_measured_in_each_of_its_settings_and_levels() -> None:
    statements = importlib.import_module("benchmarks.coverage_statements").all_statements()
    measured = {tuple(row[:6]) for row in MEASURED}
    for each in statements:
        at = each.setting
        assert {(each.name, at.law, at.n, at.m, at.delta, k) for k in each.levels} <= measured


@pytest.mark.parametrize("method", ["local_levels", "dkw", "bonferroni", "e_process"])
def test_bounds_are_measured_at_every_delta_and_confidence(method: str) -> None:
    rows = [row for row in MEASURED if row[0] == f"lower_bound, {method}"]
    levels, deltas = {0.8, 0.95, 0.99, 0.9999, 0.999999}, {0, 1e-5, 0.01, 0.1}
    alike = {(row[4], row[5]) for row in rows if row[2:4] == [100, 100]}
    assert alike == {(delta, level) for delta in deltas for level in levels}
    for sizes in ([20, 2000], [2000, 20]):
        assert {row[5] for row in rows if row[2:4] == sizes} == levels


def test_the_table_of_statements_in_the_documentation_is_that_of_the_files(tmp_path: Path) -> None:
    table = importlib.import_module("benchmarks.statements.table")
    text = PAGE.read_text("utf-8")
    before, after = text.split(table.BEGIN)[0], text.split(table.END)[1]
    file = tmp_path / "page.md"
    file.write_text(f"{before}{table.BEGIN}\n| nothing |\n{table.END}{after}", "utf-8")
    table.write_page(file, MEASURED, ENUMERATED)
    assert file.read_text("utf-8") == text
