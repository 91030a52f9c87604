"""The measured file about other libraries' bounds, and the page made from it."""

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from benchmarks.auditors import measure, page
from benchmarks.auditors.methods import METHODS
from benchmarks.pages import write_table
from dpviz.testing.auditors.cases import CASES


@pytest.fixture(scope="module")
def table() -> Any:
    return json.loads(measure.FILE.read_text("utf-8"))


def test_the_page_has_what_was_measured(table: Any, tmp_path: Path) -> None:
    written = page.PAGE.read_text("utf-8")
    file = tmp_path / "page.md"
    file.write_text(written, "utf-8")
    tables = page.tables(table)
    for name in tables:
        write_table(file, name, [])
    assert len(file.read_text("utf-8")) < len(written) / 2
    for name, lines in tables.items():
        write_table(file, name, lines)
    assert file.read_text("utf-8") == written


def test_every_method_was_measured_in_its_cases_or_the_page_says_so(table: Any) -> None:
    assert list(table["methods"]) == [key for key in METHODS if key in table["methods"]]
    lines = page.summary(table)
    for key, method in METHODS.items():
        left = page.missing(key, table)
        assert (f"{key} ({len(left)} of " in lines[-1]) == bool(left)
        if len(left) == len(method.cases):
            continue
        told = table["methods"][key]
        assert [row["case"] for row in told["cases"]] == [c for c in method.cases if c not in left]
        assert all(row["n_runs"] >= method.runs for row in told["cases"])
        assert {name: told[name] for name in measure.described(method)} == measure.described(method)
        assert told["version"]
    assert len({method.library for method in METHODS.values()} - {"dpviz"}) == 6


def test_counts_add_up(table: Any) -> None:
    for told in table["methods"].values():
        for row in told["cases"]:
            assert 0 <= row["n_false"] <= row["n_judged"] <= row["n_runs"]
            assert row["n_judged"] + row["n_raised"] + row["n_nan"] == row["n_runs"]


def test_limits_on_the_page_are_scipys(table: Any) -> None:
    rows = table["methods"]["opake"]["cases"]
    row = next(r for r in rows if r["case"] == "null")
    for shown in ([row], [row, *3 * rows[-1:]]):
        # One per cent over these rows, at either end.
        sure = 1 - 0.02 / len(shown)
        limits = binomtest(row["n_false"], row["n_judged"]).proportion_ci(sure, "exact")
        said = f"{100 * limits.low:.1f} to {100 * limits.high:.1f}"
        assert page.worst(shown) == ["null", f"{row['n_false']} of 400", said]


def test_the_worst_case_is_not_one_of_few_runs() -> None:
    few = {"case": "few", "n_false": 3, "n_judged": 20}
    many = {"case": "many", "n_false": 100, "n_judged": 1000}
    assert page.worst([few, many])[:2] == ["many", "100 of 1000"]
    assert page.worst([few, {"case": "none", "n_false": 0, "n_judged": 0}])[0] == "few"


def test_a_method_is_false_too_often_where_an_exact_binomial_test_says_so(table: Any) -> None:
    for key in table["methods"]:
        rows = page.split(key, table)[0]
        expected = [
            row["case"]
            for row in rows
            if row["n_judged"]
            and binomtest(row["n_false"], row["n_judged"], 0.05, alternative="greater").pvalue
            < 0.01 / len(rows)
        ]
        assert page.exceeding(rows, 0.05) == expected


@pytest.mark.parametrize(
    ("key", "case", "fits"),
    [
        ("jax one run", "null, 30 + 1000", False),
        ("jax one run", "null", True),
        ("jax one run", "null, delta 0", False),
        ("jax GDP", "Laplace", False),
        ("jax GDP", "Gaussian, 30 + 1000", True),
        ("opake", "leak at the top", False),
        ("dpviz", "leak at the top", True),
        ("PrivacyGuard one run", "null", False),  # epsilon is less than its smallest number
        ("PrivacyGuard one run", "Gaussian", True),
    ],
)
def test_a_method_is_judged_where_its_conditions_are_met(key: str, case: str, fits: bool) -> None:
    assert METHODS[key].fits(CASES[case]) == fits


@pytest.mark.parametrize(
    ("key", "cases"),
    [
        # Methods that pay for their search, or have a threshold beforehand, keep their level.
        *((key, ()) for key in ("dpviz", "dpviz one run", "jax CP", "jax one run split")),
        *((key, ()) for key in ("estimates beta", "opake fixed", "TensorFlow fixed")),
        # Methods that take the best threshold and pay nothing do not.
        ("opake", ("null", "null, 40 records")),
        ("TensorFlow", ("null", "Laplace")),
        ("TensorFlow CP", ("null, delta 0",)),
        ("PrivacyGuard", ("null, 30 + 1000",)),
        # Corrected in the library's repository since.
        ("jax GDP", ("null", "Gaussian")),
    ],
)
def test_what_is_known_of_a_library_is_found(table: Any, key: str, cases: tuple[str, ...]) -> None:
    if key in table["methods"]:
        found = page.exceeding(page.split(key, table)[0], 0.05)
        assert {*cases} <= {*found}
        assert cases or not found
