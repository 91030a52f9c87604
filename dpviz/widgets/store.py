"""The one state behind linked views, and the only one that writes it."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from traitlets import TraitError

from dpviz.analysis import Analysis, Result, Spec
from dpviz.audit import AttackScores
from dpviz.audit.resampling import Progress


class SpecError(TraitError, ValueError):
    """An illegal value for a field of the spec; nothing was changed.

    Both classes on purpose: a `ValueError` for Python callers, a `TraitError` so that traitlets
    rolls a trait back, whoever set it.
    """


class Store:
    """A spec, the analysis of the loaded scores, and their result.

    Linking two views is giving them the same store. One change makes one result; drawers get it
    first, then followers are told, who may ask for further changes.

    Parameters
    ----------
    scores : AttackScores, optional
    spec : Spec, optional
    """

    def __init__(self, scores: AttackScores | None = None, spec: Spec | None = None) -> None:
        self._analysis = Analysis(scores)
        self._result = self._analysis.result(spec or Spec())
        self._drawers: list[Callable[[Result], None]] = []
        self._followers: list[Callable[[], None]] = []
        self._drawing = False

    @property
    def spec(self) -> Spec:
        """The current spec."""
        return self._result.spec

    @property
    def scores(self) -> AttackScores | None:
        """The loaded scores."""
        return self._analysis.scores

    @property
    def result(self) -> Result:
        """The current result."""
        return self._result

    def subscribe(self, draw: Callable[[Result], None], follow: Callable[[], None]) -> None:
        """Call `draw` with the result now and at every change, then `follow`."""
        self._drawers.append(draw)
        self._followers.append(follow)
        draw(self._result)
        follow()

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
        if self._drawing:  # what a view writes back while it draws is an echo
            return
        spec = self.checked(**changes)
        if spec != self.spec:
            self._publish(self._analysis, spec)

    def prepare(self, spec: Spec) -> None:
        """Work out the result for a spec beforehand; any thread may, nothing is shown."""
        self._analysis.prepare(spec)

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Work out the slow parts of the audit; any thread may, `refresh` shows them."""
        self._analysis.prepare_audit(spec, progress=progress)

    def refresh(self) -> None:
        """Show what was worked out meanwhile."""
        self._publish(self._analysis, self.spec)

    def load(self, scores: AttackScores | None) -> None:
        """Replace the scores; None leaves the claim's side only."""
        if scores is not self.scores:
            self._publish(Analysis(scores), self.spec)

    def fpr_at_threshold(self, threshold: float) -> float:
        """The FPR the loaded sample realises at a threshold in the unit its numbers came in."""
        return self._analysis.at_threshold(threshold).fpr

    def _publish(self, analysis: Analysis, spec: Spec) -> None:
        result = analysis.result(spec)  # raises before anything has changed
        self._analysis, self._result = analysis, result
        self._drawing = True
        failures = _failures(partial(draw, result) for draw in self._drawers)
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
