"""A kernel that is killed or interrupted in the middle of an audit: the same cells work again."""

from collections.abc import Iterator

import pytest
from jupyter_client.manager import KernelManager

IMPORTS = """
import json
import numpy as np
import dpviz
rng = np.random.default_rng(0)
"""
# So many records that the audit is still computed when the cell has ended.
MANY = "big = dpviz.explore((rng.normal(0, 1, 10**6), rng.normal(1, 1, 10**6)))"
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


class Kernel:
    """A kernel of its own, and what its cells print."""

    def __init__(self) -> None:
        self.manager = KernelManager()
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)

    def run(self, code: str) -> str:
        """Run a cell; returns what it prints and the name of its error."""
        said: list[str] = []

        def hear(message: dict) -> None:
            content = message["content"]
            said.append(content.get("text", "") + content.get("ename", ""))

        self.client.execute_interactive(code, timeout=120, output_hook=hear)
        return "".join(said)

    def kill(self) -> None:
        """End the process at once and start another, as Jupyter does."""
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=120)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    yield kernel
    kernel.close()


def test_a_kernel_killed_in_an_audit(kernel: Kernel) -> None:
    first = kernel.run(IMPORTS + CELLS)
    assert first.startswith("[1.0,")
    kernel.run(MANY)
    kernel.kill()
    assert "NameError" in kernel.run("explorer")  # nothing of the former process is left
    assert kernel.run(IMPORTS + CELLS) == first


def test_a_kernel_interrupted_in_an_audit(kernel: Kernel) -> None:
    kernel.run(IMPORTS)
    assert kernel.run(INTERRUPT + f"while True: {MANY}") == "KeyboardInterrupt"
    assert kernel.run(CELLS).startswith("[1.0,")
