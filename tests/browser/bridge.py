"""Widgets of this process shown in a real browser: Playwright is the wire.

The page runs ipywidgets' own html-manager with the front ends that the Python wheels ship; comm
messages go through `page.evaluate` and an exposed function. There is no Jupyter server, no kernel
and no network, so a test takes a fraction of a second.
"""

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import bqplot
import comm
import comm.base_comm
import ipywidgets
import pytest
from playwright.sync_api import Page

from dpviz.widgets import Explorer
from tests.browser import front_end
from tests.browser.wait import PATIENCE, draw_frames

DRAWN = """([count, withMarks]) => { const figures = [...document.querySelectorAll('.bqplot')];
  return figures.length >= count && figures.every(figure => figure.querySelector('g.axis .tick')) &&
    figures.filter(figure => figure.querySelector(
      'g.curve path.line, g.object_grp path.element')).length >= withMarks }"""

# As JSON, as a server sends it: Playwright takes two seconds to wrap the values of an explorer.
RECEIVE = """async text => {
  for (const message of JSON.parse(text)) await bridge.receive(message).catch(console.error) }"""

MANY = 200
"""Messages to a page that is emptied; with more, it is loaded again instead."""

# Of what a test leaves behind, what is no part of an explorer's state.
AS_IT_BEGAN = """() => {
  document.activeElement?.blur();
  document.querySelectorAll('details[open]').forEach(fold => { fold.open = false; });
  scrollTo(0, 0) }"""


def _figures(widget: ipywidgets.Widget) -> list[bqplot.Figure]:
    """The figures that a widget shows."""
    inner = [figure for child in getattr(widget, "children", ()) for figure in _figures(child)]
    return [widget, *inner] if isinstance(widget, bqplot.Figure) else inner


class Bridge:
    """Shows widgets in `page` and carries messages both ways when asked to."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.to_python: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self.to_page: list[dict[str, Any]] = []
        self.comms: dict[str, comm.base_comm.BaseComm] = {}
        self.parent = ""
        self.kept: Explorer | None = None
        self.is_fresh = False
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.expose_function("toPython", self._receive)
        self._original = comm.create_comm

    def open(self) -> None:
        """Have a page without a trace, and carry the messages of widgets made from now on."""
        if not self.is_fresh:
            self.load()
        for old in (self.to_python, self.to_page, self.errors, self.sent):
            old.clear()
        comm.create_comm = self._create_comm

    def load(self) -> None:
        """Load the page without a widget, again if it was there."""
        self.page.goto(front_end.address())
        self.page.evaluate("bridge.ready")
        self.is_fresh = True

    def close(self) -> None:
        """Close all widgets, and give the process its own comms back."""
        self.kept = None
        ipywidgets.Widget.close_all()
        self.comms.clear()
        comm.create_comm = self._original

    def clear(self) -> None:
        """Forget messages, errors and all widgets but those that are kept."""
        if self.kept is not None:
            self.settle()
        else:
            ipywidgets.Widget.close_all()
            if len(self.to_page) > MANY:  # to close one after the other takes seconds
                self.to_python.clear()
                self.to_page.clear()
                self.load()
            else:
                self.settle()
                self.page.evaluate("document.body.replaceChildren()")
        self.errors.clear()
        self.sent.clear()

    def show(self, widget: ipywidgets.Widget) -> None:
        """Display a widget that was made while this bridge was open; what was kept goes."""
        if self.kept is not None:
            self.kept.close()
            self.kept = None
            self.settle()
            self.page.evaluate("document.body.replaceChildren()")
        model_id = widget.model_id  # the page may hear of it only now
        self.settle()
        self.page.evaluate("id => bridge.show(id)", model_id)

        def is_drawn() -> bool:
            figures = _figures(widget)
            with_marks = sum(bool(figure.marks) for figure in figures)  # others draw nothing
            return bool(self.page.evaluate(DRAWN, [len(figures), with_marks]))

        # Marks that a thread adds meanwhile reach the page only if they are delivered.
        if not is_drawn():
            self.until(is_drawn, "the drawing of the figures")
        self.settle()

    def keep(self, make: Callable[[], Explorer]) -> Explorer:
        """An explorer that stays from test to test: made and shown once, then only reset.

        To make and show one takes three seconds. Tests leave its choices of single views, such as
        an axis, as they were; state, scores, folds and focus are put back here.
        """
        if self.kept is None:
            made = make()
            self.show(made)
            self.kept = made
        else:
            self.kept.reset()
            self.page.evaluate(AS_IT_BEGAN)
            self.settle()
        return self.kept

    def settle(self) -> None:
        """Deliver what waits in both directions, until nothing more comes."""
        self.deliver()
        draw_frames(self.page, 3)
        while self.deliver():
            draw_frames(self.page, 3)

    def until(self, condition: Callable[[], object], what: str = "what was waited for") -> None:
        """Deliver until a condition holds, and a little more; a busy machine has two minutes.

        This ends while a player plays, `settle` does not.
        """
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail(f"{what} never came")
            self.page.wait_for_timeout(20)
            self.deliver()
        for _ in range(3):
            draw_frames(self.page, 1)
            self.deliver()

    def deliver(self) -> bool:
        """Carry what waits now, once each way; False when there was nothing."""
        arrived, self.to_python = self.to_python, []
        for message in arrived:
            self._deliver(message)
        leaving, self.to_page = self.to_page, []
        self.sent += leaving
        if leaving:
            self.is_fresh = False
            self.page.evaluate(RECEIVE, json.dumps(leaving, allow_nan=False))
        return bool(arrived or leaving)

    def _receive(self, payload: str) -> None:
        self.to_python.append(json.loads(payload))

    def _deliver(self, message: dict[str, Any]) -> None:
        target = self.comms.get(message["comm_id"])
        if target is None:
            return
        self.parent = message["id"]
        target.handle_msg(
            {
                "content": {"comm_id": message["comm_id"], "data": message["data"]},
                "buffers": [base64.b64decode(b) for b in message["buffers"]],
                "header": {"msg_id": message["id"]},
            }
        )
        self.parent = ""

    def _create_comm(self, *args: Any, **kwargs: Any) -> comm.base_comm.BaseComm:
        bridge = self

        class PageComm(comm.base_comm.BaseComm):
            def publish_msg(
                self,
                msg_type: str,
                data: Any = None,
                metadata: Any = None,
                buffers: Any = None,
                **keys: Any,
            ) -> None:
                bridge.comms[self.comm_id] = self
                bridge.to_page.append(
                    {
                        "type": msg_type,
                        "comm_id": self.comm_id,
                        "data": data or {},
                        "metadata": metadata or {},
                        "buffers": [base64.b64encode(bytes(b)).decode() for b in buffers or []],
                        "parent": bridge.parent,
                    }
                )

        return PageComm(*args, **kwargs)
