"""Show dpviz in marimo, with the lines of the documentation: `.ci/prove marimo`.

In Chromium the page must be drawn, follow a control, be answered by Python, and load nothing from
elsewhere; two views of `dpviz.mjs` must move apart.
"""

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from textwrap import indent

from playwright.sync_api import expect, sync_playwright

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "front_ends.md"
EMBEDDED = re.compile(r"^```python\n(from pathlib.*?)```", re.DOTALL | re.MULTILINE)
PATIENCE = 120.0  # seconds
NOTEBOOK = """import marimo

app = marimo.App()


@app.cell
def _():
{lines}
    return dpviz, mo


@app.cell
def _(dpviz, mo):
{embedded}
    two = mo.vstack([mo.ui.anywidget(shown), mo.ui.anywidget(Shown(epsilon=4.0))])
    two
    return
"""


def lines() -> str:
    """The lines that the documentation says are for marimo."""
    [found] = re.findall(
        r"^## marimo\n.*?```text\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return str(found)


def embedded() -> str:
    """The lines of a widget that is `dpviz.mjs`."""
    [found] = EMBEDDED.findall((DOCS / "reference" / "embed.md").read_text("utf-8"))
    return str(found)


def wait_for(address: str) -> None:
    """Return when a server answers."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address, timeout=30).close()
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def look(address: str) -> None:
    """Open the notebook, move ε, and see what follows."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(1000 * PATIENCE)
        expect.set_options(timeout=1000 * PATIENCE)
        elsewhere: list[str] = []

        def note(request: object) -> None:
            url = str(getattr(request, "url", ""))
            if not url.startswith((address, "data:", "blob:", "about:")):
                elsewhere.append(url)

        page.on("request", note)
        page.goto(address)
        headline = page.locator("h1", has_text="the claim")
        expect(headline).to_have_text("The losses contradict the claim ε = 1.")
        box = page.get_by_label("ε, exact value").first
        box.fill("3")
        box.press("Enter")
        expect(page.get_by_text("claimed 3").last).to_be_visible()
        expect(page.locator("h1", has_text="do not contradict ε = 3")).to_be_visible()
        # The first is LivePage.
        views = page.locator(".dpviz-page")
        expect(views).to_have_count(3)
        region, board = (views.nth(i).locator("[type=text]").first for i in (1, 2))
        expect(region).to_have_value("2")
        views.nth(1).locator("[type=range]").first.press("ArrowRight")
        expect(region).to_have_value("2.05")
        expect(board).to_have_value("4")
        browser.close()
    ours = [url for url in elsewhere if not url.startswith(address.replace("http", "ws"))]
    if ours:
        raise SystemExit(f"loaded from elsewhere: {ours}")


def main() -> None:
    """Serve a notebook with these lines, and look at it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        notebook = Path(folder, "notebook.py")
        cells = {"lines": lines(), "embedded": embedded()}
        text = NOTEBOOK.format(**{name: indent(each, "    ") for name, each in cells.items()})
        notebook.write_text(text, encoding="utf-8")
        options = ("--headless", "--no-token", "--host", "127.0.0.1", "--port", port)
        command = (sys.executable, "-m", "marimo", "run", notebook, *options)
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/health")
            look(f"http://127.0.0.1:{port}")
        finally:
            server.terminate()
            server.wait()
    sys.stdout.write("marimo: the page is drawn and follows its controls\n")


if __name__ == "__main__":
    main()
