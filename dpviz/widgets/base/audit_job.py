"""The slow parts of the audit, computed once for all views of a store."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.widgets.base.html import Html, Row, block, button
from dpviz.widgets.base.job import Job, event_loop
from dpviz.widgets.state.store import Store

PAUSE = 0.3  # seconds without a further change before the work for a change begins
LABEL = "computing the audit ..."


class AuditJob:
    """Computes the bound, the test of the claim, the ceiling and the chance level of a store.

    It begins once a browser shows a view that watches it, and, after a change, when nothing has
    changed for a moment; otherwise when `compute` is called. So a notebook that is run to be saved
    says that they are not computed, rather than that they are about to be. Each number is shown as
    soon as it is there.

    There is one for a store: ``store.shared(AuditJob)``. `widget` shows the progress, or a button
    where there is something to compute and nobody does; it always takes the same room.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._asked: frozenset[object] = frozenset()
        self._scores = store.scores
        self._watching: list[ipywidgets.Widget] = []
        self.button = button("Compute", self.compute, is_hidden=True)
        self.text = Html()
        self.job = Job(self._say, self._show)
        self.widget = Row(
            [self.button, self.job.widget, self.text],
            _dom_classes=["dpviz-audit-job"],
        )
        if store.live is not None:
            store.live.observe(lambda _: self._begin(), names="ready")
        store.subscribe(self._follow, lambda: None)

    def watch(self, view: ipywidgets.Widget) -> None:
        """Compute while a browser shows `view`; stop when the last one is closed."""
        self._watching.append(view)
        view.observe(lambda _: self._let_go(view), names="comm")
        self._begin()

    def compute(self, *, pause: float = 0.0) -> None:
        """Compute what is pending, in the background after `pause` where there is an event loop."""
        if self.store.scores is None:
            return
        self._asked = self._pending()
        self.button.is_hidden = True
        self.job.run(
            LABEL,
            # For what is chosen once the pause is over.
            lambda progress: self.store.prepare_audit(self.store.spec, progress=progress),
            lambda _: self._done(),
            stopped=self._offer,
            pause=pause,
        )

    def _follow(self, _result: Result) -> None:
        pending, is_loaded = self._pending(), self._scores is self.store.scores
        if not pending or not pending <= self._asked:  # a change, not a number that has come
            if self.job.is_running:
                self.job.cancel()
            self._say("")
            self._asked, self._scores = frozenset(), self.store.scores
            self._begin(pause=PAUSE if is_loaded else 0.0)
        self._offer()

    def _begin(self, *, pause: float = 0.0) -> None:
        live = self.store.live
        is_watched = bool(self._watching) and (live is None or live.ready)
        is_idle = bool(self._pending()) and not self.job.is_running
        if is_watched and is_idle and event_loop() is not None:
            self.compute(pause=pause)

    def _pending(self) -> frozenset[object]:
        """What is to compute, as it is now: names and arguments, of these scores."""
        sample = self.store.result.sample
        pending = sample.audit.pending if sample else ()
        return frozenset((id(self.store.scores), each) for each in pending)

    def _show(self, share: float) -> None:
        if share > 0:  # at 0 it begins
            self.store.refresh()

    def _done(self) -> None:
        self._say("")
        self.store.refresh()

    def _offer(self) -> None:
        is_idle = bool(self._pending()) and not self.job.is_running
        self.button.is_hidden = not is_idle

    def _say(self, text: str) -> None:
        self.text.value = block("dpviz-sentence", text) if text else ""

    def _let_go(self, view: ipywidgets.Widget) -> None:
        if view in self._watching:
            self._watching.remove(view)
        if not self._watching:
            self.job.cancel()
