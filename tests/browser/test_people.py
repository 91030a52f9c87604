"""People move with the sliders while the kernel is busy, and in a saved page."""

import math
import re
from pathlib import Path

import ipywidgets
import pytest
from playwright.sync_api import Browser, Page

import dpviz
from dpviz.analysis.spec import CONTROLS
from dpviz.drawing import theme
from dpviz.widgets import PeopleView, RiskView
from dpviz.widgets.controls.fields import NumberControl
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.live import busy, said
from tests.browser.saved import sentence, settle, slider
from tests.browser.wait import as_read, eventually

KEYS = 15
WIDTH = "menu => menu.offsetWidth"
# Pixels of a menu that has room for each of its texts and for its arrow.
WIDTH_OF_ITS_TEXTS = """menu => {
  const copy = menu.parentElement.appendChild(menu.cloneNode(true));
  copy.style.cssText = 'position: absolute; width: max-content';
  const width = copy.offsetWidth;
  copy.remove();
  return width;
}"""
MARKERS = """() => [...document.querySelectorAll('.dpviz-PeopleView .bqplot path.element')]
  .filter(path => path.getClientRects().length).map(path => getComputedStyle(path))
  .map(style => [style.fill, style.strokeWidth])"""


def with_control(view: PeopleView, name: str) -> ipywidgets.VBox:
    """The view below a slider, as an explorer has it."""
    control = NumberControl(name, CONTROLS[name], view.change)
    control.let_browser_move(view.store.live, owner=view, field=name)
    view.store.subscribe(lambda result: control.update_from(result), lambda: None)
    return ipywidgets.VBox([control.widget, view])


def caught_most(epsilon: float) -> int:
    """At most so many of 100 members at FPR 1 % and delta 1e-5, by definition."""
    return math.floor(100 * min(1, math.exp(epsilon) * 0.01 + 1e-5))


def markers(page: Page) -> tuple[int, int]:
    """The number of filled blue dots, and of rings, with one each in the legend."""
    red, green, blue = (int(theme.CLAIM[i : i + 2], 16) for i in (1, 3, 5))
    found = page.evaluate(MARKERS)
    filled = [fill for fill, _ in found if fill == f"rgb({red}, {green}, {blue})"]
    return len(filled), sum(width == "2.5px" for _, width in found)


@pytest.mark.slow
def test_fifteen_keys_move_the_dots_while_the_kernel_sleeps(bridge: Bridge) -> None:
    view = PeopleView(epsilon=2.0, fpr=0.01)
    bridge.show(with_control(view, "epsilon"))
    page, flagged, legend = bridge.page, 1, 1
    most = caught_most(2.0)
    assert markers(page) == (legend + most + flagged, legend + 100 - (most + 1))
    with busy(bridge) as answer:
        handle = page.locator(".noUi-handle").first
        for _ in range(KEYS):
            handle.press("ArrowRight")
        page.wait_for_function("text => document.body.innerText.includes(text)", arg="15.7 of")
        assert view.epsilon == 2.0  # the kernel has not heard of it
        most = caught_most(2.75)

        def moved() -> None:  # dots are drawn in a frame after the words
            assert markers(page) == (legend + most + flagged, legend + 100 - (most + 1))

        eventually(page, moved)
        answer()
    assert view.epsilon == 2.75
    assert "at most 15.7 of 100 members" in view.result.sentences["people"]


def test_cells_and_odds_follow_the_prior_while_the_kernel_sleeps(bridge: Bridge) -> None:
    view = PeopleView(epsilon=3.0, fpr=0.01, prior=0.01)
    view.crowd = "population"
    bridge.show(with_control(view, "prior"))
    page = bridge.page
    assert page.get_by_text("20 members called “member”", exact=True).count() > 0
    # Story 5: 10 000 people.
    told = as_read(page.locator(".dpviz-population_counts").text_content() or "")
    counts = [100, 20, 80, 9900, 99, 9801]
    assert [int(n) for n in re.findall(r"\b\d+\b(?! %)", told.partition(" people, ")[2])] == counts
    with busy(bridge):
        page.locator(".noUi-handle").first.press("ArrowRight")
        page.wait_for_function("() => !document.body.innerText.includes('Of 119 people')")
        assert view.prior == 0.01
        shown = as_read(page.locator(".dpviz-population").first.inner_text())
    assert view.prior > 0.01
    assert shown == view.result.sentences["population"]


