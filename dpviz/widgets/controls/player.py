"""A play button: it runs the rounds of an experiment at a chosen speed in the event loop."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from dpviz.widgets.base.html import Checkbox, Html, ProgressBar, ToggleButton, div
from dpviz.widgets.base.job import running_loop
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.controls.fields import dropdown
from dpviz.widgets.state.live import LiveUpdater

SPEEDS = {"1": 1, "10": 10, "100": 100, "1 000": 1_000, "10 000": 10_000}  # rounds per second
FRAME, CALM_FRAME = 0.1, 2.0  # seconds between pictures, and with reduced motion
PAUSE_AT = 10_000  # playing pauses at every multiple of it
HINT = "Your system prefers reduced motion: “reduced motion” is ticked."


class RoundPlayer:
    """Controls that play simulated rounds: play button, speeds, reduced motion, progress bar."""

    # `play_rounds(n)` plays and shows n rounds. `speeds` (`unit` per second) has the default
    # second. Without an event loop, all rounds up to a pause are played at once.

    def __init__(
        self,
        play_rounds: Callable[[int], None],
        rounds_played: Callable[[], int],
        on_pause: Callable[[], None] = lambda: None,
        *,
        unit: str = "rounds",
        speeds: Mapping[str, int] = SPEEDS,
    ) -> None:
        self._play_rounds, self._rounds_played = play_rounds, rounds_played
        self._on_pause = on_pause
        self._task: asyncio.Task[None] | None = None
        # A toggle sends the state that the reader wants. A plain button only sends that it was
        # pressed: a "pause" that arrives when playing has ended would play again.
        hint = f"play {unit} one after another, until it is pressed again"
        self.button = ToggleButton(description="play", tooltip=hint, _dom_classes=["dpviz-button"])
        self.button.observe(self._toggle_playing, names="value")
        self._speeds = speeds
        self.speed = dropdown(f"{unit} per second", speeds)
        self.speed.value = list(speeds)[1]
        look = {"indent": False, "_dom_classes": ["dpviz-button"]}
        self.calm = Checkbox(description="reduced motion", tooltip="fewer, larger steps", **look)
        self.bar = ProgressBar(tooltip=f"{unit} before the next pause")
        self.hint = Html(div("dpviz-motion", HINT))

    def follow_reduced_motion(self, live: LiveUpdater | None) -> None:
        """Tick "reduced motion" if the reader's system prefers it; with `live` None, do nothing."""

        def tick_box_if_preferred(_change: object = None) -> None:
            self.calm.value = self.calm.value or (live is not None and live.calm)

        if live is not None:
            live.observe(tick_box_if_preferred, names="calm")
            tick_box_if_preferred()

    @property
    def is_playing(self) -> bool:
        """Whether rounds are being played."""
        return self._task is not None

    def start(self) -> None:
        """Play rounds until their number is a multiple of `PAUSE_AT`."""
        self.button.value = True

    def pause(self) -> None:
        """Stop playing."""
        self.button.value = False

    def update_progress_bar(self) -> None:
        """Set the bar to the progress from the last multiple of `PAUSE_AT` rounds to the next."""
        played = self._rounds_played()
        self.bar.value = 1.0 if played and played % PAUSE_AT == 0 else played % PAUSE_AT / PAUSE_AT

    async def _play_until(self, goal: int) -> None:
        try:
            before = -1
            while before < self._rounds_played() < goal:  # without progress rounds were rejected
                with WIDGET_LOCK:
                    if self._task is not asyncio.current_task():  # paused, or started anew
                        return
                    before = self._rounds_played()
                    rate = self._speeds[self.speed.value]
                    step = max(1, round(rate * (CALM_FRAME if self.calm.value else FRAME)))
                    self._play_rounds(min(step, goal - before))
                await asyncio.sleep(step / rate)
        finally:
            with WIDGET_LOCK:
                if self._task is asyncio.current_task():
                    self._task = None
                    self.pause()

    def _toggle_playing(self, change: Any) -> None:
        self.button.description = "pause" if change["new"] else "play"
        if not change["new"]:
            if self._task is not None:
                self._task.cancel()
                self._task = None
            self._on_pause()
            return
        goal = (self._rounds_played() // PAUSE_AT + 1) * PAUSE_AT
        loop = running_loop()
        if loop is None:
            self._play_rounds(goal - self._rounds_played())
            self.pause()
        else:
            self._task = loop.create_task(self._play_until(goal))
