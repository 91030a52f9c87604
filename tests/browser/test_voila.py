"""`make app`: the explorer as an application, for this machine alone."""

import math
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Locator, Page

from tests.browser import picture
from tests.browser.server import free_port, running
from tests.browser.test_sweep import faults_on_tabs
from tests.browser.wait import as_read, eventually
from tests.browser.watch import Watch

ROOT = Path(__file__).parents[2]
# Notebook 7 comes with the tests, not with the application, whose page cannot load its extension.
WITHOUT = "--VoilaConfiguration.extension_denylist=@jupyter-notebook/lab-extension"


def recipe(*arguments: str) -> list[str]:
    """The commands of `make app`, with this environment's Python; the last one serves."""
    make = ["make", "--dry-run", "--no-print-directory", "app"]
    make += [f"VENV={sys.prefix}", f"APP_ARGS={' '.join(arguments)}"]
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    told = subprocess.run(
        make, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return told.stdout.splitlines()


def listening(process: psutil.Process) -> set[tuple[str, int]]:
    """Addresses and ports that a process and its children, the kernels, listen on."""
    family = [process, *process.children(recursive=True)]
    connections = [c for one in family for c in one.net_connections("inet")]
    return {(c.laddr.ip, c.laddr.port) for c in connections if c.status == psutil.CONN_LISTEN}


def assert_kink(page: Page, epsilon: float) -> None:
    assert picture.region_kink(page) == pytest.approx(1 / (1 + math.exp(epsilon)), abs=1e-3)


def assert_says(view: Locator, text: str) -> None:
    assert text in as_read(view.inner_text())


@pytest.mark.slow  # test_lab.py looks at each change
def test_the_explorer_as_an_application(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, screenshot: Callable[..., None]
) -> None:
    monkeypatch.chdir(ROOT)
    port = free_port()
    options = ("--no-browser", f"--port={port}", "--Voila.port_retries=0", WITHOUT)
    command = shlex.split(recipe(*options)[-1])
    watch = Watch(page)
    with running(command, tmp_path, port, ready="/voila/static/voila.js") as server:
        policy = page.goto(server.address).header_value("Content-Security-Policy")
        page.wait_for_selector(
            ".dpviz-Explorer .dpviz-RegionView g.curve path.line", state="attached", timeout=180_000
        )
        screenshot(page)
        eventually(page, lambda: assert_kink(page, 1))
        handle = picture.slider(page, "ε")
        handle.focus()
        for _ in range(20):
            handle.press("ArrowRight")
        eventually(page, lambda: assert_kink(page, 2))
        answer = page.locator(".dpviz-AnswerView")
        eventually(page, lambda: assert_says(answer, "the claim ε = 2."))
        heard = listening(psutil.Process(server.process_id))
        assert ("127.0.0.1", port) in heard
        assert {ip for ip, _ in heard} == {"127.0.0.1"}
        assert page.locator("pre", has_text="import dpviz").count() == 0
        for size in ((1280, 800), (1440, 900), (1920, 1080)):
            assert faults_on_tabs(page, *size) == {}, size
        # The page may load from its own server only; Voila's template still asks for icons.
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy
        assert [error for error in watch.errors if "fontawesome" not in error] == []
        assert watch.foreign == []


@pytest.mark.parametrize(
    ("address", "warned"),
    [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True), ("192.0.2.7", True), ("::", True)],
)
@pytest.mark.parametrize("between", ["=", " "])  # Voila takes both
def test_a_public_address_is_warned_of(address: str, warned: bool, between: str) -> None:
    *check, _ = recipe(f"--Voila.ip{between}{address}")
    check = check[next(i for i, line in enumerate(check) if line.startswith("case")) :]
    command = ["sh", "-c", "\n".join(check)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ("SECURITY.md" in told.stderr) is warned
