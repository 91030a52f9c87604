"""Every notebook runs from top to bottom, and is committed without outputs."""

from pathlib import Path

import pytest

from tests.slow import parametrize

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
SHORT = [path for path in NOTEBOOKS if path.stem == "00_start_here"]


@parametrize("path", NOTEBOOKS, slow_but=SHORT, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("default")
def test_notebook_runs(path: Path) -> None:
    # Late: JSON schema's grammars take seconds, in each process that collects the tests.
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs"), "notebooks are committed without outputs"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": path.parent}}).execute()
    text = [str(o) for c in notebook.cells for o in c.get("outputs", [])]
    assert not any("stderr" in output for output in text)
