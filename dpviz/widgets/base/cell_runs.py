"""A cell that is run again releases the views that it showed before.

Without it the kernel and the browser keep every view of every run of a cell. A front end says with
each request to run code which cell it is from; one that does not releases nothing.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import ipywidgets
from IPython import get_ipython


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
