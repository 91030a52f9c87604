"""Requests of a browser that are none are refused before anything is done with them."""

import math
from typing import Any

import pytest

from dpviz import explore
from dpviz.drawing.marks import Handle
from dpviz.widgets import TradeoffView
from dpviz.widgets.browser_input import (
    change_request,
    checked_slide_index,
    chosen_entry_key,
    clicked_index,
    drag_target,
    name_and_bytes,
)


def test_a_request_as_the_page_sends_it() -> None:
    found = change_request({"serial": 3, "changes": {"0": {"fpr": 0.5, "epsilon": "inf"}}})
    assert found.serial == 3
    assert found.changes == {"0": {"fpr": 0.5, "epsilon": math.inf}}
    assert change_request({"serial": 3.0, "changes": {"a": {"fpr": None}}}).changes["a"] == {
        "fpr": None
    }


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        {},
        {"serial": math.nan, "changes": {}},
        {"serial": -1, "changes": {}},
        {"serial": "1", "changes": {}},
        {"serial": True, "changes": {}},
        {"serial": 2**60, "changes": {}},
        {"serial": 1, "changes": [1]},
        {"serial": 1, "changes": {"0": 5}},
        {"serial": 1, "changes": {5: {"fpr": 0.5}}},
        {"serial": 1, "changes": {"0": {"fpr": math.nan}}},
        {"serial": 1, "changes": {"0": {"fpr": [0.5]}}},
        {"serial": 1, "changes": {"0": {"fpr": "nan"}}},
        {"serial": 1, "changes": {"0": {"fpr": True}}},
    ],
    ids=str,
)
def test_what_no_page_sends(request_: Any) -> None:
    with pytest.raises(ValueError, match=r"^\w+.* must be "):
        change_request(request_)


@pytest.mark.parametrize(
    "check",
    [
        chosen_entry_key,
        name_and_bytes,
        drag_target,
        lambda message: clicked_index(message, 3),
        lambda message: checked_slide_index(message, 3),
    ],
    ids=["menu", "file", "drag", "click", "slide"],
)
@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        {},
        math.nan,
        -1,
        3,
        {"do": 1, "content": "text", "data": 0, "point": 0},
        {"do": "a" * 101, "name": "a", "data": {"index": 3}, "point": {"x": 0.5}},
        {"name": 1, "content": b"", "data": {"index": -1}, "point": {"x": 0.5, "y": math.nan}},
        {"data": {"index": 0.5}, "point": {"x": math.inf, "y": 0.5}},
        {"data": {"index": True}, "point": {"x": "0.5", "y": 0.5}},
    ],
    ids=str,
)
def test_no_click_drag_or_choice(check: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=r"^\w+.* must be "):
        check(message)


def test_a_drag_to_nowhere_changes_nothing() -> None:
    view = TradeoffView(fpr=0.25)
    marks = [mark for layer in view.pictures[0].layers for mark in layer.marks_by_name().values()]
    handle = next(mark.mark for mark in marks if isinstance(mark.of, Handle))
    before = list(handle.x), list(handle.y)
    for x in ([math.nan], [math.inf], "text", None, ["0.5"]):
        with pytest.raises(ValueError, match="x must be"):
            handle.set_state({"x": x})
        assert (list(handle.x), list(handle.y)) == before
        assert view.fpr == 0.25
    handle.x = [0.5]
    assert view.fpr == pytest.approx(0.5, abs=0.01)


def test_a_slide_that_is_not_there_changes_nothing() -> None:
    explorer = explore()
    explorer.present()
    with pytest.raises(ValueError, match=r"^slide must be a whole number from 0 to 2, got 99"):
        explorer.presenter.window.set_state({"slide": 99})
    assert explorer.presenter.window.slide == 0
    explorer.epsilon = 2.0
    assert explorer.error == ""
