"""Pictures that the sources ask for: noise, zoom levels, processing, Theorem 2, ratios, counts."""

import math

import ipywidgets
import numpy as np
import pytest
from playwright.sync_api import Locator
from scipy.optimize import brentq
from scipy.stats import norm

from dpviz import AttackScores, audit
from dpviz.drawing import theme
from dpviz.theory import GaussianDP, LaplaceMechanism
from dpviz.widgets import (
    BothSidesView,
    CostsView,
    NoiseView,
    ProcessingView,
    RatioView,
    ScoresView,
    ZoomLevelsView,
)
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.live import busy
from tests.browser.wait import as_read

DELTA = "δ: probability mass the guarantee may ignore; smaller is more private, exact value"
FPR = "FPR: share of non-members that the attacker may wrongly accuse, exact value"


def shown(bridge: Bridge, widget: ipywidgets.DOMWidget, view: str) -> Locator:
    """Show a widget, and give the element of a view once nothing moves."""
    bridge.show(widget)
    picture.come_to_rest(bridge.page)
    return bridge.page.locator(f".dpviz-{view}")


def until_said(bridge: Bridge, view: Locator, text: str) -> None:
    """Wait until a view says this, and shows it."""
    bridge.until(lambda: text in " ".join(as_read(view.inner_text()).split()), text)


def labels(view: Locator) -> list[str]:
    """The texts that stand in a view's pictures."""
    found = view.locator(".dpviz-labels g").all_text_contents()
    return [" ".join(text.split()) for text in found]


def type_into(view: Locator, label: str, text: str) -> None:
    box = view.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Enter")


@pytest.mark.slow
def test_gaussian_noise_is_smaller_in_many_dimensions(bridge: Bridge) -> None:
    """Laplace noise has deviation √(2 d)/ε; Gaussian noise 1/μ, of which μ-GDP has δ at ε."""

    def crossing(delta: float) -> int:
        mu = brentq(
            lambda m: norm.cdf(m / 2 - 1 / m) - math.e * norm.cdf(-m / 2 - 1 / m) - delta, 0.05, 5
        )
        return math.ceil(1 / mu**2 / 2)

    view = shown(bridge, NoiseView(epsilon=1.0, delta=1e-5), "NoiseView")
    assert f"d = {crossing(1e-5)}" in labels(view)
    type_into(view, DELTA, "0.01")
    until_said(
        bridge, view, f"at most as large as Laplace noise from dimension {crossing(0.01)} on"
    )
    bridge.until(lambda: f"d = {crossing(0.01)}" in labels(view), "the new place")


@pytest.mark.slow
def test_a_finer_map_leaks_more(bridge: Bridge) -> None:
    """Averages over r regions of n incomes up to 200, with Lap(1): ε = 200 r / n."""
    levels = ZoomLevelsView()
    view = shown(bridge, levels, "ZoomLevelsView")
    until_said(bridge, view, "ε = 0.002 with 1 region and ε = 5 with 2500")
    picture.open_fold(view, "Options")
    type_into(view, "records", "10000")
    until_said(bridge, view, "ε = 0.02 with 1 region and ε = 50 with 2500")
    type_into(view, "regions", "50, 1")
    until_said(bridge, view, "regions must be in strictly ascending order")
    assert levels.levels.regions == (1, 50, 2500)  # nothing is lost
    view.get_by_label("norm", exact=True).select_option(label="L2 norm: Gaussian noise, μ-GDP")
    until_said(bridge, view, "all maps together have μ = 50.02")
    picture.come_to_rest(bridge.page)
    view.get_by_role("button", name="Use as claim").click()
    together = GaussianDP(mu=math.hypot(0.02, 1, 50))
    bridge.until(lambda: levels.claim == together, "the claim")


@pytest.mark.slow
def test_post_processing_raises_the_curve_and_clamped_noise_does_not(bridge: Bridge) -> None:
    processing = ProcessingView(claim=GaussianDP(mu=1.0))
    box = ipywidgets.VBox([processing])
    box.add_class("dpviz-Explorer")  # whose lines can be read
    view = shown(bridge, box, "ProcessingView")
    slider = view.locator(".dpviz-number", has_text="how much").locator(".noUi-handle")

    def choose(step: str, key: str, amount: float) -> None:
        view.get_by_label("step", exact=True).select_option(label=step)
        slider.press(key)
        bridge.until(lambda: processing.amount == amount, "the amount")
        bridge.settle()

    def heights(color: str) -> np.ndarray:
        """Of the only line of a colour, at a hundred places: pixels, which grow downwards."""
        x, y = picture.line(bridge.page, "ProcessingView", color).T
        return np.interp(np.linspace(0, x.max(), 101), x, y)

    for step in ("round the output", "clamp the output", "redraw the noise and the other records"):
        choose(step, "Home", 0.0)
        nothing = heights(theme.LEVEL)
        choose(step, "End", 1.0)
        everything = heights(theme.LEVEL)
        assert (nothing <= heights(theme.CLAIM) + 0.5).all(), step
        assert (everything <= nothing + 0.5).all(), step
        assert everything.sum() < nothing.sum(), step
    choose("clamp the noise (no post-processing)", "End", 1.0)
    until_said(bridge, view, "Clamping the noise is not private")
    assert (heights(theme.ATTACK) > heights(theme.CLAIM) + 5).any()


