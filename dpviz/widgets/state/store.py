"""The store: the state that linked views share, and its undo history."""

from collections.abc import Callable, Hashable, Iterable
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

import ipywidgets
from traitlets import TraitError

from dpviz.analysis import Analysis, Result, Spec
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.state.live import SCRIPT_FILE, LiveUpdater

DRAGGED_FIELDS = {"epsilon", "delta", "prior", "fpr", "fnr", "claim"}  # many times in one drag
MOST_ANSWERS = 8  # answers of one name to different questions, so that undo finds them
DRAG_GAP = 1.0  # seconds: faster changes of one kind are one step, as in a drag
MOST_UNDO_STEPS = 200  # steps that can be taken back
T = TypeVar("T")
State = TypeVar("State")
Clock = Callable[[], float]
Draw = Callable[[Result], None]
Follow = Callable[[], None]
GetAnswers = Callable[[Result, Scores | None], dict[str, Any]]


class SpecError(TraitError, ValueError):
    """The error for an illegal value of a field of the spec.

    Nothing was changed. The error is a `ValueError` for Python callers, and a `TraitError` so that
    traitlets rolls back.

    Examples
    --------
    >>> from dpviz.widgets import SpecError, Store
    >>> try:
    ...     Store().update(delta=2.0)
    ... except SpecError as error:
    ...     print(error)
    delta must be in [0, 1], got 2.0
    """


class StoreState(NamedTuple):
    """A state in the undo history: a spec and the loaded scores."""

    spec: Spec
    scores: Scores | None


