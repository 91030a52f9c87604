"""Presentations by keyboard alone: large, one slide at a time, and nothing is left behind."""

import json

import ipywidgets
import pytest

import dpviz
from dpviz import teach
from dpviz.widgets import Explorer
from dpviz.widgets.present import SLIDES
from tests.browser import picture
from tests.browser.axe import violations
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read

STAGE = ".dpviz-presentation"
SMALLEST = """selector => Math.min(...[...document.querySelectorAll(`${selector} *`)]
  .filter(e => e.getClientRects().length && !e.closest('style'))
  .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    || e.matches('input, select'))
  .map(e => [getComputedStyle(e), e.closest('svg') && e.getScreenCTM?.()])
  .map(([style, to]) => parseFloat(style.fontSize) * (to ? Math.hypot(to.a, to.b) : 1)))"""

BEYOND = """selector => [...document.querySelectorAll(`${selector}, ${selector}-body`)]
  .reduce((sum, e) => sum + e.scrollHeight - e.clientHeight + e.scrollWidth - e.clientWidth, 0)"""

ON_HANDLES = """selector => {
  const boxes = what => [...document.querySelectorAll(`${selector} .bqplot ${what}`)]
    .map(e => [e.getBoundingClientRect(), e.textContent]).filter(([{ width }]) => width);
  return boxes('.dpviz-handle path.element').flatMap(([a]) => boxes('.dpviz-labels text')
    .filter(([b]) => a.left < b.right + 4 && b.left < a.right + 4)
    .filter(([b]) => a.top < b.bottom && b.top < a.bottom)
    .map(([, text]) => text)) }"""


def widgets() -> int:
    """How many widgets are alive."""
    return len(json.loads(json.dumps(sorted(ipywidgets.Widget.get_manager_state()["state"]))))


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    bridge.page.set_viewport_size({"width": 1920, "height": 1080})
    made = dpviz.explore(dpviz.read_sample("overfitted"), epsilon=1.0)
    made.complete_audit()  # what is computed later makes marks of its own
    bridge.show(made)
    return made


@pytest.mark.slow
def test_the_keyboard_goes_through_all_slides_and_back(bridge: Bridge, explorer: Explorer) -> None:
    page, before = bridge.page, widgets()
    handle = page.locator(".dpviz-Explorer .noUi-handle").first
    handle.focus()
    page.keyboard.press("p")
    bridge.settle()
    stage = page.locator(STAGE)
    box = stage.bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 1920, 1080)
    for i, slide in enumerate(SLIDES.values()):
        assert stage.get_by_text(f"{i + 1} of {len(SLIDES)}", exact=True).count() == 1
        assert as_read(stage.locator("h1").inner_text()) == slide.title_of(explorer.result)
        assert stage.locator(".bqplot").count() == 1
        assert stage.locator(".noUi-handle").count() == 1
        shown = explorer.presenter.presentation
        assert shown is not None
        marks = [each.mark for each in shown.pictures[0].frame.created_marks if each.mark.visible]
        drawn = stage.locator(".bqplot :is(g.curve, g.object_grp)")
        bridge.until(lambda drawn=drawn, marks=marks: drawn.count() >= len(marks))  # type: ignore[misc]
        assert page.evaluate(SMALLEST, STAGE) >= 26
        assert page.evaluate("document.documentElement.scrollWidth") <= 1920
        page.keyboard.press("ArrowRight")
        bridge.settle()
    assert explorer.presenter.window.slide == len(SLIDES) - 1  # the last stays
    assert explorer.fpr is None  # neither showing nor leaving a control is a choice
    assert not explorer.store.can_undo
    page.keyboard.press("PageUp")
    bridge.settle()
    assert explorer.presenter.window.slide == len(SLIDES) - 2
    page.keyboard.press("Escape")
    assert not stage.is_visible()  # before Python answers, if it ever does
    bridge.settle()
    assert stage.count() == 0
    assert handle.evaluate("e => e === document.activeElement")
    assert widgets() == before


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(848, 600), (848, 900), (1280, 800)])
def test_the_words_and_the_control_are_in_sight_in_a_small_window(
    bridge: Bridge, explorer: Explorer, width: int, height: int
) -> None:
    bridge.page.set_viewport_size({"width": width, "height": height})
    explorer.present(["attack"])
    bridge.settle()
    picture.come_to_rest(bridge.page)
    body = bridge.page.locator(f"{STAGE}-body").bounding_box()
    assert body is not None
    for part in (".dpviz-slide_claim", ".dpviz-sentence", ".noUi-handle"):
        shown = bridge.page.locator(f"{STAGE} {part}:visible").first.bounding_box()
        assert shown is not None
        assert shown["y"] >= body["y"] - 1, part
        assert shown["y"] + shown["height"] <= body["y"] + body["height"] + 1, part


@pytest.mark.slow
def test_a_label_is_beside_a_marker_that_is_as_large_as_letters(
    bridge: Bridge, explorer: Explorer
) -> None:
    bridge.page.set_viewport_size({"width": 1600, "height": 900})
    explorer.present(["attack"])
    bridge.settle()
    picture.come_to_rest(bridge.page)
    assert bridge.page.locator(f"{STAGE} .dpviz-handle:visible").count() == 1
    assert bridge.page.evaluate(ON_HANDLES, STAGE) == []


@pytest.mark.slow
def test_tab_stays_inside_and_the_control_moves_the_claim(
    bridge: Bridge, explorer: Explorer
) -> None:
    page = bridge.page
    explorer.present(["people"])
    bridge.settle()
    assert violations(page, STAGE) == []
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate(f"!!document.activeElement.closest('{STAGE}')")
    page.locator(f"{STAGE} .noUi-handle").focus()
    page.keyboard.press("ArrowRight")  # moves epsilon, not the slide
    bridge.settle()
    assert explorer.epsilon == 1.05
    page.locator(STAGE).get_by_role("button", name="Leave").click()
    bridge.settle()
    assert page.locator(STAGE).count() == 0


@pytest.mark.slow
def test_letters_in_a_box_begin_nothing(bridge: Bridge, explorer: Explorer) -> None:
    bridge.page.locator(".dpviz-Explorer input[type=text]").first.press("p")
    bridge.settle()
    assert not explorer.presenter.window.is_open


def shows_large_text_on_each_slide(bridge: Bridge, number: int) -> None:
    """Go through the slides of a lesson: claim, letters, and nothing beyond the window."""
    page = bridge.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    made = teach.slides(number, login="ada")
    bridge.show(made)
    made.presenter.open()
    bridge.settle()
    for i, slide in enumerate(made.slides):
        page.locator(STAGE).get_by_text(f"{i + 1} of {len(made.slides)}", exact=True).wait_for()
        assert page.locator(f"{STAGE} .dpviz-slide_claim:visible").count() == 1
        assert page.evaluate(SMALLEST, STAGE) >= 26, slide.title
        assert page.evaluate(BEYOND, STAGE) == 0, slide.title
        assert slide.spec is not None
        assert made.fpr == slide.spec.fpr  # no control has moved a number back
        page.keyboard.press("ArrowRight")
        bridge.settle()
    assert bridge.errors == []


@pytest.mark.slow
def test_the_slides_of_a_lesson_are_large_and_begin_with_its_numbers(bridge: Bridge) -> None:
    shows_large_text_on_each_slide(bridge, 1)


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 7])
def test_the_slides_of_the_other_lessons_are_large(bridge: Bridge, number: int) -> None:
    shows_large_text_on_each_slide(bridge, number)
