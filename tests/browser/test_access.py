"""Without a mouse, or without eyes: what axe-core finds, names, keys, outlines, and a readout."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from dpviz import explore, read_sample, theory
from dpviz.widgets import BoundsView, Explorer
from dpviz.widgets.views.figure_view import FigureView
from tests.browser import picture
from tests.browser.axe import load, violations
from tests.browser.bridge import Bridge

FOCUSED = """() => {
  const e = document.activeElement;
  if (e === document.body) return false;
  (window.walked ??= []).push([e, getComputedStyle(e).outlineStyle]);
  return true;
}"""
WALKED = """() => {
  axe.setup(document.body);
  const steps = window.walked.map(([e, outline]) => {
    const view = e.closest('[class*="View"]');
    const name = /dpviz-(\\w+View)/.exec(view?.className ?? '')?.[1] ?? 'Explorer';
    const figure = e.matches('.bqplot') ? 'figure' : e.localName;
    const what = e.matches('.noUi-handle') ? 'slider' : figure;
    return [name, what, axe.commons.text.accessibleText(e), outline];
  });
  axe.teardown();
  delete window.walked;
  return steps;
}"""
REACHABLE = """() => [...document.querySelectorAll('.dpviz-Explorer *')].filter(e =>
  (e.matches('button, input, select, textarea, summary, .noUi-handle, .bqplot, .dpviz-table, '
    + '.dpviz-term')) &&
  e.getClientRects().length && !e.disabled && !e.closest('[disabled]') &&
  !e.matches('input[type=file]')).length"""

SHOWN = ("region", "tradeoff", "epsilon_star", "risk", "profile", "evidence", "bounds")


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    return bridge.keep(
        lambda: explore(read_sample("overfitted"), epsilon=1.0, layout=SHOWN, fpr=0.01)
    )


@pytest.mark.slow  # test_tabs.py and test_lab.py look at each change
@pytest.mark.parametrize(
    "claim",
    [
        theory.ApproximateDP(epsilon=1.0, delta=1e-5),
        theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.02, steps=500),
    ],
    ids=["drawn in the browser", "drawn by the kernel"],
)
def test_axe_finds_nothing_serious(
    bridge: Bridge, explorer: Explorer, claim: theory.TradeoffFunction
) -> None:
    explorer.store.update(claim=claim)
    explorer.history.show_code.value = True
    explorer.change(prior=2.0)  # an error line
    for view in explorer.views:
        getattr(view, "compute", lambda: None)()
    bridge.settle()
    assert violations(bridge.page) == []
    explorer.history.show_code.value = False
    # An answer that came later would move the pictures of the next tests.
    for view in explorer.views:
        if getattr(view, "computation", None):
            view.job.cancel()
    bridge.settle()


@pytest.fixture
def walk(bridge: Bridge, explorer: Explorer) -> list[tuple[str, str, str, str]]:
    """View, kind, name and outline of all that Tab reaches, from the answer on."""
    page = bridge.page
    bounds = next(view for view in explorer.shown_views if isinstance(view, BoundsView))
    bounds.compute()  # has no figure before
    bridge.until(lambda: bounds.answer is not None)
    load(page)  # knows how names are made
    page.locator(".dpviz-Explorer summary").first.focus()
    for _ in range(200):
        if not page.evaluate(FOCUSED):
            break
        page.keyboard.press("Tab")
    return [tuple(step) for step in page.evaluate(WALKED)]


def test_tab_reaches_every_control_and_every_figure_in_order(
    bridge: Bridge, explorer: Explorer, walk: list[tuple[str, str, str, str]]
) -> None:
    assert len(walk) == bridge.page.evaluate(REACHABLE)
    shown = (explorer.answer_view, *explorer.shown_views)
    order = list(dict.fromkeys(view for view, *_ in walk))
    answer, *others = (type(view).__name__ for view in shown)
    assert order == [answer, "Explorer", *others]
    figures = [name.split(":")[0] for _, kind, name, _ in walk if kind == "figure"]
    asked = [
        v
        for v in shown
        if not (isinstance(v, FigureView) and v.computation) or v.answer is not None
    ]
    pictures = [p for view in asked for p in view.pictures_on_page]
    titles = [p.scene.fixed_title_of(explorer.result).split(":")[0] for p in pictures]
    assert figures == titles, set(titles) ^ set(figures)
    assert all(name for _, _, name, _ in walk)
    assert {outline for *_, outline in walk} >= {"solid"}
    assert all(o == "solid" for _, kind, _, o in walk if kind in ("figure", "slider"))


def test_arrow_keys_move_the_point_of_the_region(bridge: Bridge, explorer: Explorer) -> None:
    figure = bridge.page.locator(".dpviz-RegionView .bqplot")

    def point() -> tuple[float, float]:
        """The place of the point in the figure, which a key may scroll on the screen."""
        at, box = picture.markers(bridge.page, "RegionView")[-1], figure.bounding_box()
        assert box is not None
        return at[0] - box["x"], at[1] - box["y"]

    start = point()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        figure.press(key)
        bridge.settle()
    assert (explorer.fpr, explorer.fnr) == pytest.approx((0.03, 0.97), abs=0.006)
    end = point()
    assert end[0] > start[0]
    assert end[1] > start[1]


def test_arrow_keys_move_the_selected_fpr(bridge: Bridge, explorer: Explorer) -> None:
    for view in ("TradeoffView", "EpsilonStarView", "RiskView"):
        explorer.reset()
        bridge.settle()
        assert explorer.fpr == 0.01
        figure = bridge.page.locator(f".dpviz-{view} .bqplot")
        before = picture.selection(bridge.page, view)
        figure.press("ArrowRight")
        figure.press("ArrowRight")
        bridge.settle()
        assert explorer.fpr == pytest.approx(0.01 * 10**0.1, rel=0.01)  # twentieths of a decade
        assert picture.selection(bridge.page, view) > before


@pytest.mark.slow
def test_a_key_presses_a_button(bridge: Bridge, explorer: Explorer) -> None:
    for key in ("Enter", " "):
        explorer.epsilon = 2.0
        bridge.settle()
        bridge.page.get_by_role("button", name="undo", exact=True).press(key)
        bridge.settle()
        assert explorer.epsilon == 1.0


def test_the_point_can_be_typed(bridge: Bridge, explorer: Explorer) -> None:
    bridge.page.locator(".dpviz-RegionView summary", has_text="Options").click()
    box = bridge.page.get_by_label("FNR of the point")
    for text, fnr, shown in [("0.25", 0.25, "0.25"), ("7", 0.25, "0.25"), ("", None, "")]:
        box.fill(text)
        box.press("Enter")
        bridge.settle()
        assert explorer.fnr == fnr
        assert box.input_value() == shown


@pytest.mark.slow
def test_the_place_under_the_mouse_is_read_off_the_axes(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page, share = bridge.page, (0.3, 0.7)  # no marker is there
    picture.come_to_rest(page)
    bridge.to_python.clear()
    for view, names in [
        ("RiskView", ("FPR", "PPV and advantage")),
        ("EpsilonStarView", ("FPR", "implied ε")),
        ("ProfileView", ("ε", "δ")),
        ("RegionView", ("FPR", "FNR")),
    ]:
        shown = next(v for v in explorer.views if type(v).__name__ == view).pictures[0].frame
        aimed = aim(page, view, share)
        assert read(page, view) == [
            (name, pytest.approx(picture.read_off(ticks, axis.spec.scale, pixel), rel=0.05))
            for name, ticks, axis, pixel in zip(
                names, picture.tick_places(page, view), (shown.x, shown.y), aimed, strict=True
            )
        ]
    screenshot(page)
    aim(page, "RegionView", (-0.1, 1.02))
    assert read(page, "RegionView") == [("FPR", 0), ("FNR", 1)]
    assert [m["data"] for m in bridge.to_python] == []
    look = "e => getComputedStyle(e, '::after').display"
    page.locator(".dpviz-RegionView .bqplot").hover()
    assert page.locator(".dpviz-RegionView .bqplot").evaluate(look) == "block"
    page.locator(".dpviz-AuditView .bqplot").hover()
    assert page.locator(".dpviz-AuditView .bqplot").evaluate(look) == "none"


def aim(page: Page, view: str, share: tuple[float, float]) -> tuple[int, int]:
    """Move the mouse to a share of a figure's axes; returns the pixel it is on."""
    area = page.locator(f".dpviz-{view} .plotarea_background")
    area.scroll_into_view_if_needed()
    plot = area.bounding_box()
    assert plot is not None
    across, up = share
    x = round(plot["x"] + across * plot["width"])
    y = round(plot["y"] + (1 - up) * plot["height"])
    page.mouse.move(x, y)
    return x, y


