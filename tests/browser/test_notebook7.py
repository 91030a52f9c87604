"""The start notebook in Notebook 7: figures, mouse, keys."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.browser import picture
from tests.browser.conftest import WIDE
from tests.browser.lab import notebook_server, run_notebook
from tests.browser.test_sweep import faults_on_tabs
from tests.browser.wait import eventually
from tests.browser.watch import Watch

START = Path(__file__).parents[2] / "notebooks" / "00_start_here.ipynb"
# JupyterLab, with the same widget manager, is looked at at each change: test_lab.py.
pytestmark = pytest.mark.slow
# Notebook 7.6.5's own, from its shortcuts' settings; an empty notebook has it too.
KNOWN = "Cannot read properties of undefined (reading 'schema')"


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The start notebook, run, for all tests here; its console is looked at in the end."""
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    watch = Watch(page)
    with notebook_server(tmp_path_factory.mktemp("notebook7"), START) as address:
        run_notebook(page, address)
        page.wait_for_selector(
            ".dpviz-Explorer .dpviz-RegionView g.curve path.line", state="attached", timeout=180_000
        )
        page.locator(".dpviz-Explorer").first.scroll_into_view_if_needed()
        yield page
        assert [error for error in watch.errors if error != KNOWN] == []
        assert watch.foreign == []
    context.close()


@pytest.fixture
def handle(opened: Page) -> Locator:
    """The slider of epsilon at its first place, the claim's region drawn for it."""
    handle = picture.slider(opened, "ε")
    handle.focus()
    handle.press("Home")
    wait_for_kink(opened, lambda kink: kink > 0.49)
    return handle


def test_the_explorer_is_drawn(opened: Page, screenshot: Callable[..., None]) -> None:
    screenshot(opened)
    assert picture.region_kink(opened) == pytest.approx(1 / (1 + math.e), abs=1e-3)


def test_the_mouse_moves_a_slider(opened: Page, handle: Locator) -> None:
    place = handle.bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    opened.mouse.move(x, y)
    opened.mouse.down()
    opened.mouse.move(x + 40, y, steps=4)
    opened.mouse.up()
    wait_for_kink(opened, lambda kink: kink < 0.45)


@pytest.mark.parametrize("key", ["PageUp", "ArrowRight", "ArrowUp"])
def test_a_key_moves_a_slider(opened: Page, handle: Locator, key: str) -> None:
    handle.press(key)
    wait_for_kink(opened, lambda kink: kink < 0.49)


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900), (1920, 1080)])
def test_every_tab_is_in_order(opened: Page, size: tuple[int, int]) -> None:
    assert faults_on_tabs(opened, *size) == {}


def wait_for_kink(page: Page, is_there: Callable[[float], bool]) -> None:
    """Wait for the kink of the claim's region: at FPR 1/(1 + e^epsilon)."""

    def check() -> None:
        kink = picture.region_kink(page)
        assert is_there(kink), f"the claim's region stays as it is, at {kink}"

    eventually(page, check)
