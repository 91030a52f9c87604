"""Reading the page's first explorer back: vertices of paths, places of markers, texts."""

import math
import re

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page

from dpviz.drawing import theme
from tests.browser.wait import as_read

PATHS = """([view, color]) => {
  const explorer = document.querySelector('.dpviz-Explorer');
  return [...explorer.querySelectorAll(`.dpviz-${view} .bqplot g.curve path.line`)]
    .filter(p => getComputedStyle(p).stroke === color && p.getClientRects().length)
    .filter(p => p.style.strokeWidth !== '0')  // areas without an outline
    .map(p => p.getAttribute('d'));
}"""
MARKERS = """view => [...document.querySelector('.dpviz-Explorer')
    .querySelectorAll(`.dpviz-${view} .bqplot g.object_grp`)]
  .filter(g => g.getClientRects().length && g.querySelector('path.element').getClientRects().length)
  .map(g => { const r = g.querySelector('path.element').getBoundingClientRect();
              return [r.x + r.width / 2, r.y + r.height / 2]; })"""
TICK_PLACES = """view => [...document.querySelectorAll(`.dpviz-${view} g.axis`)].map((axis, n) =>
  [...axis.querySelectorAll('.tick')].map(tick => {
    const line = tick.querySelector('line').getBoundingClientRect();
    const middle = n ? line.y + line.height / 2 : line.x + line.width / 2;
    return [middle - 0.5, tick.textContent];  // d3 draws a tick half a pixel further
  })).slice(0, 2)"""

REST = """async () => {
  const places = () => JSON.stringify(
    [...document.querySelectorAll('.dpviz, .bqplot, .plotarea_background')]
      .map(e => e.getBoundingClientRect()));
  for (let last = '', still = 0; still < 5; ) {
    const now = places();
    still = now === last ? still + 1 : 0;
    last = now;
    await new Promise(wait => setTimeout(wait, 100));
  }
}"""

SQUARE = """path => { const box = path.getBBox(), to = path.getScreenCTM();  // without its stroke
  return [to.e + to.a * box.x, to.f + to.d * box.y, to.a * box.width, to.d * box.height]; }"""


def lines(page: Page, view: str, color: str) -> list[NDArray[np.float64]]:
    """Pixel vertices of every visible line of a colour in a view, each of shape (k, 2)."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    found = page.evaluate(PATHS, [view, f"rgb({red}, {green}, {blue})"])
    numbers = [re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", d) for d in found if d]
    return [np.array(n, float).reshape(-1, 2) for n in numbers]


def line(page: Page, view: str, color: str) -> NDArray[np.float64]:
    """The only visible line of a colour in a view."""
    found = lines(page, view, color)
    assert len(found) == 1, f"{len(found)} lines of {color} in {view}"
    return found[0]


def read_line(page: Page, view: str, color: str, scales: tuple[str, str]) -> NDArray[np.float64]:
    """The vertices of the only line of a colour as numbers, read off the ticks of both axes."""
    plane = page.locator(f".dpviz-{view} .plotarea_background").bounding_box()
    assert plane is not None
    pixels = line(page, view, color) + np.array([plane["x"], plane["y"]])
    axes = zip(tick_places(page, view), scales, pixels.T, strict=True)
    return np.array(
        [[read_off(ticks, scale, at) for at in values] for ticks, scale, values in axes]
    ).T


def unit(vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pixel vertices of a curve from (0, top) to (1, 0) in units of the square."""
    return (vertices - vertices[0]) / (vertices[-1] - vertices[0])


def claim_kink(page: Page) -> float:
    """FPR of the kink of the claim's drawn trade-off curve."""
    vertices = line(page, "TradeoffView", theme.CLAIM)
    return float(unit(vertices)[1, 0])


def region_kink(page: Page) -> float:
    """FPR of the lower kink of the claim's drawn region, whose outline begins at (0, 1)."""
    x = lines(page, "RegionView", theme.CLAIM)[0][:, 0]
    return float((x[1] - x.min()) / (x.max() - x.min()))