def read(page: Page, view: str) -> list[tuple[str, float]]:
    """What stands in the corner of a figure under the mouse."""
    said = page.locator(f".dpviz-{view} .bqplot").get_attribute("data-at")
    assert said is not None
    found = [[*t.removesuffix(" %").rsplit(" ", 1), t] for t in said.split(", ")]
    return [(name, float(number) / (100 if "%" in t else 1)) for name, number, t in found]


def test_a_page_without_a_theme_is_not_black(
    bridge: Bridge, explorer: Explorer, screenshot: Callable[..., None]
) -> None:
    page = bridge.page
    colors = """() => ['--jp-layout-color0', '--jp-content-font-color1', '--jp-border-width'].map(
      name => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"""
    themed = page.evaluate(colors)
    page.evaluate(
        """() => window.themes = [...document.querySelectorAll('style')].filter(style =>
          !style.closest('.dpviz') && /--jp-layout-color0:/.test(style.textContent)
          && (style.disabled = style.sheet.disabled = true))"""
    )
    try:
        assert page.evaluate("themes.length")
        assert page.evaluate(colors) != themed
        fill = "e => getComputedStyle(e).fill"
        background = page.locator(".dpviz-RegionView .plotarea_background")
        assert background.evaluate(fill) == "rgb(255, 255, 255)"
        screenshot(page)
    finally:
        page.evaluate("themes.forEach(style => style.sheet.disabled = false)")
    assert page.evaluate(colors) == themed