class Store:
    """The state that linked views share: a spec, the loaded scores, and their result.

    Views with the same store are linked. Each change makes one result. First all functions
    `draw` given to :meth:`subscribe` are called with it, and then all functions `follow`, which may
    request further changes. Each change can be undone. Changes of one kind within `DRAG_GAP`
    seconds by `clock` are one drag, which is undone as a whole.

    Examples
    --------
    >>> from dpviz.widgets import Store
    >>> store = Store()
    >>> store.update(epsilon=2.0)
    >>> store.undo()
    >>> store.spec.epsilon
    1.0
    """

    def __init__(
        self, scores: Scores | None = None, spec: Spec | None = None, *, clock: Clock = monotonic
    ) -> None:
        self._analysis = Analysis(scores)
        self._result = self._analysis.result(spec or Spec())
        self._history = History(StoreState(self.spec, scores), clock=clock)
        self._drawers: list[Draw] = []
        self._followers: list[Follow] = []
        self._answering: dict[object, GetAnswers] = {}
        self._answers: dict[str, list[tuple[Any, Any]]] = {}
        self._shared: dict[Any, Any] = {}
        self._drawing = False

    @property
    def spec(self) -> Spec:
        """The present spec."""
        return self._result.spec

    @property
    def scores(self) -> Scores | None:
        """The loaded scores, or None if no scores are loaded."""
        return self._analysis.given

    @property
    def result(self) -> Result:
        """The present result."""
        return self._result

    @cached_property
    def live(self) -> LiveUpdater | None:
        """The widget that lets the browser redraw without Python.

        The result is None if the script of the widget is missing.
        """
        if not SCRIPT_FILE.is_file():
            return None
        live = LiveUpdater(self._result)
        # The browser gets each result after the views have drawn it in Python.
        self._followers.append(lambda: live.send_result(self._result))
        return live

    def subscribe(self, draw: Draw = lambda _: None, follow: Follow = lambda: None) -> None:
        """Call `draw` and `follow` now and after every change.

        First all views draw by `draw(result)`. Then every `follow()` is called.
        """
        with WIDGET_LOCK:
            self._drawers.append(draw)
            self._followers.append(follow)
            draw(self._result)
            follow()

    def unsubscribe(self, draw: Draw = lambda _: None, follow: Follow = lambda: None) -> None:
        """Stop calling `draw` and `follow`."""
        with WIDGET_LOCK:
            self._drawers = [each for each in self._drawers if each != draw]
            self._followers = [each for each in self._followers if each != follow]

    def checked_spec(self, **changes: Any) -> Spec:
        """Return the spec after the given changes.

        Raises SpecError if a change is illegal.
        """
        try:
            return self.spec.changed(**changes)
        except ValueError as error:
            raise SpecError(str(error)) from error

    def update(self, **changes: Any) -> None:
        """Change fields of the spec and redraw the views.

        Raises SpecError, and changes nothing, if a value is illegal.
        """
        with WIDGET_LOCK:
            if self._drawing:  # controls write back the values that a drawing view sets
                return
            spec = self.checked_spec(**changes)
            if spec != self.spec:
                # Changes of the same fields of one kind of claim may be steps of one drag.
                is_drag = changes.keys() <= DRAGGED_FIELDS
                drag_kind = (frozenset(changes), type(spec.claim)) if is_drag else None
                self._change_state(StoreState(spec, self.scores), drag_kind=drag_kind)

    def cache_result(self, spec: Spec) -> None:
        """Compute and cache the result for a spec.

        The method may be called in any thread. Views do not change.
        """
        self._analysis.prepare(spec)

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute the slow part of the audit for a spec.

        The method may be called in any thread. Call `refresh` to show the audit. The loop of the
        computation runs over `progress(range(n))`, which can count or cancel.
        """
        self._analysis.prepare_audit(spec, progress=progress)

    def refresh(self) -> None:
        """Redraw all views with the numbers and answers computed since the last drawing."""
        with WIDGET_LOCK:
            self._change_state(StoreState(self.spec, self.scores))

    def load(self, scores: Scores | None) -> None:
        """Replace the loaded scores by the given scores.

        None removes the scores and all compared attacks.
        """
        with WIDGET_LOCK:
            if scores is not self.scores:
                spec = self.spec if scores is not None else self.checked_spec(compare={})
                self._change_state(StoreState(spec, scores))

    def replace_state(self, spec: Spec, scores: Scores | None) -> None:
        """Replace both the spec and the loaded scores."""
        self._change_state(StoreState(spec, scores))

    def shared(self, make: "Callable[[Store], T]") -> T:
        """Return an object that all views of the store share.

        The first call makes the object as `make(store)`.
        """
        if make not in self._shared:
            self._shared[make] = make(self)
        shared: T = self._shared[make]
        if isinstance(shared, ipywidgets.Widget):
            shared.open()  # it was closed if no view was left
        return shared

    def register_answers(self, owner: object, answering: GetAnswers) -> None:
        """Register a function that adds computed answers to each new result.

        The answers are the entries of the dict `answering(result, scores)`.
        """
        # Entries with the value None are left out. The latest owner of a key determines its value.
        with WIDGET_LOCK:
            for part in self.shared_widgets:
                part.open()  # it was closed if no view was left
            self._answering[owner] = answering
            self._result = self._with_answers(self._result, self.scores)

    def forget_answers(self, owner: object) -> None:
        """Stop adding the answers of `owner` to results.

        Results omit these answers from the next change on.
        """
        with WIDGET_LOCK:
            self._answering.pop(owner, None)
            # The last view closes the shared widgets; `register_answers` opens them again.
            for part in () if self._answering else self.shared_widgets:
                part.close()

    @property
    def shared_widgets(self) -> tuple[ipywidgets.Widget, ...]:
        """The widgets that all views of the store share.

        These widgets are closed with the last view.
        """
        shared = [each for each in self._shared.values() if isinstance(each, ipywidgets.Widget)]
        live = self.__dict__.get("live")
        return (*shared, *(() if live is None else (live.layout, live)))

    def add_answer(self, name: str, question: Any, value: Any) -> None:
        """Cache `value` as the answer to `question` under `name`, and redraw all views."""
        with WIDGET_LOCK:
            self.cache_answer(name, question, value)
            self.refresh()

    def cache_answer(self, name: str, question: Any, value: Any) -> None:
        """Cache `value` as the answer to `question` under `name`, without redrawing the views."""
        with WIDGET_LOCK:
            # The newest answer is the last; an earlier answer to the same question is replaced.
            others = [each for each in self._answers.get(name, ()) if each[0] != question]
            self._answers[name] = [*others, (question, value)][-MOST_ANSWERS:]

    def cached_answer(self, name: str, question: Any) -> Any:
        """Return the cached answer to a question.

        The result is None if no answer to an equal question is cached under `name`.
        """
        return next((v for q, v in self._answers.get(name, ()) if q == question), None)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone step to redo."""
        return self._history.can_redo

    @property
    def can_reset(self) -> bool:
        """Whether the spec or the scores differ from the first state."""
        return self._history.can_reset

    def undo(self) -> None:
        """Go back to the previous state.

        Raises ValueError if there is no such state.
        """
        with WIDGET_LOCK:
            self._apply_state(self._history.previous_state, partial(self._history.move_by, -1))

    def redo(self) -> None:
        """Go forward to the state that was undone last.

        Raises ValueError if there is no such state.
        """
        with WIDGET_LOCK:
            self._apply_state(self._history.next_state, partial(self._history.move_by, +1))

    def reset(self) -> None:
        """Go back to the first state.

        This change can be undone.
        """
        with WIDGET_LOCK:
            if self.can_reset:
                self._change_state(self._history.first)

    def fpr_at_threshold(self, threshold: float) -> float:
        """Return the attack's FPR at a threshold on the scale of the original scores."""
        return self._analysis.at_threshold(threshold).fpr

    def _change_state(self, new_state: StoreState, *, drag_kind: Hashable = None) -> None:
        self._apply_state(new_state, partial(self._history.add, new_state, drag_kind))

    def _apply_state(self, state: StoreState, update_history: Callable[[], None]) -> None:
        with WIDGET_LOCK:
            # Compute first: an error is raised before anything has changed.
            is_loaded = state.scores is self.scores
            analysis = self._analysis if is_loaded else Analysis(state.scores)
            result = self._with_answers(analysis.result(state.spec), state.scores)
            before = self._analysis, self._result, copy(self._history)
            self._analysis, self._result = analysis, result
            update_history()
            failures = self._draw_and_list_errors()
            if failures and (result.spec, state.scores) != (before[1].spec, before[0].given):
                # A state that cannot be drawn is left as if it had never been.
                self._analysis, self._result, self._history = before
                self._draw_and_list_errors()
            if failures:
                raise failures[0]

    def _draw_and_list_errors(self) -> list[Exception]:
        """Show the result in all views; return the exceptions of views that cannot show it."""
        # Views draw the result; what they write back meanwhile is ignored.
        self._drawing = True
        try:
            failures = _call_and_list_errors(partial(draw, self._result) for draw in self._drawers)
        finally:  # also after an interrupt
            self._drawing = False
        return failures + _call_and_list_errors(self._followers)

    def _with_answers(self, result: Result, scores: Scores | None) -> Result:
        """Return a result with all registered answers; the same object if no answer changed."""
        answers: dict[str, Any] = {}
        for answering in self._answering.values():
            answers |= answering(result, scores)
        answers = {name: answer for name, answer in answers.items() if answer is not None}
        before = result.answers
        is_same = answers.keys() == before.keys()
        is_same = is_same and all(answer is before[name] for name, answer in answers.items())
        return result if is_same else replace(result, answers=answers)


