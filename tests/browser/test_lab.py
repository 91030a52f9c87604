"""The real thing: JupyterLab, a kernel, one explorer or the start notebook, light and dark."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Locator, Page

from dpviz.drawing import theme
from dpviz.widgets.tabs import TABS
from tests.browser import picture
from tests.browser.axe import violations
from tests.browser.conftest import new_context
from tests.browser.lab import lab_server, run_notebook
from tests.browser.wait import eventually, until_still
from tests.browser.watch import Watch

LABELLED_TWICE = """() => [...document.querySelectorAll('.bqplot')]
  .filter(figure => figure.querySelectorAll('.dpviz-labels').length > 1)
  .map(figure => figure.ariaLabel)"""
ONE_CELL = {
    "cells": [
        {
            "cell_type": "code",
            "id": "board",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": "import dpviz\ndpviz.explore(dpviz.read_sample('overfitted'), epsilon=1.0)",
        }
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
BOARD = ("RegionView", "TradeoffView", "EpsilonStarView", "RiskView")
ALL_DRAWN = """() => document.querySelectorAll('.dpviz-board .bqplot g.curve path.line').length > 8
  && document.querySelector('.dpviz-answer h2')?.textContent.includes('contradict')"""
# How many pictures of the board and sliders are there, and which of them are not seen as a whole.
IN_SIGHT = """() => {
  const bar = document.querySelector('#jp-main-statusbar, .jp-StatusBar-Widget');
  const low = bar ? bar.getBoundingClientRect().top : innerHeight;
  const [pictures, sliders] = ['.dpviz-board .dpviz-grid .dpviz-figure',
      '.dpviz-controls .noUi-target']
    .map(of => [...document.querySelectorAll(of)].filter(e => e.checkVisibility()));
  const isWhole = e => {
    const { left, top, right, bottom } = e.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= low
      && e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  return [pictures.length, sliders.length,
    [...pictures, ...sliders].filter(e => !isWhole(e)).map(e => e.className)] }"""
LOOKS = """view => [...document.querySelectorAll(`.dpviz-${view} :is(path, text, g)`)]
  .map(e => `${e.getAttribute('d')}${e.getAttribute('transform')}${e.textContent}`).join()"""
START = Path(__file__).parents[2] / "notebooks" / "00_start_here.ipynb"


@pytest.fixture
def board(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook whose only cell shows the explorer."""
    notebook, served = tmp_path / "board.ipynb", tmp_path / "served"
    notebook.write_text(json.dumps(ONE_CELL))
    served.mkdir()
    with lab_server(served, notebook) as address:
        yield address


def test_a_slider_moves_the_claim_in_jupyterlab(page: Page, board: str) -> None:
    watch = Watch(page)
    explorer = _run_all_cells(page, board)
    handle = picture.slider(page, "ε")
    handle.focus()
    for _ in range(20):
        handle.press("ArrowRight")
    _wait_for_text(page, "AnswerView", "the claim ε = 2.")
    eventually(page, lambda: _assert_kink(page, 2))
    explorer.evaluate("element => { element.id = 'first' }")
    assert violations(page, "#first") == []
    # JupyterLab's own rules give each term a fifth of the width.
    explorer.locator("summary", has_text="Terms").click()
    assert explorer.locator("dt", has_text="Epsilon*").evaluate("e => e.clientWidth") > 40
    assert watch.errors == []
    assert watch.foreign == []


@pytest.mark.slow
def test_the_board_is_in_sight_and_alive_as_jupyterlab_opens(
    browser: Browser, board: str, screenshot: Callable[..., None]
) -> None:
    """File browser and all: four pictures and four sliders, with no action."""
    for width, height in ((1280, 800), (1440, 900), (1920, 1080)):
        page = new_context(browser).new_page()
        page.set_viewport_size({"width": width, "height": height})
        run_notebook(page, board)
        page.wait_for_function(ALL_DRAWN, timeout=180_000)
        picture.come_to_rest(page)
        screenshot(page, str(width))
        assert page.evaluate(IN_SIGHT) == [4, 4, []], width
        for label, key, views in (
            ("ε", "ArrowRight", BOARD),
            ("δ", "PageUp", BOARD),
            ("prior p", "ArrowLeft", ("RiskView",)),
            ("FPR", "ArrowLeft", ("TradeoffView", "EpsilonStarView", "RiskView")),
        ):
            _assert_changed(page, views, lambda: picture.slider(page, label).press(key))  # noqa: B023
        for view in ("TradeoffView", "EpsilonStarView", "RiskView"):
            others = ("TradeoffView", "EpsilonStarView", "RiskView")
            _assert_changed(page, others, lambda: _pull_cursor(page, view))  # noqa: B023
        _assert_changed(page, ("RegionView",), lambda: _pull_point(page))  # noqa: B023
        page.context.close()


@pytest.mark.slow
def test_the_start_notebook_in_jupyterlab(
    page: Page, tmp_path: Path, screenshot: Callable[..., None]
) -> None:
    watch = Watch(page)
    with lab_server(tmp_path, START) as address:
        explorer = _run_all_cells(page, address)
        before = picture.lines(page, "RegionView", theme.CLAIM)[0]
        _wait_for_text(page, "AnswerView", "The losses contradict the claim ε = 1.")
        # The first picture shows it, at the FPR of the strongest evidence.
        _wait_for_text(page, "RegionView", "Estimate: outside the region")

        handle = picture.slider(page, "ε")
        handle.focus()
        for _ in range(20):
            handle.press("ArrowRight")
        box = picture.box(page, "ε")
        page.wait_for_function("element => element.value === '2'", arg=box.element_handle())
        _wait_for_text(page, "AnswerView", "the claim ε = 2.")
        eventually(page, lambda: _assert_kink(page, 2))
        after = picture.lines(page, "RegionView", theme.CLAIM)[0]
        assert before.shape != after.shape or (before != after).any()

        region = explorer.locator(".dpviz-RegionView")
        region.scroll_into_view_if_needed()
        picture.come_to_rest(page)
        x, y = picture.markers(page, "RegionView")[-1]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y - 40, steps=6)
        page.mouse.up()
        _wait_for_text(page, "RegionView", "An attack with FPR")
        moved = pytest.approx((x - 60, y - 40), abs=2)
        eventually(page, lambda: _assert_equal(picture.markers(page, "RegionView")[-1], moved))

        picture.open_tab(page, "Board")
        _wait_for_text(page, "TradeoffView", "ε = 2,")
        eventually(page, lambda: _assert_kink(page, 2))
        _type(page, "prior p", "0.01")
        _wait_for_text(page, "RiskView", "Suppose that 1 % of the candidates")
        picture.open_more(page)
        explorer.get_by_label("Add a picture").select_option(label="What does the attacker see?")
        _wait_for_text(page, "ScoresView", "of 300 members")

        attack = eventually(page, lambda: picture.line(page, "TradeoffView", theme.ATTACK))
        data = explorer.get_by_label("Data", exact=True)
        data.select_option(label="sample: simulated leak (Gamma)")
        _wait_for_text(page, "ScoresView", "of 5000 members")
        eventually(page, lambda: _assert_other_line(page, attack))

        with page.expect_file_chooser() as chooser:
            picture.offer_a_file(page)
            explorer.locator("button", has_text="choose a file").first.click()
        rows = "".join(f"{0.1 * i},1\n{0.1 * i + 0.4},0\n" for i in range(40))
        content = ("loss,member\n" + rows).encode()
        chooser.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
        _wait_for_text(page, "ScoresView", "of 40 members")

        _type(page, "δ", "2")
        explorer.locator(".dpviz-error:visible").first.wait_for()
        said = "δ must be from 0 to 1 (you typed 2)."
        eventually(page, lambda: _assert_equal(picture.error(page), said))
        _type(page, "δ", "1e-4")
        page.wait_for_selector(".dpviz-Explorer .dpviz-error", state="hidden")
        ticks = ["0.01 %", "1 %", "50 %", "99 %", "99.99 %"]
        eventually(page, lambda: _assert_equal(picture.ticks(page, "EpsilonStarView"), ticks))

        # Slow work leaves the kernel free: the slider moves the claim while it goes on.
        data.select_option(label="sample: simulated leak (Gamma)")
        _wait_for_text(page, "ScoresView", "of 5000 members")
        star = explorer.locator(".dpviz-EpsilonStarView")
        _open_options(star)
        star.get_by_role("button", name="permutation p-value").click()
        _wait_for_text(page, "EpsilonStarView", "permutation p-value: at work")
        handle.press("ArrowRight")
        _wait_for_text(page, "TradeoffView", "ε = 2.05,")
        assert "permutation test" not in (star.text_content() or "")
        _wait_for_text(page, "EpsilonStarView", "(permutation test, counts, δ = 0.0001")
        _open_options(star)
        star.locator("select").first.select_option(label="mixture fit")
        tradeoff = explorer.locator(".dpviz-TradeoffView")
        _open_options(tradeoff)
        tradeoff.locator("select").first.select_option(label="ROC, log-log")
        page.wait_for_function(
            "() => document.querySelector('.dpviz-TradeoffView').textContent.includes('(< 1/5000)')"
        )

        # The audit follows by itself once delta and scores have stood still.
        picture.open_tab(page, "Evidence")
        _wait_for_text(
            page, "AuditView", ("a perfect attack on this many records certifies at most ε = ")
        )
        bounds = explorer.locator(".dpviz-BoundsView")
        bounds.get_by_role("button", name="compute").click()
        _wait_for_text(page, "BoundsView", "A lower bound cannot show that ε is small")

        picture.open_tab(page, "How it works")
        explorer.get_by_role("button", name="More pictures").click()
        _wait_for_text(page, "FitView", "Mixtures of Normal distributions are fitted to")
        rounds = explorer.locator(".dpviz-ExperimentView")
        rounds.get_by_role("button", name="100 rounds", exact=True).click()
        _wait_for_text(page, "ExperimentView", "Round 100: the record was a ")

        explorer.evaluate("element => { element.id = 'first' }")  # the other one stays as it is
        for name in ("Light", "Dark"):
            page.evaluate(
                "theme => jupyterapp.commands.execute('apputils:change-theme', { theme })",
                f"JupyterLab {name}",
            )
            page.wait_for_selector(
                f"body[data-jp-theme-name='JupyterLab {name}']", state="attached"
            )
            for width in (1400, 700):
                page.set_viewport_size({"width": width, "height": 1500})
                picture.come_to_rest(page)  # or the tabs move from under the pointer
                for tab in TABS.values():
                    picture.open_tab(page, tab.title)
                    picture.come_to_rest(page)
                    assert violations(page, "#first") == []
                    assert page.evaluate(LABELLED_TWICE) == []
                    screenshot(explorer, f"{name.lower()}-{width}-{tab.title}")
                assert violations(page, ".dpviz-Explorer:not(#first)") == []
        assert watch.errors == []
        assert watch.foreign == []


