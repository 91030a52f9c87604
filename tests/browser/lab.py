"""JupyterLab and Notebook 7 on a copy of a notebook, and a way to run all its cells."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.server import free_port, running

SETTINGS = (
    '{"@jupyterlab/apputils-extension:notification":'
    '{"fetchNews":"false","checkForUpdates":false,"doNotDisturbMode":true}}'
)
# Cells that run before the widgets' front end has asked the kernel what is there already make it
# ask for models halfway made: "widget model not found".
READY = """async () => {
  await jupyterapp.restored;
  const { context, content } = jupyterapp.shell.currentWidget;
  await context.ready;
  await context.sessionContext.ready;
  const until = async (done) => { while (!done()) await new Promise(r => setTimeout(r, 50)); };
  await until(() => context.sessionContext.session?.kernel?.status === 'idle');
  const widgets = content.rendermime.createRenderer('application/vnd.jupyter.widget-view+json');
  const manager = await widgets._manager.promise;
  await until(() => manager.restoredStatus && !manager._kernelRestoreInProgress);
}"""

RUN = """async code => {
  const { kernel } = jupyterapp.shell.currentWidget.context.sessionContext.session;
  const future = kernel.requestExecute({ code });
  let said = '';
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === 'stream') said += content.text;
    if (header.msg_type === 'error') throw new Error(content.evalue);
  };
  await future.done;
  return said.trim();
}"""


@contextmanager
def lab_server(folder: Path, notebook: Path) -> Iterator[str]:
    """Serve a copy of `notebook` from `folder` in JupyterLab; yields the address of its page."""
    with _application("lab", "LabApp", folder, notebook) as address:
        yield f"{address}/lab/tree/{notebook.name}?reset"


@contextmanager
def notebook_server(folder: Path, notebook: Path) -> Iterator[str]:
    """Serve a copy of `notebook` from `folder` in Notebook 7; yields the address of its page."""
    with _application("notebook", "JupyterNotebookApp", folder, notebook) as address:
        yield f"{address}/notebooks/{notebook.name}"


def run_notebook(page: Page, address: str) -> None:
    """Open a notebook and start all its cells."""
    open_notebook(page, address)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")


def open_notebook(page: Page, address: str) -> None:
    """Open a notebook; its cells can be run."""
    page.goto(address)
    page.wait_for_function(
        "window.jupyterapp && jupyterapp.shell.currentWidget?.context?.sessionContext"
    )
    page.evaluate(READY)  # the toolbar's "idle" says so before there is a kernel


def run_code(page: Page, code: str) -> str:
    """Run Python in the kernel of the notebook that is open, and return what it prints."""
    return str(page.evaluate(RUN, code))


@contextmanager
def _application(command: str, name: str, folder: Path, notebook: Path) -> Iterator[str]:
    shutil.copy(notebook, folder / notebook.name)
    settings = folder / ".settings"
    settings.mkdir()
    (settings / "overrides.json").write_text(SETTINGS)
    port = free_port()
    flags = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    flags += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"]
    flags += ["--IdentityProvider.token=", "--ServerApp.password="]
    flags += [f"--{name}.expose_app_in_browser=True", f"--{name}.app_settings_dir={settings}"]
    jupyter = [sys.executable, "-m", "jupyter", command, *flags]
    with running(jupyter, folder, port, ready="/api/status") as server:
        yield server.address
