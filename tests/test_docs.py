"""The Python of the README and of the documentation runs as written, and prints what they say."""

import re
import runpy
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Lines of Python, and their output if a block of text follows at once.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def pages() -> Iterator[Path]:
    """The pages with Python, in the repository and in a source distribution."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if BLOCK.search(page.read_text("utf-8")):
            yield page


PAGES = {str(page.relative_to(ROOT)): page for page in pages()}


@pytest.mark.parametrize("name", PAGES)
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


def test_each_version_of_the_pages_knows_the_others(tmp_path: Path) -> None:
    for name in ("0.9.0", "0.10.0", "_static"):
        (tmp_path / name).mkdir()
    versions = runpy.run_path(str(ROOT / "docs" / "extensions" / "versions.py"))
    assert versions["write_all"](tmp_path) == ["0.10.0", "0.9.0"]
    for name, other in (("0.9.0", "0.10.0"), ("0.10.0", "0.9.0")):
        assert f'others = ["{other}"]' in (tmp_path / name / "versions.js").read_text("utf-8")
