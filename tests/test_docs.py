"""The Python of the README and of the documentation runs as written, and prints what they say."""

import re
import runpy
import shlex
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest

import dpviz
from docs import objects
from dpviz.cli import main
from tests.slow import parametrize

ROOT = Path(__file__).parents[1]
# Lines of Python, and their output if a block of text follows at once.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Code that is run elsewhere, by its first line.
RUN_ELSEWHERE = {
    "import marimo as mo",  # by `.ci/prove marimo`, which reads the page
    "from google.colab import output",  # below, with a stand-in for Colab's module
    '<script type="module" src="dpviz.mjs"></script>',  # by tests/browser/test_embed
    'import { board } from "./dpviz.mjs";',  # there, too
    'scores = dpviz.read_scores("s3://bucket/run/*.parquet", engine="dask")',  # as other folders
    '@pytest.mark.dp(claim="1.0,0", neighbours=pairs)',  # as others by tests/testing
    "@pytest.mark.dp_at_most(accuracy=0.525)",  # there, too
    "- run: pip install dpviz  # or the path of its sources",  # its commands, by `docs.check`
}
# `docs.check` runs the first, a test below the second; make targets run themselves, and `make dist`
# the last.
COMMANDS = ("dpviz ", ".venv/bin/dpviz ", "make ", "pip install .")
# Rows with measured numbers, and what a program writes between two markers.
NUMBERS = re.compile(r"^\|.*\d\.\d.*", re.MULTILINE)
WRITTEN = re.compile(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", re.DOTALL)
VERSIONS = ("dependencies.md", "front_ends.md")  # made by `.ci/prove sbom`; versions in words


BUILT = ROOT / "docs" / "_build"  # has pages as Markdown, too
SOURCES = sorted(set((ROOT / "docs").rglob("*.md")) - set(BUILT.rglob("*.md")))
ALL = (ROOT / "README.md", *SOURCES)
SLOW = {"docs/how-to/many_models.md", "docs/how-to/numbers.md", "docs/how-to/saving.md"}
PAGES = {str(page.relative_to(ROOT)): page for page in ALL if BLOCK.search(page.read_text("utf-8"))}
# What a newcomer wants, the words to find it by in the navigation, the page, and where it answers.
TASKS = {
    "a first answer": ("first answer", "start.md", "contradict* the claim"),
    "what FPR means": ("first answer", "start.md", "share of non-members"),
    "losses of my own model": ("own model", "how-to/own_model.md", "scores_from_estimator"),
    "my accountant's ε as the claim": ("accountant", "how-to/own_claim.md", "accountant of Opacus"),
    "gate my pipeline": ("gate", "how-to/pipeline.md", "exit code is the gate"),
    "how many records I need": ("plan", "how-to/pipeline.md", "how many records are enough"),
    "which ε I report": (
        "which ε to report",
        "explanation/bounds_and_estimates.md",
        "Report the lower",
    ),
    "add/remove or replace-one": ("which data sets", "explanation/adjacency.md", "replace-one"),
    "whether a bound of 0 means private": (
        *("cannot say", "explanation/what_dpviz_is_not.md"),
        "never excludes large ones",
    ),
    "which tool trains with DP": ("other jobs", "explanation/what_dpviz_is_not.md", "Opacus"),
    "test my code": ("pytest", "how-to/test_code.md", "dp(claim="),
    "a picture for my paper": ("paper", "how-to/saving.md", "result.svg("),
    "use it in Colab": ("Colab", "how-to/front_ends.md", "enable_custom_widget_manager"),
    "what a term on the screen means": ("glossary", "reference/glossary.md", "```{terms}"),
    "cite dpviz": ("cite", "reference/cite.md", "@software"),
    "teach a class": ("plans", "how-to/teaching.md", "## Plans"),
}


@parametrize("name", PAGES, slow_but=PAGES.keys() - SLOW)
def test_code_runs_and_prints_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "losses.csv").write_text("loss,member\n0.1,1\n0.9,0\n")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for code, said in BLOCK.findall(PAGES[name].read_text("utf-8")):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(code, namespace)
        assert printed.getvalue() == said


