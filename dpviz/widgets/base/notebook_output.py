"""Views in a notebook: the cells that show them, and static pictures for the notebook's file."""

import os
from asyncio import TimerHandle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import ipywidgets
from IPython import get_ipython
from IPython.display import display

from dpviz.widgets.base.job import running_loop
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.state.store import Store

show: Callable[..., Any] = display  # IPython has no types
CLOSED = "This view is closed: close() was called, or the cell that made it was run again."
REDRAW_DELAY = 1.0  # seconds without a further change before the picture in the file is redrawn


class CellRun(NamedTuple):
    """One run of a notebook cell: the cell's id, and the id of the message that started the run."""

    cell: str
    request: str

    @classmethod
    def current(cls) -> "CellRun | None":
        """Return the cell run that executes this code, or None if the cells have no ids."""
        kernel = getattr(get_ipython(), "kernel", None)
        if kernel is None:
            return None
        request: dict[str, Any] = kernel.get_parent()
        cell = request.get("metadata", {}).get("cellId")
        return cls(cell, request["header"]["msg_id"]) if isinstance(cell, str) else None


@dataclass(kw_only=True)
class ShownView:
    """A view, the cell run that made it, and for each cell the last run that showed it."""

    view: ipywidgets.Widget
    made: CellRun
    runs: dict[str, CellRun] = field(default_factory=dict)


class CellsShowingViews:
    """The views that a notebook's cells show; views that no user can reach any more are closed."""

    # If the front end sends no cell ids, all views stay open.

    def __init__(self) -> None:
        self._views: dict[int, ShownView] = {}
        self._last: dict[str, CellRun] = {}

    def record_shown(self, view: ipywidgets.Widget, *, created_by: CellRun | None) -> None:
        """Record that the current cell run shows `view`, which the cell run `created_by` made."""
        run = CellRun.current()
        if run is None or created_by is None:
            return
        # IPython tells when a cell has ended, from the first view on.
        if not self._last:
            cast(Any, get_ipython()).events.register("post_run_cell", self._close_unused_views)
        self._last.setdefault(created_by.cell, created_by)
        self._last[run.cell] = run
        if id(view) not in self._views:
            self._views[id(view)] = ShownView(view=view, made=created_by)
            view.observe(lambda _: self._views.pop(id(view), None), names="comm")  # closed
        self._views[id(view)].runs[run.cell] = run

    def _close_unused_views(self, _result: object) -> None:
        """Close views of cells that ran again, unless a cell shows or a variable holds the view."""
        run = CellRun.current()
        if run is None:
            return
        self._last[run.cell] = run
        for shown in list(self._views.values()):
            # Only outputs of the last run of each cell are still on the page.
            shown.runs = {cell: run for cell, run in shown.runs.items() if run == self._last[cell]}
            is_made_again = shown.made != self._last[shown.made.cell]
            if is_made_again and not shown.runs and not _has_user_variable(shown.view):
                shown.view.close()
                _remove_from_output_history(shown.view)


def _has_user_variable(view: ipywidgets.Widget) -> bool:
    """Return whether a user's variable, whose name has no leading "_", refers to the view."""
    names = cast(Any, get_ipython()).user_ns
    return any(value is view for name, value in names.items() if not name.startswith("_"))


def _remove_from_output_history(view: ipywidgets.Widget) -> None:
    names = cast(Any, get_ipython()).user_ns
    outputs = names.get("_oh", {})
    for number in [number for number, value in outputs.items() if value is view]:
        del outputs[number]
        names.pop(f"_{number}", None)


SHOWN_VIEWS = CellsShowingViews()


class StaticOutput:
    """A cell's output with a static picture of a view, redrawn after changes of the store."""

    def __init__(
        self, view: ipywidgets.Widget, store: Store, make_mime_bundle: Callable[[], dict[str, str]]
    ) -> None:
        self._view, self._store, self._make_bundle = view, store, make_mime_bundle
        self._timer: TimerHandle | None = None
        self._shown = store.result
        self._output: Any = show(make_mime_bundle(), raw=True, display_id=True)
        store.subscribe(follow=self._redraw_soon)
        view.observe(self._unsubscribe_if_closed, names="comm")  # closed

    def _redraw_soon(self) -> None:
        """Redraw after `REDRAW_DELAY` seconds without a change; without an event loop, at once."""
        self._cancel_timer()
        loop = running_loop()
        if self._store.result is self._shown:
            return
        if loop is None:
            self._redraw_now()
        else:
            self._timer = loop.call_later(REDRAW_DELAY, self._redraw_now)

    def _redraw_now(self) -> None:
        with WIDGET_LOCK:
            self._shown = self._store.result
            self._output.update(self._make_bundle(), raw=True)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _unsubscribe_if_closed(self, _change: object) -> None:
        if self._view.comm is None:
            self._cancel_timer()
            self._store.unsubscribe(follow=self._redraw_soon)


def show_widget(widget: ipywidgets.Widget, bundle: dict[str, Any], **options: Any) -> bool:
    """Show a widget by its MIME bundle; in a terminal, show the bundle's text and return False."""
    if not is_in_notebook():
        show({"text/plain": bundle["text/plain"]}, raw=True)
        return False
    short = f"{type(widget).__name__}: a widget. Its picture follows."
    show({**bundle, "text/plain": short}, raw=True, **options)
    return True


def is_in_notebook() -> bool:
    """Return whether this code runs in a Jupyter kernel, not in IPython in a terminal."""
    return hasattr(get_ipython(), "kernel")


def is_run_unattended() -> bool:
    """Return whether a program such as nbconvert, but not Voila, runs the cell without a user."""
    if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return False
    request: dict[str, Any] = cast(Any, get_ipython()).kernel.get_parent()
    return not request.get("content", {}).get("allow_stdin", True)
