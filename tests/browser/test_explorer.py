"""A user in the explorer: keyboard, mouse, boxes, menu, upload; numbers read off the paths."""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from dpviz import AttackScores, explore, read_sample, theory
from dpviz.analysis.topics.claim import short_name
from dpviz.drawing import theme
from dpviz.number_format import exact
from dpviz.widgets import Explorer, RegionView
from tests.browser import picture
from tests.browser.bridge import Bridge

EVERY_VIEW_WITH_A_SELECTION = ("TradeoffView", "EpsilonStarView", "RiskView")
SHOWN = ("region", "tradeoff", "epsilon_star", "risk", "scores")


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    return bridge.keep(
        lambda: explore(read_sample("overfitted"), epsilon=1.0, layout=SHOWN, fpr=0.01)
    )


def drag(bridge: Bridge, start: tuple[float, float], dx: float, dy: float, steps: int = 6) -> None:
    mouse = bridge.page.mouse
    mouse.move(*start)
    mouse.down()
    for step in range(1, steps + 1):
        mouse.move(start[0] + dx * step / steps, start[1] + dy * step / steps)
        bridge.deliver()
    mouse.up()
    bridge.settle()


def type_into(bridge: Bridge, label: str, text: str) -> None:
    box = picture.box(bridge.page, label)
    box.fill(text)
    box.press("Enter")
    bridge.settle()


def kink(epsilon: float, delta: float) -> float:
    return (1 - delta) / (1 + np.exp(epsilon))