def _run_all_cells(page: Page, address: str) -> Locator:
    """The first explorer that a notebook shows, with the region of its claim."""
    run_notebook(page, address)
    page.wait_for_selector(
        ".dpviz-Explorer .dpviz-RegionView g.curve path.line", state="attached", timeout=180_000
    )
    explorer = picture.explorer(page)
    explorer.scroll_into_view_if_needed()
    eventually(page, lambda: _assert_kink(page, 1))
    return explorer


def _open_options(view: Locator) -> None:
    """Open the words over a picture of the board, and the options that are folded in them."""
    words = view.locator(".dpviz-explain details")
    if words.get_attribute("open") is None:
        words.locator("summary").click()
    picture.open_fold(view, "Options")


def _assert_changed(page: Page, views: tuple[str, ...], act: Callable[[], object]) -> None:
    """Each of some views looks different after an act."""
    before = {view: page.evaluate(LOOKS, view) for view in views}
    act()
    eventually(page, lambda: _assert_all_differ(page, before))
    picture.come_to_rest(page)


def _assert_all_differ(page: Page, before: dict[str, str]) -> None:
    assert [view for view, look in before.items() if page.evaluate(LOOKS, view) == look] == []


def _pull_cursor(page: Page, view: str) -> None:
    """Press in the lower part of the axes, as the cursor follows a press anywhere, and pull."""
    plot = page.locator(f".dpviz-{view} .plotarea_background").bounding_box()
    assert plot is not None
    _pull(page, plot["x"] + 0.3 * plot["width"], plot["y"] + 0.9 * plot["height"], 25)


