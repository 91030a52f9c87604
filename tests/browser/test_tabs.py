"""The explorer's tabs: what they hold, that nothing hidden is built or drawn, keys, room."""

from typing import Any

import pytest
from playwright.sync_api import Page

from dpviz import explore, read_sample
from dpviz.data.samples import SAMPLES
from dpviz.widgets import EpsilonStarView, Explorer, RegionView
from dpviz.widgets.tabs import TABS, tabs_for
from tests.browser import picture
from tests.browser.axe import violations
from tests.browser.bridge import Bridge
from tests.slow import parametrize

SCREENS = [(1205, 760), (1400, 900)]  # JupyterLab's own frame, and a browser's window
FITS = """([width, height]) => document.documentElement.scrollHeight <= height
  && document.documentElement.scrollWidth <= width"""
# Where the ruler and the title of the first picture below it end.
FIRST_ENDS = """() => {
  const ends = selector => Math.min(...[...document.querySelectorAll(selector)]
    .filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().bottom));
  return Math.max(ends('.dpviz-AnswerView .bqplot'), ends('.dpviz-panel .dpviz-title')) }"""
CONTROLS = """() => [...document.querySelectorAll(
  '.dpviz-controls :is(button, input, select, summary, .noUi-handle)')]
  .filter(e => e.getClientRects().length && !e.matches('[type=file]')).length"""
ALL_CONTROLS = 15  # two menus, four sliders with boxes, four presets, "More"
INNER_SCROLL_BARS = """() => [...document.querySelectorAll('.dpviz-Explorer *')]
  .filter(e => e.getClientRects().length)
  .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
  .filter(e => /auto|scroll/.test(getComputedStyle(e).overflow))
  .map(e => e.className)"""

SENTENCES = """() => {
  const drawn = e => e.checkVisibility() && !e.closest(
    'svg, style, script, select, details:not([open]) > :not(summary), .dpviz-unseen, '
    + '.dpviz-board .dpviz-words');
  const walker = document.createTreeWalker(
    document.querySelector('.dpviz-Explorer'), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode())
    if (drawn(walker.currentNode.parentElement)) found.push(walker.currentNode.data);
  return found.join(' ') }"""
SIZES = """() => [...document.querySelectorAll('.dpviz-panel .plotarea_background')]
  .filter(e => e.checkVisibility())
  .map(e => Math.min(e.width.baseVal.value, e.height.baseVal.value))"""
LIVE = "[role=status], [role=log], [aria-live]:not([aria-live=off])"

# The ruler is seen as a whole, and the tab's first picture begins.
FIRST_BEGINS = """() => {
  const places = of => [...document.querySelectorAll(of)]
    .map(figure => figure.getBoundingClientRect()).filter(({ width }) => width);
  const [ruler] = places('.dpviz-AnswerView .bqplot');
  const tops = places('.dpviz-panel .plotarea_background').map(({ top }) => top);
  return ruler.bottom <= innerHeight && Math.min(...tops) <= innerHeight - 30 }"""
IN_ORDER = """() => [...document.querySelectorAll('.dpviz-panel > .widget-gridbox > .dpviz')]
  .filter(view => view.checkVisibility())
  .map(view => [getComputedStyle(view).order, view])
  .sort(([a], [b]) => a - b)
  .map(([, view]) => [...view.classList].find(name => /View$/.test(name)))"""
# bqplot waits 300 ms before it lays out a figure: hold that back, and note each new size.
HOLD = """() => {
  window.held = [];
  window.written = [];
  const own = window.setTimeout;
  window.setTimeout = (act, wait, ...rest) =>
    wait === 300 ? held.push(act) : own(act, wait, ...rest);
  window.release = () => { window.setTimeout = own; held.forEach(act => act()); };
  const note = records => written.push(...records.map(({ target }) => target.width.baseVal.value));
  for (const plot of document.querySelectorAll('.dpviz-panel .plotarea_background'))
    new MutationObserver(note).observe(plot, { attributeFilter: ['width'] });
}"""
POSITIONS = """() => [...document.querySelectorAll('.dpviz-panel .bqplot > *')]
  .filter(e => e.checkVisibility()).map(e => getComputedStyle(e).position)"""

