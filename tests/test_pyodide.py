"""dpviz where Python runs in a browser: no psutil, no threads, no processes.

Pyodide itself is not run here. A fresh Python says that it is `emscripten`, and lacks what is not
there.
"""

import subprocess
import sys
from pathlib import Path

import pytest

# Packages that dpviz needs look at the platform, too, so they are imported as they are here.
PROGRAM = """
import asyncio, sys, threading
import bqplot, IPython, pandas, scipy.stats

def no_thread(self):
    raise RuntimeError("can't start new thread")

class Kernel:
    "As that of JupyterLite: the request has no channel."
    def get_parent(self):
        return {"header": {"msg_id": "1"}, "metadata": {"cellId": "cell"}, "content": {}}

IPython.InteractiveShell.instance().kernel = Kernel()
sys.platform = "emscripten"
threading.Thread.start = no_thread
for missing in ("psutil", "multiprocessing", "subprocess", "pyarrow", "lzma", "_lzma"):
    for name in [each for each in sys.modules if each.split(".")[0] == missing]:
        del sys.modules[name]
    sys.modules[missing] = None  # an import raises ImportError

import dpviz

async def notebook():
    explorer = dpviz.explore("losses.csv", epsilon=1.0, delta=1e-5)
    IPython.display.display(explorer)
    explorer.save_html("explorer.html")
    print(explorer.result.sentences["answer"])
    view = dpviz.widgets.BoundsView(scores="losses.csv", epsilon=1.0)
    view.compute()
    print(len(view.shown.bounds) > 0)

asyncio.run(notebook())
"""


@pytest.mark.slow
def test_the_explorer_needs_no_threads_and_no_psutil(tmp_path: Path) -> None:
    rows = [f"{i % 97},{int(i < 500)}" for i in range(1000)]
    (tmp_path / "losses.csv").write_text("\n".join(["loss,member", *rows]), "utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ended.returncode == 0, ended.stderr
    answer, has_bounds = ended.stdout.splitlines()[-2:]
    assert answer == "These losses do not contradict ε = 1. That does not confirm it."
    assert has_bounds == "True"
