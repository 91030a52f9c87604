"""Handles that a hand moves while the kernel sleeps."""

import ipywidgets
import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz import AttackScores
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.scene_views import EpsilonStarView
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.live import (
    four,
    pull,
    said,
    sentences,
)


@pytest.fixture
def store(bridge: Bridge) -> Store:
    """Of four views without scores."""
    made = Store()
    bridge.show(four("live", made))
    return made


@pytest.fixture
def scores() -> AttackScores:
    rng = np.random.default_rng(20)
    return AttackScores.from_losses(member=rng.normal(0, 1, 40), nonmember=rng.normal(1, 1, 50))


def handle_of(page: Page, view: str, n: int = 0) -> tuple[float, float]:
    """Page coordinates of the grey or orange handle at which a hand can pull."""
    found = page.locator(f".live .dpviz-{view} >> nth={n}").locator("g.object_grp:visible")
    handle = found.first.locator("path.element")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.slow
def test_the_point_is_dragged_while_the_kernel_sleeps(bridge: Bridge, store: Store) -> None:
    page = bridge.page
    start, text = handle_of(page, "RegionView"), said(page, "region")
    pull(page, start, 300, 80)
    there = handle_of(page, "RegionView")
    assert there == pytest.approx((start[0] + 300, start[1] + 80), abs=1.5)
    assert said(page, "region") != text
    assert store.spec.fnr is None
    bridge.settle()
    assert store.spec.fnr is not None
    assert said(page, "region") == store.result.sentences["region"]
    assert handle_of(page, "RegionView") == pytest.approx(there, abs=0.5)
    pull(page, there, -3000, -3000)
    bridge.settle()
    assert (store.spec.fpr, store.spec.fnr) == (0.0, 1.0)


@pytest.mark.slow
def test_cursors_are_dragged_while_the_kernel_sleeps(bridge: Bridge, store: Store) -> None:
    page = bridge.page
    for view, n in (("TradeoffView", 0), ("TradeoffView", 1), ("RiskView", 0)):
        store.update(fpr=0.01)
        bridge.settle()
        result, start = store.result, handle_of(page, view, n)
        page.mouse.click(*start)
        bridge.settle()
        assert store.result is result
        pull(page, start, 90, 30)
        there = handle_of(page, view, n)
        assert there == pytest.approx((start[0] + 90, start[1]), abs=1.5)
        texts = sentences(page)
        assert store.result is result
        bridge.settle()
        assert store.spec.fpr > 0.01
        assert sentences(page) == texts
        assert handle_of(page, view, n) == pytest.approx(there, abs=1)
        pull(page, there, 3000, 0)
        bridge.settle()
        assert store.spec.fpr == (0.9999 if view == "RiskView" else 1.0)  # the end of its axis


def test_a_cursor_in_log_odds(bridge: Bridge, scores: AttackScores) -> None:
    view = EpsilonStarView(scores=scores, fpr=0.01)
    view.add_class("live")
    box = ipywidgets.VBox([view])
    box.add_class("live")
    bridge.show(box)
    page = bridge.page
    plot = page.locator(".plotarea_background").bounding_box()
    assert plot is not None
    bottom = plot["y"] + plot["height"]
    grips = page.evaluate(picture.MARKERS.replace(".dpviz-Explorer", ".live"), "EpsilonStarView")
    start = next((x, y) for x, y in grips if abs(y - bottom) < 14)
    pull(page, start, 120, 0)
    grips = page.evaluate(picture.MARKERS.replace(".dpviz-Explorer", ".live"), "EpsilonStarView")
    assert any(abs(x - start[0] - 120) < 1.5 for x, _ in grips)
    bridge.settle()
    low, high = (view.pictures[0].frame.x.low, view.pictures[0].frame.x.high)
    at = low + (start[0] + 120 - plot["x"]) / plot["width"] * (high - low)
    assert view.fpr == pytest.approx(1 / (1 + 10**-at), rel=0.06)
