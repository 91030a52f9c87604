"""The page as one widget in Chromium: drawn without bqplot, moved by hand and from Python."""

import json
from collections.abc import Callable
from pathlib import Path

import ipywidgets
import pytest
from playwright.sync_api import Page, expect

from dpviz import read_sample
from dpviz.widgets import LivePage
from tests.browser.bridge import Bridge
from tests.browser.lab import lab_server, run_code, run_notebook
from tests.browser.live import busy
from tests.browser.wait import as_read, eventually
from tests.browser.watch import Watch
from tests.slow import parametrize

FOCUSED = """() => { let at = document.activeElement;
  while (at?.shadowRoot) at = at.shadowRoot.activeElement;
  return at?.getAttribute('aria-label') ?? '' }"""

CODE = """import dpviz
from dpviz.widgets import LivePage
live = LivePage(dpviz.read_sample("overfitted"), epsilon=2.0)
live.epsilon = 1.0  # before the script is there
live"""
CELL = {"cell_type": "code", "id": "only", "source": CODE, "outputs": []}
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python"}},
    "cells": [CELL | {"metadata": {}, "execution_count": None}],
}
# anywidget waits two seconds for a script to load. On a machine with much to do that is too short.
TOO_SHORT = """() => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (milliseconds) => timeout(milliseconds === 2000 ? 0 : milliseconds);
}"""


def test_four_pictures_follow_the_hand_and_python(bridge: Bridge) -> None:
    live = LivePage(read_sample("overfitted"), epsilon=1.0)
    bridge.show(live)
    page = bridge.page
    headline = page.locator("h1")
    expect(headline).to_have_text("The losses contradict the claim ε = 1.")
    assert page.locator("figure svg[role=img]").count() == 5
    assert page.locator(".bqplot").count() == 0

    box = page.get_by_label("ε, exact value")
    with busy(bridge):  # the browser draws the claim while Python is busy
        box.fill("3")
        box.press("Enter")
        expect(page.locator("[data-sentence=tradeoff_lead]").first).to_contain_text("At FPR")
        expect(page.get_by_text("claimed 3").last).to_be_visible()
        assert live.epsilon == 1.0
    bridge.until(lambda: live.epsilon == 3.0)
    bridge.until(lambda: "do not contradict ε = 3" in as_read(headline.inner_text()))

    opened = page.locator("header details")
    opened.locator("summary").click()
    live.epsilon = 1.0
    bridge.until(lambda: as_read(headline.inner_text()).endswith("the claim ε = 1."))
    expect(opened).to_have_attribute("open", "")  # until the reader closes it
    assert box.input_value() == "1"

    slider = page.locator("input[type=range]").first
    slider.focus()
    named = page.evaluate(FOCUSED)
    slider.press("ArrowRight")
    bridge.until(lambda: live.epsilon > 1.0)
    bridge.until(lambda: f"ε = {live.epsilon:g}" in as_read(headline.inner_text()))
    assert page.evaluate(FOCUSED) == named  # what Python writes takes no focus away

    delta = page.get_by_label("δ, exact value")
    delta.fill("2")
    delta.press("Enter")
    expect(page.locator("#saved-error")).to_contain_text("δ must be")
    assert live.delta == 1e-5
    assert not bridge.errors


@parametrize("button", ["right", "Control", "left"], slow_but=["right"])
def test_no_change_is_lost_while_python_is_busy(bridge: Bridge, button: str) -> None:
    live = LivePage(epsilon=1.0)
    bridge.show(live)
    page = bridge.page
    page.evaluate("id => bridge.show(id)", live.model_id)  # another view of the same widget
    first, second = (page.locator(".dpviz-page").nth(i) for i in range(2))
    second.wait_for()
    epsilon = first.get_by_label("ε, exact value")
    delta, prior = (first.get_by_label(f"{name}, exact value") for name in ("δ", "prior p"))
    first.locator("h1").hover()
    # What opens a menu, which takes the end of this; on a Mac Control and the left button, too.
    if button == "Control":
        page.keyboard.down(button)
    page.mouse.down(button="right" if button == "right" else "left")
    if button == "Control":
        page.keyboard.up(button)
    if button == "left":
        first.locator("h1").dispatch_event("contextmenu")  # with no other sign, as by a long touch
    with busy(bridge) as answer:
        for value in ("2", "3"):
            epsilon.fill(value)
            epsilon.press("Enter")
        other = second.get_by_label("δ, exact value")
        other.fill("0.01")
        other.press("Enter")
        prior.fill("0.2")  # not entered yet when Python answers
        answer()
        bridge.until(lambda: (live.epsilon, live.delta) == (3.0, 0.01))
        bridge.until(lambda: delta.input_value() == "0.01")
        assert prior.input_value() == "0.2"
    prior.press("Enter")
    bridge.until(lambda: live.prior == 0.2)
    page.mouse.up(button="right" if button == "right" else "left")
    live.prior = 0.3  # what was entered leaves the box to Python
    bridge.until(lambda: prior.input_value() == "0.3")


