"""Further pictures of a claim in a browser: ways of stating it, published ones, what it would take.

They stand in one tab, behind "More pictures".
"""

import pytest
from playwright.sync_api import Locator

from dpviz import explore
from dpviz.theory import GaussianMechanism
from dpviz.widgets import Explorer
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    made = explore(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01, tab="claim")
    bridge.show(made)
    more = bridge.page.get_by_role("button", name="More pictures")
    bridge.until(more.is_visible)
    at_rest(bridge)
    more.click()
    bridge.until(lambda: bridge.page.locator(".dpviz-DeploymentsView").is_visible())
    at_rest(bridge)
    return made


def at_rest(bridge: Bridge) -> None:
    """Wait until all has been delivered and nothing moves, so that a click meets its target."""
    bridge.settle()
    picture.come_to_rest(bridge.page)


def view(bridge: Bridge, name: str) -> Locator:
    return bridge.page.locator(f".dpviz-{name}")


@pytest.mark.slow
def test_each_answers_its_question(bridge: Bridge, explorer: Explorer) -> None:
    ways = view(bridge, "WaysOfStatingView")
    # Phi(Phi^-1(0.01) + 1) = 9.24 %
    assert "At FPR 1 % at most 9.24 % of members are caught" in as_read(ways.inner_text())
    ways.get_by_text("Numbers", exact=True).click()
    bridge.until(lambda: "ρ = 0.5 (zCDP)" in ways.inner_text())
    at_rest(bridge)

    published = view(bridge, "DeploymentsView")
    assert "published guarantees per person" in published.inner_text()
    published.get_by_label("unit", exact=True).select_option(label="a user's day or other period")
    bridge.until(lambda: "per user and period" in published.inner_text())
    published.get_by_label("compare").select_option(label="Popular emojis, Apple")
    bridge.until(lambda: "Event-level" in published.inner_text())

    takes = view(bridge, "ForRiskView")
    takes.get_by_label("limit").select_option(label="advantage (TPR - FPR)")
    bridge.until(lambda: takes.get_by_label("to", exact=True).input_value() == "0.1")
    at_rest(bridge)
    takes.get_by_role("button", name="Search").click()
    bridge.until(lambda: "σ = 3.98" in as_read(takes.inner_text()))
    at_rest(bridge)
    takes.get_by_role("button", name="Use as claim").click()
    bridge.until(lambda: explorer.claim == GaussianMechanism(noise_multiplier=3.98))
    # Phi(Phi^-1(0.01) + 1 / 3.98) = 1.89 %
    bridge.until(lambda: "at most 1.9 % of members" in as_read(ways.inner_text()))
