"""The menu of names for the two errors, in a browser."""

import pytest

from dpviz import explore, read_sample
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read

AXES = "() => Array.from(document.querySelectorAll('text.axislabel'), (each) => each.textContent)"


@pytest.mark.slow
def test_a_naming_changes_axes_sentences_and_counts(bridge: Bridge) -> None:
    explorer = explore(
        read_sample("overfitted"), epsilon=1.0, layout=("tradeoff", "scores"), fpr=0.01
    )
    bridge.show(explorer)
    page = bridge.page
    page.locator(".dpviz-more summary").click()
    names = page.get_by_label("names of errors")
    names.select_option("lecture: type I = FNR (H0: member)")
    bridge.until(lambda: explorer.naming == "lecture")
    bridge.settle()
    axes = page.evaluate(AXES)
    assert "non-members wrongly accused (type II error)" in axes
    assert "members missed (type I error)" in axes
    # The browser writes this sentence by itself.
    bridge.until(lambda: "At type II error" in page.locator(".dpviz-TradeoffView").inner_text())
    assert (
        "A type I error rejects a true H0"
        in page.locator(".dpviz-controls .dpviz-popover").inner_text()
    )
    page.locator(".dpviz-ScoresView").get_by_text("Counts at the threshold").click()
    assert "14 (type II error 0.935 %)" in as_read(page.locator(".dpviz-ScoresView").inner_text())
    explorer.undo()
    bridge.settle()
    assert "members missed (FNR)" in page.evaluate(AXES)
    assert names.input_value() == "FPR and FNR"
    # So do the terms and rows of the read-out.
    explorer.store.load(read_sample("null"))
    explorer.naming = "statistics"
    bridge.settle()
    for place in (".dpviz-readout", ".dpviz-answer-below"):
        words = page.locator(place).first.text_content()
        assert words is not None
        assert "FPR" not in words


def test_the_longest_names_stay_inside_the_column(bridge: Bridge) -> None:
    bridge.page.set_viewport_size({"width": 850, "height": 800})
    bridge.show(explore(read_sample("overfitted"), epsilon=1.0, naming="lecture"))
    bridge.settle()
    readout = bridge.page.locator(".dpviz-readout")
    right = readout.locator("table").evaluate("each => each.getBoundingClientRect().right")
    assert right <= readout.evaluate("each => each.getBoundingClientRect().right") + 1
