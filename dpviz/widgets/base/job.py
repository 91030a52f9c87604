"""Slow computations in the background, such as the audit, with a bar and a cancel button."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.widgets.base.html import Button, Html, ProgressBar, Row, button
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.state.store import Store

PROGRESS_SECONDS = 0.1  # seconds between updates of the progress bar
AUDIT_DELAY = 0.3  # seconds without a further change before the audit is computed

Act = Callable[[], None]
Done = Callable[[Any], None]
Work = Callable[[Callable[[range], Iterator[int]]], Any]


class CancelledError(Exception):
    """Error that ends a computation after the user has cancelled that computation."""


class BackgroundJob:
    """A runner of one slow computation at a time, with a progress bar and a cancel button."""

    # If an event loop runs, a thread computes. Without a loop, or under Pyodide, the caller waits.

    def __init__(
        self, show_text: Callable[[str], None], on_advance: Callable[[float], None] = lambda _: None
    ) -> None:
        self._show_text, self._on_advance = show_text, on_advance
        self._cancelled = threading.Event()
        self._share = 0.0
        self._task: asyncio.Task[None] | None = None
        self._on_stop: Act = lambda: None
        self.widget = Row(is_hidden=True)

    @cached_property
    def progress_bar(self) -> ProgressBar:
        """The progress bar of the computation."""
        bar = ProgressBar()
        bar.observe(lambda change: self._on_advance(change["new"]), names="value")
        return bar

    @cached_property
    def cancel_button(self) -> Button:
        """The button that cancels the computation."""
        return button("cancel", self.cancel)

    @property
    def is_running(self) -> bool:
        """Whether a computation is in progress."""
        return self._task is not None

    def run(
        self, label: str, work: Work, on_done: Done, on_stop: Act = lambda: None, delay: float = 0.0
    ) -> None:
        """Cancel any earlier work, call `work`, and then call `on_done` with its result."""
        # `work(progress)` loops over `progress(range(n))`. After a cancellation or an exception,
        # `on_stop` is called. In an event loop, `work` starts after `delay` seconds.

        # Each run has an event of its own: a thread that was cancelled never sees a later run.
        self.cancel()
        self._on_stop = on_stop
        self._cancelled = cancelled = threading.Event()
        self._share = 0.0
        result = partial(_result_or_error, work, partial(self._iterate_until_cancelled, cancelled))
        loop = running_loop()
        if loop is None or sys.platform == "emscripten":
            self._finish(result(), on_done, cancelled)
            return
        self._show_text(label)
        self.progress_bar.value = 0.0
        self.widget.children = [self.progress_bar, self.cancel_button]
        self.widget.is_hidden = False
        self._task = loop.create_task(self._run_in_thread(result, on_done, cancelled, delay))

    def cancel(self) -> None:
        """Cancel the computation in progress, if any; its thread ends at the next iteration."""
        self._cancelled.set()
        if self._task is not None:
            self._task = None
            self.widget.is_hidden = True
            self._show_text("cancelled")
            self._on_stop()

    async def _run_in_thread(
        self, result: Callable[[], Any], on_done: Done, cancelled: threading.Event, delay: float
    ) -> None:
        """Call `result()` in a thread after `delay` seconds, and finish with the returned value."""
        results: list[Any] = []  # the thread puts its result here
        thread = threading.Thread(target=lambda: results.append(result()), daemon=True)
        await asyncio.sleep(delay)
        with WIDGET_LOCK:
            if cancelled.is_set():
                return
            thread.start()
        while thread.is_alive() and not cancelled.is_set():
            with WIDGET_LOCK:
                self.progress_bar.value = self._share
            await asyncio.sleep(PROGRESS_SECONDS)
        with WIDGET_LOCK:
            if cancelled.is_set():
                return
            self._task = None
            self.widget.is_hidden = True
            self._finish(results[0], on_done, cancelled)

    def _finish(self, result_or_error: Any, on_done: Done, cancelled: threading.Event) -> None:
        if cancelled.is_set():
            return
        if isinstance(result_or_error, Exception):
            self._show_text(f"{type(result_or_error).__name__}: {result_or_error}")
            self._on_stop()
        else:
            on_done(result_or_error)

    def _iterate_until_cancelled(self, cancelled: threading.Event, steps: range) -> Iterator[int]:
        for i, item in enumerate(steps):
            if cancelled.is_set():
                raise CancelledError
            self._share = i / len(steps)
            yield item


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the running event loop, or None if no event loop runs."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _result_or_error(work: Work, progress: Callable[[range], Iterator[int]]) -> Any:
    try:
        return work(progress)
    except Exception as error:
        return error


class AuditJob:
    """The background computation of the slow parts of a store's audit, such as lower bounds."""

    # It starts with `compute`, or when a browser shows a view given to `compute_when_shown`, and
    # from then on after each change of the store. All views of a store share
    # ``store.shared(AuditJob)``.

    def __init__(self, store: Store) -> None:
        self.store = store
        self._asked: frozenset[object] = frozenset()
        self._scores = store.scores
        self._views: list[ipywidgets.Widget] = []
        self.button = button("Compute", self.compute, is_hidden=True)
        self.text = Html()
        self.job = BackgroundJob(self.text.show_sentence, self._show_new_parts)
        parts = [self.button, self.job.widget, self.text]
        self.widget = Row(parts, _dom_classes=["dpviz-audit-job"])
        if store.live is not None:
            store.live.observe(lambda _: self._start_if_shown(), names="ready")
        store.subscribe(self._restart_if_changed)

    def compute_when_shown(self, view: ipywidgets.Widget) -> None:
        """Compute the audit when `view` is shown; closing the last such view cancels the audit."""
        self._views.append(view)
        view.observe(lambda _: self._remove_view(view), names="comm")
        self._start_if_shown()

    def compute(self, *, delay: float = 0.0) -> None:
        """Compute the missing parts of the audit; in an event loop, start after `delay` seconds."""
        if self.store.scores is None:
            return
        self._asked = self._missing_parts()
        self.button.is_hidden = True
        self.job.run(
            "computing ...",
            # The spec is read when the delay is over: it may have changed.
            lambda progress: self.store.prepare_audit(self.store.spec, progress=progress),
            lambda _: self._show_finished_audit(),
            on_stop=self._update_compute_button,
            delay=delay,
        )

    def _restart_if_changed(self, _result: Result) -> None:
        pending, is_loaded = self._missing_parts(), self._scores is self.store.scores
        # A change of the spec or the scores, not a number that was computed.
        if not pending or not pending <= self._asked:
            if self.job.is_running:
                self.job.cancel()
            self.text.show_sentence("")
            # New scores are audited at once; a changed spec may be one of many in a drag.
            self._asked, self._scores = frozenset(), self.store.scores
            self._start_if_shown(delay=AUDIT_DELAY if is_loaded else 0.0)
        self._update_compute_button()

    def _start_if_shown(self, *, delay: float = 0.0) -> None:
        live = self.store.live
        is_shown = bool(self._views) and (live is None or live.ready)
        is_idle = bool(self._missing_parts()) and not self.job.is_running
        if is_shown and is_idle and running_loop() is not None:
            self.compute(delay=delay)

    def _missing_parts(self) -> frozenset[object]:
        """Return ``(id(scores), name of the part)`` for each part of the audit not computed yet."""
        sample = self.store.result.sample
        pending = sample.audit.pending if sample else ()
        return frozenset((id(self.store.scores), part) for part in pending)

    def _show_new_parts(self, finished_share: float) -> None:
        if finished_share > 0:  # at 0 there is nothing new to show
            self.store.refresh()

    def _show_finished_audit(self) -> None:
        self.text.show_sentence("")
        self.store.refresh()

    def _update_compute_button(self) -> None:
        self.button.is_hidden = not self._missing_parts() or self.job.is_running

    def _remove_view(self, view: ipywidgets.Widget) -> None:
        if view in self._views:
            self._views.remove(view)
        if not self._views:
            self.job.cancel()
