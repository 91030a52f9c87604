"""The shipped table of measured coverage, and the benchmarks that fill it."""

import importlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.pages import write_table
from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import BOUNDS, DEFAULT, Cell, measured_coverage, worst_cell
from dpviz.audit.bounds.result import BoundRequest
from dpviz.audit.roc import intervals
from tests.slow import parametrize

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "appendix" / "coverage.md"
NOMINAL = 0.05
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
    others = benchmark.load(benchmark.OTHERS)
    assert [(c.law, c.n, c.delta, c.method) for c in CELLS] == [k for k in wanted if k[3] in BOUNDS]
    assert list(others) == [key for key in wanted if key[3] not in BOUNDS]
    assert len(CELLS) == 3 * 2 * len(benchmark.LAWS) * len(BOUNDS)
    for cell in every_cell(benchmark):
        # A cell that was beyond its level after 1000 runs is run ten times as often.
        assert cell.runs == 10_000 or (cell.n == 10_000 and cell.runs == 1000)
        # An epsilon is rounded up until its delta holds.
        assert cell.truth == pytest.approx(benchmark.LAWS[cell.law][1](cell.delta), rel=1e-14)


def every_cell(benchmark: Any) -> list[Cell]:
    """Those that dpviz ships, and those of the methods that it does not offer."""
    others = benchmark.load(benchmark.OTHERS).values()
    rows = [dict(zip(benchmark.COLUMNS, row, strict=True)) for row in others]
    inf = math.inf
    return [
        *CELLS,
        *(Cell(**{**row, "truth": inf if row["truth"] is None else row["truth"]}) for row in rows),
    ]


def test_methods_are_false_as_rarely_as_they_say(benchmark: Any) -> None:
    cells = [c for c in every_cell(benchmark) if c.method not in benchmark.CONDITIONAL]
    assert all(0 <= cell.false <= cell.runs for cell in cells)
    assert [cell for cell in cells if beyond(cell.false, cell.runs)] == []


def test_gaussian_dp_is_false_where_its_assumption_is(benchmark: Any) -> None:
    cells = every_cell(benchmark)
    laplace = [c for c in cells if c.method == "gdp" and c.law.startswith("laplace")]
    # A Laplace mechanism is not Gaussian DP: six times the nominal rate, and soon always.
    assert all(c.false_rate > 6 * NOMINAL for c in laplace if c.n >= 1000)
    assert all(c.false_rate == 1 for c in laplace if c.n == 10_000)


def test_no_other_method_certifies_more_than_the_default_by_over_a_percent(benchmark: Any) -> None:
    medians = {(c.law, c.n, c.delta, c.method): c.median for c in every_cell(benchmark)}
    tied = {"randomized response 1", "discrete laplace 0.5"}
    scans = ("local_levels", "dkw", "bonferroni", "split", "e_process", "one_run", "one_run_curve")
    for (law, n, delta, method), low in medians.items():
        if method == DEFAULT and law not in tied:
            # Either a percent or, near 0, a hundredth.
            others = [medians[law, n, delta, other] for other in scans]
            assert low >= max(others) - max(0.01, 0.01 * max(others))


def test_the_worst_cell_is_the_largest_rate_with_its_exact_interval() -> None:
    for method in BOUNDS:
        worst = worst_cell(method)
        assert worst.method == method
        assert worst.false_rate == max(c.false_rate for c in CELLS if c.method == method)
        expected = intervals.clopper_pearson(worst.false, worst.runs, confidence_level=0.95)
        assert worst.interval == expected
    with pytest.raises(
        KeyError, match=r"method must be one of .* in the coverage table, got 'none'"
    ):
        worst_cell("none")


@parametrize("method", list(BOUNDS), slow_but=set(BOUNDS) - {DEFAULT})
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
    task = (("laplace 1", 100, 0.0, DEFAULT), 0, None)
    assert benchmark.chunk(task) == benchmark.chunk(task)


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
        lows.append(lower_bound(scores, delta=0.0, rng=run).low)
    false = sum(low > math.log(2) for low in lows)
    assert not beyond(false, len(lows))
    assert np.median(lows) > 0.15


def test_the_table_in_the_documentation_is_this_table(benchmark: Any) -> None:
    page, cells = PAGE.read_text("utf-8"), every_cell(benchmark)
    for method in benchmark.methods():
        of_method = {(c.law, c.n, c.delta): c.median for c in cells if c.method == method}
        medians = [
            of_method[law, 1000, delta]
            for law, delta in (("laplace 1", 0.0), ("gaussian 2", 1e-5), ("null", 0.0))
        ]
        shown = " | ".join(f"{median:.2f}" for median in medians)
        worst = max(c.false_rate for c in cells if c.method == method)
        row = f"| `{method}` | {100 * worst:.1f} % | {shown} |"
        assert row in page


