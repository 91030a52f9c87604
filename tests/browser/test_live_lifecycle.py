"""The browser's half comes, fails to come, comes again, and goes."""

import json
import re
from pathlib import Path

import ipywidgets
import numpy as np
import pytest

from dpviz import explore
from dpviz.widgets import Explorer, RegionView
from dpviz.widgets.state.live import LiveUpdater
from dpviz.widgets.state.store import Store
from dpviz.widgets.tabs import PageLayout
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.live import (
    assert_alike,
    drawn,
    four,
    pull,
    reload,
    said,
)
from tests.browser.wait import until_still
from tests.browser.watch import LATE
from tests.slow import parametrize

# Whether an element is visible when its animation begins, however long ago it began.
AT_FIRST = """element => {
  element.style.animation = 'none';
  element.getBoundingClientRect();
  element.style.animation = '';
  return getComputedStyle(element).visibility }"""

# As where a machine has much to do: anywidget's patience ends before any script is there.
LATE_SCRIPTS = """() => {
  window.patience = AbortSignal.timeout;
  AbortSignal.timeout = () => {
    const ended = new AbortController();
    queueMicrotask(() => ended.abort());
    return ended.signal;
  };
}"""


@pytest.mark.slow
@parametrize(
    ("code", "layout"),
    [("throw new Error('broken')", "all"), ("export default {}", ["region", "tradeoff"])],
    slow_but=[("export default {}", ["region", "tradeoff"])],
)
def test_without_the_bundle_python_draws_and_the_page_says_so(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch, code: str, layout: PageLayout
) -> None:
    monkeypatch.setattr(LiveUpdater, "_esm", code)
    explorer = explore(epsilon=1.0, layout=layout)
    bridge.show(explorer)
    page = bridge.page
    assert not explorer.store.live.ready
    assert page.locator(".dpviz-slow").first.evaluate(AT_FIRST) == "hidden"
    picture.slider(page, "ε").press("ArrowRight")
    bridge.settle()
    assert explorer.epsilon == 1.05
    assert "ε = 1.05, " in said(page, "tradeoff")
    box = picture.box(page, "δ")
    box.fill("1e-3")
    box.press("Enter")
    bridge.settle()
    assert explorer.delta == 1e-3
    point = picture.markers(page, "RegionView")[-1]
    pull(page, point, 60, -40)
    bridge.settle()
    assert explorer.fnr is not None
    shown = page.locator(".dpviz-slow:visible")
    shown.wait_for()
    assert shown.all_inner_texts() == [
        "The JavaScript of dpviz did not load: Python redraws the pictures, more slowly."
    ]
    names = page.locator(".dpviz-RegionView .dpviz-unlabelled:visible")  # nobody writes labels
    assert names.inner_text().split("\n") == ["allowed by the claim", "random guessing"]
    bridge.errors.clear()


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["all", ["region", "tradeoff"]])
def test_a_page_that_is_loaded_again_is_live_again(bridge: Bridge, layout: PageLayout) -> None:
    explorer = explore(epsilon=1.0, layout=layout)
    bridge.show(explorer)
    page = bridge.page
    picture.slider(page, "ε").press("ArrowRight")
    bridge.settle()
    before = drawn(page, "dpviz-RegionView")
    reload(bridge, explorer)
    assert_alike(drawn(page, "dpviz-RegionView"), before)
    assert picture.box(page, "ε").input_value() == "1.05"
    picture.slider(page, "ε").press("ArrowRight")
    until_still(page)
    assert "ε = 1.1, " in said(page, "tradeoff")
    assert explorer.epsilon == 1.05
    bridge.settle()
    assert explorer.epsilon == 1.1


@pytest.mark.slow
def test_two_explorers_on_one_store(bridge: Bridge) -> None:
    store = Store()
    few = ["region", "tradeoff"]
    both = ipywidgets.VBox([Explorer(store=store, layout=few), Explorer(store=store, layout=few)])
    bridge.show(both)
    page = bridge.page
    picture.slider(page, "ε").press("ArrowRight")
    until_still(page)
    for i in range(2):
        assert "ε = 1.05, " in said(page, "tradeoff", i)
    bridge.settle()
    assert store.spec.epsilon == 1.05
    both.children[0].close()
    bridge.settle()
    picture.slider(page, "ε").press("ArrowRight")
    until_still(page)
    assert "ε = 1.1, " in said(page, "tradeoff")
    bridge.settle()
    assert store.spec.epsilon == 1.1


LISTENERS = """async ids => {
  const models = await Promise.all(ids.map(id => bridge.manager.get_model(id)));
  const listeners = m => Object.values(m._events ?? {}).reduce((n, of) => n + of.length, 0);
  const own = m => ['send', 'save_changes'].filter(name => Object.hasOwn(m, name)).length;
  return models.map(m => [listeners(m), own(m)]);
}"""


@pytest.mark.slow
def test_what_is_let_go_is_as_it_was(bridge: Bridge) -> None:
    """Twice displayed, closed, and the browser's half gone: no listener stays behind."""
    store = Store()
    live = store.live
    assert live is not None
    views = [four("live", store) for _ in range(2)]
    for view in (each for box in views for each in box.children):
        for one in view.pictures:
            one.ensure_figure()  # which publishes it, not when the loop comes to it
    ids = set(re.findall(r"IPY_MODEL_(\w+)", str([live.pictures, live.texts])))
    live.pictures, published = [], live.pictures
    live.texts, said_there = [], live.texts
    for view in views:
        bridge.show(view)
    counted = sorted(ids)
    before = bridge.page.evaluate(LISTENERS, counted)
    live.pictures, live.texts = published, said_there
    bridge.settle()
    assert bridge.page.evaluate(LISTENERS, counted) != before
    live.pictures, live.texts = [], []
    bridge.settle()
    assert bridge.page.evaluate(LISTENERS, counted) == before
    live.pictures, live.texts = published, said_there
    bridge.settle()
    live.close()
    bridge.settle()
    assert bridge.page.evaluate(LISTENERS, counted) == before


def test_a_view_alone(bridge: Bridge) -> None:
    view = RegionView(epsilon=2.0)
    bridge.show(view)
    before = drawn(bridge.page, "dpviz-RegionView")[0]["lines"][0]
    view.epsilon = 1.0
    bridge.settle()
    assert not np.array_equal(drawn(bridge.page, "dpviz-RegionView")[0]["lines"][0], before)
    assert "ε = 1, " in said(bridge.page, "region")


@pytest.mark.slow
def test_scripts_that_come_late_hear_python(bridge: Bridge, tmp_path: Path) -> None:
    page = bridge.page
    page.evaluate(LATE_SCRIPTS)
    try:
        view = explore(epsilon=1.0)
        bridge.show(view)
        box = picture.box(page, "ε")
        box.fill("3")
        box.press("Enter")
        bridge.until(lambda: view.epsilon == 3.0)
        view.epsilon = 2.0
        bridge.until(lambda: box.input_value() == "2")
        tab = page.get_by_role("tab", name="Claim")
        tab.click()
        bridge.until(lambda: page.locator(".dpviz-panel[aria-busy=false]").count() == 1)
        page.locator(".dpviz-save summary").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="State (JSON)", exact=True).click()
            bridge.until(download.is_done)
        download.value.save_as(tmp_path / "state.json")
        assert json.loads((tmp_path / "state.json").read_text("utf-8")) == view.state()
    finally:
        page.evaluate("AbortSignal.timeout = patience")
    assert all(LATE in error for error in bridge.errors)
    bridge.errors.clear()
