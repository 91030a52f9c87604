"""Chances of a guess and costs move while the kernel is busy, and in a saved page."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from dpviz.theory import GaussianDP
from dpviz.widgets import CostsView, GuessView
from tests.browser.bridge import Bridge
from tests.browser.live import busy
from tests.browser.saved import box, sentence, settle

TYPED = "chance of a right guess without the output; 1/k for k candidates, exact value"
LEAD = "With the output, it is right with probability at most {}."


@pytest.mark.slow
def test_the_bound_follows_kappa_while_the_kernel_sleeps(bridge: Bridge) -> None:
    """At kappa = 1/2 and mu = 1 the bound is Phi(1), at 1/10 it is Phi(Phi^-1(.1) + 1)."""
    view = GuessView(claim=GaussianDP(mu=1.0))
    bridge.show(view)
    page = bridge.page
    assert page.get_by_text(LEAD.format("39 %")).count() > 0
    with busy(bridge) as answer:
        typed = page.get_by_label(TYPED)
        typed.fill("0.5")
        typed.press("Enter")
        page.get_by_text(LEAD.format("84.2 %")).first.wait_for()
        assert view.kappa == 0.1  # the kernel has not heard of it
        answer()
    assert view.kappa == 0.5
    assert view.result.sentences["guess_lead"].endswith(LEAD.format("84.2 %"))


def test_a_dragged_output_moves_the_posterior(bridge: Bridge) -> None:
    view = GuessView(claim=GaussianDP(mu=1.0))
    bridge.show(view)
    first = view.shown.posterior[0]
    view.change(output=3.0)
    bridge.settle()
    said = f"candidate 1 has probability {100 * view.shown.posterior[0]:.3g} %"
    bridge.page.get_by_text(said).first.wait_for()
    assert view.shown.posterior[0] > first


def test_a_saved_page_moves_costs(browser: Browser, tmp_path: Path) -> None:
    """With costs 1 and 10 the threshold moves by log 10: FPR Phi(log 10 - 1/2) = 96.4 %."""
    path = tmp_path / "costs.html"
    CostsView(claim=GaussianDP(mu=1.0)).save_html(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    assert "30.9 % of the non-members" in sentence(page, "costs_lead")
    typed = box(page, "cost c_FN")
    typed.fill("10")
    typed.press("Enter")
    settle(page)
    assert "96.4 % of the non-members" in sentence(page, "costs_lead")
    page.close()
