"""What opens over the page closes by Esc and by a press elsewhere, and the focus goes back."""

import pytest

from dpviz import explore, read_sample
from dpviz.widgets import Explorer
from tests.browser.bridge import Bridge
from tests.browser.wait import draw_frames

LINES = {
    "Save": ".dpviz-save summary",
    "More": ".dpviz-more summary",
    "?": ".dpviz-board .dpviz-grid .dpviz-explain summary >> nth=0",
    "limits": ".dpviz-answer-below summary >> nth=0",
    "terms": ".dpviz-answer-below summary >> nth=1",
}
IS_OPEN = "summary => summary.parentElement.open"
# Whether its upper left and its lower right end are seen, over what is below.
IS_SEEN = """summary => {
  const fold = summary.parentElement, { left, top, right, bottom } = fold.getBoundingClientRect();
  return bottom - top > 100 && bottom < innerHeight && [[left, top], [right, bottom]].every(
    ([x, y], i) => fold.contains(document.elementFromPoint(x + 8 - 16 * i, y + 8 - 16 * i))) }"""
HAS_FOCUS = "summary => summary === document.activeElement"


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    def make() -> Explorer:
        explorer = explore(read_sample("overfitted"), epsilon=1.0)
        explorer.complete_audit()
        return explorer

    return bridge.keep(make)


@pytest.mark.slow
@pytest.mark.usefixtures("explorer")
@pytest.mark.parametrize("name", LINES)
def test_esc_and_a_press_elsewhere_close_it(bridge: Bridge, name: str) -> None:
    page = bridge.page
    line = page.locator(LINES[name])
    line.click()
    assert line.evaluate(IS_OPEN)
    page.keyboard.press("Escape")
    assert not line.evaluate(IS_OPEN)
    assert line.evaluate(HAS_FOCUS)
    line.press("Enter")
    assert line.evaluate(IS_OPEN)
    page.locator(".dpviz-answer h2").click()
    assert not line.evaluate(IS_OPEN)


@pytest.mark.slow
@pytest.mark.usefixtures("explorer")
@pytest.mark.parametrize("name", ["limits", "terms"])
@pytest.mark.parametrize("width", [848, 1205])
def test_what_the_answer_does_not_say_is_seen_as_a_whole(
    bridge: Bridge, name: str, width: int
) -> None:
    bridge.page.set_viewport_size({"width": width, "height": 800})
    line = bridge.page.locator(LINES[name])
    line.click()
    assert line.evaluate(IS_SEEN)
    bridge.page.keyboard.press("Escape")


@pytest.mark.usefixtures("explorer")
def test_a_press_inside_keeps_it_and_closes_the_others(bridge: Bridge) -> None:
    page = bridge.page
    more, save = (page.locator(LINES[name]) for name in ("More", "Save"))
    more.click()
    page.get_by_label("confidence").first.click()
    assert more.evaluate(IS_OPEN)
    save.click()
    assert save.evaluate(IS_OPEN)
    assert not more.evaluate(IS_OPEN)
    box = page.locator(".dpviz-buttons > .dpviz-popover")
    box.click(position={"x": 2, "y": 2})
    assert save.evaluate(IS_OPEN)
    page.keyboard.press("Escape")


@pytest.mark.usefixtures("explorer")
def test_esc_in_a_menu_inside_closes_the_menu_alone(bridge: Bridge) -> None:
    page = bridge.page
    explain = page.locator(LINES["?"])
    explain.click()
    page.get_by_role("button", name="More for: ").first.click()
    draw_frames(page, 2)
    assert page.get_by_role("menu").count() == 1
    page.keyboard.press("Escape")
    draw_frames(page, 2)
    assert page.get_by_role("menu").count() == 0
    page.keyboard.press("Escape")
    assert not explain.evaluate(IS_OPEN)


@pytest.mark.usefixtures("explorer")
def test_a_term_is_explained_under_the_pointer_and_with_the_focus(bridge: Bridge) -> None:
    page = bridge.page
    term = page.locator(".dpviz-term", has_text="caught").first
    explained = "e => getComputedStyle(e, '::after').content"
    assert term.evaluate(explained) == "none"
    term.hover()
    assert "Flagged members per 100 members" in term.evaluate(explained)
    page.mouse.move(0, 0)
    page.locator(".dpviz-presets button").last.focus()
    page.keyboard.press("Tab")
    assert term.evaluate("e => e === document.activeElement")
    assert "Flagged members per 100 members" in term.evaluate(explained)
