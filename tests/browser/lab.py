"""A JupyterLab server of this environment, in throw-away folders, and a way to open notebooks."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

SETTINGS = (
    '{"@jupyterlab/apputils-extension:notification":'
    '{"fetchNews":"false","checkForUpdates":false,"doNotDisturbMode":true}}'
)
READY = """async () => {
  await jupyterapp.restored;
  const context = jupyterapp.shell.currentWidget.context;
  await context.ready;
  await context.sessionContext.ready;
  while (context.sessionContext.session?.kernel?.status !== 'idle')
    await new Promise(r => setTimeout(r, 50));
}"""


@contextmanager
def lab_server(folder: Path, notebook: Path) -> Iterator[str]:
    """Serve a copy of `notebook` from `folder` on loopback; yields the address of its page."""
    shutil.copy(notebook, folder / notebook.name)
    settings = folder / ".settings"
    settings.mkdir()
    (settings / "overrides.json").write_text(SETTINGS)
    port = _free_port()
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    command += ["--IdentityProvider.token=", "--ServerApp.password="]
    command += ["--LabApp.expose_app_in_browser=True", f"--LabApp.app_settings_dir={settings}"]
    command += [f"--ServerApp.root_dir={folder}"]
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")
    private = {name: str(folder / f".{name.lower()}") for name in names}
    log = (folder / ".lab.log").open("w")
    server = subprocess.Popen(
        command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **private}
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api/status", server, folder / ".lab.log")
        yield f"http://127.0.0.1:{port}/lab/tree/{notebook.name}?reset"
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def run_notebook(page: Page, address: str) -> None:
    """Open a notebook and start all its cells."""
    page.goto(address)
    page.wait_for_function(
        "window.jupyterapp && jupyterapp.shell.currentWidget?.context?.sessionContext"
    )
    page.evaluate(READY)  # the toolbar's "idle" says so before there is a kernel
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            urllib.request.urlopen(address, timeout=2).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
