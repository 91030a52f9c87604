"""The audit in one view: what these records show of the claim, and what they could have shown."""

from typing import ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.sentences.registry import TABLES
from dpviz.pictures.scenes import EVIDENCE
from dpviz.widgets.base.html import button, columns, html_table, row, sentence, stack
from dpviz.widgets.base.job import Job, event_loop
from dpviz.widgets.base.view import FigureView, ViewParts
from dpviz.widgets.controls.fields import Menu

LEVELS = {"0.9": 0.9, "0.95": 0.95, "0.99": 0.99}
RECORDS = {
    "train and hold-out losses of one model": "instance",
    "one canary in and out of retrainings, or random inclusion": "mechanism",
}
PAUSE = 0.3  # seconds without a further change before the work begins


class AuditView(FigureView):
    """The claim against the lower bound, the ceiling of these records, and chance.

    The slow parts are computed in the background once a browser shows the view and nothing has
    changed for a moment; otherwise when `compute` is called. So a notebook that is run to be saved
    says that they are not computed, rather than that they are about to be.

    Examples
    --------
    >>> from dpviz.widgets import AuditView
    >>> view = AuditView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=1.0)
    >>> view.result.sample.audit.bound is None  # until it is computed
    True
    """

    scene = EVIDENCE
    is_wide: ClassVar[bool] = True

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        boxes = [stack([parts.figure, *parts.controls]), stack(parts.sentences)]
        return [parts.title, parts.error, columns(boxes, narrowest=380), self.table]

    def make_controls(self) -> list[ipywidgets.Widget]:
        self._asked: tuple[object, ...] = ()
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change),
            Menu("applies_to", "these records are", RECORDS, self.change),
        ]
        self.button = button("Compute", self.compute, align_self="flex-start", display="none")
        self.progress, self.table = ipywidgets.HTML(), ipywidgets.HTML()
        self.job = Job(self._say)
        self.observe(lambda _: self.job.cancel(), names="comm")  # closed
        if self.store.live is not None:
            self.store.live.observe(lambda _: self._begin(), names="ready")
        menus = row(control.widget for control in self.controls)
        return [menus, self.button, self.progress, self.job.widget]

    def draw(self, result: Result) -> None:
        sample = result.sample
        super().draw(result)
        self.table.value = html_table(*TABLES["rates"](result)) if sample else ""
        pending = (self.store.scores, *sample.audit.pending) if sample else ()
        if pending != self._asked:
            self._asked = pending
            if self.job.is_running:
                self.job.cancel()
            self._say("")
            self._begin()
        is_idle = len(pending) > 1 and not self.job.is_running
        self.button.layout.display = None if is_idle else "none"

    def compute(self) -> None:
        """Compute what is pending, in the background where there is an event loop."""
        if self.store.scores is None:
            return
        spec = self.store.spec
        self.button.layout.display = "none"
        self.job.run(
            "computing bound, ceiling and chance level ...",
            lambda progress: self.store.prepare_audit(spec, progress=progress),
            lambda _: self._show(),
            stopped=self._offer,
            pause=PAUSE,
        )

    def _begin(self) -> None:
        live = self.store.live
        is_watched = self.comm is not None and (live is None or live.ready)
        if (
            len(self._asked) > 1
            and is_watched
            and event_loop() is not None
            and not self.job.is_running
        ):
            self.compute()

    def _show(self) -> None:
        self._say("")
        self.store.refresh()

    def _offer(self) -> None:
        self.button.layout.display = None

    def _say(self, text: str) -> None:
        self.progress.value = sentence(text)
