"""Play and pause: something goes on at a chosen speed, in the kernel's event loop."""

import asyncio
from collections.abc import Callable

import ipywidgets

SPEEDS = {"1": 1, "10": 10, "100": 100, "1 000": 1_000, "10 000": 10_000}
"""Rounds per second."""
FRAME, CALM_FRAME = 0.1, 2.0
"""Seconds a picture stands, and with reduced motion."""
GOAL = 10_000
"""Playing pauses at every multiple of it."""
HINT = """<style>.dpviz .dpviz-motion { display: none; }
@media (prefers-reduced-motion: reduce) { .dpviz .dpviz-motion { display: block; } }</style>
<div class="dpviz-motion">Your system asks for less motion: tick “reduced motion”.</div>"""


class Player:
    """The button, the speed, the wish for less motion, and how far it is to the next pause.

    Without a running event loop it goes to the next pause at once.

    Parameters
    ----------
    play : callable
        Plays that many rounds and shows them.
    played : callable
        How many were played.
    paused : callable
        Called when it stands still again.
    """

    def __init__(
        self,
        play: Callable[[int], None],
        played: Callable[[], int],
        paused: Callable[[], None] = lambda: None,
    ) -> None:
        self._play, self._played, self._paused = play, played, paused
        self._task: asyncio.Task[None] | None = None
        auto = ipywidgets.Layout(width="auto")
        self.button = ipywidgets.Button(description="play", layout=auto)
        self.button.on_click(lambda _: self.pause() if self.is_playing else self.start())
        self.speed = ipywidgets.Dropdown(
            options=list(SPEEDS),
            value="10",
            description="rounds per second",
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="14em", max_width="calc(100% - 4px)"),
        )
        self.calm = ipywidgets.Checkbox(
            description="reduced motion",
            tooltip="fewer, larger steps",
            indent=False,
            layout=auto,
        )
        self.bar = ipywidgets.FloatProgress(
            min=0,
            max=1,
            tooltip="rounds up to the next pause",
            layout=ipywidgets.Layout(width="9em", height="1.4em"),
        )
        self.hint = ipywidgets.HTML(HINT)

    @property
    def is_playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._task is not None

    def start(self) -> None:
        """Go on up to the next multiple of `GOAL`."""
        goal = (self._played() // GOAL + 1) * GOAL
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._play(goal - self._played())
            return
        self.button.description = "pause"
        self._task = loop.create_task(self._go_on(goal))

    def pause(self) -> None:
        """Stand still."""
        if self._task is not None:
            self._task.cancel()
            self._stand()

    def follow(self) -> None:
        """Show how far it is to the next pause."""
        played = self._played()
        self.bar.value = 1.0 if played and played % GOAL == 0 else played % GOAL / GOAL

    async def _go_on(self, goal: int) -> None:
        try:
            before = -1
            while before < self._played() < goal:  # no step: it was refused
                before = self._played()
                rate = SPEEDS[self.speed.value]
                step = max(1, round(rate * (CALM_FRAME if self.calm.value else FRAME)))
                self._play(min(step, goal - before))
                await asyncio.sleep(step / rate)
        finally:
            if self._task is asyncio.current_task():  # neither paused nor started anew
                self._stand()

    def _stand(self) -> None:
        self._task = None
        self.button.description = "play"
        self._paused()
