"""The real thing once: JupyterLab, a kernel, the start notebook, light and dark."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from dpviz.widgets.figures import theme
from tests.browser import picture
from tests.browser.lab import lab_server, run_notebook

START = Path(__file__).parents[2] / "notebooks" / "00_start_here.ipynb"


def test_the_start_notebook_in_jupyterlab(
    page: Page, tmp_path: Path, screenshot: Callable[..., None]
) -> None:
    errors: list[str] = []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    with lab_server(tmp_path, START) as address:
        run_notebook(page, address)
        page.wait_for_selector(
            ".dpviz-Explorer .dpviz-RiskView g.curve path.line", state="attached", timeout=60_000
        )
        page.locator(".dpviz-Explorer").first.scroll_into_view_if_needed()
        assert picture.claim_kink(page) == pytest.approx(1 / (1 + 2.718281828), abs=1e-3)
        before = picture.line(page, "RegionView", theme.CLAIM)

        handle = picture.slider(page, "ε")
        handle.focus()
        for _ in range(20):
            handle.press("ArrowRight")
        box = picture.box(page, "ε")
        page.wait_for_function("element => element.value === '2'", arg=box.element_handle())
        page.wait_for_function(
            "() => document.querySelector('.dpviz-TradeoffView').innerText.includes('ε = 2,')"
        )
        assert picture.claim_kink(page) == pytest.approx(1 / (1 + 2.718281828**2), abs=1e-3)
        after = picture.line(page, "RegionView", theme.CLAIM)
        assert before.shape != after.shape or (before != after).any()

        picture.box(page, "δ").fill("2")
        picture.box(page, "δ").press("Enter")
        page.wait_for_selector(".dpviz-Explorer .dpviz-error:visible")
        assert picture.error(page) == "delta must be in [0, 1], got 2.0"
        picture.box(page, "δ").fill("1e-4")
        picture.box(page, "δ").press("Enter")
        page.wait_for_selector(".dpviz-Explorer .dpviz-error", state="hidden")

        for name in ("Light", "Dark"):
            page.evaluate(
                "theme => jupyterapp.commands.execute('apputils:change-theme', { theme })",
                f"JupyterLab {name}",
            )
            for width in (1400, 700):
                page.set_viewport_size({"width": width, "height": 1500})
                page.wait_for_timeout(1500)
                page.evaluate(
                    "document.querySelector('.dpviz-Explorer').scrollIntoView({block: 'start'})"
                )
                page.wait_for_timeout(300)
                screenshot(page, f"{name.lower()}-{width}")
    assert errors == []
