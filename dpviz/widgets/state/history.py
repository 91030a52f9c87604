"""Undo and redo."""

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Generic, TypeVar

State = TypeVar("State")

PAUSE = 1.0  # seconds: faster changes of one kind are one step, as in a drag
MOST_STEPS = 200  # steps that can be taken back


class History(Generic[State]):
    """The states that were shown, in order, and the position of the present one.

    States are compared with ``==``. `clock` returns seconds.
    """

    def __init__(self, first: State, *, clock: Callable[[], float] = monotonic) -> None:
        self.first = first
        self._clock = clock
        self._states = [first]
        self._at = 0
        self._open: Hashable = None  # the kind of change that the next one may continue
        self._changed_at = -PAUSE

    @property
    def present(self) -> State:
        """The state that is shown."""
        return self._states[self._at]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back and nothing else has changed since."""
        return self._at < len(self._states) - 1

    @property
    def can_reset(self) -> bool:
        """Whether the present state is not the first one."""
        return self.present != self.first

    @property
    def before(self) -> State:
        """The state that `undo` goes to; ValueError if there is none."""
        if not self.can_undo:
            raise ValueError("undo must follow a change, got nothing to take back")
        return self._states[self._at - 1]

    @property
    def after(self) -> State:
        """The state that `redo` goes to; ValueError if there is none."""
        if not self.can_redo:
            raise ValueError("redo must follow an undo, got nothing to do again")
        return self._states[self._at + 1]

    def add(self, state: State, kind: Hashable = None) -> None:
        """Append a state, unless it equals the present one.

        A change of the same `kind` less than `PAUSE` after the last one continues its step; a
        change of kind None is always a step.
        """
        if state == self.present:
            return
        now = self._clock()
        goes_on = kind is not None and kind == self._open and now - self._changed_at < PAUSE
        del self._states[self._at + (0 if goes_on else 1) :]
        if goes_on and state == self._states[-1]:  # dragged back to where it was
            kind = None
        else:
            self._states.append(state)
        del self._states[: -1 - MOST_STEPS]
        self._at = len(self._states) - 1
        self._open, self._changed_at = kind, now

    def move(self, by: int) -> None:
        """Move by `by` steps, negative for undo; the next change is a step of its own."""
        self._at += by
        self._open = None
