"""The browser's half of a store: alive while the kernel sleeps, and of one mind with it after."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz import explore, read_sample, theory
from dpviz.analysis.topics.claim import ClaimCurve
from dpviz.drawing import theme
from dpviz.widgets import Explorer, TradeoffView
from dpviz.widgets.state.store import Store
from dpviz.widgets.tabs import PageLayout
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.live import (
    assert_alike,
    busy,
    drawn,
    four,
    python_only,
    said,
)
from tests.browser.test_explorer import type_into
from tests.browser.wait import as_read, eventually, until_still
from tests.slow import parametrize

CLAIMS = [
    theory.GaussianDP(mu=1.0),
    theory.LaplaceMechanism(epsilon=2.0),
    theory.PureDP(epsilon=3.0),
    theory.TotalVariation(delta=0.2),
    theory.GaussianMechanism(noise_multiplier=0.5, adjacency="add_remove"),
    theory.ApproximateDP(epsilon=float("inf"), delta=0.0),
    theory.Stated([(1.0, 1e-5), (0.5, 0.01)]),
    theory.ZeroConcentratedDP(rho=0.5),
]
SLOW = theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.02, steps=500)

SHOWN = ("region", "tradeoff", "epsilon_star", "risk", "profile", "scores")
CLOSED_FORMS = {"RegionView", "TradeoffView", "EpsilonStarView", "RiskView"}
BELOW_HEADS = """() => [...document.querySelectorAll('.dpviz-panel .plotarea_background')]
  .map(e => e.getBoundingClientRect().y - e.closest('[class*=View]').getBoundingClientRect().y)
  .slice(0, 3).concat(document.querySelector('.dpviz-controls').clientHeight)"""
LATE = """() => [...document.querySelectorAll('.dpviz-late .dpviz-sentence')]
  .filter(e => e.getClientRects().length && getComputedStyle(e).opacity === '1')
  .map(e => [...e.closest('.dpviz').classList].find(c => /View|Explorer/.test(c)).slice(6))"""


@pytest.fixture
def store(bridge: Bridge) -> Store:
    """Of four views without scores."""
    made = Store()
    bridge.show(four("live", made))
    return made


def wait_for_late(page: Page, want: set[str], of: set[str] | None = None) -> None:
    """Wait until of some views, or of all, just these have said for 0.4 s that they are late."""

    def check() -> None:
        late = set(page.evaluate(LATE))
        assert (late if of is None else late & of) == want

    eventually(page, check)


@pytest.mark.slow
@parametrize(
    ("presses", "layout"),
    [(3, SHOWN), (15, "all")],
    slow_but=[(3, SHOWN)],
)
def test_key_presses_while_the_kernel_sleeps(
    bridge: Bridge, presses: int, layout: PageLayout
) -> None:
    explorer = explore(read_sample("overfitted"), epsilon=1.0, layout=layout, fpr=0.01)
    bridge.show(explorer)
    page, live = bridge.page, explorer.store.live
    assert live is not None
    assert live.ready
    handle, seen = picture.slider(page, "ε"), []
    picture.come_to_rest(page)
    places = page.evaluate(BELOW_HEADS)
    with busy(bridge) as answer:
        for i in range(presses + 1):
            if i:
                handle.press("ArrowRight")

            def shown(value: str = f"{round(1 + 0.05 * i, 2):g}") -> tuple[bytes, str, str]:
                path = picture.lines(page, "RegionView", theme.CLAIM)[0].tobytes()
                text, box = said(page, "tradeoff"), picture.box(page, "ε").input_value()
                assert f"ε = {value}, " in text
                assert box == value
                assert path not in [before for before, *_ in seen]
                return path, text, box

            seen.append(eventually(page, shown))
        assert all(len(set(column)) == presses + 1 for column in zip(*seen, strict=True))
        assert "waiting for the kernel" in said(page, "tradeoff")
        views = {type(view).__name__ for view in explorer.shown_views}
        # The browser moves the claim in these; what is stated does not depend on it.
        wait_for_late(page, {"Explorer"} | views - CLOSED_FORMS - {"PeopleView", "ChecklistView"})
        assert page.evaluate(BELOW_HEADS) == places  # nothing moves under the pointer
        assert explorer.epsilon == 1.0
        assert answer() == 1  # all presses but the first wait in the browser, as one
        assert answer() == 1
    assert explorer.epsilon == round(1 + 0.05 * presses, 2)
    assert page.evaluate(LATE) == []
    assert page.locator(".dpviz-slow").count() == 0
    for name in ("tradeoff", "region", "risk"):
        assert said(page, name) == explorer.result.sentences[name]


def test_the_headline_follows_the_claim_while_the_kernel_sleeps(bridge: Bridge) -> None:
    explorer = explore(read_sample("overfitted"), epsilon=1.0, fpr=0.01)
    explorer.complete_audit()
    bridge.show(explorer)
    headline = bridge.page.locator(".dpviz-answer h2")

    def shows(text: str, n_emphasised: int) -> None:
        assert as_read(headline.inner_text()) == text
        assert headline.locator("em").count() == n_emphasised

    def type_in(label: str, text: str) -> None:
        box = picture.box(bridge.page, label)
        box.fill(text)
        box.press("Enter")

    eventually(bridge.page, lambda: shows("The losses contradict the claim ε = 1.", 1))
    denied = "These losses do not contradict ε = 3. That does not confirm it."
    with busy(bridge):
        type_in("ε", "3")
        eventually(bridge.page, lambda: shows(denied, 0))
        type_in("ε", "2")
        eventually(bridge.page, lambda: shows("The losses contradict the claim ε = 2.", 1))
        type_in("δ", "0.1")
        unknown = "The test of these losses against ε = 2 is not computed yet."
        eventually(bridge.page, lambda: shows(unknown, 0))
        type_in("δ", "1e-5")
        type_in("ε", "3")
        assert explorer.epsilon == 1.0
    bridge.settle()
    assert explorer.result.sentences["answer"] == denied
    eventually(bridge.page, lambda: shows(denied, 0))


@pytest.mark.slow
def test_without_scores_a_view_waits_where_it_needs_python(bridge: Bridge) -> None:
    """For a claim without a closed form, and for the box that says where the point is."""
    page, store = bridge.page, Store()
    explorer = Explorer(store=store, layout="all")
    bridge.show(explorer)
    views = CLOSED_FORMS - {"EpsilonStarView"}  # shows nothing without scores
    assert views <= {type(view).__name__ for view in explorer.shown_views}
    for claim, want in ((store.spec.claim, set()), (SLOW, views)):
        store.update(claim=claim)
        bridge.settle()
        with busy(bridge):
            picture.slider(page, "FPR").press("ArrowRight")
            wait_for_late(page, {"Explorer"} | want, of={"Explorer"} | views)
    store.update(claim=theory.PureDP(epsilon=1.0))
    bridge.settle()
    with busy(bridge):
        page.locator(".dpviz-RegionView .bqplot").press("ArrowRight")
        wait_for_late(page, views, of=views)


def test_the_browser_draws_what_python_draws(bridge: Bridge, store: Store) -> None:
    other = python_only(store.spec)
    bridge.show(four("by-python", other))
    for i, claim in enumerate(CLAIMS):
        changes: Any = {"claim": claim, "prior": 10.0 ** -(i + 1), "fpr": 3 * 10.0 ** -(i + 1)}
        changes["fnr"] = [None, 0.3][i % 2]
        store.update(**changes, delta=10.0 ** -(2 * i + 1))
        other.update(**changes, delta=10.0 ** -(2 * i + 1))
        bridge.settle()
        assert_alike(drawn(bridge.page, "live"), drawn(bridge.page, "by-python"))


@pytest.mark.slow
def test_a_thousand_events_leave_nothing_behind(bridge: Bridge) -> None:
    explorer = explore(epsilon=1.0, layout="all")
    bridge.show(explorer)
    page = bridge.page
    page.evaluate("""() => {
      const row = [...document.querySelectorAll('.widget-hbox')].findLast(
        e => e.querySelector('.widget-label')?.textContent === 'ε');
      const handle = row.querySelector('.noUi-handle');
      window.pressed = 0;
      const timer = setInterval(() => {
        for (let i = 0; i < 5; i++, window.pressed++) {
          const key = window.pressed % 300 < 140 ? 'ArrowRight' : 'ArrowLeft';
          handle.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        }
        if (window.pressed >= 1000) clearInterval(timer);
      }, 12);
    }""")
    waited = []
    with busy(bridge) as answer:
        while page.evaluate("window.pressed") < 1000:
            page.wait_for_timeout(300)
            waited.append(answer())
        until_still(page)
        shown = picture.box(page, "ε").input_value()

        def agreed() -> None:
            waited.append(answer())
            assert explorer.epsilon == float(shown)

        eventually(page, agreed)
    assert max(waited) == 1
    assert len(waited) > 5
    assert picture.box(page, "ε").input_value() == shown


def test_a_change_is_few_messages_and_few_bytes(bridge: Bridge, store: Store) -> None:
    for changes in ({"epsilon": 2.0}, {"delta": 1e-9}, {"prior": 0.01}, {"fpr": 0.2}):
        bridge.sent.clear()
        store.update(**changes)
        bridge.settle()
        assert 0 < len(bridge.sent) <= 6
        size = sum(len(str(m["data"])) + sum(map(len, m["buffers"])) for m in bridge.sent)
        assert size <= 2048


@pytest.mark.slow
def test_hovering_sends_nothing_either_way(bridge: Bridge, store: Store) -> None:
    page = bridge.page
    bridge.sent.clear()
    for figure in page.locator(".plotarea_background").all():
        box = figure.bounding_box()
        assert box is not None
        for i in range(21):
            page.mouse.move(box["x"] + box["width"] * i / 20, box["y"] + box["height"] * i / 20)
    for view in ("RegionView", "TradeoffView", "RiskView"):
        found = page.locator(f".dpviz-{view} g.object_grp path.element:visible").all()
        for marker in found:
            box = marker.bounding_box()
            assert box is not None
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            until_still(page)
    assert bridge.to_python == []
    assert bridge.sent == []


def test_a_late_write_of_the_kernel_is_drawn_over(bridge: Bridge) -> None:
    view = TradeoffView(epsilon=1.0)
    bridge.show(view)
    before = drawn(bridge.page, "dpviz-TradeoffView")
    curve = next(x for x in view.pictures[0].layers if isinstance(x, ClaimCurve))
    mark = curve.marks_by_name()["curve"].mark
    mark.y = np.zeros_like(mark.y)
    bridge.settle()
    assert_alike(drawn(bridge.page, "dpviz-TradeoffView"), before)
    mark.visible = False
    bridge.settle()
    assert_alike(drawn(bridge.page, "dpviz-TradeoffView"), before)


@pytest.mark.slow
def test_a_claim_without_closed_form_and_back(bridge: Bridge, store: Store) -> None:
    page, other = bridge.page, python_only(store.spec)
    bridge.show(four("by-python", other))
    first = store.spec
    for changes in (
        {"delta": 1e-9, "epsilon": 3.0},
        {"claim": SLOW, "delta": 1e-5},
        {"fpr": 0.3},
        {"claim": first.claim, "fpr": first.fpr},
        {"claim": SLOW},
        {"claim": first.claim},
    ):
        for each in (store, other):
            each.update(**changes)
        bridge.settle()
        assert_alike(drawn(page, "live"), drawn(page, "by-python"))


def test_a_refusal_of_the_browser_is_past_once_something_else_changes(bridge: Bridge) -> None:
    explorer = explore(epsilon=1.0, layout=["region"])
    bridge.show(explorer)
    type_into(bridge, "δ", "2")
    explorer.store.refresh()  # as an audit does that was worked out meanwhile
    bridge.settle()
    assert picture.error(bridge.page) == "δ must be from 0 to 1 (you typed 2)."
    explorer.prior = 0.2
    bridge.settle()
    assert picture.error(bridge.page) == ""