def test_the_benchmark_writes_the_table_in_the_documentation(
    benchmark: Any, tmp_path: Path
) -> None:
    page = PAGE.read_text("utf-8")
    file = tmp_path / "page.md"
    file.write_text(page, "utf-8")
    write_table(file, "coverage", ["| nothing |"])
    assert file.read_text("utf-8") != page
    benchmark.write_page(file, benchmark.load(benchmark.TABLE) | benchmark.load(benchmark.OTHERS))
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
    kind = "lower_bound" if method in BOUNDS else "other method"
    rows = [row for row in MEASURED if row[0] == f"{kind}, {method}"]
    levels, deltas = {0.8, 0.95, 0.99, 0.9999, 0.999999}, {0, 1e-5, 0.01, 0.1}
    alike = {(row[4], row[5]) for row in rows if row[2:4] == [100, 100]}
    assert alike == {(delta, level) for delta in deltas for level in levels}
    for sizes in ([20, 2000], [2000, 20]):
        assert {row[5] for row in rows if row[2:4] == sizes} == levels


def test_the_table_of_statements_in_the_documentation_is_that_of_the_files(tmp_path: Path) -> None:
    table = importlib.import_module("benchmarks.statements.table")
    text = PAGE.read_text("utf-8")
    file = tmp_path / "page.md"
    file.write_text(text, "utf-8")
    write_table(file, "statements", ["| nothing |"])
    assert file.read_text("utf-8") != text
    table.write_page(file, MEASURED, ENUMERATED)
    assert file.read_text("utf-8") == text


RUNS = 40


@pytest.fixture(scope="module")
def truth() -> Any:
    return importlib.import_module("benchmarks.statements.at_the_truth")


def by_rule(truth: Any, method: str, setting: Any, *, fair_coins: bool = False) -> list[int]:
    """False bounds of the method itself, by confidence level."""
    rule = importlib.import_module("benchmarks.methods").methods()[method].rule
    found = np.zeros(len(truth.LEVELS), int)
    for run in range(RUNS):
        scores = setting.draw(np.random.default_rng([run, 1]), fair_coins=fair_coins)
        for i, level in enumerate(truth.LEVELS):
            request = BoundRequest(
                delta=setting.delta, confidence_level=level, threshold=truth.THRESHOLD
            )
            low = rule(scores, request).low
            found[i] += low > truth.EPSILON * (1 + 1e-9)
    return found.tolist()


@pytest.mark.parametrize("law", ["ties", "least favourable"])
@pytest.mark.parametrize("method", ["local_levels", "dkw", "bonferroni", "clopper_pearson"])
def test_methods_by_limits_of_both_rates(truth: Any, method: str, law: str) -> None:
    upper = {**truth.SCANS, "clopper_pearson": truth.upper_limits_of_rates}[method]
    flagged = truth.at_threshold if method == "clopper_pearson" else truth.at_all_thresholds
    setting = truth.Setting(law, 30, 90, 0.01)
    found = truth.scanned(method, upper, setting, flagged).false(RUNS)
    assert found == by_rule(truth, method, setting)


def test_bets_reach_the_truth_where_the_bound_exceeds_it(truth: Any) -> None:
    setting = truth.Setting("ties", 60, 60, 0.0)
    p_values = np.array([truth.betting(setting)(run) for run in range(RUNS)])
    for level, false in zip(truth.LEVELS, by_rule(truth, "e_process", setting), strict=True):
        # A bound is a place of a grid, so it may stop short of the truth.
        assert false <= np.sum(p_values <= (1 - level) * (1 + 1e-9)) <= false + 1


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
def test_guesses_about_canaries(truth: Any, method: str) -> None:
    setting = truth.Setting("least favourable", 40, 40, 0.0)  # with delta, it takes long
    p_value = truth.one_run_p_value if method == "one_run" else truth.sharp_p_value
    p_values = np.array([truth.best_guess(p_value, setting)(run) for run in range(RUNS)])
    expected = by_rule(truth, method, setting, fair_coins=True)
    assert [int(np.sum(p_values <= 1 - level)) for level in truth.LEVELS] == expected


def test_a_test_that_sees_too_much_is_found_out(truth: Any) -> None:
    # The same judgement of limits without any margin.
    setting = truth.Setting("ties", 100, 100, 0.0)
    found = truth.scanned("none", lambda errors, n, _: errors / n, setting).false(200)
    assert min(found) > 80