# A line is drawn in a picture, and the page is laid out.
DRAW = """() => {
  const plane = document.querySelector('.dpviz-RegionView .bqplot svg');
  const line = plane.appendChild(document.createElementNS(plane.namespaceURI, 'path'));
  line.setAttribute('class', 'line');
  document.querySelector('.dpviz-Explorer').getBoundingClientRect();
  line.remove();
}"""


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    bridge.page.set_viewport_size({"width": 1400, "height": 900})
    kept = bridge.keep(lambda: explore(read_sample("overfitted"), epsilon=1.0))
    kept.tab = "board"
    bridge.settle()
    return kept


def selected(page: Page) -> str:
    return page.get_by_role("tab", selected=True).inner_text()


def built(explorer: Explorer) -> set[str]:
    return {type(view).__name__ for view in explorer.panel.built_views}


def test_a_tab_is_built_when_it_is_shown_and_rests_when_it_is_hidden(
    bridge: Bridge, explorer: Explorer
) -> None:
    page = bridge.page
    assert selected(page) == "Board"
    assert built(explorer) == {"RegionView", "TradeoffView", "EpsilonStarView", "RiskView"}
    page.get_by_role("tab", name="Claim").click()
    bridge.until(lambda: explorer.tab == "claim" and page.locator(".dpviz-ProfileView").count())
    assert "ScoresView" not in built(explorer)
    star = next(view for view in explorer.panel.built_views if isinstance(view, EpsilonStarView))
    region = next(view for view in explorer.panel.built_views if isinstance(view, RegionView))
    assert region in explorer.shown_views
    assert star not in explorer.shown_views

    # Hidden, it is not drawn; shown again, it is up to date.
    before = star.texts["epsilon_star"].value
    explorer.delta = 0.1
    assert star.texts["epsilon_star"].value == before
    explorer.tab = "board"
    assert star.texts["epsilon_star"].value != before
    bridge.until(lambda: page.locator(".dpviz-EpsilonStarView:visible").count())
    assert selected(page) == "Board"


