"""A kernel that is killed, interrupted or shared: the same cells work again, nothing is left."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client import BlockingKernelClient
from jupyter_client.manager import KernelManager

IMPORTS = """
import json
import numpy as np
import dpviz
from ipywidgets.widgets.widget import _instances
rng = np.random.default_rng(0)
"""
# So many records that the audit is still computed when the cell has ended.
MANY = "big = dpviz.explore((rng.normal(0, 1, 300_000), rng.normal(1, 1, 300_000)))"
INTERRUPT = """
import os, signal, threading
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
"""
CELLS = """
explorer = dpviz.explore(dpviz.read_sample("overfitted"), epsilon=1)
explorer.epsilon = 3
explorer.undo()
answer = explorer.result.sentences["answer"]
print(json.dumps([explorer.epsilon, answer]))
"""
UNDO = """
print("begun", flush=True)
while True:
    explorer.epsilon = 3
    explorer.undo()
"""
LIVE = """
live = explorer.store.live
control = next(each for each in live.controls if each["field"] == "epsilon")
print(json.dumps([live.comm.comm_id, control["key"], live.answers]))
"""
ZONE = "print(explorer.source.uploads.zone.comm.comm_id)"
FILE = b"loss,member\n" + b"0.5,1\n0.7,0\n0.9,0\n" * 50


class Kernel:
    """A kernel of its own, and what its cells print."""

    def __init__(self, folder: Path) -> None:
        self.manager = KernelManager()
        self.manager.start_kernel(env={**os.environ, "TMPDIR": str(folder)})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)

    def run(self, code: str, *, cell: str = "") -> str:
        """Run a cell, with an id or without; returns what it prints and the name of its error."""
        said: list[str] = []

        def hear(message: dict) -> None:
            content = message["content"]
            said.append(content.get("text", "") + content.get("ename", ""))

        self.client.session.metadata = {"cellId": cell} if cell else {}
        self.client.execute_interactive(code, timeout=120, output_hook=hear)
        return "".join(said)

    def begin(self, code: str) -> None:
        """Run a cell until it prints something."""
        self.client.execute(code)
        while self.client.get_iopub_msg(timeout=120)["msg_type"] != "stream":
            pass

    def send(self, comm: str, data: dict, piece: bytes | None = None) -> None:
        """One message of the page to a widget."""
        content = {"comm_id": comm, "data": data}
        message = self.client.session.msg("comm_msg", content)
        buffers = None if piece is None else [piece]
        self.client.session.send(self.client.shell_channel.socket, message, buffers=buffers)

    def kill(self) -> None:
        """End the process at once and start another, as Jupyter does."""
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=120)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the kernel keeps temporary files."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def kernel(folder: Path) -> Iterator[Kernel]:
    kernel = Kernel(folder)
    yield kernel
    kernel.close()


@pytest.mark.slow
def test_a_kernel_killed_in_an_audit_and_in_an_undo(kernel: Kernel) -> None:
    first = kernel.run(IMPORTS + CELLS)
    assert first.startswith("[1.0,")
    kernel.run(MANY)
    kernel.begin(UNDO)
    kernel.kill()
    assert "NameError" in kernel.run("explorer")  # nothing of the former process is left
    assert kernel.run(IMPORTS + CELLS) == first


def upload(kernel: Kernel, *pieces: bytes) -> None:
    """The messages of the page that send a file in pieces."""
    zone = kernel.run(ZONE).strip()
    content = {"do": "begin", "id": "a", "name": "scores.csv", "size": len(FILE)}
    kernel.send(zone, {"method": "custom", "content": content})
    for piece in pieces:
        kernel.send(zone, {"method": "custom", "content": {"do": "piece", "id": "a"}}, piece)


@pytest.mark.slow
def test_a_kernel_killed_in_an_upload(kernel: Kernel, folder: Path) -> None:
    kernel.run(IMPORTS + CELLS)
    upload(kernel, FILE[:100])
    kernel.run("None")  # after the messages
    [orphan] = folder.glob("dpviz-*.csv")
    assert orphan.stat().st_size == 100
    kernel.kill()
    os.utime(orphan, (0, 0))
    kernel.run(IMPORTS + CELLS)
    upload(kernel, FILE[:100], FILE[100:])
    wait = "import asyncio\nwhile explorer.source.uploads.job.is_running: await asyncio.sleep(.01)"
    assert kernel.run(f"{wait}\nprint(explorer.result.sample.at_fpr.n_members)") == "50\n"
    assert list(folder.glob("dpviz-*")) == []


def test_a_kernel_interrupted_in_an_audit(kernel: Kernel) -> None:
    kernel.run(IMPORTS)
    assert kernel.run(INTERRUPT + f"while True: {MANY}") == "KeyboardInterrupt"
    assert kernel.run(CELLS).startswith("[1.0,")


@pytest.mark.slow
def test_two_pages_on_one_kernel(kernel: Kernel) -> None:
    kernel.run(IMPORTS + CELLS)
    comm, key, serial = json.loads(kernel.run(LIVE))
    first = kernel.client
    second = BlockingKernelClient(connection_file=kernel.manager.connection_file)
    second.load_connection_file()
    second.start_channels()
    second.wait_for_ready(timeout=120)
    try:
        for page, epsilon in ((second, 2.0), (first, 4.0), (second, 5.0)):
            serial += 1
            kernel.client = page
            changes = {key: {"epsilon": epsilon}}
            hand = {"serial": serial, "changes": changes}
            kernel.send(comm, {"method": "update", "state": {"hand": hand}})
            for each in (first, second):  # both see the same state
                while (told := shown(each.get_iopub_msg(timeout=120), comm)) is None:
                    pass
                assert told == (epsilon, serial)
        assert kernel.run("explorer.reset(); print(explorer.epsilon)") == "1.0\n"
    finally:
        kernel.client = first
        second.stop_channels()


def shown(message: dict, comm: str) -> tuple[float, int] | None:
    """The number and the answer that a message of the kernel brings to a page."""
    content = message["content"]
    if message["msg_type"] != "comm_msg" or content["comm_id"] != comm:
        return None
    state = content["data"].get("state", {})
    return (state["epsilon"], state["answers"]) if "epsilon" in state else None


def widgets(kernel: Kernel) -> int:
    return int(kernel.run("print(len(_instances))"))


@pytest.mark.slow
def test_a_cell_run_again_releases_what_it_showed(kernel: Kernel) -> None:
    kernel.run(IMPORTS)
    shows = "dpviz.explore()"
    before = widgets(kernel)
    kernel.run(shows, cell="a")
    one = widgets(kernel) - before
    assert one > 100
    for _ in range(2):
        kernel.run(shows, cell="a")
    assert widgets(kernel) == before + one
    # What has a name, is shown elsewhere or was made elsewhere stays.
    kernel.run(f"kept = {shows}; kept", cell="b")
    kernel.run("kept", cell="c")
    kernel.run(f"kept = {shows}; several = [kept]", cell="b")
    assert widgets(kernel) == before + 3 * one
    kernel.run("kept", cell="c")
    assert widgets(kernel) == before + 2 * one
    kernel.run("several[0]", cell="d")
    kernel.run("kept = None", cell="d")
    assert kernel.run("print(several[0].comm is None)") == "False\n"
