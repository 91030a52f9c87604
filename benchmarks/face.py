"""Time what a user waits for: the first picture, the answer, another tab; beside plotly.

Run as `benchmarks/slider.py`, in a JupyterLab of each way's own and in the same browser::

    python -m benchmarks.face

A first cell imports and has the numbers. What is timed is the second: from the moment at which it
is run to the end of the frame that shows the pictures. dpviz shows the explorer of 10^4 records, a
ruler and three pictures, each as a still picture first, and so does each tab; plotly four
`FigureWidget`, then the same four in two tabs.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.harness import Peer, Row, show
from benchmarks.slider import launched
from benchmarks.slider_notebooks import CLOSED_FORMS, PICTURES, PLOTLY, Way
from tests.browser.lab import lab_server, open_notebook

PROBE = (Path(__file__).parent / "face_probe.js").read_text()
LIMIT_MS = 60_000

DPVIZ = """
import dpviz
import numpy as np

rng = np.random.default_rng(1)
scores = dpviz.AttackScores.from_losses(
    member=rng.normal(0, 1, 5000), nonmember=rng.normal(1, 1, 5000)
)
"""
TABS = "ipywidgets.Tab([ipywidgets.HBox(figures[:2]), ipywidgets.HBox(figures[2:])])"
WAYS = (
    Way("dpviz", (DPVIZ, "dpviz.explore(scores)"), "dpviz", ".dpviz-figure", PICTURES),
    Way(
        "plotly FigureWidget, four",
        (f"import plotly.graph_objects as go\n{CLOSED_FORMS}", PLOTLY, TABS),
        "plotly",
        ".js-plotly-plot",
        PICTURES,
    ),
)
LIVE = ".bqplot, .js-plotly-plot"
DRAWN = "([pictures, count, limit]) => probe.until(() => probe.drawn(pictures) >= count, limit)"
ANSWERED = """limit => probe.until(() => {
  const headline = document.querySelector('.dpviz-answer h2')?.innerText;
  return headline && !headline.startsWith('Not computed');
}, limit)"""
TABS_OF_DPVIZ = '.dpviz [role="tab"]'
TABS_OF_PLOTLY = ".jupyter-widget-tab [role='tab']"
SHOWN = "([pictures, limit]) => probe.shown(pictures, limit)"
SETTLED = "([pictures, quiet, limit]) => probe.settled(pictures, quiet, limit)"
QUIET_MS = 300
RUN = """async index => {
  jupyterapp.shell.currentWidget.content.activeCellIndex = index;
  probe.start();
  await jupyterapp.commands.execute('notebook:run-cell');
}"""


def rows() -> Iterator[Row]:
    """What dpviz shows, each beside the nearest of plotly's."""
    ours, theirs = WAYS
    with sync_playwright() as playwright:
        browser = launched(playwright)
        with opened(browser, ours) as page:
            dpviz = shown(page, ours)
            answer = seconds(page.evaluate(ANSWERED, LIMIT_MS))
            count = page.locator(TABS_OF_DPVIZ).count()
            page.evaluate("probe.watch()")
            first = [switched(page, TABS_OF_DPVIZ, i, ours) for i in range(1, count)]
            again = [switched(page, TABS_OF_DPVIZ, i, ours) for i in range(count)]
            still, live = zip(*first, strict=True)
            seen_again, live_again = zip(*again, strict=True)
        with opened(browser, theirs) as page:
            plotly = shown(page, theirs)
            page.evaluate(RUN, 2)
            page.evaluate("probe.watch()")
            tabs = [switched(page, TABS_OF_PLOTLY, i, theirs) for i in (1, 0, 1, 0)]
        browser.close()
    peers = {
        "first": Peer(f"{theirs.name}: the first", plotly[0]),
        "all": Peer(f"{theirs.name}: all", plotly[1]),
        "tab": Peer("two of them in a tab", median(live for _, live in tabs)),
    }
    load = f"load {os.getloadavg()[0]:.1f}"
    yield Row("first picture after the cell runs", dpviz[0], peers["first"], load)
    yield Row("all four pictures live after the cell runs", dpviz[1], peers["all"], load)
    yield Row("answer of 10^4 records, after the first picture", answer - dpviz[0], peers["all"])
    for work, found in (
        ("a tab for the first time: its pictures", still),
        ("a tab for the first time: all of them live", live),
        ("a tab that was shown before: its pictures", seen_again),
        ("a tab that was shown before: its last change", live_again),
    ):
        slowest = f"slowest {1e3 * max(found):.0f} ms"
        yield Row(f"{work} (median)", median(found), peers["tab"], slowest)


@contextmanager
def opened(browser: Browser, way: Way) -> Iterator[Page]:
    """The way's notebook in a JupyterLab of its own, its first cell run."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    page.add_init_script(PROBE)
    with (
        tempfile.TemporaryDirectory() as source,
        tempfile.TemporaryDirectory() as folder,
        lab_server(Path(folder), way.write(Path(source))) as address,
    ):
        open_notebook(page, address)
        page.evaluate(RUN, 0)
        yield page
        context.close()


def shown(page: Page, way: Way) -> tuple[float, float]:
    """Run the second cell; seconds until its first picture, and until all are live."""
    page.evaluate(f"index => void ({RUN})(index)", 1)
    first = seconds(page.evaluate(DRAWN, [way.selector, 1, LIMIT_MS]))
    return first, seconds(page.evaluate(DRAWN, [LIVE, way.pictures, LIMIT_MS]))


def switched(page: Page, tabs: str, index: int, way: Way) -> tuple[float, float]:
    """Seconds from a click on a tab until its pictures are seen, and until the last change."""
    page.locator(tabs).nth(index).click()
    pictures = seconds(page.evaluate(SHOWN, [way.selector, LIMIT_MS]))
    return pictures, seconds(page.evaluate(SETTLED, [way.selector, QUIET_MS, LIMIT_MS]))


def seconds(found: float | None) -> float:
    """What the probe found."""
    if found is None:
        raise RuntimeError(
            f"not all was drawn in {LIMIT_MS / 1e3:.0f} s: a busy machine, or a peer that is not "
            "installed (`make bench` installs them)"
        )
    return found / 1e3


if __name__ == "__main__":
    show(rows())
