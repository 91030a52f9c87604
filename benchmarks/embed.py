"""Time the first picture of a page with dpviz.mjs, beside a page of plotly.js.

Both pages show the same four plots of one claim: region, trade-off, tail and risk. Neither needs
Python or a network; the four of plotly.js have no sliders, sentences or labels. Chromium reads the
files from memory. The time is from the request of the page to the frame that has all four.
"""

from collections.abc import Iterator, Mapping
from statistics import median

import numpy as np
import plotly.graph_objects as go
from playwright.sync_api import Browser, Route, sync_playwright

import dpviz
from benchmarks.harness import QUICK, Peer, Row, show
from benchmarks.slider import launched
from dpviz.pictures.lines import MODULE
from dpviz.theory import ApproximateDP, risk

SITE = "http://pages.test/"
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
    """Return the files of each page, by name; the page itself has the name ""."""
    lines = dpviz.embed(epsilon=1.0, delta=1e-5)
    ours = f"{HEAD}{CLOCK.replace('DRAWN', DRAWN['dpviz'])}{lines}</body></html>"
    return {
        "dpviz": {"": ours.encode(), MODULE.name: MODULE.read_bytes()},
        "plotly": {"": plotly_page().encode()},
    }


def first_picture(browser: Browser, files: Mapping[str, bytes]) -> float:
    """Return the median of the seconds to the first frame with all plots, in new profiles."""
    seconds = []
    for _ in range(1 if QUICK else 9):
        context = browser.new_context(viewport={"width": 1200, "height": 1200})

        def answer(route: Route) -> None:
            name = route.request.url.removeprefix(SITE)
            kind = "text/javascript" if name else "text/html"
            route.fulfill(body=files.get(name, b""), content_type=kind)

        context.route("**/*", answer)
        page = context.new_page()
        page.goto(SITE)
        page.wait_for_function("window.drawn")
        seconds.append(page.evaluate("window.drawn") / 1000)
        context.close()
    return median(seconds)


def rows() -> Iterator[Row]:
    """The first picture of both pages, and their sizes."""
    found = pages()
    sizes = {name: sum(map(len, files.values())) for name, files in found.items()}
    with sync_playwright() as playwright:
        browser = launched(playwright)
        ours, theirs = (first_picture(browser, found[name]) for name in ("dpviz", "plotly"))
        browser.close()
    also = (
        f"module {MODULE.stat().st_size / 1000:.0f} kB, page with it {sizes['dpviz'] / 1000:.0f} "
        f"kB, plotly's {sizes['plotly'] / 1000:.0f} kB"
    )
    yield Row("first picture of a page with the board", ours, Peer("plotly.js", theirs), also)


if __name__ == "__main__":
    show(rows())
