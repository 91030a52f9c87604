"""Claims in a browser: a menu, boxes, overlays with their names, epsilon read off by dragging."""

from collections.abc import Callable

import numpy as np
import pytest

from dpviz import explore, read_sample
from dpviz.analysis.claims.menu import ENTRIES
from dpviz.drawing import theme
from dpviz.theory import ApproximateDP, DiscreteLaplaceMechanism, LaplaceMechanism
from dpviz.widgets import Explorer
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    widget = explore(
        read_sample("overfitted"), epsilon=1.0, layout=["region", "tradeoff", "profile"]
    )
    bridge.show(widget)
    return widget


def pick(bridge: Bridge, key: str) -> None:
    menu = picture.explorer(bridge.page).get_by_label("Claim", exact=True)
    menu.select_option(label=ENTRIES[key].title)
    bridge.settle()


def type_into(bridge: Bridge, label: str, text: str) -> None:
    box = picture.box(bridge.page, label)
    box.fill(text)
    box.press("Enter")
    bridge.settle()


def press(bridge: Bridge, label: str) -> None:
    picture.open_more(bridge.page)
    picture.explorer(bridge.page).get_by_role("button", name=label).click()
    bridge.settle()


def said(bridge: Bridge, name: str) -> str:
    found = picture.explorer(bridge.page).locator(f".dpviz-{name}").first.text_content()
    assert found is not None
    return as_read(found)


@pytest.mark.slow
def test_a_claim_is_kept_as_an_overlay_and_compared(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page = bridge.page
    pick(bridge, "laplace")
    type_into(bridge, "ε", "0.5")
    assert explorer.claim == LaplaceMechanism(epsilon=0.5)
    press(bridge, "Pin this claim")
    pick(bridge, "discrete_laplace")
    type_into(bridge, "scale b", "0.5")
    assert explorer.claim == DiscreteLaplaceMechanism(scale=0.5)
    assert said(bridge, "implies") == (
        "Discrete Laplace b = 0.5, sensitivity = 1 implies (ε, δ) = (2, 1e-5). Where FPR and FNR "
        "are at least 1e-6, Gaussian DP with μ = 2.36 holds under the claim. The regret of this "
        "μ is 0.0563. A small regret means a tight μ. The curve of the claim, shifted by the "
        "regret towards both axes, lies below the Gaussian DP curve."
    )
    press(bridge, "Pin this claim")
    pick(bridge, "approximate")
    assert explorer.claim == ApproximateDP(epsilon=2.0, delta=1e-5)

    found = said(bridge, "comparison")
    assert found == explorer.result.sentences["comparison"]
    assert found.startswith("Laplace ε = 0.5 is at least as private as DP ε = 2, δ = 1e-5 at every")
    for (color, _, _), overlay in zip(theme.OVERLAYS, explorer.overlays, strict=False):
        x, height = picture.unit(picture.line(page, "TradeoffView", color)).T
        # Pixels are rounded.
        np.testing.assert_allclose(1 - height, overlay.beta(np.clip(x, 0, 1)), atol=0.02)
    for view in ("RegionView", "TradeoffView", "ProfileView"):
        texts = page.locator(f".dpviz-{view} .dpviz-labels g").all_text_contents()
        # A longer one has two lines.
        assert {"Laplaceε=0.5", "discreteLaplaceb=0.…"} <= {t.replace(" ", "") for t in texts}
    screenshot(page)

    pick(bridge, "gaussian")
    spec = explorer.result.spec
    type_into(bridge, "noise σ", "<b>0</b>")
    assert picture.error(page) == "Noise σ must be a number (you typed <b>0</b>)."
    assert explorer.result.spec is spec
    noise = explorer.claim.parameters["noise_multiplier"]
    picture.slider(page, "noise σ").press("ArrowRight")
    bridge.settle()
    assert noise < explorer.claim.parameters["noise_multiplier"] < 1.2 * noise
    press(bridge, "Remove pinned")
    assert explorer.overlays == ()
    assert picture.error(page) == ""
    assert picture.lines(page, "TradeoffView", theme.OVERLAYS[0][0]) == []


@pytest.mark.slow
def test_epsilon_is_read_off_by_dragging_delta(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page, mouse = bridge.page, bridge.page.mouse
    pick(bridge, "laplace")
    picture.come_to_rest(page)
    plot = page.locator(".dpviz-TradeoffView .plotarea_background").bounding_box()
    assert plot is not None
    corner = picture.markers(page, "TradeoffView")[-1]
    assert corner == pytest.approx((plot["x"], plot["y"]), abs=8)
    mouse.move(*corner)
    mouse.down()
    for share in (0.05, 0.1, 0.15, 0.2):
        mouse.move(corner[0] + 4, corner[1] + share * plot["height"])
        bridge.deliver()
    mouse.up()
    bridge.until(lambda: explorer.delta == pytest.approx(0.2, abs=0.03))
    bridge.settle()
    assert explorer.claim == LaplaceMechanism(epsilon=1.0)
    line = picture.line(page, "TradeoffView", theme.LEVEL)
    width = picture.line(page, "TradeoffView", theme.CLAIM)[-1, 0] - line[0, 0]
    epsilon = LaplaceMechanism(epsilon=1.0).epsilon(explorer.delta)
    foot = (line[1, 0] - line[0, 0]) / width
    assert foot == pytest.approx((1 - explorer.delta) * np.exp(-epsilon), abs=5e-3)
    found = said(bridge, "profile")
    assert found == explorer.result.sentences["profile"]
    assert f"ε = {np.ceil(1000 * epsilon) / 1000:g}" in found
    screenshot(page)
    pick(bridge, "approximate")
    assert explorer.claim.parameters["delta"] == explorer.delta
