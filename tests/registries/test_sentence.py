"""A sentence of a topic from another package shows wherever sentences are listed.

The whole topic, with numbers and picture, is in `test_view.py`.
"""

import json
from html import unescape
from pathlib import Path

import pytest

import dpviz
from dpviz.analysis.topic import TextWriter
from dpviz.analysis.topics.registry import SENTENCES, TABLES
from dpviz.cli import main
from dpviz.number_format import unbroken
from dpviz.widgets import ScoresView

SCORES = ([0.1, 0.2, 0.3, 0.4], [0.3, 0.6, 0.7, 0.8, 0.9])
EXPECTED = "5 non-members set the scale of the FPR."
SOURCE = """
from dpviz.analysis.topic import Table

def scale(result):
    return f"{result.sample.at_fpr.n_nonmembers} non-members set the scale of the FPR."

def table(result):
    return Table("Counts.", ("class", "records"), [("non-members", "5")])

def answer(life):
    return f"The answer is {life}."
"""


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """A package that writes sentences, outside dpviz."""
    (tmp_path / "extra_sentences").mkdir()
    (tmp_path / "extra_sentences" / "__init__.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    import extra_sentences  # type: ignore[import-not-found]

    return extra_sentences


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "losses.csv"
    rows = [f"{loss},{n}" for n, losses in zip((1, 0), SCORES, strict=True) for loss in losses]
    path.write_text("\n".join(["loss,member", *rows]))
    return str(path)


def test_it_shows_everywhere_with_its_picture(
    extra: object,
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(SENTENCES, "scale", TextWriter(extra.scale, picture="scores"))
    result = dpviz.analyze(SCORES)
    assert result.sentences["scale"] == EXPECTED
    assert list(result.sentences)[-1] == "scale"
    words = unescape(" ".join(result.svg("scores").replace("</tspan>", " ").split()))
    assert EXPECTED.split()[-1] in words

    main(["audit", file, "--full", "--json", str(tmp_path / "audit.json")])
    assert EXPECTED in " ".join(capsys.readouterr().out.split())
    assert json.loads((tmp_path / "audit.json").read_text())["sentences"]["scale"] == EXPECTED

    view = ScoresView(scores=SCORES)
    view.save_html(tmp_path / "page.html")
    assert unbroken(EXPECTED) in (tmp_path / "page.html").read_text("utf-8")
    assert EXPECTED in view._repr_mimebundle_()["text/plain"]
    assert EXPECTED in view.texts["scale"].value


def test_it_shows_in_the_command_without_a_picture(
    extra: object, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(SENTENCES, "scale", TextWriter(extra.scale))
    main(["audit", file, "--full"])
    assert f"Further {EXPECTED}" in " ".join(capsys.readouterr().out.split())


def test_the_command_leaves_it_out_without_a_claim_where_it_is_about_one(
    extra: object, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    about_claim = TextWriter(extra.scale, picture="scores", about_claim=True)
    monkeypatch.setitem(SENTENCES, "scale", about_claim)
    main(["audit", file, "--full"])
    assert EXPECTED not in " ".join(capsys.readouterr().out.split())
    main(["audit", file, "--full", "--claim", "1,1e-5"])
    assert EXPECTED in " ".join(capsys.readouterr().out.split())


def test_a_sentence_about_an_answer_applies_once_there_is_one(
    extra: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SENTENCES, "life", TextWriter(extra.answer, "life", "answers.life"))
    before = dpviz.analyze()
    after = before.with_answer("life", 42)
    assert "life" not in before.sentences
    assert after.sentences["life"] == "The answer is 42."
    assert after.claim is before.claim
    assert "life" not in after.with_answer("life", None).sentences
    assert "life" not in before.answers
    assert after.answers == {"life": 42}


def test_a_table_is_registered_the_same_way(extra: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLES, "counts", TextWriter(extra.table))
    assert dpviz.analyze().tables["counts"][1] == ("class", "records")


def test_a_step_of_a_slider_writes_no_sentence_that_nobody_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[float] = []

    def write(result: dpviz.analysis.Result) -> str:
        written.append(result.spec.epsilon)
        return f"The claim has an ε of {result.spec.epsilon:g}."

    monkeypatch.setitem(SENTENCES, "epsilon_alone", TextWriter(write))
    explorer = dpviz.explore(SCORES, epsilon=1.0)
    explorer.epsilon = 2.0
    assert written == []
    sentences = explorer.result.sentences
    assert "epsilon_alone" in sentences
    # The sentence is written once, however often it is read.
    assert sentences["epsilon_alone"] == sentences["epsilon_alone"] == "The claim has an ε of 2."
    assert written == [2.0]
    assert repr(sentences) == repr(dict(sentences))
