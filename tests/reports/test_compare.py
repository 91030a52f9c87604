"""Two audits compared: what changed, and when that is more than chance."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz.cli import main
from dpviz.reports.compare import (
    RECORDS,
    Estimate,
    difference_limits_if_dependent,
    difference_limits_if_independent,
)


def gaussian(shift: float, seed: int, n: int = 400) -> tuple[Any, Any]:
    """Losses of members that are lower by `shift`; the AUC is Phi(shift / sqrt(2))."""
    rng = np.random.default_rng(seed)
    return rng.normal(-shift, 1, n), rng.normal(0, 1, n)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Audits of leaks of two sizes, and of the first at another claim."""
    folder = tmp_path_factory.mktemp("compared")
    small, large = gaussian(0.2, 1), gaussian(1.5, 2)
    dpviz.report(dpviz.analyze(small, epsilon=1.0), folder / "small.json")
    dpviz.report(dpviz.analyze(large, epsilon=1.0), folder / "large.json")
    dpviz.report(dpviz.analyze(small, epsilon=3.0, prior=0.1), folder / "claimed.json")
    return folder


def rows(found: dpviz.reports.model.AuditComparison) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in found.numbers.rows}


def test_newcombes_example() -> None:
    # Newcombe (1998), table II, method 10: 56/70 - 48/80 has the interval 0.0524 to 0.3339, of
    # Wilson's intervals of both, here computed by his equation.
    def wilson(r: int, n: int) -> Estimate:
        z = 1.959964
        middle, half = 2 * r + z**2, z * math.sqrt(z**2 + 4 * r * (1 - r / n))
        ends = [(middle + sign * half) / (2 * (n + z**2)) for sign in (-1, 1)]
        return Estimate(value=r / n, low=ends[0], high=ends[1])

    a, b = wilson(56, 70), wilson(48, 80)
    assert difference_limits_if_independent(a, b) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    low, high = difference_limits_if_dependent(a, b)
    assert low < 0.0524 < 0.3339 < high


def test_a_leak_that_grew_is_more_than_chance(saved: Path) -> None:
    paths = saved / "small.json", saved / "large.json"
    found = {
        records: dpviz.compare_reports(*paths, records=records) for records in (*RECORDS, None)
    }
    assert rows(found["other"])["AUC"][2].startswith("more than chance: 0.")
    assert "(about 95 % confidence)" in rows(found["other"])["AUC"][2]
    assert rows(found["same"])["AUC"] == rows(found[None])["AUC"]
    assert "(at least 90 % confidence)" in rows(found["same"])["AUC"][2]
    assert "not stated" in found[None].said[0]
    assert found["other"].n_beyond_chance >= found["same"].n_beyond_chance >= 1
    many = found["other"].n_beyond_chance
    assert many > 1
    assert found["other"].headline == f"{many} numbers differ by more than chance."
    for each in found.values():
        assert "does not show whether ε changed" in rows(each)["lower bound on ε"][2]
        assert rows(each)["Epsilon*"][2] == "no interval, so unknown"


def test_results_texts_and_read_reports_are_compared_as_their_files_are(saved: Path) -> None:
    files = saved / "small.json", saved / "large.json"
    expected = rows(dpviz.compare_reports(*files, records="other"))
    scores = gaussian(0.2, 1), gaussian(1.5, 2)
    results = [dpviz.analyze(each, epsilon=1.0) for each in scores]
    for given in (
        results,
        [file.read_text("utf-8") for file in files],
        [dpviz.reports.read_report(file) for file in files],
        [results[0], str(files[1])],
    ):
        assert rows(dpviz.compare_reports(*given, records="other")) == expected
    with pytest.raises(ValueError, match=r"^report must be an audit of scores"):
        dpviz.compare_reports(dpviz.analyze(epsilon=1.0), files[0])
    with pytest.raises(ValueError, match=r"^report\.schema must be 'dpviz/audit/1'"):
        dpviz.compare_reports({}, files[0])


def test_chance_alone_is_rarely_more_than_chance() -> None:
    # Of pairs of audits of one population, at most 5 % differ in AUC by square-and-add.
    rng, aucs, beyond = np.random.default_rng(2026), [], 0
    for _ in range(300):
        members, nonmembers = rng.normal(-0.7, 1, 120), rng.normal(0, 1, 120)
        scores = dpviz.AttackScores.from_losses(member=members, nonmember=nonmembers)
        found = dpviz.audit.auc_interval(scores)
        aucs.append(Estimate(value=found.value, low=found.low, high=found.high))
    for a, b in zip(aucs[::2], aucs[1::2], strict=True):
        low, high = difference_limits_if_independent(a, b)
        beyond += not low <= 0 <= high
    assert beyond <= 14  # a binomial of 150 at 5 % exceeds it with probability 1 %


