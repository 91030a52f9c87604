"""A browser and a page for the session, a bridge per test, and pictures of failures."""

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Dialog,
    Error,
    Locator,
    Page,
    Route,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.browser.bridge import Bridge

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
WIDE: ViewportSize = {"width": 1400, "height": 2400}
PATIENCE = 120_000  # milliseconds: a busy machine needs them
expect.set_options(timeout=PATIENCE)
ARGUMENTS = [
    *("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"),
    # Suggestions below an address bar that nobody sees: a second of work in each new window.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        pytest.fail("no Chromium found: as root run `apt-get install chromium`")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield chromium
        chromium.close()


def new_context(browser: Browser) -> BrowserContext:
    """A profile whose pages wait as long as a busy machine needs for what they look for."""
    context = browser.new_context(viewport=WIDE)
    context.set_default_timeout(PATIENCE)
    return context


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page, for a real server."""
    context = new_context(browser)
    yield context.new_page()
    context.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open HTML files without network; requests, dialogs, messages and errors fail the test."""
    wrong: list[str] = []
    contexts: list[BrowserContext] = []

    def dismiss(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def show(path: Path, **options: Any) -> Page:
        def refuse(route: Route) -> None:
            if route.request.url == path.as_uri():
                route.continue_()
            else:
                wrong.append(route.request.url)
                route.abort()

        contexts.append(browser.new_context(**{"viewport": WIDE, **options}))
        page = contexts[-1].new_page()
        page.route("**/*", refuse)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", dismiss)
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def widget_page(browser: Browser) -> Iterator[Bridge]:
    """The page of all widgets: to load it again takes a sixth of the time that a new one takes."""
    context = new_context(browser)
    yield Bridge(context.new_page())
    context.close()


@pytest.fixture(scope="module")
def wire(widget_page: Bridge) -> Iterator[Bridge]:
    """A page without widgets for each file: one that has shown hundreds of them is slow."""
    widget_page.open()
    yield widget_page
    widget_page.close()


@pytest.fixture
def bridge(wire: Bridge) -> Iterator[Bridge]:
    """Widgets made in the test are shown in the browser; console errors fail the test."""
    wire.page.set_viewport_size(WIDE)
    wire.page.mouse.move(0, 0)
    yield wire
    errors = list(wire.errors)
    wire.clear()
    assert errors == []


@pytest.fixture
def screenshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Save a picture of a page or a part of it, named after the test, if SCREENSHOTS is set."""

    def save(shown: Page | Locator, name: str = "") -> None:
        if os.environ.get("SCREENSHOTS"):
            _save(shown, f"{request.node.name}{'-' if name else ''}{name}")

    return save


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Save a picture of what a test that failed was looking at."""
    report = yield
    if report.when == "call" and report.failed:
        shown = [getattr(value, "page", value) for value in item.funcargs.values()]
        for page in {value for value in shown if isinstance(value, Page)}:
            with suppress(Error):  # of a page that is gone
                _save(page, f"{item.name}-failed")
    return report


def _save(shown: Page | Locator, name: str) -> None:
    """Into the git-ignored folder; a name has no slash."""
    SCREENSHOTS.mkdir(exist_ok=True)
    path = SCREENSHOTS / f"{name.replace('/', '-')}.png"
    if isinstance(shown, Page):
        shown.screenshot(path=path, full_page=True, animations="disabled")
    else:
        shown.screenshot(path=path, animations="disabled")
