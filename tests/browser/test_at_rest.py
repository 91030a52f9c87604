"""Nothing on the page moves by itself, whatever comes later: else a click goes astray."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize

from dpviz import explore, read_sample
from dpviz.widgets.base import picture as pictures
from dpviz.widgets.tabs import TABS
from tests.browser import picture
from tests.browser.bridge import Bridge

WATCH = """() => {
  const shifts = [];
  const observer = new PerformanceObserver(list => shifts.push(...list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  window.moved = () => {
    shifts.push(...observer.takeRecords());
    return shifts.splice(0).map(({ value, sources }) =>
      [value, sources.map(({ node }) => node?.className ?? node?.nodeName)]);
  } }"""
LARGEST = 0.005
"""Of the window, times the share that it moved by: 5 pixels of a page of 900."""


class Turns:
    """An event loop in which what is to be done later is done when the test says so."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], object]] = []

    def call_soon(self, act: Callable[[], object]) -> None:
        self._waiting.append(act)

    def call_later(self, _seconds: float, act: Callable[[], object]) -> None:
        self._waiting.append(act)

    def come(self) -> None:
        """Do what waits."""
        acts, self._waiting = self._waiting, []
        for act in acts:
            act()


@pytest.mark.parametrize("size", [{"width": 1400, "height": 900}, {"width": 640, "height": 900}])
def test_nothing_moves_when_figures_and_the_answer_come(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch, size: ViewportSize
) -> None:
    page, turns = bridge.page, Turns()
    monkeypatch.setattr(pictures, "event_loop", lambda: turns)
    page.set_viewport_size(size)
    explorer = explore(read_sample("null"))
    bridge.show(explorer)
    page.evaluate(WATCH)
    for name in TABS:
        explorer.tab = name
        bridge.settle()
        picture.come_to_rest(page)
        _moved(page)  # in the place of another tab
        turns.come()
        bridge.settle()
        picture.come_to_rest(page)
        assert _moved(page) == [], name
    assert page.locator(".bqplot").count() > 10
    explorer.delta = 1e-4  # the audit is computed again: a bar, then other words and numbers
    bridge.until(lambda: not explorer.result.sample.audit.pending)
    bridge.settle()
    picture.come_to_rest(page)
    assert _moved(page) == []


def _moved(page: Page) -> list[tuple[float, list[str]]]:
    """What has moved since the last call, if it is more than may move."""
    found: list[tuple[float, list[str]]] = page.evaluate("moved()")
    return found if sum(value for value, _ in found) > LARGEST else []
