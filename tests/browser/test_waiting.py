"""A slow claim is being computed, the kernel is gone, a value is illegal: what the page says."""

import pytest
from playwright.sync_api import expect

from dpviz import explore, read_sample
from dpviz.analysis import Spec
from dpviz.analysis.claims.menu import ENTRIES
from dpviz.widgets import Explorer
from dpviz.widgets.state.store import Store
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.wait import until_still
from tests.slow import parametrize

SLOW = ENTRIES["subsampled_gaussian"].title
# What the managers of Jupyter's pages have: a kernel that says when it is shut down.
KERNEL = """() => { bridge.manager.kernel = { disposed: {
  connect: act => window.shutDown = act, disconnect: () => {} } } }"""
BROKEN = """() => [...document.querySelectorAll('.jupyter-widgets')].filter(element =>
  !['none', 'normal'].includes(getComputedStyle(element, '::before').content) &&
  element.matches('.jupyter-widgets-disconnected')).length"""
BUSY = ".dpviz-panel[aria-busy=true]"


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    def make() -> Explorer:
        explorer = explore(read_sample("overfitted"), epsilon=1.0)
        explorer.complete_audit()
        return explorer

    return bridge.keep(make)


@pytest.mark.slow
def test_a_slow_claim_is_announced_at_once(
    bridge: Bridge, explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, menu = bridge.page, explorer.claim_menu
    seen: list[tuple[bool, bool, bool]] = []
    cache_result = Store.cache_result

    def watched(store: Store, spec: Spec) -> None:
        classes = "dpviz-waiting" in explorer._dom_classes
        seen.append((classes, explorer.tab_bar.is_waiting, menu.widget.is_hidden))
        cache_result(store, spec)

    monkeypatch.setattr(Store, "cache_result", watched)
    menu.kind.value = SLOW
    bridge.until(lambda: "dpviz-waiting" not in explorer._dom_classes)
    assert seen == [(True, True, False)]
    assert not explorer.tab_bar.is_waiting
    menu._set_waiting_for_curve(True)
    bridge.settle()
    assert page.locator(BUSY).count() == 1
    until_still(page)
    opacity = "e => getComputedStyle(e).opacity"
    assert float(page.locator(".dpviz-place:visible").first.evaluate(opacity)) < 0.5
    menu._set_waiting_for_curve(False)
    bridge.settle()
    assert page.locator(BUSY).count() == 0
    expect(page.locator(".dpviz-place:visible").first).to_have_css("opacity", "1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1e400", "1e400 is too large a number."),
        ("200 %", "δ must be from 0 to 1 (you typed 2)."),
    ],
)
@parametrize("width", [400, 700, 864, 1400], slow_but=[400, 864])
@pytest.mark.usefixtures("explorer")
def test_an_error_of_a_box_is_one_line_and_esc_removes_it(
    bridge: Bridge, text: str, said: str, width: int
) -> None:
    page = bridge.page
    page.set_viewport_size({"width": width, "height": 900})
    bridge.settle()
    box, panel = picture.box(page, "δ"), page.locator(".dpviz-panel")
    was, place = box.input_value(), panel.bounding_box()
    box.fill(text)
    box.press("Enter")
    error = page.locator(".dpviz-error:visible")
    expect(error).to_have_text(said)
    shown, typed = error.bounding_box(), box.bounding_box()
    assert shown is not None
    assert typed is not None
    assert shown["width"] >= 160
    assert shown["height"] < 28
    assert 0 <= shown["x"] <= shown["x"] + shown["width"] <= width
    assert shown["y"] >= typed["y"] + typed["height"]
    assert panel.bounding_box() == place
    box.press("Escape")
    assert error.count() == 0
    assert box.input_value() == was


@pytest.mark.usefixtures("explorer")
def test_a_percentage_is_meant(bridge: Bridge, explorer: Explorer) -> None:
    box = picture.box(bridge.page, "prior p")
    box.fill("2%")
    box.press("Enter")
    bridge.settle()
    assert explorer.prior == 0.02
    expect(box).to_have_value("0.02", timeout=5000)


def test_without_the_kernel_nothing_old_and_no_broken_link_stays(bridge: Bridge) -> None:
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    explorer.complete_audit()
    page = bridge.page
    page.evaluate(KERNEL)
    bridge.show(explorer)
    heard, reading = page.locator(".dpviz-unseen p"), page.locator('[data-name="reading"]')
    assert "claim" in heard.inner_text()
    assert reading.first.text_content()
    # A tab is chosen, and the kernel is gone before it answers.
    page.get_by_role("tab", name="Attack").click()
    assert page.locator(BUSY).count() == 1
    bridge.to_python.clear()
    page.evaluate("() => shutDown()")
    assert page.locator(BUSY).count() == 0
    assert page.get_by_role("tab", selected=True).inner_text() == "Board"
    page.get_by_role("tab", name="People").dispatch_event("click")
    assert page.locator(BUSY).count() == 0
    picture.slider(page, "ε").press("ArrowRight")
    until_still(page)
    assert page.evaluate(BROKEN) == 0
    assert page.locator(".dpviz-undo:visible, .dpviz-redo:visible").count() == 0  # of Python
    assert heard.count() == 0 or not heard.inner_text()
    assert [text for text in reading.all_text_contents() if text] == []
    note = page.get_by_text("needs the kernel")
    note.first.wait_for()
    expect(note).to_have_count(1)  # the explorer's: the pictures of a board follow the claim
    beside, bar = note.bounding_box(), page.locator(".dpviz-bar").bounding_box()
    assert beside is not None
    assert bar is not None
    assert beside["y"] + beside["height"] < bar["y"] + bar["height"] - 1  # not on the line below
    picture.slider(page, "δ").press("ArrowRight")  # an attack's numbers at another δ do not
    expect(note).to_have_count(5)
    bridge.to_python.clear()
