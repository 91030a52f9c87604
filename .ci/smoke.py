"""Use the installed dpviz as a new user would, in an empty folder: `make dist` runs it.

`smoke.py nbconvert` converts a notebook with an explorer instead, with its cells executed.
"""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

NOTEBOOK = Path("explorer.ipynb")
CELL = "import dpviz\ndpviz.explore(dpviz.read_sample('overfitted'), epsilon=1.0)"
ANSWER = "The losses contradict the claim"


def use() -> None:
    """Samples, an explorer, a saved page, and the command."""
    import dpviz

    assert dpviz.__version__ == version("dpviz")
    assert Path(sys.prefix) in Path(dpviz.__file__).parents, "another dpviz was imported"
    for name in ("overfitted", "regularised", "gamma", "null"):
        assert dpviz.read_sample(name).n_members > 0
    explorer = dpviz.explore(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    explorer.save_html("explorer.html")
    assert ANSWER in Path("explorer.html").read_text("utf-8")
    dpviz.report(explorer, "audit.html")
    Path("losses.csv").write_text("loss,member\n0.1,1\n0.9,0\n", encoding="utf-8")
    command = [Path(sys.executable).with_name("dpviz"), "audit", "losses.csv", "--claim", "1,1e-5"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "cannot decide" in said, said


def convert() -> None:
    """A notebook as a page, with the answer in it."""
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbformat.write(notebook, NOTEBOOK)
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", str(NOTEBOOK)]
    subprocess.run(command, check=True)
    assert ANSWER in NOTEBOOK.with_suffix(".html").read_text("utf-8")


if __name__ == "__main__":
    convert() if sys.argv[1:] == ["nbconvert"] else use()
    sys.stdout.write("the installed dpviz works\n")