def test_a_view_that_goes_while_it_is_held_sends_its_change(bridge: Bridge) -> None:
    live = LivePage(epsilon=1.0)
    around = ipywidgets.VBox([live])
    bridge.show(around)
    page = bridge.page
    slider = page.locator("input[type=range]").first
    slider.hover()
    page.mouse.down()
    bridge.settle()
    assert live.epsilon == 1.0
    around.children = ()
    bridge.until(lambda: page.locator(".dpviz-page").count() == 0)
    page.mouse.up()
    bridge.until(lambda: live.epsilon != 1.0)


def test_the_theme_is_followed_at_once(bridge: Bridge) -> None:
    page = bridge.page
    page.add_style_tag(content=".night { color: #eee } .by-system { color-scheme: light dark }")
    bridge.show(LivePage(epsilon=1.0))
    view = page.locator(".dpviz-page .view")
    expect(view).to_have_css("color-scheme", "light")
    page.evaluate("document.body.className = 'night'")
    expect(view).to_have_css("color-scheme", "dark")
    page.evaluate("document.body.className = ''")
    expect(view).to_have_css("color-scheme", "light")
    page.evaluate("document.documentElement.className = 'by-system'")
    expect(view).to_have_css("color-scheme", "light")
    page.emulate_media(color_scheme="dark")
    expect(view).to_have_css("color-scheme", "dark")
    page.emulate_media(color_scheme="light")
    expect(view).to_have_css("color-scheme", "light")
    # A named theme counts more than letters do.
    page.evaluate("document.documentElement.className = ''")
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    expect(view).to_have_css("color-scheme", "dark")
    page.evaluate("document.body.className = 'night'; document.body.dataset.jpThemeLight = 'true'")
    expect(view).to_have_css("color-scheme", "light")
    page.evaluate("document.body.className = ''; delete document.body.dataset.jpThemeLight")


def test_no_rule_of_the_page_around_reaches_inside(bridge: Bridge) -> None:
    around = bridge.page.add_style_tag(content=".dpviz-page { letter-spacing: 9px; opacity: .5 }")
    bridge.show(LivePage(epsilon=1.0))
    bridge.page.locator("h1").wait_for()
    expect(bridge.page.locator("h1")).to_have_css("letter-spacing", "normal")
    expect(bridge.page.locator(".dpviz-page")).to_have_css("opacity", "1")
    around.evaluate("each => each.remove()")


@pytest.mark.slow
def test_in_jupyterlab(page: Page, tmp_path: Path, screenshot: Callable[..., None]) -> None:
    notebook = tmp_path / "live.ipynb"
    notebook.write_text(json.dumps(NOTEBOOK))
    folder = tmp_path / "served"
    folder.mkdir()
    watch = Watch(page)
    with lab_server(folder, notebook) as address:
        run_notebook(page, address)
        _assert_both_ways(page)
        still = page.locator(".dpviz-still")
        expect(still).to_have_count(1)  # kept in the file, for where no widget is alive
        expect(still).to_be_hidden()
        screenshot(page)

        page.evaluate(TOO_SHORT)
        page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        _assert_both_ways(page)
        for theme, scheme in (("Dark", "dark"), ("Light", "light")):
            page.evaluate(
                "theme => jupyterapp.commands.execute('apputils:change-theme', { theme })",
                f"JupyterLab {theme}",
            )
            expect(page.locator(".dpviz-page .view")).to_have_css("color-scheme", scheme)
    assert watch.errors == []
    assert watch.foreign == []


def _assert_both_ways(page: Page) -> None:
    """The browser draws the first change by hand, and Python gets it; then Python's own change."""
    headline, box = page.locator(".dpviz-page h1"), page.get_by_label("ε, exact value")
    expect(headline).to_have_text("The losses contradict the claim ε = 1.")
    box.fill("3")
    box.press("Enter")
    expect(headline).to_contain_text("do not contradict ε = 3")
    eventually(page, lambda: _assert_printed(page, "live.epsilon", "3.0"))
    run_code(page, "live.epsilon = 1.0")
    expect(headline).to_have_text("The losses contradict the claim ε = 1.")
    expect(box).to_have_value("1")


def _assert_printed(page: Page, code: str, expected: str) -> None:
    """JupyterLab sends changes to another thread of the kernel than cells: either may be first."""
    assert run_code(page, f"print({code})") == expected