@pytest.mark.slow
def test_a_view_that_was_shown_stays_on_the_page(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    picture.come_to_rest(page)
    for part in (".bqplot", ".dpviz-labels > *"):
        part = f"document.querySelector('.dpviz-EpsilonStarView {part}')"
        page.evaluate(f"{part}.dataset.kept = 'yes'")
    for name in ("claim", "evidence"):
        explorer.tab = name
        bridge.settle()
        found = page.evaluate(IN_ORDER)
        assert found == [f"dpviz-{type(view).__name__}" for view in explorer.shown_views]
    profile = ".dpviz-ProfileView g.curve path.line"
    before = page.locator(profile).first.get_attribute("d")
    explorer.tab = "board"
    bridge.settle()
    assert page.locator(".dpviz-EpsilonStarView [data-kept=yes]:visible").count() == 2
    assert not page.locator(".dpviz-ProfileView").is_visible()

    # What the browser draws by itself is drawn when it is seen.
    picture.slider(page, "ε").press("ArrowRight")
    bridge.settle()
    assert page.locator(profile).first.get_attribute("d") == before
    explorer.tab = "claim"
    bridge.until(lambda: page.locator(profile).first.get_attribute("d") != before)


@pytest.mark.slow
def test_a_tab_that_was_shown_is_laid_out_at_once(bridge: Bridge, explorer: Explorer) -> None:
    """Its pictures have another size there, also one that the tab before did not show."""
    page = bridge.page
    sizes: dict[str, object] = {}
    for name in ("attack", "board", "claim"):
        explorer.tab = name
        bridge.settle()
        picture.come_to_rest(page)
        sizes[name] = page.evaluate(SIZES)
    page.evaluate(HOLD)
    explorer.tab = "attack"
    bridge.until(lambda: page.locator(".dpviz-ScoresView").is_visible())
    at_once = page.evaluate(SIZES)
    written = page.evaluate("written.length")
    page.evaluate("release()")
    picture.come_to_rest(page)
    assert at_once == page.evaluate(SIZES) == sizes["attack"]
    assert at_once != sizes["claim"]
    assert written == page.evaluate("written.length") > 0


def test_a_change_in_a_picture_is_laid_out_in_the_picture(
    bridge: Bridge, explorer: Explorer
) -> None:
    """What is in the flow of the page is laid out with the page, ten times a tab."""
    assert set(bridge.page.evaluate(POSITIONS)) == {"absolute"}


def test_what_a_tab_offers_is_not_offered_while_another_is_on_its_way(
    bridge: Bridge, explorer: Explorer
) -> None:
    page = bridge.page
    explorer.tab = "claim"
    more = page.get_by_role("button", name="More pictures")
    busy = page.locator(".dpviz-panel[aria-busy=true]")
    bridge.until(more.is_visible)
    assert busy.count() == 0
    page.get_by_role("tab", name="How it works").click()  # not handled by the kernel yet
    assert busy.count() == 1
    assert not more.is_visible()
    bridge.until(lambda: more.is_visible() and not busy.count())
    assert explorer.tab == "how"


def test_arrow_keys_go_from_tab_to_tab(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    page.get_by_role("tab", selected=True).focus()
    for key, name in [("ArrowRight", "claim"), ("End", "how"), ("Home", "board")]:
        page.keyboard.press(key)
        bridge.until(lambda name=name: explorer.tab == name)
        assert selected(page) == TABS[name].title
        assert page.evaluate("document.activeElement.textContent") == TABS[name].title
    panel = page.get_by_role("tabpanel", name="Board")
    assert panel.count() == 1
    assert page.get_by_role("tab", selected=True).get_attribute("aria-controls") == (
        panel.get_attribute("id")
    )


@parametrize(
    ("name", "width", "height"),
    [(name, *size) for name in TABS for size in SCREENS],
    slow_but=[("board", *SCREENS[0])],
)
def test_axe_finds_nothing_serious_on_any_tab(
    bridge: Bridge, explorer: Explorer, name: str, width: int, height: int
) -> None:
    """At 700 pixels test_lab.py looks, in both themes."""
    explorer.tab = name
    bridge.page.set_viewport_size({"width": width, "height": height})
    bridge.settle()
    assert violations(bridge.page) == []


def test_the_column_has_few_controls_and_an_error_shifts_nothing(
    bridge: Bridge, explorer: Explorer
) -> None:
    page = bridge.page
    assert page.evaluate(CONTROLS) == ALL_CONTROLS
    place = page.locator(".dpviz-panel").bounding_box()
    box = picture.box(page, "δ")
    box.fill("2")
    box.press("Enter")
    page.locator(".dpviz-error:visible").wait_for()
    assert page.locator(".dpviz-panel").bounding_box() == place
    error, typed = page.locator(".dpviz-error:visible").bounding_box(), box.bounding_box()
    assert error is not None
    assert typed is not None
    assert error["y"] >= typed["y"] + typed["height"]
    control = box.locator("xpath=ancestor::*[contains(@class, 'dpviz-number')]").bounding_box()
    assert control is not None
    assert abs(error["x"] - control["x"]) < 10


def test_a_slider_says_its_value_and_not_its_step(bridge: Bridge, explorer: Explorer) -> None:
    handle = picture.slider(bridge.page, "ε")
    assert handle.get_attribute("aria-valuetext") == "1"
    handle.press("ArrowRight")
    bridge.settle()
    assert explorer.epsilon == 1.05
    assert handle.get_attribute("aria-valuetext") == "1.05"


@pytest.mark.slow
def test_at_700_pixels_nothing_scrolls_inside(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    page.set_viewport_size({"width": 700, "height": 900})
    for name in TABS:
        explorer.tab = name
        bridge.settle()
        picture.come_to_rest(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
        assert page.evaluate(INNER_SCROLL_BARS) == []
        tabs = [tab.bounding_box() for tab in page.get_by_role("tab").all()]
        assert len({tab["y"] for tab in tabs if tab}) == 1  # all in one row
        places = page.locator(".dpviz-panel .dpviz-place:visible")
        boxes = [place.bounding_box() for place in places.all()]
        assert all(box is not None and box["width"] >= 300 for box in boxes)


@pytest.mark.slow
def test_each_tab_is_seen_without_scrolling(bridge: Bridge) -> None:
    page = bridge.page
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    explorer.complete_audit()
    bridge.show(explorer)
    for epsilon in (1.0, 8.0):  # 8: beyond the ceiling, where the answer has most words
        explorer.epsilon = epsilon
        explorer.complete_audit()
        for name in TABS:
            explorer.tab = name
            for width, height in SCREENS:
                page.set_viewport_size({"width": width, "height": height})
                bridge.settle()
                page.wait_for_function(FITS, arg=[width, height])


ALL_TABS = [(sample, tuple(TABS)) for sample in SAMPLES if sample != "overfitted"]
ALL_TABS += [(None, tuple(tabs_for(has_scores=False)))]


@pytest.mark.slow
@parametrize(("sample", "names"), [(None, ("board",)), *ALL_TABS], slow_but=[(None, ("board",))])
def test_the_same_rules_for_other_scores_and_for_none(
    bridge: Bridge, explorer: Explorer, sample: str | None, names: tuple[str, ...]
) -> None:
    page = bridge.page
    explorer.store.load(None if sample is None else read_sample(sample))
    explorer.complete_audit()
    for name in names:
        explorer.tab = name
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            bridge.settle()
            page.wait_for_function(FITS, arg=[width, height if name == "board" else 1.2 * height])
        page.set_viewport_size({"width": 700, "height": 900})
        bridge.settle()
        page.wait_for_function("document.documentElement.scrollWidth <= 700")
        assert page.evaluate(INNER_SCROLL_BARS) == []
        assert 0 < page.evaluate(FIRST_ENDS) <= 900
        assert page.evaluate(CONTROLS) == ALL_CONTROLS
        page.set_viewport_size({"width": 700, "height": 450})  # 1400 x 900 at 200 %
        bridge.settle()
        page.wait_for_function(FIRST_BEGINS)
        assert page.evaluate(INNER_SCROLL_BARS) == []
        assert len(page.evaluate(SENTENCES).split()) <= 250
        assert page.locator(".dpviz-Explorer .legend").count() == 0


@pytest.mark.slow
def test_a_line_in_a_picture_gives_no_control_a_new_style(
    bridge: Bridge, explorer: Explorer
) -> None:
    """It was 102 elements, in each of the many steps in which bqplot draws a picture."""
    page = bridge.page
    events: list[dict[str, Any]] = []
    ends: list[object] = []
    browser = page.context.new_cdp_session(page)
    browser.on("Tracing.dataCollected", lambda found: events.extend(found["value"]))
    browser.on("Tracing.tracingComplete", lambda end: ends.append(end))
    with_events = {"transferMode": "ReportEvents", "categories": "devtools.timeline"}
    browser.send("Tracing.start", with_events)
    page.evaluate(DRAW)
    browser.send("Tracing.end")
    bridge.until(lambda: ends, "the trace")
    styled = [e["args"]["elementCount"] for e in events if e["name"] == "UpdateLayoutTree"]
    assert styled
    assert max(styled) < 20


@pytest.mark.slow
def test_the_answer_tab_has_few_words_and_one_live_region(
    bridge: Bridge, explorer: Explorer
) -> None:
    """Words of sentences, titles and buttons that are seen; not ticks and labels in pictures."""
    explorer.complete_audit()
    bridge.settle()
    page = bridge.page
    words = page.evaluate(SENTENCES).split()
    assert "contradict" in words
    assert len(words) <= 250
    assert page.locator(".dpviz-Explorer .legend").count() == 0
    regions = page.locator(LIVE)
    assert regions.count() == 1
    assert "contradict" in regions.inner_text()


@pytest.mark.slow
def test_tabs_that_are_left_before_they_are_drawn_are_drawn_without_an_error(
    bridge: Bridge,
) -> None:
    """What has no size, bqplot draws with negative widths, which the console calls errors."""
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    bridge.show(explorer)
    for name in TABS:  # all of it arrives at once: only the last tab is ever seen
        explorer.tab = name
    bridge.settle()
    for name in TABS:
        explorer.tab = name
        bridge.settle()
        sizes = bridge.page.evaluate(SIZES)
        assert sizes
        assert min(sizes) > 100
    assert bridge.errors == []
