"""Time the first picture of a page with dpviz.mjs, beside a page of plotly.js.

Both pages show the same four plots of one claim: region, trade-off, tail and risk. Neither needs
Python or a network; the four of plotly.js have no sliders, sentences or labels. A server of this
machine has the files. The time is from the request of the page to the frame that has all four.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import numpy as np
import plotly.graph_objects as go
from playwright.sync_api import Browser, sync_playwright

import dpviz
from benchmarks.harness import QUICK, Peer, Row, show
from benchmarks.slider import launched
from dpviz.pictures.lines import MODULE
from dpviz.theory import ApproximateDP, risk

INDEX = "index.html"
CLAIM = ApproximateDP(epsilon=1.0, delta=1e-5)
HEAD = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>four</title><script>'
# The number of plots that are drawn, by page.
DRAWN = {
    "dpviz": "document.querySelector('.dpviz-page')?.shadowRoot"
    ".querySelectorAll('figure:not([hidden]) svg[role=img]').length",
    "plotly": "document.querySelectorAll('.plot-container .trace').length",
}
CLOCK = """
function look() {
  if ((DRAWN) >= 4) requestAnimationFrame(() => { window.drawn = performance.now() });
  else requestAnimationFrame(look);
}
look();
</script></head><body>"""


def plotly_page() -> str:
    """Return a page of four plots with plotly.js in it."""
    fpr = np.linspace(0, 1, 400)
    odds = np.logspace(-4, 0, 400)[:-1]
    fnr = CLAIM.beta(fpr)
    around = np.append(fpr, 1 - fpr), np.append(fnr, 1 - fnr)
    plots = [
        go.Scatter(x=around[0], y=around[1], fill="toself"),
        go.Scatter(x=fpr, y=fnr),
        go.Scatter(x=odds, y=CLAIM.tpr(odds)),
        go.Scatter(x=odds, y=risk.ppv(CLAIM, fpr=odds, prior=0.5)),
    ]
    written = ""
    for i, plot in enumerate(plots):
        figure = go.Figure(plot, layout={"width": 480, "height": 480})
        if i > 1:
            figure.update_xaxes(type="log")
        written += figure.to_html(full_html=False, include_plotlyjs=i == 0)
    return f"{HEAD}{CLOCK.replace('DRAWN', DRAWN['plotly'])}{written}</body></html>"


def pages() -> dict[str, Mapping[str, bytes]]:
    """Return the files of each page, by name."""
    lines = dpviz.embed(epsilon=1.0, delta=1e-5)
    ours = f"{HEAD}{CLOCK.replace('DRAWN', DRAWN['dpviz'])}{lines}</body></html>"
    return {
        "dpviz": {INDEX: ours.encode(), MODULE.name: MODULE.read_bytes()},
        "plotly": {INDEX: plotly_page().encode()},
    }


def first_picture(browser: Browser, address: str) -> float:
    """Return the least seconds to the first frame with all plots, in some new profiles."""
    seconds = []
    for _ in range(1 if QUICK else 9):
        context = browser.new_context(viewport={"width": 1200, "height": 1200})
        page = context.new_page()
        page.goto(address)
        page.wait_for_function("window.drawn")
        seconds.append(page.evaluate("window.drawn") / 1000)
        context.close()
    return min(seconds)


@contextmanager
def served(files: Mapping[str, bytes]) -> Iterator[str]:
    """Serve files on the loopback address while the context lasts."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder))
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Silent(SimpleHTTPRequestHandler):
    """A server of files that writes no line for each."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def rows() -> Iterator[Row]:
    """The first picture of both pages, and their sizes."""
    found = pages()
    sizes = {name: sum(map(len, files.values())) for name, files in found.items()}
    with sync_playwright() as playwright:
        browser = launched(playwright)
        seconds = {}
        for name, files in found.items():
            with served(files) as address:
                seconds[name] = first_picture(browser, address)
        browser.close()
    also = (
        f"module {MODULE.stat().st_size / 1000:.0f} kB, page with it {sizes['dpviz'] / 1000:.0f} "
        f"kB, plotly's {sizes['plotly'] / 1000:.0f} kB"
    )
    yield Row(
        "first picture of a page with the board",
        seconds["dpviz"],
        Peer("plotly.js", seconds["plotly"]),
        also,
    )


if __name__ == "__main__":
    show(rows())
