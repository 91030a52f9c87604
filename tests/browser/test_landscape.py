"""Many models in a browser: a press on a point loads its losses into the other views."""

from collections.abc import Callable

import ipywidgets
import numpy as np
import pytest

from dpviz import AttackScores, read_sample_fleet
from dpviz.audit import lower_bound
from dpviz.widgets import LandscapeView, ScoresView, Store, TimelineView
from tests.browser import picture
from tests.browser.bridge import Bridge


def press(bridge: Bridge, view: str, marker: int) -> None:
    place = bridge.page.locator(f".dpviz-{view} g.object_grp").nth(marker).bounding_box()
    assert place is not None
    bridge.page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    bridge.settle()


@pytest.mark.slow
def test_a_point_is_a_model_to_load(bridge: Bridge, screenshot: Callable[..., None]) -> None:
    fleet, store = read_sample_fleet("landscape"), Store()
    landscape, scores = LandscapeView(fleet, store=store), ScoresView(store=store)
    bridge.until(lambda: landscape.answer is not None)
    bridge.show(ipywidgets.VBox([landscape, scores]))
    assert "40 models of 8 strategies" in bridge.page.locator(".dpviz-LandscapeView").inner_text()
    press(bridge, "LandscapeView", 2)  # the third plain strategy
    name = landscape.menu.value
    assert name == "plain, 80 epochs, repeat 1"
    model = next(model for model in fleet.models if model.name == name)
    loaded = store.scores
    assert isinstance(loaded, AttackScores)
    np.testing.assert_array_equal(loaded.member, model.read().member)
    picture.open_fold(bridge.page.locator(".dpviz-LandscapeView"), "Options")
    assert f"Loaded: {name}." in bridge.page.locator(".dpviz-LandscapeView").inner_text()
    assert "of 897 members" in bridge.page.locator(".dpviz-ScoresView").inner_text()
    press(bridge, "LandscapeView", 3)  # the fourth, after the marker of the chosen
    assert landscape.menu.value == "plain, 80 epochs, repeat 2"
    landscape.hull.value = True
    bridge.settle()
    screenshot(bridge.page)


@pytest.mark.slow
def test_a_stage_is_a_model_to_load(bridge: Bridge, screenshot: Callable[..., None]) -> None:
    store = Store()
    timeline = TimelineView(read_sample_fleet("timeline"), store=store)
    bridge.until(lambda: timeline.answer is not None)
    bridge.show(timeline)
    view = bridge.page.locator(".dpviz-TimelineView")
    picture.open_fold(view, "Why, and what")
    text = view.inner_text()
    assert "time line, plain: from stage 1 to 400 Epsilon* goes from 1.6 to 4.66" in text
    lows = dict(timeline.answer.bounds_by_stage("time line, plain"))
    n_lows = len(lows)
    press(bridge, "TimelineView", n_lows + len(lows) - 1)  # the last Epsilon*
    assert store.scores is not None
    assert store.scores.n_members == 897
    assert lows[400] == lower_bound(store.scores, delta=1e-5).low
    screenshot(bridge.page)
