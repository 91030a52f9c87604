"""Nothing on the page moves by itself, whatever comes later: else a click goes astray."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz import explore, read_sample
from dpviz.widgets import tabs
from dpviz.widgets.base import picture as pictures
from dpviz.widgets.tabs import TABS
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.slow import parametrize

WATCH = """() => {
  const shifts = [];
  const observer = new PerformanceObserver(list => shifts.push(...list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  window.moved = () => {
    shifts.push(...observer.takeRecords());
    return shifts.splice(0).map(({ value, sources }) =>
      [value, sources.map(({ node }) => node?.className ?? node?.nodeName)]);
  } }"""
PLACES = """() => [...document.querySelectorAll('.dpviz-panel .dpviz-figure')]
  .filter(figure => figure.checkVisibility({ visibilityProperty: true }))
  .map(figure => { const { x, y, width, height } = figure.getBoundingClientRect();
    return [x, y, width, height] })
  .filter(([, y]) => y < innerHeight)"""
LARGEST = 0.005
"""Of the window, times the share that it moved by: 5 pixels of a page of 900."""


class Turn:
    """What is to be done, unless it is cancelled."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def cancel(self) -> None:
        self.act = lambda: None


class Turns:
    """An event loop in which what is to be done later is done when the test says so."""

    def __init__(self) -> None:
        self._waiting: list[Turn] = []

    def call_soon(self, act: Callable[[], object]) -> Turn:
        self._waiting.append(Turn(act))
        return self._waiting[-1]

    def call_later(self, _seconds: float, act: Callable[[], object]) -> Turn:
        return self.call_soon(act)

    def come(self) -> None:
        """Do what waits."""
        turns, self._waiting = self._waiting, []
        for turn in turns:
            turn.act()


@pytest.mark.slow
@parametrize(
    ("width", "names"),
    [(1400, ("board",)), (1400, tuple(TABS)), (640, tuple(TABS))],
    slow_but=[(1400, ("board",))],
)
def test_nothing_moves_when_figures_and_the_answer_come(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch, width: int, names: tuple[str, ...]
) -> None:
    page, turns = bridge.page, Turns()
    for module in (tabs, pictures):
        monkeypatch.setattr(module, "running_loop", lambda: turns)
    page.set_viewport_size({"width": width, "height": 900})
    explorer = explore(read_sample("null"), epsilon=1.0)
    bridge.show(explorer)
    page.evaluate(WATCH)
    for name in names:
        title = TABS[name].title
        page.get_by_role("tab", name=title).click()
        bridge.until(lambda name=name: explorer.tab == name)
        bridge.settle()
        picture.come_to_rest(page)
        _moved(page)  # in the place of another tab
        still = sorted(page.evaluate(PLACES))
        turns.come()
        bridge.settle()
        picture.come_to_rest(page)
        assert _moved(page) == [], name
        # The live pictures have taken the places of the still ones, and the focus stays.
        np.testing.assert_allclose(sorted(page.evaluate(PLACES)), still, atol=1, err_msg=name)
        assert page.locator(".dpviz-still-views svg:visible").count() == 0
        assert page.evaluate("document.activeElement.textContent") == title
    assert page.locator(".bqplot").count() >= 2 * len(names)
    explorer.delta = 1e-4  # the audit is computed again: a bar, then other words and numbers
    bridge.until(lambda: not explorer.result.sample.audit.pending)
    bridge.settle()
    picture.come_to_rest(page)
    assert _moved(page) == []


def _moved(page: Page) -> list[tuple[float, list[str]]]:
    """What has moved since the last call, if it is more than may move."""
    found: list[tuple[float, list[str]]] = page.evaluate("moved()")
    return found if sum(value for value, _ in found) > LARGEST else []
