"""Reports: what they say, of which result, and what they refuse."""

import dataclasses
import io
import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import dpviz
from dpviz.reports.material import report_data
from dpviz.reports.model import Report
from dpviz.reports.write import report_as, report_of

MOMENT = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def result() -> dpviz.Result:
    return dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, prior=0.01)


@pytest.fixture(scope="module")
def made(result: dpviz.Result) -> Report:
    return report_of(report_data(result, created=MOMENT))


def value(report: Report, group: str, name: str) -> Any:
    return report.field(group, name).value


def text_of(page: str) -> str:
    body = re.sub("<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(body).split())


def test_numbers_are_those_of_the_result(made: Report, result: dpviz.Result) -> None:
    sample = result.sample
    assert sample is not None
    assert sample.audit.bound is not None
    assert value(made, "epsilon", "lower_bound") == sample.audit.bound.low
    assert value(made, "epsilon", "epsilon_star") == sample.epsilon_star.star.value
    assert value(made, "results", "auc") == sample.rates.auc.value
    assert value(made, "consistency", "margin") == sample.audit.bound.low - 1.0
    assert made.field("epsilon", "epsilon_star").kind == "estimate"
    assert made.field("epsilon", "lower_bound").confidence_level == 0.95


def test_rates_are_counted_by_hand() -> None:
    # "Member" up to a loss of 0.25 is right for 2 of 4 members, wrong for 1 of 4 non-members; up to
    # 0.4 for 4 of 4, and of 16 pairs the member has the lower loss in 14.
    scores = ([0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.6, 0.7])
    made = report_of(report_data(dpviz.analyze(scores, fpr=0.25, prior=0.1)))
    assert value(made, "results", "auc") == 14 / 16
    assert value(made, "results", "tpr") == 1.0
    assert value(made, "results", "balanced_accuracy") == (1.0 + 0.75) / 2
    assert value(made, "results", "ppv") == pytest.approx(0.1 / (0.1 + 0.9 * 0.25), rel=1e-15)
    assert [1, 4] in value(made, "results", "roc_vertices")
    assert value(made, "results", "tpr_at_fpr")[0]["true_positives"] == 2  # at FPR 0 of 10 %
    thirds = report_of(report_data(dpviz.analyze(([1 / 3, 1], [2 / 3, 2]), fpr=0.0)))
    assert thirds.field("threshold", "threshold").shown.endswith("0.333333")


def test_the_page_says_the_answer_first(result: dpviz.Result) -> None:
    page = report_as(".html", result, created=MOMENT).decode()
    said = text_of(page)
    assert "Privacy audit · 22 November 2026 · overfitted.csv · SHA-256 6ad5…c6c8" in said
    places = [
        said.index(text)
        for text in (
            "The losses contradict the claim ε = 1.",
            "In plain words",
            "misses 0 of the 300 members. Under the claim such an attack misses at least 33",
            "What this does not say",
            "that of this trained model or that of the training method? not stated",
            "Claim against evidence",
        )
    ]
    assert places == sorted(places)
    assert not re.search(r"""(src|href)=|url\((?!#)|@import""", page)


@pytest.mark.slow
def test_what_the_claim_requires_is_in_whole_members() -> None:
    made = report_of(report_data(dpviz.analyze(dpviz.read_sample("gamma"), epsilon=1.0)))
    # 1 of 5000 flagged: at most e * 0.0002 + 1e-5 of the 5000 members are caught, so 4997.2 missed.
    assert "misses at least 4997 on average" in made.plain_words[1]


def test_a_claim_whose_mu_is_unknown_has_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: object) -> float:
        raise ValueError("f must be Gaussian or of bounded loss")

    monkeypatch.setattr("dpviz.reports.groups.question.smallest_mu", unknown)
    mu = report_of(report_data(dpviz.analyze(epsilon=1.0))).field("theory", "mu")
    assert (mu.value, mu.reason) == (None, "f must be Gaussian or of bounded loss")


def test_a_bound_of_several_attacks_that_is_refused_has_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError("no bound of several attacks")

    monkeypatch.setattr("dpviz.analysis.audit.best_of", refuse)
    first, other = ([0.1, 0.2], [0.3, 0.4]), ([0.1, 0.3], [0.2, 0.4])
    best = report_of(report_data(dpviz.analyze(first, compare={"other": other})))
    assert best.field("compared", "best_of").reason == "no bound of several attacks"


def test_every_estimate_is_called_one(made: Report) -> None:
    for group in made.groups:
        for field in group.fields:
            if field.kind == "estimate":
                assert "at least" not in field.text, field.name
    bounds = {f.name for g in made.groups for f in g.fields if "at least" in f.text}
    of_tested = {"accuracy_at_least", "epsilon_at_least"}
    assert bounds == {"lower_bound", "margin", "explanation", *of_tested}


def test_what_people_state_is_printed(result: dpviz.Result) -> None:
    about = {"subject": {"model_name": "<b>net</b>"}, "sampling": {"models": 3}}
    page = report_as(".html", result, about=about, created=MOMENT).decode()
    assert "&lt;b&gt;net&lt;/b&gt;" in page
    assert "<b>net" not in page
    assert "number of models 3" in text_of(page)


