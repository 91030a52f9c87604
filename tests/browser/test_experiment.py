"""The experiment in a browser: rounds at the buttons, play and pause, a restart."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator

from dpviz.analysis.topics.experiment import count_text
from dpviz.theory import GaussianDP
from dpviz.widgets.views.experiment import ExperimentView
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read

NOT_PLAYED = "No round is played yet. The attack is the best one that the claim allows at FPR 20 %."
POINTS = """view => {
  const [figure] = view.querySelectorAll('.bqplot');
  return [...figure.querySelectorAll('g.object_grp')]
    .filter(g => g.getClientRects().length).map(g => g.getAttribute('transform'));
}"""


def said(view: Locator) -> str:
    return as_read(view.locator(".dpviz-round").inner_text())


def press(bridge: Bridge, view: Locator, label: str) -> None:
    view.get_by_role("button", name=label, exact=True).click()
    bridge.settle()


@pytest.mark.slow
def test_rounds_are_played_and_points_settle(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    widget = ExperimentView(claim=GaussianDP(mu=1.0), prior=0.1, fpr=0.2)
    bridge.show(widget)
    view = bridge.page.locator(".dpviz-ExperimentView")
    assert said(view) == NOT_PLAYED
    view.get_by_role("button", name="one round", exact=True).press("Enter")
    bridge.settle()
    assert said(view).startswith("Round 1: the record was a ")
    press(bridge, view, "100 rounds")
    assert said(view).startswith("Round 101: ")
    spread = [width(view)]
    press(bridge, view, "10⁶ rounds")
    assert said(view).startswith("Round 1 000 101: ")
    spread.append(width(view))
    assert spread[1] < spread[0] / 20
    ppv = view.locator("tr", has_text="PPV").locator("td").all_inner_texts()
    assert as_read(ppv[2]) == f"{100 * widget.shown.counts.ppv.value:.3g} %"
    screenshot(bridge.page)

    press(bridge, view, "again")
    assert said(view) == NOT_PLAYED
    assert "seed 1" in view.inner_text()
    view.get_by_role("combobox").select_option("100")
    bridge.settle()
    view.get_by_role("button", name="play", exact=True).click()
    bridge.until(lambda: widget.shown.counts.rounds >= 30)
    view.get_by_role("button", name="pause", exact=True).click()
    bridge.until(view.get_by_role("button", name="play", exact=True).is_visible)
    bridge.settle()
    stood = widget.shown.counts.rounds
    bridge.page.wait_for_timeout(250)
    bridge.settle()
    assert said(view).startswith(f"Round {count_text(stood)}: ")

    view.get_by_role("button", name="play", exact=True).click()
    pause = view.get_by_role("button", name="pause", exact=True)
    bridge.until(pause.is_visible)
    widget.player.pause()  # playing has ended, which the page has not heard when "pause" is pressed
    stood = widget.shown.counts.rounds
    pause.click()
    bridge.until(view.get_by_role("button", name="play", exact=True).is_visible)
    assert widget.shown.counts.rounds == stood

    widget.prior = 0.5
    bridge.settle()
    assert said(view) == NOT_PLAYED


@pytest.mark.slow
def test_a_system_that_asks_for_less_motion_gets_it(bridge: Bridge) -> None:
    hint = bridge.page.locator(".dpviz-motion")
    usual = ExperimentView()
    bridge.show(usual)
    assert not hint.is_visible()
    bridge.page.emulate_media(reduced_motion="reduce")
    try:
        calm = ExperimentView()
        bridge.show(calm)
        assert hint.last.is_visible()
    finally:
        bridge.page.emulate_media(reduced_motion="no-preference")
    assert calm.player.calm.value
    assert not usual.player.calm.value
    bridge.page.get_by_role("checkbox", name="reduced motion").first.click()
    bridge.settle()
    assert usual.player.calm.value


def width(view: Locator) -> float:
    """Standard deviation of the cloud's places along x, in pixels."""
    moved = view.evaluate(POINTS)
    places = [float(text.split("(")[1].split(",")[0]) for text in moved]
    assert len(places) > 50
    return float(np.std(places))