def selection(page: Page, view: str) -> float:
    """Pixel x of the selected FPR's line: the only vertical grey line of a view."""
    candidates = [v for v in lines(page, view, theme.SELECTION) if len(v) == 2]
    vertical = [v for v in candidates if v[0, 0] == v[1, 0]]
    assert len(vertical) == 1
    return float(vertical[0][0, 0])


def ticks(page: Page, view: str) -> list[str]:
    """The texts of the ticks of a view's x axis, from left to right."""
    axis = explorer(page).locator(f".dpviz-{view} g.axis").first
    return axis.locator(".tick text").all_text_contents()


def tick_places(page: Page, view: str) -> list[list[tuple[float, str]]]:
    """Of the x and of the y axis: where on the page each tick is, and its text."""
    return [[(at, text) for at, text in axis] for axis in page.evaluate(TICK_PLACES, view)]


def read_off(ticks: list[tuple[float, str]], scale: str, pixel: float) -> float:
    """The rate, or other number, at a pixel of the page on an axis with these ticks."""

    def along(number: float) -> float:
        if scale == "linear":
            return number
        return math.log10(number if scale == "log" else number / (1 - number))

    (start, first), *_, (end, last) = ticks
    low, high = (
        along(float(text.removesuffix(" %")) / (100 if "%" in text else 1))
        for text in (first, last)
    )
    there = low + (high - low) * (pixel - start) / (end - start)
    odds = 10**there
    return {"linear": there, "log": odds, "log-odds": odds / (1 + odds)}[scale]


def markers(page: Page, view: str) -> list[tuple[float, float]]:
    """Page coordinates of the visible markers of a view, in drawing order."""
    return [(x, y) for x, y in page.evaluate(MARKERS, view)]


def place(region: Locator, fpr: float, fnr: float) -> tuple[float, float]:
    """Page coordinates of a pair of rates in a view of a claim's region."""
    outline = region.locator("g.curve path.line:visible").first
    left, top, width, height = outline.evaluate(SQUARE)
    return left + fpr * width, top + (1 - fnr) * height


def sentence(page: Page, view: str) -> str:
    """The texts of a view's sentences: the lead first, then those that are folded."""
    found = explorer(page).locator(f".dpviz-{view} .dpviz-sentence")
    found.first.wait_for(state="attached")
    return as_read(" ".join(found.all_text_contents()))


def error(page: Page) -> str:
    """The text of the explorer's error line; empty when there is none."""
    found = explorer(page).locator(".dpviz-error:visible")
    return as_read(found.first.inner_text()) if found.count() else ""


def come_to_rest(page: Page) -> None:
    """Wait until nothing has moved for half a second; bqplot puts a new layout off by 300 ms."""
    page.evaluate(REST)


def explorer(page: Page) -> Locator:
    """The first explorer of the page."""
    return page.locator(".dpviz-Explorer").first


def open_tab(page: Page, name: str) -> None:
    """Select the tab with this title, and wait until the panel shows its views."""
    tab = explorer(page).get_by_role("tab", name=name, exact=True)
    tab.click()
    page.wait_for_function(
        """tab => tab.ariaSelected === 'true' &&
          document.getElementById(tab.getAttribute('aria-controls')).ariaBusy === 'false'""",
        arg=tab.element_handle(),
    )


def open_more(page: Page) -> None:
    """Show the controls of the strip that are folded away, unless they are shown."""
    open_fold(explorer(page).locator(".dpviz-more"), "More")


def open_fold(view: Locator, summary: str) -> None:
    """Show what a view folds away under this line, unless it is shown."""
    fold = view.locator("details", has=view.page.locator("summary", has_text=summary))
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()


def slider(page: Page, label: str) -> Locator:
    """The handle of the slider with this label."""
    return _row(page, label).locator(".noUi-handle")


def box(page: Page, label: str) -> Locator:
    """The exact box beside the slider with this label."""
    return _row(page, label).locator("input")


def offer_a_file(page: Page) -> None:
    """Show the place for files, as the menu of data does."""
    explorer(page).locator("select").first.select_option(label="your own file ...")


def _row(page: Page, label: str) -> Locator:
    described = page.locator(".widget-label", has_text=re.compile(f"^{re.escape(label)}$"))
    row = explorer(page).locator(".widget-hbox.dpviz-number", has=described).last
    if not row.is_visible():
        open_more(page)
    return row