def test_the_code_of_a_report_reads_the_file_again(tmp_path: Path) -> None:
    path = tmp_path / "losses.csv"
    path.write_text("loss,member\n0.1,1\n0.2,1\n0.3,0\n0.4,0\n")
    made = report_of(report_data(dpviz.analyze(dpviz.read_scores(path))))
    assert re.search(r"dpviz\.read_scores\('.*losses\.csv'\)", value(made, "document", "code"))


def test_an_audit_that_is_missing_is_computed_first(tmp_path: Path) -> None:
    explorer = dpviz.explore(([0.1, 0.2, 0.3], [0.2, 0.8, 0.9]))
    assert explorer.result.sample is not None
    assert explorer.result.sample.audit.pending
    dpviz.report(explorer, tmp_path / "report.html", created=MOMENT)
    assert "lower bound on ε at least 0" in text_of((tmp_path / "report.html").read_text("utf-8"))
    explorer.close()


def test_without_scores_only_the_claim_is_spoken_of() -> None:
    made = report_of(report_data(dpviz.analyze(epsilon=2.0)))
    assert made.contradicted is None
    assert made.field("epsilon", "lower_bound").text == "no scores were given"
    assert value(made, "claim", "epsilon") == 2.0
    assert made.deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": 2.0, "delta": 1e-5}


def test_without_a_claim_nothing_is_contradicted() -> None:
    scores = ([0.1, 0.2, 0.3], [0.2, 0.8, 0.9])
    made = report_of(report_data(dpviz.analyze(scores, epsilon=float("inf"))))
    assert made.contradicted is None
    assert made.field("claim", "epsilon").text == "no claim was given"
    assert made.field("threshold", "strategy").text == "strongest evidence"
    assert "privacy_loss" not in made.deployment


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "report.doc"}, "path must be a name that ends in .html, .md, .pdf, .tex, .json"),
        ({"shown": 3}, "result must be an explorer, or a result of dpviz.analyze"),
        ({"about": {"model": {}}}, "group in about must be one of 'subject', "),
        ({"about": {"subject": {"name": "x"}}}, "field in about.subject must be one of 'model_n"),
        (
            {"about": {"subject": {"task": None}}},
            "about.subject.task must be text of at most 2000 characters or",
        ),
        ({"about": {"subject": {"task": "x" * 2001}}}, "text of at most 2000 characters"),
        ({"about": ["subject"]}, "about must be a table with the keys subject, "),
        ({"about": {"subject": "x"}}, "about.subject must be a table with the keys model_name, "),
    ],
    ids=str,
)
def test_what_is_no_report_is_refused(
    change: dict[str, Any], message: str, result: dpviz.Result, tmp_path: Path
) -> None:
    given = {"shown": result, "path": "report.html"} | change
    path = tmp_path / given.pop("path")
    with pytest.raises(ValueError, match=re.escape(message)):
        dpviz.report(given.pop("shown"), path, **given)
    assert not path.exists()


def test_an_open_file_takes_the_place_of_a_path(result: dpviz.Result, tmp_path: Path) -> None:
    expected = report_as(".md", result, created=MOMENT)
    text, binary = io.StringIO(), io.BytesIO()
    for file in (text, binary):
        dpviz.report(result, file, format="md", created=MOMENT)
    assert text.getvalue().encode() == binary.getvalue() == expected
    with (tmp_path / "named.md").open("w", encoding="utf-8") as named:
        dpviz.report(result, named, created=MOMENT)
    assert (tmp_path / "named.md").read_bytes() == expected
    dpviz.report(result, tmp_path / "named.html", format="md", created=MOMENT)
    assert (tmp_path / "named.html").read_bytes() == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (io.StringIO(),),
            "format must be given for an open file without a name, got N",
        ),
        (
            (io.StringIO(), "pdf"),
            "path must be a file in binary mode for PDF, got <_io.",
        ),
        (
            (io.BytesIO(), "docx"),
            "format must be one of 'html', 'md', 'pdf', 'tex', 'json', got 'd",
        ),
        ((3,), "path must be a path or an open file, got 3"),
    ],
    ids=lambda given: given if isinstance(given, str) else None,  # no addresses
)
def test_a_wrong_kind_of_file_is_refused(
    given: tuple[Any, ...], message: str, result: dpviz.Result
) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        dpviz.report(result, given[0], format=given[1] if given[1:] else None)


def test_a_report_is_frozen(made: Report) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.title = "another"  # type: ignore[misc]


@pytest.mark.parametrize("sampling", ["independent_trainings", "fixed_split"])
def test_a_report_of_one_run_says_what_its_intervals_suppose(sampling: str) -> None:
    scores = ([0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.6, 0.7])
    made = report_of(report_data(dpviz.analyze(scores, sampling=sampling)))
    about = made.field("params", "confidence_level").about
    is_one_run = sampling == "fixed_split"
    assert about.endswith("but the scores of one training run depend on each other") == is_one_run
