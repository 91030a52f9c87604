"""The page as one widget in Chromium: drawn without bqplot, moved by hand and from Python."""

from playwright.sync_api import expect

from dpviz import read_sample
from dpviz.widgets import LivePage
from tests.browser.bridge import Bridge
from tests.browser.live import busy

FOCUSED = """() => { let at = document.activeElement;
  while (at?.shadowRoot) at = at.shadowRoot.activeElement;
  return at?.getAttribute('aria-label') ?? '' }"""


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
    bridge.until(lambda: "do not contradict ε = 3" in headline.inner_text())

    live.epsilon = 1.0
    bridge.until(lambda: headline.inner_text().endswith("the claim ε = 1."))
    assert box.input_value() == "1"

    slider = page.locator("input[type=range]").first
    slider.focus()
    named = page.evaluate(FOCUSED)
    slider.press("ArrowRight")
    bridge.until(lambda: live.epsilon > 1.0)
    bridge.until(lambda: f"ε = {live.epsilon:g}" in headline.inner_text())
    assert page.evaluate(FOCUSED) == named  # what Python writes takes no focus away

    delta = page.get_by_label("δ, exact value")
    delta.fill("2")
    delta.press("Enter")
    expect(page.locator("#saved-error")).to_contain_text("δ must be")
    assert live.delta == 1e-5
    assert not bridge.errors