def test_keyboard_moves_epsilon_and_the_curve(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page = bridge.page
    assert picture.claim_kink(page) == pytest.approx(kink(1.0, 1e-5), abs=1e-3)
    handle = picture.slider(page, "ε")
    for _ in range(8):
        handle.press("ArrowRight")
        bridge.deliver()
    bridge.settle()
    assert explorer.epsilon == pytest.approx(1.4)
    assert picture.claim_kink(page) == pytest.approx(kink(1.4, 1e-5), abs=1e-3)
    assert picture.box(page, "ε").input_value() == "1.4"
    assert "ε = 1.4" in picture.sentence(page, "TradeoffView")
    screenshot(page)


def test_no_line_breaks_before_a_percent_sign_and_inside_nonmember(
    bridge: Bridge, explorer: Explorer
) -> None:
    """As Python writes sentences, and as the browser does while a slider moves."""
    for _ in range(2):
        said = " ".join(bridge.page.locator(".dpviz-sentence").all_text_contents())
        assert said.count("\u00a0%") > 10
        assert said.count("non-\u2060member") > 3
        assert re.findall(r"\d %|non-member", said) == []
        picture.slider(bridge.page, "ε").press("ArrowRight")
        bridge.settle()


def test_drag_the_point_of_the_region(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page = bridge.page
    before = {view: picture.selection(page, view) for view in EVERY_VIEW_WITH_A_SELECTION}
    start = picture.markers(page, "RegionView")[-1]
    width = picture.line(page, "TradeoffView", theme.CLAIM)
    side = width[-1, 0] - width[0, 0]
    drag(bridge, start, dx=0.3 * side, dy=0.25 * side)
    assert explorer.fpr == pytest.approx(0.3 + explorer_start_fpr(), abs=0.02)
    assert explorer.fnr is not None
    for view in EVERY_VIEW_WITH_A_SELECTION:
        assert picture.selection(page, view) != before[view]
    assert "attack with FPR" in picture.sentence(page, "RegionView")
    assert not explorer.views[0].back.disabled
    screenshot(page)
    page.locator(".dpviz-RegionView summary", has_text="Options").click()
    page.get_by_role("button", name="Reset the point").click()
    bridge.settle()
    assert explorer.fnr is None


def explorer_start_fpr() -> float:
    """The realised FPR the point starts from."""
    scores = read_sample("overfitted")
    return float(np.floor(0.01 * scores.n_nonmembers) / scores.n_nonmembers)


def test_a_drag_beyond_the_axes_comes_back(bridge: Bridge, explorer: Explorer) -> None:
    start = picture.markers(bridge.page, "RegionView")[-1]
    drag(bridge, start, dx=-400, dy=-500)
    assert (explorer.fpr, explorer.fnr) == (0.0, 1.0)
    corner = picture.markers(bridge.page, "RegionView")[-1]
    outline = picture.line(bridge.page, "RegionView", theme.ATTACK)
    plot = bridge.page.locator(".dpviz-RegionView .plotarea_background").bounding_box()
    assert plot is not None
    assert corner[0] == pytest.approx(plot["x"] + outline[0, 0], abs=1.5)
    assert corner[1] == pytest.approx(plot["y"] + outline[0, 1], abs=1.5)


@pytest.mark.slow
def test_the_selected_fpr_can_be_moved_in_every_view(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    for view in (*EVERY_VIEW_WITH_A_SELECTION, "ScoresView"):
        explorer.reset()
        bridge.settle()
        assert explorer.fpr == 0.01
        others = [v for v in EVERY_VIEW_WITH_A_SELECTION if v != view]
        before = {v: picture.selection(page, v) for v in others}
        area = page.locator(f".dpviz-{view} .plotarea_background")
        area.scroll_into_view_if_needed()
        plot = area.bounding_box()
        assert plot is not None
        bottom = plot["y"] + plot["height"]
        grips = [m for m in picture.markers(page, view) if abs(m[1] - bottom) < 14]
        drag(bridge, grips[-1], dx=60, dy=0)
        assert explorer.fpr > 0.0101
        assert all(picture.selection(page, v) > before[v] for v in others)
        assert explorer.result.sample is not None
        assert explorer.result.sample.at_fpr.fpr <= explorer.fpr


def test_prior_changes_ppv_and_not_the_advantage(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    # Story 4: the most members among the flagged at a prior of one half.
    drawn = picture.read_line(page, "RiskView", theme.CLAIM, ("log-odds", "linear"))
    drawn = drawn[drawn[:, 0] < 0.2][::10]
    tpr = math.e * drawn[:, 0] + 1e-5
    assert drawn[0, 0] == pytest.approx(1e-4, rel=0.01)
    assert drawn[:, 1] == pytest.approx(tpr / (tpr + drawn[:, 0]), abs=0.02)
    largest = (math.e - 1) / (math.e + 1)  # at epsilon 1
    for prior in (0.5, 0.01):
        type_into(bridge, "prior p", f"{prior}")
        assert explorer.prior == prior
        assert f"Suppose that {100 * prior:g} % of the candidates" in picture.sentence(
            page, "RiskView"
        )
        # The axis ends where the PPV is, so heights are compared: at FPR 1 the PPV is the prior.
        advantage = picture.line(page, "RiskView", theme.LEVEL)[:, 1]
        ppv = picture.line(page, "RiskView", theme.CLAIM)[-1, 1]
        floor = advantage.max()
        assert (floor - advantage.min()) / (floor - ppv) == pytest.approx(largest / prior, rel=0.01)


def test_bad_value_says_why_and_nothing_moves(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page = bridge.page
    spec, curve = explorer.store.spec, picture.line(page, "TradeoffView", theme.CLAIM)
    for label, text, message in [
        ("δ", "2", "δ must be from 0 to 1 (you typed 2)."),
        ("ε", "-1", "ε must be 0 or more (you typed -1)."),
        ("prior p", "0", "Prior p must be more than 0 and less than 1 (you typed 0)."),
        ("FPR", "<b>x</b>", "FPR must be a number (you typed <b>x</b>)."),
    ]:
        shown = picture.box(page, label).input_value()
        type_into(bridge, label, text)
        assert picture.error(page) == message
        assert picture.box(page, label).input_value() == shown
    assert explorer.store.spec is spec
    np.testing.assert_array_equal(picture.line(page, "TradeoffView", theme.CLAIM), curve)
    screenshot(page)
    type_into(bridge, "δ", "1e-6")
    assert picture.error(page) == ""
    assert explorer.delta == 1e-6


@pytest.mark.slow
def test_sample_menu(bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]) -> None:
    page = bridge.page
    before = picture.line(page, "TradeoffView", theme.ATTACK)
    for i, name in enumerate(explorer.source.menu.options):
        page.locator("select").first.select_option(label=name)
        bridge.settle()
        screenshot(page, str(i))
    page.locator("select").first.select_option(index=0)
    bridge.settle()
    assert explorer.store.scores is None
    assert picture.lines(page, "TradeoffView", theme.ATTACK) == []
    assert page.locator(".dpviz-ScoresView:visible").count() == 0
    page.locator("select").first.select_option(index=2)
    bridge.settle()
    assert explorer.store.scores is not None
    assert not np.array_equal(picture.line(page, "TradeoffView", theme.ATTACK), before)


def upload(bridge: Bridge, name: str, content: bytes) -> None:
    picture.offer_a_file(bridge.page)
    bridge.settle()
    with bridge.page.expect_file_chooser() as chooser:
        bridge.page.locator("button", has_text="choose a file").click()
    chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content})
    at_work = bridge.page.locator(":is(.dpviz-upload-going, .dpviz-reading):visible")
    bridge.until(lambda: not at_work.count())


def test_upload(bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]) -> None:
    rows = [f"{0.1 * i},1\n{0.1 * i + 0.4},0\n" for i in range(40)]
    name = "<img src=x onerror=alert(1)> mine.csv"
    upload(bridge, name, ("loss,is_member\n" + "".join(rows)).encode())
    assert explorer.store.scores is not None
    assert explorer.store.scores.n_members == 40
    assert "of 40 members" in picture.sentence(bridge.page, "ScoresView")
    assert explorer.source.menu.value == f"uploaded: {name}"
    assert bridge.page.locator("img").count() == 0
    screenshot(bridge.page)


@pytest.mark.parametrize("key", ["Enter", "Tab"])
def test_an_error_goes_when_the_valid_value_is_typed_again(
    bridge: Bridge, explorer: Explorer, key: str
) -> None:
    box = picture.box(bridge.page, "ε")
    type_into(bridge, "ε", "abc")
    assert picture.error(bridge.page) == "ε must be a number (you typed abc)."
    box.fill(exact(explorer.epsilon))
    box.press(key)
    bridge.settle()
    assert bridge.page.locator(".dpviz-error:visible").count() == 0


@pytest.mark.slow
def test_enter_in_a_box_tests_the_claim_that_is_drawn(bridge: Bridge) -> None:
    """To type its number again is no change of the number, but somebody claims it now."""
    explorer = explore(read_sample("overfitted"), layout=["region"])
    bridge.show(explorer)
    hint = bridge.page.get_by_text("To test ε = 1, press Enter")
    assert hint.is_visible()
    picture.box(bridge.page, "prior p").press("Enter")
    bridge.settle()
    assert not explorer.store.spec.tested
    picture.box(bridge.page, "ε").press("Enter")
    bridge.settle()
    assert explorer.store.spec.tested
    assert explorer.epsilon == 1.0
    assert hint.count() == 0


@pytest.mark.slow
def test_refused_upload_keeps_the_picture(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    scores, before = explorer.store.scores, picture.line(bridge.page, "TradeoffView", theme.ATTACK)
    evil = "<img src=x onerror=alert(1)>.csv"
    upload(bridge, evil, b"loss,is_member\n0.5,1\nn/a,0\n")
    message = picture.error(bridge.page)
    assert message == f'{evil}, row 3, column "loss": expected a number, got "n/a"'
    assert bridge.page.locator(".dpviz-error:visible").count() == 1
    assert bridge.page.locator("img").count() == 0
    assert explorer.store.scores is scores
    np.testing.assert_array_equal(picture.line(bridge.page, "TradeoffView", theme.ATTACK), before)
    screenshot(bridge.page)


@pytest.mark.slow
def test_hovering_sends_nothing_to_the_kernel(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    plot = page.locator(".dpviz-TradeoffView .plotarea_background").bounding_box()
    assert plot is not None
    for path in picture.lines(page, "TradeoffView", theme.ATTACK):
        for x, y in path[::5]:
            page.mouse.move(plot["x"] + x, plot["y"] + y)
            page.wait_for_timeout(5)
    # Crossing a marker may say so; a line would send all its vertices (bqplot sends 18 kB for 200).
    assert sum(len(str(message)) for message in bridge.to_python) < 1500


@pytest.mark.slow
def test_layout_from_wide_to_narrow(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page, columns = bridge.page, {}
    for width in (1400, 1000, 700, 600):
        page.set_viewport_size({"width": width, "height": 1300})
        picture.come_to_rest(page)
        bridge.settle()
        views = explorer.shown_views
        boxes = [page.locator(f".dpviz-{type(view).__name__}").bounding_box() for view in views]
        assert all(b is not None and b["x"] + b["width"] <= width + 1 for b in boxes)
        columns[width] = len({round(b["x"]) for b in boxes if b is not None})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        screenshot(page, str(width))
    assert columns == {1400: 3, 1000: 2, 700: 2, 600: 1}


def test_a_click_on_a_handle_moves_nothing(bridge: Bridge, explorer: Explorer) -> None:
    spec = explorer.store.spec
    for view in ("RegionView", "TradeoffView", "ScoresView"):
        handles = picture.markers(bridge.page, view)
        for x, y in handles:
            bridge.page.mouse.click(x, y)
            bridge.settle()
        assert handles
        assert explorer.store.spec is spec


def test_an_error_about_a_box_of_the_kernel_goes_when_the_valid_value_is_entered_again(
    bridge: Bridge,
) -> None:
    """To enter what is there is no change, and the kernel hears of Enter only."""
    view = RegionView(epsilon=1.0, fnr=0.5)
    bridge.show(view)
    bridge.page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true })")
    box = bridge.page.get_by_label("FNR of the point")
    for text, has_error in (("abc", True), ("0.5", False)):
        box.fill(text)
        box.press("Enter")
        bridge.settle()
        assert bool(view.error) is has_error
        assert box.input_value() == "0.5"


@pytest.mark.slow
def test_at_most_512_vertices_per_line_leave_python(bridge: Bridge) -> None:
    rng = np.random.default_rng(5)
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 30_000), nonmember=rng.normal(1, 1, 30_000)
    )
    views = {"region": "RegionView", "tradeoff": "TradeoffView", "scores": "ScoresView"}
    views |= {"epsilon_star": "EpsilonStarView", "risk": "RiskView"}
    bridge.show(explore(scores, epsilon=1.0, method="normal", layout=[*views]))
    sizes = [
        len(path)
        for view in views.values()
        for color in {theme.CLAIM, theme.ATTACK, *theme.RATIO_COLORS}
        for path in picture.lines(bridge.page, view, color)
    ]
    # A stepped line draws two corners per vertex.
    assert max(sizes) <= 2 * 512


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(theory.GaussianDP(mu=1.0), marks=pytest.mark.slow),
        pytest.param(theory.LaplaceMechanism(epsilon=2.0), marks=pytest.mark.slow),
        theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.02, steps=500),
        theory.RandomizedResponse(epsilon=2.0, categories=10),
    ],
    ids=lambda claim: type(claim).__name__,
)
def test_any_guarantee_is_drawn(
    bridge: Bridge, screenshot: Callable[..., None], claim: theory.TradeoffFunction
) -> None:
    widget = explore(read_sample("overfitted"), claim=claim, layout=["tradeoff"])
    bridge.show(widget)
    x, height = picture.unit(picture.line(bridge.page, "TradeoffView", theme.CLAIM)).T
    y = 1 - height
    drawn = claim.to_replace_one()
    # Pixels are rounded: within 2e-3 in either direction.
    assert np.all(drawn.beta(np.clip(x + 2e-3, 0, 1)) - 2e-3 <= y)
    assert np.all(y <= drawn.beta(np.clip(x - 2e-3, 0, 1)) + 2e-3)
    fixed = "epsilon" not in claim.parameters  # an implied epsilon cannot be edited
    assert picture.box(bridge.page, "ε").is_disabled() == fixed
    assert widget.controls["epsilon"].slider.disabled == fixed
    named = short_name(claim, with_adjacency=False)
    named = "this guarantee" if claim.adjacency == "add_remove" else named
    assert named in picture.sentence(bridge.page, "TradeoffView")
    screenshot(bridge.page)
