"""Story 23: an auditor answers the checklist by keyboard, and the answer changes at once."""

import pytest
from playwright.sync_api import Page, expect

from dpviz import Facts, explore, read_sample
from tests.browser.axe import violations
from tests.browser.bridge import Bridge


@pytest.mark.slow
def test_an_answer_by_keyboard_limits_the_answer(bridge: Bridge) -> None:
    page = bridge.page
    page.set_viewport_size({"width": 1400, "height": 900})
    explorer = explore(read_sample("overfitted"), epsilon=1.0, tab="evidence")
    bridge.show(explorer)
    expect(
        page.get_by_text(
            "Not answered (9 of 9 questions): same population, duplicates in both sets,"
        )
    ).to_be_visible()
    summary = page.locator("summary", has_text="Answer the checklist")
    question = page.get_by_role("combobox", name="from the same population?")
    assert not question.is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(question).to_be_focused()
    for answer in ("same", "different"):  # from "not stated"
        page.keyboard.press("ArrowDown")
        bridge.until(lambda answer=answer: explorer.facts == Facts({"population": answer}))
    said = page.get_by_role("status").filter(has_text="contradict")
    expect(said).to_contain_text("not the same population")
    expect(page.get_by_text("not membership.").locator("visible=true")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.type("patients <b>against</b> volunteers\n")
    bridge.until(lambda: bool(explorer.facts["population"].note))
    assert explorer.facts["population"].note == "patients <b>against</b> volunteers"
    assert names(page) == 9
    assert violations(page) == []
    for _ in range(3):
        explorer.undo()
    bridge.settle()
    assert explorer.facts == Facts()
    expect(question).to_have_value("not stated")


def names(page: Page) -> int:
    """How many questions a screen reader can name."""
    snapshot = page.locator(".dpviz-ChecklistView").aria_snapshot()
    return sum("combobox" in line and "?" in line for line in snapshot.splitlines())
