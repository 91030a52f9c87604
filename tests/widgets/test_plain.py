"""Widgets of which a browser hears when something refers to them."""

from typing import Any

import comm
import comm.base_comm
import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell

from dpviz import explore
from dpviz.widgets.base.html import Html, Stack


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What goes to the browser: the kind of each message, and the state in it."""
    found: list[tuple[str, dict[str, Any]]] = []

    class Comm(comm.base_comm.BaseComm):
        def publish_msg(self, msg_type: str, data: Any = None, **_: Any) -> None:
            found.append((msg_type, (data or {}).get("state", {})))

    monkeypatch.setattr(comm, "create_comm", lambda **options: Comm(**options))
    return found


def test_one_message_says_all_that_was_done_before_a_widget_is_referred_to(
    sent: list[tuple[str, dict[str, Any]]],
) -> None:
    text = Html("first")
    text.value = "second"
    inner = Stack([text])
    inner.add_class("framed")
    assert sent == []
    box = ipywidgets.VBox()
    sent.clear()
    box.children = [inner]
    (first, state), (second, around), (third, _) = sent
    assert (first, second, third) == ("comm_open", "comm_open", "comm_msg")
    assert state["value"] == "second"
    assert around["_dom_classes"] == ("framed",)
    assert around["children"] == [f"IPY_MODEL_{text.model_id}"]
    sent.clear()
    text.value = "third"
    assert sent == [("comm_msg", {"value": "third"})]


def test_what_a_cell_shows_is_known_before(sent: list[tuple[str, dict[str, Any]]]) -> None:
    stack = Stack([Html("text")])
    bundle = InteractiveShell().display_formatter.format(stack)[0]
    assert [kind for kind, _ in sent] == ["comm_open", "comm_open"]
    shown = bundle["application/vnd.jupyter.widget-view+json"]
    assert shown["model_id"] == stack.model_id


def test_a_closed_widget_is_not_opened_by_a_reference(
    sent: list[tuple[str, dict[str, Any]]],
) -> None:
    text = Html("nobody saw it")
    assert not text.is_closed
    text.close()
    assert text.is_closed
    with pytest.raises(AttributeError):  # as any closed widget of ipywidgets
        _ = text.model_id
    assert sent == []
    text.open()  # as a store opens what its views share
    assert not text.is_closed
    assert [kind for kind, _ in sent] == ["comm_open"]


def test_few_messages_change_what_was_sent_before(
    sent: list[tuple[str, dict[str, Any]]],
) -> None:
    """A reader waits for each: without this an explorer sent 128 that changed 313 models."""
    explorer = explore(epsilon=1.0)
    kinds = [kind for kind, _ in sent]
    assert kinds.count("comm_open") > 100  # as it should be
    assert kinds.count("comm_msg") < kinds.count("comm_open") / 3
    explorer.close()
