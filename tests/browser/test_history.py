"""Undo, redo, reset and the code, by a user's hand."""

from collections.abc import Callable

import pytest

from dpviz import explore
from tests.browser import picture
from tests.browser.bridge import Bridge


@pytest.mark.slow
def test_a_drag_is_taken_back_and_the_code_is_read(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    explorer = explore(epsilon=1.0)
    bridge.show(explorer)
    page = bridge.page
    strip = page.locator(".dpviz-buttons")
    undo, redo = (strip.get_by_role("button", name=name, exact=True) for name in ("undo", "redo"))
    assert undo.is_disabled()
    handle = picture.slider(page, "ε")
    for _ in range(8):
        handle.press("ArrowRight")
        bridge.deliver()
    bridge.settle()
    assert explorer.epsilon == 1.4
    assert picture.box(page, "ε").input_value() == "1.4"
    picture.open_fold(strip, "Save")
    strip.get_by_role("button", name="Code", exact=True).click()
    bridge.settle()
    code = strip.get_by_role("region", name="Python code that shows the same")
    assert code.inner_text().strip() == explorer.code().strip()
    assert "epsilon=1.4" in code.inner_text()
    code.focus()
    assert page.evaluate("document.activeElement.tagName") == "PRE"
    screenshot(page)
    while undo.is_enabled():  # a slow machine may have made several steps of the eight keys
        undo.press("Enter")
        bridge.settle()
    assert explorer.epsilon == 1.0
    assert picture.box(page, "ε").input_value() == "1"
    assert "epsilon=1.0" in code.inner_text()
    assert redo.is_enabled()
