"""Buttons for undo, redo and reset, and the code of what is shown."""

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets

from dpviz.widgets.view import View

CODE = '<pre tabindex="0" role="region" aria-label="{label}" style="{style}">{text}</pre>'
LABEL = "Python code that shows the same"
STYLE = "overflow-x: auto; margin: 0; line-height: 1.4;"


class HistoryRow:
    """Steps back and forth, and a toggle that shows the view as Python.

    Parameters
    ----------
    view : View
        Whose store is changed, and whose error line says what was refused.
    code : callable
        Gives the Python text.
    """

    def __init__(self, view: View, code: Callable[[], str]) -> None:
        self._view, self._code = view, code
        self.undo = self._button("undo", "take the last change back", view.store.undo)
        self.redo = self._button("redo", "do again what was taken back", view.store.redo)
        self.reset = self._button("reset", "show what this began with", view.store.reset)
        self.show_code = ipywidgets.ToggleButton(
            description="show the code",
            tooltip="Python lines that show the same, to copy",
            layout=ipywidgets.Layout(width="auto"),
        )
        self.show_code.observe(self._toggled, names="value")
        self.text = ipywidgets.HTML(layout=ipywidgets.Layout(display="none", min_width="0"))
        buttons = ipywidgets.HBox(
            [self.undo, self.redo, self.reset, self.show_code],
            layout=ipywidgets.Layout(flex_flow="row wrap"),
        )
        self.widget = ipywidgets.VBox(
            [buttons, self.text], layout=ipywidgets.Layout(width="100%", min_width="0")
        )
        self.widget.add_class("dpviz-history")

    def follow(self) -> None:
        """Offer the steps there are; bring the code up to date where it is shown."""
        store = self._view.store
        self.undo.disabled = not store.can_undo
        self.redo.disabled = not store.can_redo
        self.reset.disabled = not store.can_reset
        if self.show_code.value:
            self._write()

    def _button(self, label: str, hint: str, act: Callable[[], None]) -> ipywidgets.Button:
        button = ipywidgets.Button(
            description=label, tooltip=hint, layout=ipywidgets.Layout(width="auto")
        )
        button.on_click(lambda _: self._act(act))
        return button

    def _act(self, act: Callable[[], None]) -> None:
        with self._view.guarded():
            act()

    def _toggled(self, change: Any) -> None:
        if change["new"]:
            self._write()
        self.text.layout.display = None if change["new"] else "none"

    def _write(self) -> None:
        try:
            text = self._code()
        except ValueError as error:  # a guarantee that only Python can make
            text = f"# no code: {error}"
        self.text.value = CODE.format(label=LABEL, style=STYLE, text=escape(text))
