"""The real thing once: JupyterLab, a kernel, the start notebook, light and dark."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz.pictures import theme
from tests.browser import picture
from tests.browser.axe import violations
from tests.browser.lab import lab_server, run_notebook
from tests.browser.wait import until_still
from tests.browser.watch import Watch

PICTURED = ("Explorer", "AuditView", "BoundsView", "MechanismView", "ExperimentView")
START = Path(__file__).parents[2] / "notebooks" / "00_start_here.ipynb"


def test_the_start_notebook_in_jupyterlab(
    page: Page, tmp_path: Path, screenshot: Callable[..., None]
) -> None:
    watch = Watch(page)
    with lab_server(tmp_path, START) as address:
        run_notebook(page, address)
        page.wait_for_selector(
            ".dpviz-Explorer .dpviz-RiskView g.curve path.line", state="attached", timeout=180_000
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
        _wait_for_text(page, "TradeoffView", "ε = 2,")
        assert picture.claim_kink(page) == pytest.approx(1 / (1 + 2.718281828**2), abs=1e-3)
        after = picture.line(page, "RegionView", theme.CLAIM)
        assert before.shape != after.shape or (before != after).any()

        _type(page, "prior p", "0.01")
        _wait_for_text(page, "RiskView", "If 1 % of the candidates")

        region = page.locator(".dpviz-Explorer .dpviz-RegionView").first
        region.scroll_into_view_if_needed()
        x, y = picture.markers(page, "RegionView")[-1]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y + 40, steps=6)
        page.mouse.up()
        _wait_for_text(page, "RegionView", "An attack with FPR")
        moved = picture.markers(page, "RegionView")[-1]
        assert moved == pytest.approx((x + 60, y + 40), abs=2)

        attack = picture.line(page, "TradeoffView", theme.ATTACK)
        page.locator(".dpviz-Explorer select").first.select_option(label="simulated leak (Gamma)")
        _wait_for_text(page, "ScoresView", "of 5000 members")
        assert not np.array_equal(picture.line(page, "TradeoffView", theme.ATTACK), attack)

        with page.expect_file_chooser() as chooser:
            picture.offer_a_file(page)
            page.locator(".dpviz-Explorer button", has_text="choose a file").first.click()
        rows = "".join(f"{0.1 * i},1\n{0.1 * i + 0.4},0\n" for i in range(40))
        content = ("loss,member\n" + rows).encode()
        chooser.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
        _wait_for_text(page, "ScoresView", "of 40 members")

        _type(page, "δ", "2")
        page.wait_for_selector(".dpviz-Explorer .dpviz-error:visible")
        assert picture.error(page) == "δ must be from 0 to 1 (you typed 2)."
        _type(page, "δ", "1e-4")
        page.wait_for_selector(".dpviz-Explorer .dpviz-error", state="hidden")
        assert picture.ticks(page, "EpsilonStarView") == ["1 %", "10 %", "50 %", "90 %", "99 %"]
        page.locator(".dpviz-Explorer select").first.select_option(label="your scores")
        _wait_for_text(page, "ScoresView", "of 300 members")
        assert picture.ticks(page, "EpsilonStarView") == [
            *("0.01 %", "1 %", "50 %", "99 %", "99.99 %")
        ]

        # Slow work leaves the kernel free: the slider moves the claim while it goes on.
        page.locator(".dpviz-Explorer select").first.select_option(label="simulated leak (Gamma)")
        _wait_for_text(page, "ScoresView", "of 5000 members")
        page.locator(".dpviz-Explorer button", has_text="permutation p-value").first.click()
        _wait_for_text(page, "EpsilonStarView", "permutation p-value: at work")
        handle.press("ArrowRight")
        _wait_for_text(page, "TradeoffView", "ε = 2.05,")
        assert "permutation test" not in page.locator(".dpviz-EpsilonStarView").first.inner_text()
        _wait_for_text(page, "EpsilonStarView", "(permutation test, counts, δ = 0.0001")
        page.locator(".dpviz-EpsilonStarView select").first.select_option(label="mixture fit")
        _wait_for_text(page, "FitView", "Mixtures of Normal distributions fitted to")

        # The audit follows by itself once delta and scores have stood still.
        _wait_for_text(page, "AuditView", "even a perfect attack certifies at most ε = ")
        page.locator(".dpviz-TradeoffView select").first.select_option(
            label="TPR against FPR, log-log"
        )
        page.wait_for_function(
            "() => document.querySelector('.dpviz-TradeoffView').textContent.includes('(< 1/5000)')"
        )

        page.locator(".dpviz-BoundsView").first.get_by_role("button", name="compute").click()
        _wait_for_text(page, "BoundsView", "A lower bound cannot show that ε is small")
        rounds = page.locator(".dpviz-ExperimentView").first.get_by_role(
            "button", name="100 rounds", exact=True
        )
        rounds.click()
        _wait_for_text(page, "ExperimentView", "Round 100: the record was a ")

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
                picture.come_to_rest(page)
                assert violations(page, ".dpviz-Explorer") == []
                for view in PICTURED:
                    shown = page.locator(f".dpviz-{view}").first
                    screenshot(shown, f"{name.lower()}-{width}-{view}")
        assert watch.errors == []
        assert watch.foreign == []


def _type(page: Page, label: str, text: str) -> None:
    box = picture.box(page, label)
    box.fill(text)
    box.press("Enter")


def _wait_for_text(page: Page, view: str, text: str) -> None:
    page.wait_for_function(
        """([view, text]) => document.querySelector(`.dpviz-Explorer .dpviz-${view}`)
          .innerText.includes(text)""",
        arg=[view, text],
    )
    until_still(page)  # marks are drawn in the frames after
