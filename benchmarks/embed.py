"""Time the first picture of a page with dpviz.mjs, beside a page of plotly.js.

Both pages show the same four plots of one claim: region, trade-off, tail and risk. Neither needs
Python or a network; the four of plotly.js have no sliders, sentences or labels. A server of this
machine has the files. The time is from the request of the page to the frame that has all four, the
median of some. The labels of dpviz come after that frame: their time is said beside.
"""

import json
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
OURS = "document.querySelector('.dpviz-page')?.shadowRoot.querySelectorAll('figure:not([hidden]) "
# Elements of which four are waited for, one kind after the other, by page: plots, their labels.
STAGES = {
    "dpviz": [f"{OURS}svg[role=img]')", f"{OURS}[id$=-labels] > g:not(:empty)')"],
    "plotly": ["document.querySelectorAll('.plot-container .trace')"],
}
# The page says when it has all: to be asked would make it slower.
CLOCK = """
const stages = [STAGES], times = [];
function look() {
  if (!(stages[times.length]()?.length >= 4)) return void requestAnimationFrame(look);
  requestAnimationFrame(() => {
    times.push(performance.now());
    if (times.length < stages.length) look();
    else console.log(JSON.stringify(times));
  });
}
look();
</script></head><body>"""


def head(name: str) -> str:
    """Return how the page begins, with the clock of its stages."""
    return HEAD + CLOCK.replace("STAGES", ", ".join(f"() => {each}" for each in STAGES[name]))


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
    return f"{head('plotly')}{written}</body></html>"


def pages() -> dict[str, Mapping[str, bytes]]:
    """Return the files of each page, by name."""
    lines = dpviz.embed(epsilon=1.0, delta=1e-5)
    ours = f"{head('dpviz')}{lines}</body></html>"
    return {
        "dpviz": {INDEX: ours.encode(), MODULE.name: MODULE.read_bytes()},
        "plotly": {INDEX: plotly_page().encode()},
    }


def stages(browser: Browser, address: str) -> list[float]:
    """Return the median seconds to the first frame of each stage, in some new profiles."""
    seconds = []
    for _ in range(1 if QUICK else 15):
        context = browser.new_context(viewport={"width": 1200, "height": 1200})
        page = context.new_page()
        with page.expect_console_message(lambda message: message.text.startswith("[")) as said:
            page.goto(address, wait_until="commit")
        seconds.append(json.loads(said.value.text))
        context.close()
    return [float(each) / 1000 for each in np.median(seconds, axis=0)]


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
                seconds[name] = stages(browser, address)
        browser.close()
    first, labelled = seconds["dpviz"]
    also = (
        f"with labels {1000 * labelled:.0f} ms; module {MODULE.stat().st_size / 1000:.0f} kB, "
        f"page with it {sizes['dpviz'] / 1000:.0f} kB, plotly's {sizes['plotly'] / 1000:.0f} kB"
    )
    yield Row(
        "first picture of a page with the board",
        first,
        Peer("plotly.js", seconds["plotly"][0]),
        also,
    )


if __name__ == "__main__":
    show(rows())
