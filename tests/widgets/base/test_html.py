"""Cheap widgets: known to the browser when something refers to them, closed with their parts."""

import gc
import weakref
from typing import Any

import comm
import comm.base_comm
import ipywidgets
import pytest
from anywidget import AnyWidget
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets.widget import _instances

from dpviz import AttackScores, explore
from dpviz.widgets import EpsilonStarView, Explorer, TradeoffView
from dpviz.widgets.base.html import Html, Stack, button
from dpviz.widgets.state.store import Store


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
    for name in ("texts", "controls", "pictures"):  # of all views in one message
        assert sum(name in state for kind, state in sent if kind == "comm_msg") == 1
    explorer.close()


SCORES = AttackScores(member=[0.5, 1.0, 2.0, 3.0], nonmember=[0.0, 0.25, 0.75, 1.5])


@pytest.mark.parametrize(
    "make",
    [
        explore,
        lambda scores: EpsilonStarView(scores=scores),
        lambda scores: TradeoffView(scores=scores),
    ],
)
def test_closing_closes_everything_and_lets_it_go(make: type[Explorer]) -> None:
    first = make(SCORES)  # what a process makes once
    first.close()
    del first
    gc.freeze()  # what was made before is not looked at below
    before = set(_instances)
    made = make(SCORES)
    assert len(set(_instances) - before) > 30
    reference = weakref.ref(made)
    made.close()
    assert [type(w).__name__ for key, w in _instances.items() if key not in before] == []
    del made
    gc.collect()
    assert reference() is None


def test_a_button_is_visible_unless_it_is_made_hidden() -> None:
    assert not button("Compute", list).is_hidden
    assert button("Compute", list, is_hidden=True).is_hidden


def test_scripts_are_given_as_text() -> None:
    # Of a file, anywidget keeps every widget that was made, for as long as it watches the file.
    ours = [cls for cls in AnyWidget.__subclasses__() if cls.__module__.startswith("dpviz.")]
    assert len(ours) >= 3
    assert [cls for cls in ours if not isinstance(cls._esm, str)] == []


def test_a_store_outlives_its_views() -> None:
    before = set(_instances)
    store = Store(SCORES)
    for epsilon in (1.0, 2.0):
        view = EpsilonStarView(store=store)
        view.epsilon = epsilon
        assert store.live is None or store.live.comm is not None
        assert store.live is None or store.live.epsilon == epsilon
        view.close()
        assert store.live is None or store.live.comm is None
        assert set(_instances) == before


def test_a_view_that_stays_keeps_what_it_shares() -> None:
    store = Store(SCORES)
    stays, goes = EpsilonStarView(store=store), EpsilonStarView(store=store)
    before = len(_instances)
    goes.close()
    assert len(_instances) < before
    assert store.live is None or store.live.comm is not None
    assert all(picture.frame.figure.comm is not None for picture in stays.pictures)
    stays.epsilon = 3.0
    assert stays.result.spec.claim is not None
    stays.close()
