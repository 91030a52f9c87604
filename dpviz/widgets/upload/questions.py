"""What a file leaves open, asked in menus: which column, which unit."""

from collections.abc import Callable, Iterable

import ipywidgets

from dpviz.data.formats.format import quoted
from dpviz.widgets.view import block

ASKED = {
    "score": "Which column holds the loss or score?",
    "member": "Which column says who is a member?",
    "kind": "Which end of it is member-like?",
    "group": "Which column holds the group?",
}
SAID = {("kind", "loss"): "low = member (loss)", ("kind", "score"): "high = member (score)"}
NOT_CHOSEN = "choose ..."


class Questions:
    """One menu for each question, and the buttons to go on or not.

    Questions stay until they are cleared, so that an answer can be changed after another one.

    Parameters
    ----------
    read, cancel : callable
        What the buttons do; `read` is offered when all is answered.
    """

    def __init__(self, read: Callable[[], None], cancel: Callable[[], None]) -> None:
        self.menus: dict[str, ipywidgets.Dropdown] = {}
        self._text = ipywidgets.HTML()
        auto = ipywidgets.Layout(width="auto")
        self.read = ipywidgets.Button(description="read", layout=auto)
        self.cancel = ipywidgets.Button(description="cancel", layout=auto)
        self.read.on_click(lambda _: read())
        self.cancel.on_click(lambda _: cancel())
        self._rows = ipywidgets.VBox()
        buttons = ipywidgets.HBox([self.read, self.cancel])
        self.widget = ipywidgets.VBox([self._text, self._rows, buttons])
        self.widget.add_class("dpviz-questions")
        self.clear()

    @property
    def answers(self) -> dict[str, str]:
        """By what was asked."""
        return {role: menu.value for role, menu in self.menus.items()}

    def ask(self, name: str, role: str, choices: Iterable[str]) -> None:
        """Ask one more question about a file; nothing is chosen beforehand."""
        options = [(SAID.get((role, c), quoted(c)), c) for c in choices if c]  # quoted: it is data
        menu = ipywidgets.Dropdown(
            options=[(NOT_CHOSEN, ""), *options],
            description=ASKED.get(role, f"Which {role}?"),
            style={"description_width": "21em"},
            layout=ipywidgets.Layout(width="auto", max_width="44em"),
        )
        menu.observe(lambda _: self._look(), names="value")
        self.menus[role] = menu
        text = f"{name} is not read yet: it can be read in more than one way."
        self._text.value = block("dpviz-sentence", text, role="status")
        self._rows.children = [*self.menus.values()]
        self.widget.layout.display = None
        self._look()

    def clear(self) -> None:
        """Ask nothing."""
        self._rows.children = []
        for menu in self.menus.values():
            menu.close()
        self.menus = {}
        self._text.value = ""
        self.widget.layout.display = "none"

    def _look(self) -> None:
        self.read.disabled = not all(self.answers.values())
