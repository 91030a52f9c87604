"""The claim: which guarantee, with which parameters, for which pairs, and its overlays."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import ipywidgets

from dpviz.analysis import Control, Result, Spec
from dpviz.analysis.claim_entries import ENTRIES, begin, edited, key_of
from dpviz.analysis.claim_parameters import Typed
from dpviz.analysis.closed_form import has_closed_form
from dpviz.analysis.spec import MOST_OVERLAYS
from dpviz.widgets.controls import Menu, NumberControl, TextBox
from dpviz.widgets.job import Job
from dpviz.widgets.view import View, block, columns

ADJACENCIES = {"replace one record": "replace_one", "add or remove one": "add_remove"}
OTHER = "from Python: {}"


class ClaimMenu:
    """A menu of guarantees, boxes and sliders for their parameters, buttons for overlays.

    Parameters
    ----------
    view : View
        Whose store is changed, and whose error line says what was refused.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._following = False
        self._asked_of = view.store.spec.claim
        self._titles = {entry.title: key for key, entry in ENTRIES.items()}
        self._shown = ""
        self.kind = ipywidgets.Dropdown(
            options=list(self._titles),
            description="claim",
            style={"description_width": "4.5em"},
            layout=ipywidgets.Layout(width="100%"),
        )
        self.kind.observe(self._picked, names="value")
        self.adjacency = Menu("adjacency", "adjacency", ADJACENCIES, self._edit)
        self.parameters: dict[str, NumberControl | TextBox] = {}
        self.keep = _button("keep this claim as an overlay", self._keep)
        self.clear = _button("clear overlays", lambda: view.change(overlays=()))
        self.implies = ipywidgets.HTML()
        self.job = Job(self._say)
        self._grid = columns([], narrowest=300)
        buttons = ipywidgets.Layout(flex_flow="row wrap", align_items="center")
        self.widget = ipywidgets.VBox(
            [
                self._grid,
                ipywidgets.HBox([self.keep, self.clear, self.job.widget], layout=buttons),
                self.implies,
            ],
            layout=ipywidgets.Layout(width="100%", min_width="0"),
        )
        self.widget.add_class("dpviz-claim-menu")

    def follow(self, result: Result) -> None:
        """Show the claim of the result."""
        spec = result.spec
        claim, key = spec.claim, key_of(spec.claim)
        if self.job.is_running and claim != self._asked_of:
            self.job.cancel()  # a newer claim came from elsewhere
        title = ENTRIES[key].title if key else OTHER.format(type(claim).__name__)
        self._following = True
        try:
            options = (*self._titles, *([] if key else [title]))
            if self.kind.options != options:
                self.kind.options = options
            self.kind.value = title
        finally:
            self._following = False
        live = self._view.store.live
        is_new = key != self._shown or not self._grid.children
        if is_new:
            if live is not None:
                live.forget(self)
            self._build(key)
        for name, control in self.parameters.items():
            shown = ENTRIES[key].parameters[name]
            if isinstance(control, NumberControl):
                control.show(claim.parameters[name])
            elif isinstance(shown, Typed):
                control.show(shown.write(claim))
        if is_new and has_closed_form(claim) and self._view.comm is not None:
            for name, control in self.parameters.items():
                if isinstance(control, NumberControl):
                    error, field = self._view.error_line, f"claim.{name}"
                    control.hand_over(live, owner=self, field=field, error=error)
        self.adjacency.follow(claim)
        self.keep.disabled = claim in spec.overlays or len(spec.overlays) == MOST_OVERLAYS
        self.clear.disabled = not spec.overlays
        self._say(result.sentences["implies"])

    def _build(self, key: str) -> None:
        shown = ENTRIES[key].parameters if key else {}
        self.parameters = {name: self._control(name, how) for name, how in shown.items()}
        boxes = [control.widget for control in self.parameters.values()]
        self._grid.children = (self.kind, self.adjacency.widget, *boxes)
        self._shown = key

    def _control(self, name: str, how: Control | Typed) -> NumberControl | TextBox:
        if isinstance(how, Control):
            return NumberControl(name, how, self._edit)
        return TextBox(how.label, how.help, partial(self._type, how))

    def _picked(self, change: Any) -> None:
        if not self._following:
            key = self._titles.get(change["new"])
            self._ask(lambda spec: begin(key, spec) if key else {}, key)

    def _type(self, how: Typed, text: str) -> None:
        def changes(spec: Spec) -> dict[str, Any]:
            return edited(spec, **how.read(spec.claim, text))

        self._ask(changes, self._shown)

    def _edit(self, **parameters: Any) -> None:
        self._ask(lambda spec: edited(spec, **parameters), self._shown)

    def _keep(self) -> None:
        spec = self._view.store.spec
        self._view.change(overlays=(*spec.overlays, spec.claim))

    def _ask(self, changes: Callable[[Spec], dict[str, Any]], key: str | None) -> None:
        """Change the claim; what takes long is worked out beside the picture, which stays."""
        view, store = self._view, self._view.store
        if self.job.is_running:
            self.job.cancel()
        asked: dict[str, Any] = {}
        self._asked_of = store.spec.claim
        with view.guarded():
            asked = changes(store.spec)
            store.checked(**asked)
        if view.error:
            self.follow(view.result)
        elif key in ENTRIES and not ENTRIES[key].slow:
            self._change(asked)
        else:
            self.job.run(
                "computing the curve ...",
                lambda _: self._prepare(asked),
                lambda _: self._change(asked),
                stopped=lambda: self.follow(view.result),
            )

    def _prepare(self, asked: dict[str, Any]) -> None:
        store = self._view.store
        with suppress(ValueError, ImportError):  # the change itself says what is refused
            store.prepare(store.checked(**asked))

    def _change(self, asked: dict[str, Any]) -> None:
        self._view.change(**asked)
        self.follow(self._view.result)  # also what was refused, or asks for what holds already

    def _say(self, text: str) -> None:
        self.implies.value = block("dpviz-sentence dpviz-implies", text, role="status")


def _button(label: str, act: Callable[[], None]) -> ipywidgets.Button:
    button = ipywidgets.Button(description=label, layout=ipywidgets.Layout(width="auto"))
    button.on_click(lambda _: act())
    return button
