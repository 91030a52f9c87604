"""The Python of the README and of the documentation runs as written, and prints what they say."""

import re
import runpy
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest

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
}
# `docs.check` runs the first; make targets run themselves, and `make dist` the last.
COMMANDS = ("dpviz ", "make ", "pip install .")
# Rows with measured numbers, and what a program writes between two markers.
NUMBERS = re.compile(r"^\|.*\d\.\d.*", re.MULTILINE)
WRITTEN = re.compile(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", re.DOTALL)
VERSIONS = ("dependencies.md", "front_ends.md")  # made by `.ci/prove sbom`; versions in words


ALL = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
SLOW = {"docs/how-to/many_models.md", "docs/how-to/numbers.md", "docs/how-to/saving.md"}
PAGES = {str(page.relative_to(ROOT)): page for page in ALL if BLOCK.search(page.read_text("utf-8"))}


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
        assert not said or printed.getvalue() == said


def test_the_pages_are_found() -> None:
    assert {"README.md", "docs/start.md", "docs/explanation/lower_bound.md"} <= PAGES.keys()


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_no_code_is_left_unrun_and_no_measured_number_typed(page: Path) -> None:
    text = page.read_text("utf-8")
    for kind, code in FENCED.findall(BLOCK.sub("", text)):
        if kind == "sh":
            assert all(line.startswith(COMMANDS) for line in code.splitlines())
        else:  # `make docs` runs directives
            assert kind.startswith("{") or code.splitlines()[0] in RUN_ELSEWHERE
    assert page.name in VERSIONS or not NUMBERS.search(WRITTEN.sub("", text))


def test_the_lines_for_colab_allow_other_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "how-to" / "front_ends.md").read_text("utf-8")
    [lines] = re.findall(r"\*\*Colab\*\*.*?```text\n(.*?)```", page, re.DOTALL)
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