def test_settings_of_the_same_scores_are_no_matter_of_chance(saved: Path) -> None:
    paths = saved / "small.json", saved / "claimed.json"
    found = dpviz.compare_reports(*paths)
    assert found.headline == "Both audits have the same scores."
    changed = {row[0]: row[1:] for row in found.settings.rows}
    assert changed["claimed ε"] == ("1", "3")
    assert changed["prior p"] == ("50 %", "10 %")
    assert found.n_beyond_chance == 0
    with pytest.raises(
        ValueError, match=r"records must be 'same' if scores\.fingerprint is equal in both"
    ):
        dpviz.compare_reports(*paths, records="other")


def test_what_people_state_is_compared(saved: Path, tmp_path: Path) -> None:
    stated = tmp_path / "stated.json"
    given = {"facts": {"population": "different"}, "about": {"subject": {"model_version": "2"}}}
    dpviz.report(dpviz.analyze(gaussian(0.2, 1), epsilon=float("inf"), **given), stated)
    found = dpviz.compare_reports(saved / "small.json", stated)
    changed = {row[0]: row[1:] for row in found.settings.rows}
    assert changed["version of the model"] == ("not stated", "2")
    asked = "Are members and non-members random draws from the same population?"
    assert changed[asked] == ("not stated", "no")
    assert rows(found)["answer"][1] == "no claim was given"
    other = dpviz.compare_reports(saved / "small.json", saved / "large.json", records="other")
    own = [row for row in other.numbers.rows if row[0].startswith("TPR at FPR") and "(" in row[2]]
    assert [row[3] for row in own] == ["at different FPRs"]
    alone = tmp_path / "claim.json"
    dpviz.report(dpviz.analyze(epsilon=2.0), alone)
    with pytest.raises(ValueError, match=r"claim\.json must be an audit of scores"):
        dpviz.compare_reports(saved / "small.json", alone)


@pytest.mark.slow
def test_other_deltas_and_confidences_are_not_compared(saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    dpviz.report(dpviz.analyze(gaussian(1.5, 2), delta=1e-3, confidence_level=0.9), other)
    found = rows(dpviz.compare_reports(saved / "small.json", other, records="other"))
    assert found["Epsilon*"][2] == "at different δ"
    assert found["AUC"][2] == "no interval, so unknown"


def test_the_command_prints_and_writes(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, text = tmp_path / "compared.html", tmp_path / "compared.md"
    audits = str(saved / "small.json"), str(saved / "large.json")
    assert main(["compare", *audits, "--report", str(page), "--report", str(text)]) == 1
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    for shown in (printed, page.read_text("utf-8"), text.read_text("utf-8")):
        words = " ".join(re.sub("<[^>]+>|\u00a0", " ", shown).split())
        assert "more than chance: 0." in words
    assert main(["compare", *audits, "--report", str(tmp_path / "compared.pdf")]) == 2
    assert "a name that ends in .html, .md, got '.pdf'" in capsys.readouterr().err


def test_the_command_exits_with_1_where_something_changed(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, large, claimed = (str(saved / f"{name}.json") for name in ("small", "large", "claimed"))
    alike = tmp_path / "alike.json"
    # One more sample of the same size of leak: its numbers differ by chance, and so do hashes.
    dpviz.report(dpviz.analyze(gaussian(0.2, 3), epsilon=1.0), alike)
    assert main(["compare", small, small]) == 0
    assert capsys.readouterr().out.endswith("Changed: nothing.\n")
    assert main(["compare", small, claimed, "--ignore-provenance"]) == 1
    assert "Changed: PPV at prior 50 %, claim, claimed ε, prior p." in capsys.readouterr().out
    assert main(["compare", small, large, "--ignore-provenance"]) == 1
    assert "Changed: answer, AUC" in capsys.readouterr().out
    assert main(["compare", small, str(alike), "--ignore-provenance"]) == 0
    found = dpviz.compare_reports(small, large)
    assert "claimed ε" not in found.changed
    stated = tmp_path / "stated.json"
    about = {"subject": {"model_version": "2"}}
    dpviz.report(dpviz.analyze(gaussian(0.2, 1), epsilon=1.0), stated, about=about)
    assert main(["compare", small, str(stated)]) == 1
    assert main(["compare", small, str(stated), "--ignore-provenance"]) == 0
