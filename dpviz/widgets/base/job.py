"""Slow work beside a live picture: in a thread of its own, with a bar and a way out."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets

POLL = 0.1
"""Seconds between two looks at the work."""


class CancelledError(Exception):
    """The user, or a change of what the work was for, stopped it."""


class Job:
    """One slow piece of work at a time, and the widgets that show it.

    With a running event loop (in a kernel) the work runs in a worker thread while the loop keeps
    serving sliders, and comes back on the loop; without one it runs at once. A synchronous kernel
    would not see a click on "cancel".

    Parameters
    ----------
    show : callable
        Gets one line of text: what is going on, or what was refused.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._cancelled = threading.Event()
        self._share = 0.0
        self._task: asyncio.Task[None] | None = None
        self._stopped: Callable[[], None] = lambda: None
        self.bar = ipywidgets.FloatProgress(
            min=0, max=1, layout=ipywidgets.Layout(width="9em", height="1.4em")
        )
        self.button = ipywidgets.Button(
            description="cancel", layout=ipywidgets.Layout(width="auto")
        )
        self.button.on_click(lambda _: self.cancel())
        self.widget = ipywidgets.HBox(
            [self.bar, self.button], layout=ipywidgets.Layout(display="none")
        )

    @property
    def is_running(self) -> bool:
        """Whether work is under way."""
        return self._task is not None

    def run(
        self,
        label: str,
        work: Callable[[Callable[[range], Iterator[int]]], Any],
        done: Callable[[Any], None],
        stopped: Callable[[], None] = lambda: None,
        pause: float = 0.0,
    ) -> None:
        """Start `work`, which wraps its rounds in what it is given; `done` gets its result.

        Work that is under way is cancelled first. What `work` raises is shown in one line;
        `stopped` is called where there will be no result. With an event loop it starts after
        `pause` seconds: whoever asks again and again, as a slider does, is answered once.
        """
        self.cancel()
        self._stopped = stopped
        self._cancelled = cancelled = threading.Event()
        self._share = 0.0
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._finish(_outcome(work, self._rounds(cancelled)), done, cancelled)
            return
        self._show(label)
        self.bar.value = 0.0
        self.widget.layout.display = None
        outcome: list[Any] = []
        thread = threading.Thread(
            target=lambda: outcome.append(_outcome(work, self._rounds(cancelled))), daemon=True
        )
        self._task = loop.create_task(self._follow(thread, outcome, done, cancelled, pause))

    def cancel(self) -> None:
        """Stop the work that is under way, if any, at its next round."""
        self._cancelled.set()
        if self._task is not None:
            self._task = None
            self.widget.layout.display = "none"
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
        if cancelled.is_set():
            return
        thread.start()
        while thread.is_alive() and not cancelled.is_set():
            self.bar.value = self._share
            await asyncio.sleep(POLL)
        if cancelled.is_set():
            return
        self._task = None
        self.widget.layout.display = "none"
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

    def _rounds(self, cancelled: threading.Event) -> Callable[[range], Iterator[int]]:
        def rounds(whole: range) -> Iterator[int]:
            for i, item in enumerate(whole):
                if cancelled.is_set():
                    raise CancelledError
                self._share = i / len(whole)
                yield item

        return rounds


def _outcome(work: Callable[[Any], Any], rounds: Callable[[range], Iterator[int]]) -> Any:
    """What the work gives, or the exception it raised."""
    try:
        return work(rounds)
    except Exception as error:
        return error
