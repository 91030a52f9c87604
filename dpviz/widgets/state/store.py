"""The one state behind linked views, and the only one that writes it."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any

from traitlets import TraitError

from dpviz.analysis import Analysis, Result, Spec
from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress
from dpviz.widgets.history import History

if TYPE_CHECKING:
    from dpviz.widgets.live import Live

DRAGGED = {"epsilon", "delta", "prior", "fpr", "fnr", "claim"}
"""Fields that change many times in one movement of the hand."""


class SpecError(TraitError, ValueError):
    """An illegal value for a field of the spec; nothing was changed.

    Both classes on purpose: a `ValueError` for Python callers, a `TraitError` so that traitlets
    rolls a trait back, whoever set it.
    """


@dataclass(frozen=True)
class Shown:
    """What a step of the history goes back to; scores are the same only if they are one object."""

    spec: Spec
    scores: Scores | None


class Store:
    """A spec, the analysis of the loaded scores, and their result.

    Linking two views is giving them the same store. One change makes one result; drawers get it
    first, then followers are told, who may ask for further changes. Every change is a step that
    can be taken back; what comes of one drag is one step.

    Parameters
    ----------
    scores : AttackScores or BinnedScores, optional
    spec : Spec, optional
    clock : callable
        Seconds since some moment: it tells a drag from changes with a pause between.
    """

    def __init__(
        self,
        scores: Scores | None = None,
        spec: Spec | None = None,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._analysis = Analysis(scores)
        self._result = self._analysis.result(spec or Spec())
        self._history = History(Shown(self.spec, scores), clock=clock)
        self._drawers: list[Callable[[Result], None]] = []
        self._followers: list[Callable[[], None]] = []
        self._drawing = False
        # A kernel may handle what the browser says beside a running cell, in another thread.
        self._lock = RLock()

    @property
    def spec(self) -> Spec:
        """The current spec."""
        return self._result.spec

    @property
    def scores(self) -> Scores | None:
        """The loaded scores."""
        return self._analysis.scores

    @property
    def result(self) -> Result:
        """The current result."""
        return self._result

    @cached_property
    def live(self) -> "Live | None":
        """The browser's half of the store; None where its bundle is missing."""
        try:
            from dpviz.widgets.live import Live  # reads the bundle
        except FileNotFoundError:
            return None
        live = Live(self._result, self._lock)
        self._followers.append(lambda: live.follow(self._result))
        return live

    def subscribe(self, draw: Callable[[Result], None], follow: Callable[[], None]) -> None:
        """Call `draw` with the result now and at every change, then `follow`."""
        with self._lock:
            self._drawers.append(draw)
            self._followers.append(follow)
            draw(self._result)
            follow()

    def unsubscribe(self, draw: Callable[[Result], None], follow: Callable[[], None]) -> None:
        """Call them no more."""
        with self._lock:
            self._drawers = [each for each in self._drawers if each != draw]
            self._followers = [each for each in self._followers if each != follow]

    def checked(self, **changes: Any) -> Spec:
        """The spec these changes would make.

        Raises
        ------
        SpecError
            If a name is unknown or a value is illegal.
        """
        try:
            return self.spec.changed(**changes)
        except ValueError as error:
            raise SpecError(str(error)) from error

    def update(self, **changes: Any) -> None:
        """Change fields of the spec; a spec equal to the current one is silence.

        Raises
        ------
        SpecError
            As `checked`; nothing is changed then.
        """
        with self._lock:
            if self._drawing:  # what a view writes back while it draws is an echo
                return
            spec = self.checked(**changes)
            if spec != self.spec:
                drag = (frozenset(changes), type(spec.claim)) if changes.keys() <= DRAGGED else None
                self._show(Shown(spec, self.scores), kind=drag)

    def prepare(self, spec: Spec) -> None:
        """Work out the result for a spec beforehand; any thread may, nothing is shown."""
        self._analysis.prepare(spec)

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Work out the slow parts of the audit; any thread may, `refresh` shows them."""
        self._analysis.prepare_audit(spec, progress=progress)

    def refresh(self) -> None:
        """Show what was worked out meanwhile."""
        with self._lock:
            self._show(Shown(self.spec, self.scores))

    def load(self, scores: Scores | None) -> None:
        """Replace the scores; None leaves the claim's side only."""
        with self._lock:
            if scores is not self.scores:
                self._show(Shown(self.spec, scores))

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back and nothing else has changed since."""
        return self._history.can_redo

    @property
    def can_reset(self) -> bool:
        """Whether spec or scores are not those the store began with."""
        return self._history.can_reset

    def undo(self) -> None:
        """Take the last step back; ValueError if there is none."""
        with self._lock:
            self._publish(self._history.before, partial(self._history.move, -1))

    def redo(self) -> None:
        """Do again what was taken back; ValueError if there is nothing."""
        with self._lock:
            self._publish(self._history.after, partial(self._history.move, +1))

    def reset(self) -> None:
        """Show what the store began with; a step like any other."""
        with self._lock:
            if self.can_reset:
                self._show(self._history.first)

    def fpr_at_threshold(self, threshold: float) -> float:
        """The FPR the loaded sample realises at a threshold in the unit its numbers came in."""
        return self._analysis.at_threshold(threshold).fpr

    def _show(self, shown: Shown, *, kind: Hashable = None) -> None:
        self._publish(shown, partial(self._history.add, shown, kind))

    def _publish(self, shown: Shown, remember: Callable[[], None]) -> None:
        with self._lock:
            is_loaded = shown.scores is self.scores
            analysis = self._analysis if is_loaded else Analysis(shown.scores)
            result = analysis.result(shown.spec)  # raises before anything has changed
            self._analysis, self._result = analysis, result
            remember()
            self._drawing = True
            try:
                failures = _failures(partial(draw, result) for draw in self._drawers)
            finally:  # an interrupted kernel, too, hears the next change
                self._drawing = False
            failures += _failures(self._followers)
            if failures:  # one view's failure leaves no other view behind
                raise failures[0]


def _failures(calls: Iterable[Callable[[], None]]) -> list[Exception]:
    """Make every call, whatever the others do; return what they raised."""
    raised = []
    for call in calls:
        try:
            call()
        except Exception as error:
            raised.append(error)
    return raised
