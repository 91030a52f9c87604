"""A Jupyter server of this environment on a loopback port, in throw-away folders."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PRIVATE = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")


@dataclass(frozen=True)
class Server:
    """Where a server listens, and its process."""

    address: str
    process_id: int


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: Sequence[str], folder: Path, port: int, ready: str) -> Iterator[Server]:
    """Run a server until the block is left; it is there when `ready`, a path, can be had."""
    private = {name: str(folder / f".{name.lower()}") for name in PRIVATE}
    log = folder / ".server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **private}
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}{ready}", process, log)
            yield Server(address, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:  # it may wait for a kernel; nobody waits for it
                process.kill()
                process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=30).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{address} was not served:\n{log.read_text()[-3000:]}")
