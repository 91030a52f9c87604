"""Views that the browser draws, the same views drawn by Python, and what is seen of both."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

from dpviz import AttackScores, Result, Spec
from dpviz.drawing.layer import Layer
from dpviz.widgets import RegionView, RiskView, TradeoffView
from dpviz.widgets.plot_frame import PlotFrame
from dpviz.widgets.state.live import LiveUpdater
from dpviz.widgets.state.store import Store
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read, until_still
from tests.pictures.reading import apart

DRAWN = """name => [...document.querySelectorAll(`.${name} .bqplot`)].map(figure => {
  const seen = e => e.getClientRects().length > 0;
  const box = figure.getBoundingClientRect();
  return {
    lines: [...figure.querySelectorAll('g.curve path.line')].filter(seen)
      .map(p => p.getAttribute('d')),
    markers: [...figure.querySelectorAll('g.object_grp')].filter(seen).map(g => {
      const r = g.querySelector('path.element').getBoundingClientRect();
      return [r.x + r.width / 2 - box.x, r.y + r.height / 2 - box.y]; }),
    texts: [...figure.querySelectorAll('.dpviz-labels text, g.axis text')].filter(seen)
      .map(t => t.textContent),
  }})"""


@contextmanager
def busy(bridge: Bridge) -> Iterator[Callable[[], int]]:
    """A kernel that answers only when told; what is called gives the messages that waited."""
    bridge.page.evaluate("bridge.held = []")

    def answer() -> int:
        waited = len([m for m in bridge.to_python if "hand" in m["data"].get("state", {})])
        bridge.deliver()
        bridge.deliver()
        bridge.page.evaluate("bridge.held.splice(0).forEach(rest => rest())")
        return waited

    try:
        yield answer
    finally:
        bridge.page.evaluate("bridge.held.forEach(rest => rest()); bridge.held = undefined")
        bridge.settle()


def reload(bridge: Bridge, widget: ipywidgets.Widget) -> None:
    """Load the page again while Python lives on, and show the widget there."""
    bridge.load()
    state = json.dumps(widget.get_manager_state())
    bridge.page.evaluate("text => bridge.restore(JSON.parse(text))", state)
    bridge.show(widget)


def four(name: str, store: Store) -> ipywidgets.VBox:
    """The views that are closed forms alone when there are no scores."""
    tail = TradeoffView(store=store)
    tail.axes = "log-log"
    views = [RegionView(store=store), TradeoffView(store=store), tail, RiskView(store=store)]
    box = ipywidgets.VBox(views)
    box.add_class(name)
    return box


class Labels(LiveUpdater):
    """A half in the browser that writes the labels of what Python has drawn, and nothing else."""

    def draws_closed_forms(self, _result: Result) -> bool:
        return False

    def add_picture(
        self,
        owner: object,
        label: str,
        frame: PlotFrame,
        _layers: list[Layer],
        change: Callable[..., None],
    ) -> None:
        super().add_picture(owner, label, frame, [], change)

    def add_text_widget(self, _owner: object, _name: str, _text: ipywidgets.Widget) -> None:
        """Python writes all sentences."""


def python_only(spec: Spec, scores: AttackScores | None = None) -> Store:
    """A store of whose pictures the browser draws nothing but the labels."""
    store = Store(scores, spec)
    store.live = Labels(store.result)
    return store


def drawn(page: Page, name: str) -> list[dict[str, Any]]:
    """What each figure shows: lines and markers in pixels, texts of ticks and labels."""
    until_still(page)
    found = page.evaluate(DRAWN, name)
    number = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
    for figure in found:
        numbers = [re.findall(number, d) for d in figure["lines"] if d]
        figure["lines"] = [np.array(n, float).reshape(-1, 2) for n in numbers]
    return list(found)


def assert_alike(got: list[dict[str, Any]], want: list[dict[str, Any]]) -> None:
    """That figures look the same, to half a pixel."""
    assert len(got) == len(want)
    for here, there in zip(got, want, strict=True):
        assert here["texts"] == there["texts"], [here["texts"], there["texts"]]
        assert [len(x["lines"]) for x in got] == [len(x["lines"]) for x in want]
        pairs = zip(here["lines"], there["lines"], strict=True)
        distances = [apart(seen(a), seen(b)) for a, b in pairs]
        assert max(distances) <= 0.5, distances
        np.testing.assert_allclose(here["markers"], there["markers"], atol=0.5)


def seen(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of a line that is not above the axes, where nothing is shown."""
    y = line[:, 1]
    at = np.flatnonzero((y[:-1] < 0) != (y[1:] < 0))
    share = (y[at] / (y[at] - y[at + 1]))[:, None]
    cut = np.insert(line, at + 1, line[at] + share * (line[at + 1] - line[at]), axis=0)
    inside = cut[cut[:, 1] >= -1e-9]
    return inside if len(inside) > 1 else line


def said(page: Page, name: str, n: int = 0) -> str:
    return as_read(page.locator(f".dpviz-{name}.dpviz-sentence").nth(n).inner_text())


def sentences(page: Page) -> list[str]:
    return page.locator(".dpviz-sentence:not(.dpviz-late *):visible").all_inner_texts()


def pull(page: Page, start: tuple[float, float], dx: float, dy: float) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(start[0] + dx * step / 5, start[1] + dy * step / 5)
    page.mouse.up()
    until_still(page)
