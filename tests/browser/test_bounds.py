"""Lower bounds in a browser: the button, the bars, the sentence, and their leaving."""

from collections.abc import Callable

import numpy as np
import pytest

from dpviz import audit, explore, read_sample
from dpviz.drawing import theme
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.test_explorer import type_into
from tests.browser.wait import as_read

VIEW = "BoundsView"


@pytest.mark.slow
def test_bounds_come_at_the_button_and_go_with_delta(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    scores = read_sample("overfitted")
    explorer = explore(scores, epsilon=1.0, layout=["bounds"])
    bridge.show(explorer)
    page = bridge.page
    view = picture.explorer(page).locator(f".dpviz-{VIEW}")
    assert picture.lines(page, VIEW, theme.ATTACK) == []
    assert "Press “Compute”" in picture.sentence(page, VIEW)

    view.get_by_role("button", name="Compute", exact=True).click()
    bridge.settle()
    wait_for(bridge, "lower bounds exceed the claimed ε")
    low = audit.lower_bound(scores, delta=1e-5).low
    said = f"ε ≥ {np.floor(100 * low) / 100:g} at δ = 1e-5 (95 % confidence"
    assert said not in as_read(view.inner_text())  # folded, as is what it assumes
    picture.open_fold(view, "Why, and what")
    assert said in as_read(view.inner_text())
    assert "The claim ε = 1 is below the bound" in as_read(view.inner_text())
    # The longest plain bar, in units of the claim's line: both start at 0.
    bars = picture.line(page, VIEW, theme.ATTACK)
    claim = picture.line(page, VIEW, theme.LEVEL)
    plain = ("rank_exact",)
    lows = [audit.lower_bound(scores, delta=1e-5, method=method).low for method in plain]
    ends = (bars[1 : 4 * len(plain) : 4, 0] - bars[0, 0]) / (claim[0, 0] - bars[0, 0])
    np.testing.assert_allclose(ends, lows, atol=0.02)
    picture.open_fold(view, "Numbers")
    assert view.locator("td", has_text="rank test (default)").is_visible()
    assert view.locator("td", has_text="300 members among 1797 records").first.is_visible()
    screenshot(page)

    picture.slider(page, "ε").press("ArrowRight")
    bridge.settle()
    assert len(picture.lines(page, VIEW, theme.ATTACK)) == 1
    type_into(bridge, "δ", "1e-4")
    assert picture.lines(page, VIEW, theme.ATTACK) == []
    assert "Press “Compute”" in picture.sentence(page, VIEW)
    assert view.locator("td").count() == 0


def wait_for(bridge: Bridge, wanted: str) -> None:
    bridge.until(lambda: wanted in picture.sentence(bridge.page, VIEW), wanted)


@pytest.mark.slow
def test_hollow_bars_are_named_in_a_third_of_a_page(bridge: Bridge) -> None:
    explorer = explore(
        read_sample("overfitted"), epsilon=1.0, layout=["evidence", "risk", "bounds"]
    )
    bridge.show(explorer)
    bridge.page.set_viewport_size({"width": 1205, "height": 760})
    view = picture.explorer(bridge.page).locator(f".dpviz-{VIEW}")
    view.get_by_role("button", name="Compute", exact=True).click()
    bridge.settle()
    wait_for(bridge, "lower bounds exceed the claimed ε")
    labels = view.locator(".dpviz-labels g")
    bridge.until(lambda: "conditional" in labels.all_text_contents(), "its label")
    assert view.locator(".bqplot").bounding_box()["width"] < 400