def test_a_saved_page_moves_people_and_keeps_what_was_measured(
    browser: Browser, tmp_path: Path
) -> None:
    view = PeopleView(scores=dpviz.read_sample("overfitted"), fpr=0.734)
    view.save_html(tmp_path / "people.html")
    page = browser.new_page()
    page.goto((tmp_path / "people.html").as_uri())
    rings = "() => document.getElementById('picture-people-people_dots-4').getAttribute('d')"
    assert page.evaluate(rings).count("M") == 1 + 9  # its key in the legend, and 9 members
    slider(page, "ε").press("ArrowLeft")
    settle(page)
    epsilon = 0.95
    fpr = view.result.people.fpr
    tpr = min(1, math.exp(epsilon) * fpr + 1e-5, 1 - math.exp(-epsilon) * (1 - 1e-5 - fpr))
    required = math.floor(100 * (1 - tpr))
    assert required == 10
    assert page.evaluate(rings).count("M") == 1 + required
    assert "members (the claim: at most 90) and flags" in sentence(page, "people")
    slider(page, "FPR").press("ArrowLeft")
    settle(page)
    assert "not recomputed here" in sentence(page, "people")
    assert "catches 100 of 100 members" in sentence(page, "people")
    page.close()


def test_ppv_is_read_at_a_prior_and_an_fpr(bridge: Bridge) -> None:
    """Story 4: at a prior of 1 % it is 2.67 % at FPR 1 %, 11.38 % at 1e-6, and 100 % at 0."""
    view = RiskView(epsilon=1.0, delta=1e-5, fpr=0.01)
    bridge.show(view)
    page = bridge.page

    def type_into(label: str, text: str) -> None:
        box = page.get_by_label(f"{label}, exact value")
        box.fill(text)
        box.press("Enter")

    with busy(bridge):  # the axis shows what is read, without the kernel
        type_into(CONTROLS["prior"].help, "1 %")
        page.locator(".tick").get_by_text("5 %", exact=True).first.wait_for()
        assert "at most 2.68 % of the records flagged at FPR" in said(page, "risk_lead")
    for fpr, ppv in [("1e-6", "11.4 %"), ("0", "100 %")]:
        type_into(CONTROLS["fpr"].help, fpr)
        bridge.until(lambda fpr=fpr: view.fpr == float(fpr))
        assert f"at most {ppv} of the records flagged at FPR" in said(page, "risk_lead")
    page.get_by_text("PPV and advantage", exact=True).wait_for()


@pytest.mark.slow
def test_redraws_are_played_paused_and_stand_still_with_reduced_motion(bridge: Bridge) -> None:
    """Story 25: hypothetical audits, which a learner plays, pauses and draws one by one."""
    view = PeopleView(scores=dpviz.read_sample("overfitted"), fpr=0.2)
    bridge.show(view)
    page = bridge.page
    shown = page.locator(".dpviz-PeopleView")
    page.get_by_text("Options").click()
    page.get_by_label("people", exact=True).select_option("hypothetical redraws of the audit")
    bridge.until(lambda: page.get_by_role("button", name="play").is_visible())
    picture.come_to_rest(page)

    def drawn() -> int:
        assert view.redraws is not None
        return view.redraws.draws

    speeds = page.get_by_label("redraws per second")
    assert speeds.evaluate(WIDTH) >= speeds.evaluate(WIDTH_OF_ITS_TEXTS)
    speeds.select_option("5")
    page.get_by_role("button", name="play").click()
    bridge.until(lambda: drawn() >= 3)
    page.get_by_role("button", name="pause").click()
    bridge.until(lambda: not view.player.is_playing)
    stood = drawn()
    bridge.until(lambda: f"Redraw {stood}: " in shown.inner_text())
    page.get_by_role("checkbox", name="reduced motion").click()
    bridge.until(page.get_by_role("button", name="play").is_disabled)
    assert drawn() == stood
    page.get_by_role("button", name="draw once").press("Enter")
    bridge.until(lambda: f"Redraw {stood + 1}: " in shown.inner_text())
