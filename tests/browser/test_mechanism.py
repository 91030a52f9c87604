"""The view of a mechanism in a browser: the threshold by hand and by keyboard."""

from collections.abc import Callable

import ipywidgets
import numpy as np
import pytest

from dpviz.drawing import theme
from dpviz.theory import DiscretePair, GaussianDP
from dpviz.widgets.views.mechanism import MechanismView
from tests.browser import picture
from tests.browser.bridge import Bridge

VIEW = "MechanismView"


def show(bridge: Bridge, view: MechanismView) -> None:
    """Where the readers of pictures look for views."""
    box = ipywidgets.VBox([view])
    box.add_class("dpviz-Explorer")
    bridge.show(box)
    picture.open_fold(bridge.page.locator(f".dpviz-{VIEW}"), "Options")


def handle(bridge: Bridge) -> tuple[float, float]:
    """Page coordinates of the threshold's handle, the first marker of the view."""
    return picture.markers(bridge.page, VIEW)[0]


def diamond(bridge: Bridge) -> tuple[float, float]:
    """Page coordinates of the test's point, the only marker of its colour."""
    red, green, blue = (int(theme.ATTACK[i : i + 2], 16) for i in (1, 3, 5))
    place = bridge.page.evaluate(
        """color => { const p = [...document.querySelectorAll('.object_grp path.element')]
             .find(p => getComputedStyle(p).fill === color).getBoundingClientRect();
             return [p.x + p.width / 2, p.y + p.height / 2]; }""",
        f"rgb({red}, {green}, {blue})",
    )
    return float(place[0]), float(place[1])


@pytest.mark.slow
def test_the_threshold_is_dragged_and_typed_and_the_point_moves(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    f = GaussianDP(mu=1.0)
    view = MechanismView(claim=f, fpr=0.05)
    show(bridge, view)
    page = bridge.page
    before, start = diamond(bridge), handle(bridge)
    assert "threshold is t = 1.64" in picture.sentence(page, VIEW)

    page.mouse.move(*start)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(start[0] - 12 * step, start[1])
        bridge.settle()
    page.mouse.up()
    bridge.settle()
    assert view.fpr > 0.2
    assert f"flags FPR = {100 * view.fpr:g} %" in picture.sentence(page, VIEW)
    assert abs(handle(bridge)[0] - (start[0] - 60)) < 3
    curve = picture.lines(page, VIEW, theme.CLAIM)[0]  # from (0, 1) to (1, 0), in pixels
    moved = (np.array(diamond(bridge)) - before) / (curve[-1] - curve[0])
    expected = [view.fpr - 0.05, f.beta(0.05) - f.beta(view.fpr)]
    np.testing.assert_allclose(moved, expected, atol=0.005)

    box = page.get_by_label("threshold t")
    box.fill("1")
    box.press("Enter")
    bridge.settle()
    assert abs(view.fpr - 0.158655) < 1e-6
    assert "misses FNR = 50 % of the members" in picture.sentence(page, VIEW)
    noise = page.get_by_label("noise", exact=True)
    noise.fill("0.5")
    noise.press("Enter")
    bridge.settle()
    assert view.claim == GaussianDP(mu=2.0)
    screenshot(page)


@pytest.mark.slow
def test_two_thresholds_become_one_by_the_menu(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    pair = DiscretePair([0.2, 0.5, 0.1, 0.2], [0.4, 0.2, 0.05, 0.35])
    view = MechanismView(claim=pair, fpr=0.3)
    show(bridge, view)
    page = bridge.page
    best = diamond(bridge)
    assert "and with probability 50 % when it is 3" in picture.sentence(page, VIEW)
    page.get_by_label("test", exact=True).select_option("one threshold: output ≥ t")
    bridge.settle()
    assert "17.5 percentage points above the curve" in picture.sentence(page, VIEW)
    above = diamond(bridge)
    assert abs(above[0] - best[0]) < 1
    assert above[1] < best[1] - 30
    ticks = picture.ticks(page, VIEW)
    assert ticks == ["0", "1", "2", "3"]
    outline = np.concatenate(picture.lines(page, VIEW, theme.NONMEMBER))
    assert len(np.unique(outline[:, 1])) >= 4
    screenshot(page)
