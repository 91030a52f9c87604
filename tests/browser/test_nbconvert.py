"""A run notebook saved as a web page: live with the front ends of a CDN, a picture without."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route

from tests.browser import picture
from tests.browser.front_end import NBEXTENSIONS, NODE_MODULES
from tests.browser.server import PRIVATE
from tests.browser.wait import as_read, eventually
from tests.browser.watch import Watch

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "app.ipynb"
CDN = {
    "**/require.min.js": NODE_MODULES / "requirejs/require.js",
    "**/html-manager@*/dist/embed-amd.js": (
        NODE_MODULES / "@jupyter-widgets/html-manager/dist/embed-amd.js"
    ),
    "**/bqplot@*/dist/index.js": NBEXTENSIONS / "bqplot/index.js",
    "**/bqscales@*/dist/index.js": NBEXTENSIONS / "bqscales/index.js",
    "**/anywidget@*/dist/index.js": NBEXTENSIONS / "anywidget/index.js",
}
STILL = ".dpviz-still img"
# dpviz's own saved page is looked at at each change: test_saved_page.py.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The application's notebook, run and converted with nbconvert's own command."""
    folder = tmp_path_factory.mktemp("nbconvert")
    command = [sys.executable, "-m", "jupyter", "nbconvert", "--execute", "--to", "html"]
    command += [f"--output-dir={folder}", str(NOTEBOOK)]
    private = {name: str(folder / f".{name.lower()}") for name in PRIVATE}
    subprocess.run(command, env={**os.environ, **private}, capture_output=True, check=True)
    return folder / "app.html"


@pytest.fixture
def live(page: Page, saved: Path) -> Page:
    """The saved page with what it asks a CDN for, served from the wheels and from npm."""

    def serve(pattern: str, path: Path) -> None:
        def answer(route: Route) -> None:
            route.fulfill(path=path, content_type="text/javascript")

        page.route(pattern, answer)

    Watch(page)  # refuses all other requests
    for pattern, path in CDN.items():
        serve(pattern, path)
    page.goto(saved.as_uri())
    page.wait_for_selector(".dpviz-Explorer .dpviz-RegionView g.curve path.line", state="attached")
    picture.come_to_rest(page)
    return page


def test_a_saved_page_shows_the_widget(live: Page, screenshot: Callable[..., None]) -> None:
    screenshot(live)
    assert picture.region_kink(live) == pytest.approx(1 / (1 + math.e), abs=1e-3)
    assert "FPR" in picture.sentence(live, "RegionView")
    answer = as_read(live.locator(".dpviz-AnswerView").inner_text())
    assert "The losses contradict the claim ε = 1." in answer  # computed before it was saved
    assert not live.get_by_role("button", name="cancel").count()
    assert not live.locator(STILL).is_visible()


def test_a_slider_of_a_saved_page_moves_the_claim(live: Page) -> None:
    handle = picture.slider(live, "ε")
    handle.focus()
    for _ in range(20):
        handle.press("ArrowRight")

    def moved() -> None:
        assert picture.region_kink(live) == pytest.approx(1 / (1 + math.e**2), abs=1e-3)

    eventually(live, moved)


def test_a_saved_page_without_network_shows_a_picture(
    page: Page, saved: Path, screenshot: Callable[..., None]
) -> None:
    watch = Watch(page)
    page.goto(saved.as_uri())
    screenshot(page)
    assert watch.foreign
    page.get_by_text("In a notebook: run the cell to make it live").wait_for()
    drawn = page.locator(STILL).bounding_box()
    assert drawn is not None
    assert drawn["width"] > 200
    assert drawn["height"] > 200
