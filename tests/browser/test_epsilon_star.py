"""The Epsilon* views driven in a browser: forms, fits, warnings, answers about chance."""

from collections.abc import Callable

import numpy as np
import pytest

from dpviz import AttackScores, explore, read_sample
from dpviz.drawing import theme
from dpviz.widgets import EpsilonStarView
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.test_explorer import type_into
from tests.browser.wait import as_read
from tests.slow import parametrize


def text(bridge: Bridge, view: str) -> str:
    found = picture.explorer(bridge.page).locator(f".dpviz-{view}").first
    return as_read(found.text_content() or "")


def wait_for(bridge: Bridge, view: str, wanted: str) -> None:
    bridge.until(lambda: wanted in text(bridge, view), wanted)


def choose(bridge: Bridge, index: int, label: str) -> None:
    view = picture.explorer(bridge.page).locator(".dpviz-EpsilonStarView")
    picture.open_fold(view, "Options")
    view.locator("select").nth(index).select_option(label=label)
    bridge.settle()


def click(bridge: Bridge, label: str) -> None:
    view = picture.explorer(bridge.page).locator(".dpviz-EpsilonStarView")
    picture.open_fold(view, "Options")
    view.locator("button", has_text=label).first.click()
    bridge.settle()


@pytest.mark.slow
@parametrize("sample", ["overfitted", "null", "gamma"], slow_but=["gamma"])
def test_the_fit_is_drawn_and_said_on_every_sample(
    bridge: Bridge, sample: str, screenshot: Callable[..., None]
) -> None:
    explorer = explore(read_sample(sample), epsilon=1.0, layout=["epsilon_star", "fit"])
    explorer.complete_audit()  # the line of the bound has the same colour
    bridge.show(explorer)
    page = bridge.page
    assert "Epsilon* comes from counts" in picture.sentence(page, "FitView")
    ratio = len(picture.lines(page, "EpsilonStarView", theme.RATIO_COLORS[0]))
    choose(bridge, 0, "normal fit")
    assert explorer.method == "normal"
    assert len(picture.lines(page, "EpsilonStarView", theme.RATIO_COLORS[0])) == ratio
    star = next(view for view in explorer.shown_views if isinstance(view, EpsilonStarView))
    star.pictures[0].shows_extra_marks = True
    bridge.settle()
    # Counted and fitted together; histogram and law of each class.
    assert len(picture.lines(page, "EpsilonStarView", theme.RATIO_COLORS[0])) == ratio + 1
    for color in (theme.MEMBER, theme.NONMEMBER):
        assert len(picture.lines(page, "FitView", color)) == 2
    density = picture.lines(page, "FitView", theme.MEMBER)[-1]
    assert explorer.result.sample is not None
    expected = explorer.result.sample.fit.member_density
    # Up in the data is down in pixels.
    drawn = density[:, 1].max() - density[:, 1]
    np.testing.assert_allclose(
        drawn / drawn.max(), expected[:, 1] / expected[:, 1].max(), atol=5e-3
    )
    said = text(bridge, "EpsilonStarView")
    assert "an estimate for this trained model from Normal fits, not a bound" in said
    assert "so Epsilon* cannot exceed" in said
    assert "Without the clip, Epsilon* would be" in said
    assert "extrapolated" in said
    warning = picture.explorer(page).locator(".dpviz-EpsilonStarView .dpviz-warnings")
    assert warning.count() == 1
    assert ("rejected" in warning.inner_text()) == (sample != "null")
    assert "held-out" in picture.sentence(page, "FitView")
    screenshot(page)
    choose(bridge, 0, "empirical")
    assert warning.count() == 0


@pytest.mark.slow
def test_an_infinite_value_is_drawn_and_said(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    explorer = explore(
        AttackScores.from_losses(member=[0.0, 0.1, 0.2], nonmember=[9.0, 9.1, 9.3]),
        layout=["epsilon_star", "fit"],
    )
    bridge.show(explorer)
    assert "Epsilon* is undefined" in picture.sentence(bridge.page, "EpsilonStarView")
    choose(bridge, 1, "none")
    said = picture.sentence(bridge.page, "EpsilonStarView")
    assert said.startswith("Epsilon* ≈ ∞ at δ = 1e-5: an estimate")
    assert "beyond some threshold all records are of one class" in said
    assert "Epsilon* ∞" in text(bridge, "EpsilonStarView")
    screenshot(bridge.page)


@pytest.mark.slow
def test_mixtures_are_fitted_in_the_background(bridge: Bridge) -> None:
    explorer = explore(
        read_sample("null"), epsilon=1.0, components=2, layout=["epsilon_star", "fit"]
    )
    bridge.show(explorer)
    choose(bridge, 0, "mixture fit")
    wait_for(bridge, "FitView", "components: 2 for members")
    assert explorer.method == "mixture"
    choose(bridge, 2, "the losses themselves")
    wait_for(bridge, "FitView", "to the losses themselves")
    assert explorer.transform == "none"


@pytest.mark.slow
def test_a_p_value_comes_with_a_bar_and_leaves_with_what_it_was_about(bridge: Bridge) -> None:
    explorer = explore(read_sample("gamma"), epsilon=1.0, layout=["epsilon_star", "fit"])
    bridge.show(explorer)
    view = picture.explorer(bridge.page).locator(".dpviz-EpsilonStarView")
    click(bridge, "permutation p-value")
    assert view.locator(".progress-bar:visible, .widget-hprogress:visible").count()
    wait_for(bridge, "EpsilonStarView", "p = 0.001 (permutation test, counts, δ = 1e-5")
    assert not view.locator(".widget-hprogress:visible").count()
    type_into(bridge, "δ", "1e-4")
    assert "permutation test" not in text(bridge, "EpsilonStarView")
    click(bridge, "permutation p-value")
    click(bridge, "cancel")
    wait_for(bridge, "EpsilonStarView", "cancelled")
    click(bridge, "bootstrap spread")
    wait_for(bridge, "EpsilonStarView", "not a confidence interval")


def test_menus_end_inside_a_narrow_column_of_words(bridge: Bridge) -> None:
    bridge.page.set_viewport_size({"width": 860, "height": 800})
    bridge.show(explore(read_sample("gamma"), epsilon=1.0, tab="attack", method="normal"))
    bridge.settle()
    view = picture.explorer(bridge.page).locator(".dpviz-EpsilonStarView")
    picture.open_fold(view, "Options")
    words = view.locator(".dpviz-words").evaluate("each => each.getBoundingClientRect().right")
    for menu in view.locator("select:visible").all():
        assert menu.evaluate("each => each.getBoundingClientRect().right") <= words
