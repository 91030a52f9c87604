"""The outputs of a view in a notebook: the widget, and a still picture for the notebook's file."""

import os
from asyncio import TimerHandle
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple, cast

import ipywidgets
from IPython import get_ipython
from IPython.display import display

from dpviz.analysis import Result
from dpviz.pictures.saved import still_class, still_html
from dpviz.widgets.base.job import event_loop
from dpviz.widgets.base.saving import PictureSavingMixin
from dpviz.widgets.received import LOCK


class CellRun(NamedTuple):
    """One run of a cell: the id of the cell and of the request."""

    cell: str
    request: str

    @classmethod
    def now(cls) -> "CellRun | None":
        """The run that this code belongs to; None outside of a cell of a notebook."""
        kernel = getattr(get_ipython(), "kernel", None)
        if kernel is None:
            return None
        request: dict[str, Any] = kernel.get_parent()
        cell = request.get("metadata", {}).get("cellId")
        return cls(cell, request["header"]["msg_id"]) if isinstance(cell, str) else None


@dataclass(kw_only=True)
class Kept:
    """A view, the run that made it, and by cell the runs that showed it."""

    view: ipywidgets.Widget
    made: CellRun
    shown: dict[str, CellRun] = field(default_factory=dict)


class CellRuns:
    """The views that cells show.

    A view is closed when the cell that made it has been run again, no cell shows it and no name
    stands for it. A cell shows what its last run showed.
    """

    def __init__(self) -> None:
        self._kept: dict[int, Kept] = {}
        self._last: dict[str, CellRun] = {}

    def shown(self, view: ipywidgets.Widget, *, made: CellRun | None) -> None:
        """Note that the run of a cell shows a view, and which one made it."""
        run = CellRun.now()
        if run is None or made is None:
            return
        if not self._last:
            cast(Any, get_ipython()).events.register("post_run_cell", self._ended)
        self._last.setdefault(made.cell, made)
        self._last[run.cell] = run
        if id(view) not in self._kept:
            self._kept[id(view)] = Kept(view=view, made=made)
            view.observe(lambda _: self._kept.pop(id(view), None), names="comm")  # closed
        self._kept[id(view)].shown[run.cell] = run

    def _ended(self, _result: object) -> None:
        """Release what the cell that has just been run, or another, no longer shows."""
        run = CellRun.now()
        if run is None:
            return
        self._last[run.cell] = run
        for kept in list(self._kept.values()):
            kept.shown = {cell: at for cell, at in kept.shown.items() if at == self._last[cell]}
            is_made_again = kept.made != self._last[kept.made.cell]
            if is_made_again and not kept.shown and not _is_named(kept.view):
                kept.view.close()
                _forget_outputs(kept.view)


def _is_named(view: ipywidgets.Widget) -> bool:
    """Whether a variable of the user, rather than one of IPython's own, is the view."""
    names = cast(Any, get_ipython()).user_ns
    return any(value is view for name, value in names.items() if not name.startswith("_"))


def _forget_outputs(view: ipywidgets.Widget) -> None:
    """Take a view out of IPython's history of outputs: `Out[5]` and `_5`."""
    names = cast(Any, get_ipython()).user_ns
    outputs = names.get("_oh", {})
    for number in [number for number, value in outputs.items() if value is view]:
        del outputs[number]
        names.pop(f"_{number}", None)


CELL_RUNS = CellRuns()

# The outputs of a view in a notebook: the widget, and a still picture for the notebook's file.

show: Callable[..., Any] = display  # IPython has no types
CLOSED = "This view is closed: close() was called, or the cell that made it was run again."
PAUSE = 1.0  # seconds without a further change before the picture in the file is redrawn


class NotebookOutputMixin(PictureSavingMixin):
    """Shows a view in a notebook, with a second output that front ends keep in its file.

    The widget hides the second output wherever it lives. `made_in` is the run of the cell that made
    the view.
    """

    made_in: CellRun | None

    @property
    def still_class(self) -> str:
        """CSS class of the still picture, which is hidden where the view itself is shown."""
        return still_class(self.model_id[:8])

    def still(self) -> dict[str, str]:
        """Return the MIME bundle of a still picture: what a page without widgets shows."""
        key, pictures = self.model_id[:8], self.on_screen()
        svg = self.svg_of(pictures, f"still-{key}-") if pictures else ""
        headline = [self.result.sentences.get(name, "") for name in ("answer", "answer_detail")]
        html = still_html(
            key,
            headline=[text for text in headline if text],
            svg=svg,
            described=self.described(),
            moment=datetime.now(),
        )
        return {"text/html": html, **({"image/svg+xml": svg} if svg else {})}

    def described(self) -> str:
        """Return titles and sentences of the pictures as lines of text."""
        said = (
            [each.scene.title_of(self.result), *self.in_words(each)] for each in self.on_screen()
        )
        return "\n".join(chain.from_iterable(said))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget, and what it says as text."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": self.described() or bundle["text/plain"]}

    def _ipython_display_(self) -> None:
        """Show the widget, then the still picture, which follows later changes.

        Where nobody looks on, as under nbconvert, the audit is computed first, so that what is
        saved has the answer.
        """
        if self.comm is None:
            show({"text/plain": CLOSED}, raw=True)
            return
        CELL_RUNS.shown(self, made=self.made_in)
        bundle = self._repr_mimebundle_()
        if not in_notebook():
            show({"text/plain": bundle["text/plain"]}, raw=True)
            return
        short = f"{type(self).__name__}: a widget. Its picture follows."
        show({**bundle, "text/plain": short}, raw=True)
        for picture in self.on_screen():
            picture.make_figure()  # the still ones are on their way
        if runs_unattended():
            self.complete()
        StillOutput(self)


class StillOutput:
    """The still picture of a view as an output, redrawn when the view's store has changed."""

    def __init__(self, view: NotebookOutputMixin) -> None:
        self._view = view
        self._timer: TimerHandle | None = None
        self._shown = view.store.result
        self._output: Any = show(view.still(), raw=True, display_id=True)
        view.store.subscribe(self._look, self._refresh)
        view.observe(self._let_go, names="comm")  # closed

    def _look(self, _result: Result) -> None:
        """Wait for the views that draw the result."""

    def _refresh(self) -> None:
        """Redraw once nothing has changed for a moment, where there is an event loop."""
        self._cancel()
        loop = event_loop()
        if self._view.store.result is self._shown:
            return
        if loop is None:
            self._update()
        else:
            self._timer = loop.call_later(PAUSE, self._update)

    def _update(self) -> None:
        with LOCK:
            self._shown = self._view.store.result
            self._output.update(self._view.still(), raw=True)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _let_go(self, _change: object) -> None:
        if self._view.comm is None:
            self._cancel()
            self._view.store.unsubscribe(self._look, self._refresh)


def in_notebook() -> bool:
    """Whether a kernel runs this code, rather than IPython in a terminal."""
    return hasattr(get_ipython(), "kernel")


def runs_unattended() -> bool:
    """Whether a program such as nbconvert or papermill runs the cell, and nobody looks on.

    What runs a cell says whether it can ask a user for input. Voila cannot, but has a user.
    """
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return False
    request: dict[str, Any] = cast(Any, get_ipython()).kernel.get_parent()
    return not request.get("content", {}).get("allow_stdin", True)
