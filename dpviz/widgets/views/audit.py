"""The audit in one view: what these records show of the claim, and what they could have shown."""

import asyncio
from typing import ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.audit_sentences import RATES_CAPTION, RATES_HEAD, rates
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import EVIDENCE
from dpviz.widgets.controls import Menu
from dpviz.widgets.job import Job
from dpviz.widgets.view import FigureView, block, columns, html_table

LEVELS = {"0.9": 0.9, "0.95": 0.95, "0.99": 0.99}
RECORDS = {
    "train and hold-out losses of one model": "instance",
    "one canary in and out of retrainings, or random inclusion": "mechanism",
}
PAUSE = 0.3
"""Seconds without a further change before the work begins."""


class AuditView(FigureView):
    """The claim against the lower bound, the ceiling of these records, and chance.

    What takes a moment is worked out beside the live picture once a browser shows it and nothing
    has changed for a moment; else when `work_out` is called. So a notebook that is run to be saved
    says that it is not worked out, not that it is about to be.
    """

    is_wide: ClassVar[bool] = True

    def contents(self) -> list[ipywidgets.Widget]:
        """The picture and what to ask beside the answer in words, the rates below both."""
        title, error, picture, *rest = super().contents()
        texts, extras = rest[: len(self.scene().sentences)], rest[len(self.scene().sentences) :]
        layout = ipywidgets.Layout(min_width="0", overflow="hidden")
        boxes = [
            ipywidgets.VBox(widgets, layout=layout) for widgets in ([picture, *extras[:-1]], texts)
        ]
        return [title, error, columns(boxes, narrowest=380), self.table]

    def scene(self) -> Scene:
        """Its axes and layers."""
        return EVIDENCE

    def extras(self) -> list[ipywidgets.Widget]:
        """What to ask, how the work goes, the rates as a table."""
        self._asked: tuple[object, ...] = ()
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change),
            Menu("applies_to", "these records are", RECORDS, self.change),
        ]
        self.button = ipywidgets.Button(
            description="work it out",
            layout=ipywidgets.Layout(width="auto", align_self="flex-start", display="none"),
        )
        self.button.on_click(lambda _: self.work_out())
        self._progress, self.table = ipywidgets.HTML(), ipywidgets.HTML()
        self.job = Job(self._say)
        self.observe(lambda _: self.job.cancel(), names="comm")  # closed: nobody waits
        if self.store.live is not None:
            self.store.live.observe(lambda _: self._begin(), names="ready")
        row = ipywidgets.Layout(flex_flow="row wrap")
        return [
            ipywidgets.HBox([control.widget for control in self.controls], layout=row),
            self.button,
            self._progress,
            self.job.widget,
            self.table,
        ]

    def draw(self, result: Result) -> None:
        """Show what is known; begin what is not."""
        sample = result.sample
        super().draw(result)
        for control in self.controls:
            control.follow(result.spec)
        self.table.value = html_table(RATES_CAPTION, RATES_HEAD, rates(result)) if sample else ""
        pending = (self.store.scores, *sample.audit.pending) if sample else ()
        if pending != self._asked:
            self._asked = pending
            if self.job.is_running:
                self.job.cancel()
            self._say("")
            self._begin()
        is_idle = len(pending) > 1 and not self.job.is_running
        self.button.layout.display = None if is_idle else "none"

    def work_out(self) -> None:
        """Work out what is pending, beside the live picture where there is an event loop."""
        if self.store.scores is None:
            return
        spec = self.store.spec
        self.button.layout.display = "none"
        self.job.run(
            "working out bound, ceiling and chance ...",
            lambda progress: self.store.prepare_audit(spec, progress=progress),
            lambda _: self._show(),
            stopped=self._offer,
            pause=PAUSE,
        )

    def _begin(self) -> None:
        live = self.store.live
        is_watched = self.comm is not None and (live is None or live.ready)
        if len(self._asked) > 1 and is_watched and _has_loop() and not self.job.is_running:
            self.work_out()

    def _show(self) -> None:
        self._say("")
        self.store.refresh()

    def _offer(self) -> None:
        self.button.layout.display = None

    def _say(self, text: str) -> None:
        self._progress.value = block("dpviz-sentence", text, role="status") if text else ""


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