def _pull_point(page: Page) -> None:
    x, y = picture.markers(page, "RegionView")[-1]
    _pull(page, x, y, -20)


def _pull(page: Page, x: float, y: float, dx: float) -> None:
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y - 10, steps=5)
    page.mouse.up()


def _type(page: Page, label: str, text: str) -> None:
    box = picture.box(page, label)
    box.fill(text)
    box.press("Enter")


def _assert_kink(page: Page, epsilon: float) -> None:
    assert picture.region_kink(page) == pytest.approx(1 / (1 + math.exp(epsilon)), abs=1e-3)


def _assert_equal(found: object, expected: object) -> None:
    assert found == expected


def _assert_other_line(page: Page, before: NDArray[np.float64]) -> None:
    assert not np.array_equal(picture.line(page, "TradeoffView", theme.ATTACK), before)


def _wait_for_text(page: Page, view: str, text: str) -> None:
    """Wait until a view on the page has a text, be it folded."""
    page.wait_for_function(
        """([view, text]) => {
          const shown = document.querySelector(`.dpviz-Explorer .dpviz-${view}`);
          const said = shown?.textContent.replaceAll('\\u00a0', ' ');
          return shown?.getClientRects().length && said.includes(text);
        }""",
        arg=[view, text],
    )
    until_still(page)  # marks are drawn in the frames after
