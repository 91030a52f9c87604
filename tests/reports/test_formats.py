"""Markdown, LaTeX and PDF: the same numbers, a model card, and text of others that stays text."""

import dataclasses
import re
import sys
from base64 import b64decode
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mistune
import pytest
import yaml

import dpviz
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.audit.scores.base import Provenance
from dpviz.reports import ABOUT
from dpviz.reports.formats import escaped_latex as in_latex
from dpviz.reports.receipt import Receipt
from dpviz.reports.write import report_as

TABLE = ("table", "thead", "tbody", "tr", "th", "td")
EVIL = (
    "<img src=x onerror=alert(1)>",
    "![x](javascript:alert(1)) [y](http://z)",
    "# heading | cell `code` *strong* $x$ ~~no~~",
    "```\nfence\n```",
    r"\input{/etc/passwd} \write18{rm} %comment & _^~#{}",
    "</code></td></tr></table><script>alert(1)</script>",
    "---\nmodel-index: 3",
    "1. list",
    "from \u202eright to left\x00",
    '": {a: !!python/object b}',
)


@pytest.fixture(scope="module")
def result() -> dpviz.Result:
    losses = ([0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.6, 0.7])
    return dpviz.analyze(losses, fpr=0.25, epsilon=1.0)


@pytest.fixture(scope="module")
def hostile() -> dpviz.Result:
    scores = dpviz.AttackScores.from_losses(member=[0.1, 0.2, 0.3], nonmember=[0.3, 0.8, 0.9])
    read = Provenance(source=EVIL[0], loader=EVIL[4], understood=" ".join(EVIL), n_rows=6)
    object.__setattr__(scores, "provenance", read)
    return dpviz.analyze(scores)


def stating(result: dpviz.Result, text: str) -> dpviz.Result:
    """The result where people wrote `text` wherever they can, as far as it is accepted there."""
    about = {group: dict.fromkeys(fields, text) for group, fields in ABOUT.items()}
    note = text.replace("\x00", "")
    facts = {name: {"note": note} for name in QUESTIONS}
    plan = "".join(sign for sign in text if sign.isprintable())
    receipt = Receipt(claim=result.spec.claim, attack=plan, n_members=3, n_nonmembers=3)
    said = dataclasses.replace(result, spec=result.spec.changed(about=about, facts=facts))
    return said.with_answer("protocol", receipt.compared(result))


def in_words(text: str) -> str:
    return " ".join(text.replace("\x00", "\ufffd").split())


def front_matter(text: str) -> Any:
    return yaml.safe_load(text.split("---\n")[1])


def test_the_model_card_has_exact_numbers(result: dpviz.Result) -> None:
    given = {"subject": {"model_name": "net"}}
    card = front_matter(report_as(".md", result, about=given).decode())
    (model,) = card["model-index"]
    assert model["name"] == "net"
    metrics = {each["type"]: each["value"] for each in model["results"][0]["metrics"]}
    assert metrics["auc"] == 14 / 16  # counted by hand: see test_report.py
    assert metrics["tpr"] == 1.0
    claimed = card["differential_privacy"]["privacy_loss"]["privacy_parameters"]
    assert claimed == {"epsilon": 1.0, "delta": 1e-5}


def test_markdown_has_what_the_page_has(result: dpviz.Result) -> None:
    text = report_as(".md", result).decode()
    page = mistune.create_markdown(plugins=["table"])(text.split("---\n", 2)[2])
    assert isinstance(page, str)
    assert page.count("<h1>") == 1
    images = re.findall(r'<img src="[^"]+" alt="([^"]+)"', page)
    assert "ε at δ = 1e-5: claimed 1;" in images[0]
    pictures = re.findall(r"^\[(\w+)\]: data:image/svg\+xml;base64,(\S+)$", text, re.MULTILINE)
    assert len(pictures) == len(images)
    for name, data in pictures:
        svg = ElementTree.fromstring(b64decode(data))
        assert svg.attrib["aria-labelledby"] == f"figure-{name}-title"
    assert "<td>AUC</td>\n  <td>0.875</td>" in page
    assert "<td>not stated</td>" in page
    assert "<td>auditor; organisation; contact;" in page


@pytest.mark.parametrize("evil", EVIL)
def test_text_of_others_stays_text_in_markdown(hostile: dpviz.Result, evil: str) -> None:
    text = report_as(".md", stating(hostile, evil)).decode()
    # A name that is hostile YAML is a name.
    assert front_matter(text)["model-index"][0]["name"][:3] == evil[:3]
    plugins = ["table", "strikethrough", "math", "url"]
    page = mistune.create_markdown(plugins=plugins, escape=False)(text.split("---\n", 2)[2])
    assert isinstance(page, str)
    page = re.sub(r'<img src="#harmful-link" alt="[^"]*" />', "", page)  # the figures, as data
    made = set(re.findall(r"<(\w+)", page)) - {"a"}
    assert made <= {"h1", "h2", "p", "ul", "li", "pre", "code", *TABLE}
    assert "javascript:" not in re.sub(">[^<]*<", "><", page)
    said = " ".join(unescape(re.sub("<[^>]+>", "", page)).split())
    assert said.count(in_words(evil)) >= sum(map(len, ABOUT.values()))
    # Beside its label: what is stated of the attack; in its row: the note of each question.
    assert page.count("<td>not stated</td>") == 0
    notes = re.findall(r"\?</td>\s*<td>(.*?)</td>", page)
    assert len(notes) == len(QUESTIONS)
    expected = in_words(evil.replace("\x00", ""))
    assert {" ".join(unescape(re.sub("<[^>]+>", "", note)).split()) for note in notes} == {expected}


@pytest.mark.parametrize("evil", EVIL)
def test_text_of_others_stays_text_in_latex(evil: str) -> None:
    written = in_latex(evil)
    # Only commands that print one sign are left, and no sign that LaTeX interprets.
    plain = re.sub(
        r"\\text[a-z]+\{\}|\\ensuremath\{\\[a-z]+\}|\\dots\{\}|\\char34\{\}|-\{\}|\\[{}$&#%_]",
        "",
        written,
    )
    assert not set(plain) & set("\\{}$&#%_^~`")
    assert "--" not in written
    assert all(sign.isprintable() for sign in plain)


def test_the_table_of_latex_has_the_numbers(result: dpviz.Result) -> None:
    rows = [
        [cell.strip() for cell in line.removesuffix(r" \\").split(" & ")]
        for line in report_as(".tex", result).decode().splitlines()
        if line.endswith(r" \\")
    ]
    assert {len(row) for row in rows} == {3}
    shown = {row[0]: row for row in rows}
    assert shown["AUC"][1] == "0.875"
    assert shown["AUC"][2].startswith("estimate, not a bound;")
    assert shown[r"lower bound on \ensuremath{\varepsilon}"][1] == "at least 0"


@pytest.mark.slow
def test_pdf_is_made_of_the_page(hostile: dpviz.Result, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    dpviz.report(stating(hostile, " ".join(EVIL)), path)
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert not re.search(rb"/(URI|JavaScript|EmbeddedFile)\b", content)
    assert len(content) < 1_000_000


def test_pdf_says_what_it_needs(
    result: dpviz.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(ImportError, match=r"pip install 'dpviz\[pdf\]'"):
        dpviz.report(result, tmp_path / "report.pdf")
    assert not list(tmp_path.iterdir())
