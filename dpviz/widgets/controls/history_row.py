"""Buttons for undo, redo, reset and the Python code."""

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets

from dpviz.widgets.base.html import Html, ToggleButton, button, stack
from dpviz.widgets.base.view import View

CODE = '<pre tabindex="0" role="region" aria-label="{label}" style="{style}">{text}</pre>'
LABEL = "Python code that shows the same"
STYLE = "overflow-x: auto; margin: 0; line-height: 1.4;"


class HistoryRow:
    """Buttons for undo, redo and reset in the store of `view`, and a toggle that shows `code()`.

    `code` is the toggle with the text below it.
    """

    def __init__(self, view: View, code: Callable[[], str]) -> None:
        self._view, self._python = view, code
        self.undo = self._button("undo", "take the last change back", view.store.undo)
        self.redo = self._button("redo", "repeat the change that was taken back", view.store.redo)
        self.reset = self._button("reset", "show what this began with", view.store.reset)
        self.show_code = ToggleButton(
            description="Code",
            tooltip="Python lines that show the same, to copy",
            _dom_classes=["dpviz-button"],
        )
        self.show_code.observe(self._toggled, names="value")
        self.text = Html(is_hidden=True)
        self.undo.add_class("dpviz-undo")
        self.redo.add_class("dpviz-redo")
        self.code = stack([self.show_code, self.text])

    def follow(self) -> None:
        """Enable the steps that are possible; update the code if it is shown."""
        store = self._view.store
        self.undo.disabled = not store.can_undo
        self.redo.disabled = not store.can_redo
        self.reset.disabled = not store.can_reset
        if self.show_code.value:
            self._write()

    def _button(self, label: str, hint: str, act: Callable[[], None]) -> ipywidgets.Button:
        def guarded() -> None:
            with self._view.guarded():
                act()

        return button(label, guarded, tooltip=hint)

    def _toggled(self, change: Any) -> None:
        if change["new"]:
            self._write()
        self.text.is_hidden = not change["new"]

    def _write(self) -> None:
        try:
            text = self._python()
        except ValueError as error:  # a guarantee that only Python can make
            text = f"# no code: {error}"
        self.text.value = CODE.format(label=LABEL, style=STYLE, text=escape(text))