def test_the_pages_are_found() -> None:
    assert {"README.md", "docs/start.md", "docs/appendix/coverage.md"} <= PAGES.keys()


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_no_code_is_left_unrun_and_no_measured_number_typed(page: Path) -> None:
    text = page.read_text("utf-8")
    for kind, code in FENCED.findall(BLOCK.sub("", text)):
        if kind == "sh":
            assert all(line.startswith(COMMANDS) for line in code.splitlines())
        else:  # `make docs` runs directives
            assert kind.startswith("{") or code.splitlines()[0] in RUN_ELSEWHERE
    assert page.name in VERSIONS or not NUMBERS.search(WRITTEN.sub("", text))


# Pages of which every block that prints shows what it prints.
SHOWN = [page for page in ALL if page.parent.name in ("explanation", "gallery", "reference")]


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_what_is_printed_is_shown(page: Path) -> None:
    for code, said in BLOCK.findall(page.read_text("utf-8")):
        assert said or "print(" not in code, code


def test_the_reference_has_each_public_object_once() -> None:
    modules = [dpviz, dpviz.theory, dpviz.audit, dpviz.teach, dpviz.widgets, dpviz.pictures]
    for module in modules:
        exported = [name for name in module.__all__ if callable(getattr(module, name))]
        assert {f"{module.__name__}.{name}" for name in exported} <= objects.pages().keys()
    assert objects.pages()["dpviz.audit.bounds.lower_bound"] == "dpviz.audit.lower_bound"
    described = [id(objects.objects()[name]) for name in {*objects.pages().values()}]
    assert len(described) == len(set(described))


def test_each_form_of_the_citation_says_the_same() -> None:
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    page = (ROOT / "docs" / "reference" / "cite.md").read_text("utf-8")
    for name in ("title", "version"):
        [value] = re.findall(rf"^{name}: \"?(.*?)\"?$", cited, re.MULTILINE)
        assert re.search(rf"^  {name} += {{{re.escape(value)}}},$", page, re.MULTILINE)


def navigation() -> list[tuple[str, str]]:
    """Lines on the first page and on the pages of lists that it links to, and where they lead."""
    first = ROOT / "docs" / "index.md"
    lists = [first, *(ROOT / "docs" / name / "index.md" for name in ("how-to", "explanation"))]
    assert all(f"{page.parent.name}/index\n" in first.read_text("utf-8") for page in lists[1:])
    return [
        (line, (page.parent / target).resolve().relative_to(first.parent).as_posix())
        for page in lists
        for line in page.read_text("utf-8").splitlines()
        for target in re.findall(r"\]\(([\w/.-]+\.md)\)", line)
    ]


@pytest.mark.parametrize(("words", "page", "answer"), TASKS.values(), ids=TASKS)
def test_a_newcomer_finds(words: str, page: str, answer: str) -> None:
    assert any(words in line and target == page for line, target in navigation())
    assert answer in (ROOT / "docs" / page).read_text("utf-8")


def test_the_readme_is_short_and_says_how_its_command_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    [typed] = re.findall(r"^\.venv/bin/dpviz (.*)$", page, re.MULTILINE)
    monkeypatch.chdir(ROOT)
    assert f"exit code is {main(shlex.split(typed))} if" in page
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.rstrip(".") in page
    assert page.count("\n") <= 100


def test_the_lines_for_colab_allow_other_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "how-to" / "front_ends.md").read_text("utf-8")
    [lines] = re.findall(r"^## Colab\n.*?```text\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    colab = Mock(spec_set=["output"])
    monkeypatch.setitem(sys.modules, "google.colab", colab)
    exec(lines, {})
    colab.output.enable_custom_widget_manager.assert_called_once_with()


def test_each_version_of_the_pages_knows_the_others(tmp_path: Path) -> None:
    for name in ("0.9.0", "0.10.0", "_static"):
        (tmp_path / name).mkdir()
    versions = runpy.run_path(str(ROOT / "docs" / "extensions" / "versions.py"))
    assert versions["write_all"](tmp_path) == ["0.10.0", "0.9.0"]
    for name, other in (("0.9.0", "0.10.0"), ("0.10.0", "0.9.0")):
        assert f'others = ["{other}"]' in (tmp_path / name / "versions.js").read_text("utf-8")
