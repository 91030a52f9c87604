"""Requests of a browser that are none are refused before anything is done with them."""

import math
from typing import Any

import pytest

from dpviz.widgets.state.received import change_request


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