class History(Generic[State]):
    """An undo history: states, the index of the present state, and a clock to tell drags apart."""

    def __init__(self, first: State, *, clock: Callable[[], float] = monotonic) -> None:
        self.first = first
        self._clock = clock
        self._states = [first]
        self._at = 0
        self._open: Hashable = None  # the kind of change that the next one may continue
        self._changed_at = -DRAG_GAP

    @property
    def present_state(self) -> State:
        """The present state."""
        return self._states[self._at]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone step to redo."""
        return self._at < len(self._states) - 1

    @property
    def can_reset(self) -> bool:
        """Whether the present state differs from the first state."""
        return self.present_state != self.first

    @property
    def previous_state(self) -> State:
        """The state before the present state; ValueError if there is no earlier state."""
        if not self.can_undo:
            raise ValueError("undo must follow a change, got nothing to undo")
        return self._states[self._at - 1]

    @property
    def next_state(self) -> State:
        """The state after the present state; ValueError if there is no later state."""
        if not self.can_redo:
            raise ValueError("redo must follow an undo, got nothing to redo")
        return self._states[self._at + 1]

    def add(self, state: State, drag_kind: Hashable = None) -> None:
        """Append a state; a state of the same drag as the last state replaces the last state."""
        if state == self.present_state:
            return
        now = self._clock()
        is_same_drag = drag_kind is not None and drag_kind == self._open
        is_same_step = is_same_drag and now - self._changed_at < DRAG_GAP
        kept = self._states[: self._at + (0 if is_same_step else 1)]
        # A drag that returns to where it began leaves no step.
        if is_same_step and state == kept[-1]:
            drag_kind = None
        else:
            kept.append(state)
        self._states = kept[-1 - MOST_UNDO_STEPS :]  # a new list: a copy of the history stays
        self._at = len(self._states) - 1
        self._open, self._changed_at = drag_kind, now

    def move_by(self, n_states: int) -> None:
        """Go `n_states` forward, or back if negative; the next change continues no earlier drag."""
        self._at += n_states
        self._open = None


def _call_and_list_errors(calls: Iterable[Callable[[], None]]) -> list[Exception]:
    """Call every function, even after exceptions; return all exceptions."""
    raised = []
    for call in calls:
        try:
            call()
        except Exception as error:
            raised.append(error)
    return raised
