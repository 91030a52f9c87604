"""Every notebook runs from top to bottom, and is committed without outputs."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_committed_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)


@pytest.mark.slow  # in a browser, tests/browser/test_lab.py runs the first at each change
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("default")
def test_notebook_runs(path: Path) -> None:
    # Late: JSON schema's grammars take seconds, in each process that collects the tests.
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": path.parent}}).execute()
    text = [str(o) for c in notebook.cells for o in c.get("outputs", [])]
    assert not any("stderr" in output for output in text)
