"""Slow work in a background thread, with a progress bar and a cancel button."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

from dpviz.widgets.base.html import Button, ProgressBar, Row, button
from dpviz.widgets.one_at_a_time import LOCK

POLL = 0.1  # seconds between updates of the progress bar


class CancelledError(Exception):
    """Error in work that was cancelled."""


class Job:
    """One slow computation at a time, with its progress bar and cancel button.

    With an event loop (in a kernel) it runs in a worker thread and returns on the loop; a
    synchronous kernel would not see a click on "cancel". Otherwise, and under Pyodide, which has no
    threads, it runs at once. `show` gets one line of text, `progressed` the share that is done. Bar
    and button are made when they are used.
    """

    def __init__(
        self,
        show: Callable[[str], None],
        progressed: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._show, self._progressed = show, progressed
        self._cancelled = threading.Event()
        self._share = 0.0
        self._task: asyncio.Task[None] | None = None
        self._stopped: Callable[[], None] = lambda: None
        self.widget = Row(is_hidden=True)

    @cached_property
    def bar(self) -> ProgressBar:
        """The progress bar."""
        bar = ProgressBar()
        bar.observe(lambda change: self._progressed(change["new"]), names="value")
        return bar

    @cached_property
    def button(self) -> Button:
        """The button that cancels the work."""
        return button("cancel", self.cancel)

    @property
    def is_running(self) -> bool:
        """Whether work is in progress."""
        return self._task is not None

    def run(
        self,
        label: str,
        work: Callable[[Callable[[range], Iterator[int]]], Any],
        done: Callable[[Any], None],
        stopped: Callable[[], None] = lambda: None,
        pause: float = 0.0,
    ) -> None:
        """Start `work`, which wraps its rounds in its argument; `done` gets its result.

        Work in progress is cancelled first. An exception of `work` is shown in one line; `stopped`
        is called when there will be no result. With an event loop work begins after `pause`
        seconds, so that of many requests in a row, as from a slider, only the last one is computed.
        """
        self.cancel()
        self._stopped = stopped
        self._cancelled = cancelled = threading.Event()
        self._share = 0.0
        result = partial(_outcome, work, partial(self._rounds, cancelled))
        loop = event_loop()
        if loop is None or sys.platform == "emscripten":
            self._finish(result(), done, cancelled)
            return
        self._show(label)
        self.bar.value = 0.0
        self.widget.children = [self.bar, self.button]
        self.widget.is_hidden = False
        outcome: list[Any] = []
        thread = threading.Thread(target=lambda: outcome.append(result()), daemon=True)
        self._task = loop.create_task(self._follow(thread, outcome, done, cancelled, pause))

    def cancel(self) -> None:
        """Stop the work in progress, if any, at its next round."""
        self._cancelled.set()
        if self._task is not None:
            self._task = None
            self.widget.is_hidden = True
            self._show("cancelled")
            self._stopped()

    async def _follow(
        self,
        thread: threading.Thread,
        outcome: list[Any],
        done: Callable[[Any], None],
        cancelled: threading.Event,
        pause: float,
    ) -> None:
        await asyncio.sleep(pause)
        with LOCK:
            if cancelled.is_set():
                return
            thread.start()
        while thread.is_alive() and not cancelled.is_set():
            with LOCK:
                self.bar.value = self._share
            await asyncio.sleep(POLL)
        with LOCK:
            if cancelled.is_set():
                return
            self._task = None
            self.widget.is_hidden = True
            self._finish(outcome[0], done, cancelled)

    def _finish(
        self, outcome: Any, done: Callable[[Any], None], cancelled: threading.Event
    ) -> None:
        if cancelled.is_set():
            return
        if isinstance(outcome, Exception):
            self._show(f"{type(outcome).__name__}: {outcome}")
            self._stopped()
        else:
            done(outcome)

    def _rounds(self, cancelled: threading.Event, whole: range) -> Iterator[int]:
        for i, item in enumerate(whole):
            if cancelled.is_set():
                raise CancelledError
            self._share = i / len(whole)
            yield item


def event_loop() -> asyncio.AbstractEventLoop | None:
    """Return the running event loop, if any."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _outcome(work: Callable[[Any], Any], rounds: Callable[[range], Iterator[int]]) -> Any:
    try:
        return work(rounds)
    except Exception as error:
        return error