@pytest.mark.slow
def test_both_sides_of_theorem_2(bridge: Bridge) -> None:
    """At t = 1/2 the FNRs 1/4 and 3/4 give 1/2 on average: 0, against log (0.4 / 0.25)."""
    models = [
        audit.models.FleetModel(
            name=str(member), scores=AttackScores.from_losses(member=member, nonmember=[2, 3])
        )
        for member in ([1, 1, 1, 4], [1, 4, 4, 4])
    ]
    fleet = audit.Fleet(models=models)
    view = shown(bridge, BothSidesView(fleet, grid=[0.5], delta=0.1), "BothSidesView")
    until_said(bridge, view, "ε-bar = 0: by Theorem 2, ε-bar is at most 0.47")
    bridge.until(lambda: {"ε-bar, their largest", "log of the mean of e^ε*"} <= {*labels(view)})
    picture.open_fold(view, "Options")
    type_into(view, "t", "0.5, 2")
    until_said(bridge, view, "grid must be inside (0, 1)")
    type_into(view, "t", "0.25, 0.5")
    picture.open_fold(view, "Why, and what")
    until_said(bridge, view, "Each model is measured at FPR 0.25, 0.5")
    picture.open_fold(view, "Numbers")
    until_said(bridge, view, "same threshold grid yes")


@pytest.mark.slow
def test_the_band_of_ratios_narrows_while_the_kernel_sleeps(bridge: Bridge) -> None:
    """At μ = 1 the loss of a member is N(1/2, 1): outside of ±ε with P(|L| > ε)."""
    ratio = RatioView(claim=GaussianDP(mu=1.0), delta=1e-5)
    view = shown(bridge, ratio, "RatioView")

    def epsilon(delta: float) -> float:
        return brentq(lambda e: norm.cdf(0.5 - e) - np.exp(e) * norm.cdf(-0.5 - e) - delta, 0, 9)

    with busy(bridge) as answer:
        type_into(view, DELTA, "0.1")
        level = epsilon(0.1)
        beyond = norm.sf(level - 0.5) + norm.cdf(-level - 0.5)
        said = f"At ε = {level:.3g}, a member's output has a ratio outside"
        bridge.page.get_by_text(said).first.wait_for()
        assert ratio.delta == 1e-5  # the kernel has not heard of it
        number = view.get_by_text(said).first.inner_text().split()[-2]
        answer()
    assert abs(float(number) / 100 - beyond) < 0.002
    ratio.claim = LaplaceMechanism(epsilon=1.0)
    until_said(bridge, view, "every ratio is inside")


@pytest.mark.slow
def test_a_task_sets_both_costs(bridge: Bridge) -> None:
    """At μ = 1 and even odds, a miss ten times as dear: FPR Φ(log 10 - 1/2)."""
    costs = CostsView(claim=GaussianDP(mu=1.0))
    view = shown(bridge, costs, "CostsView")
    view.get_by_label("task").select_option(label="coverage: send cat ads, miss nobody")
    fpr = norm.cdf(math.log(10) - 0.5)
    until_said(bridge, view, f"wrongly accuses {100 * fpr:.3g} % of the non-members")
    assert (costs.cost_false_alarm, costs.cost_miss) == (1.0, 10.0)


@pytest.mark.slow
def test_counts_follow_the_threshold(bridge: Bridge) -> None:
    scores = AttackScores.from_losses(member=[1, 2, 3, 4], nonmember=[2.5, 3.5, 4.5, 5.5])
    view = shown(bridge, ScoresView(scores=scores, fpr=0.25), "ScoresView")
    picture.open_fold(view, "Counts at the threshold")
    until_said(bridge, view, "3 (TPR 75 %) 1 (FNR 25 %)")
    type_into(view, FPR, "0.1")  # none of four
    until_said(bridge, view, "2 (TPR 50 %) 2 (FNR 50 %)")
