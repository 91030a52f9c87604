"""Menus for what a file does not say: its columns, and which end is member-like."""

from collections.abc import Callable, Iterable

from dpviz.data.sources.options import quoted
from dpviz.widgets.base.html import Dropdown, Html, button, row, sentence, stack

ASKED = {
    "score": "Which column holds the loss or score?",
    "member": "Which column says who is a member?",
    "kind": "Which end of it is member-like?",
    "group": "Which column holds the group?",
}
SAID = {("kind", "loss"): "low = member (loss)", ("kind", "score"): "high = member (score)"}
NOT_CHOSEN = "choose ..."


class Questions:
    """One menu for each question, and buttons to read the file or to cancel.

    Questions stay until they are cleared, so that an answer can be changed after another one.
    `read` can be pressed when all are answered.
    """

    def __init__(self, read: Callable[[], None], cancel: Callable[[], None]) -> None:
        self.menus: dict[str, Dropdown] = {}
        self._text = Html()
        self.read, self.cancel = button("read", read), button("cancel", cancel)
        self._rows = stack()
        buttons = row([self.read, self.cancel])
        self.widget = stack([self._text, self._rows, buttons], css_class="dpviz-questions")
        self.clear()

    @property
    def answers(self) -> dict[str, str]:
        """The chosen answers by role."""
        return {role: menu.value for role, menu in self.menus.items()}

    def ask(self, name: str, role: str, choices: Iterable[str]) -> None:
        """Add a question about a file; nothing is chosen beforehand."""
        options = [(SAID.get((role, c), quoted(c)), c) for c in choices if c]  # quoted: it is data
        menu = Dropdown(
            options=[(NOT_CHOSEN, ""), *options],
            description=ASKED.get(role, f"Which {role}?"),
        )
        menu.observe(lambda _: self._look(), names="value")
        self.menus[role] = menu
        text = f"{name} is not read yet: it can be read in more than one way."
        self._text.value = sentence(text)
        self._rows.children = [*self.menus.values()]
        self.widget.is_hidden = False
        self._look()

    def clear(self) -> None:
        """Remove all questions."""
        self._rows.children = []
        for menu in self.menus.values():
            menu.close()
        self.menus = {}
        self._text.value = ""
        self.widget.is_hidden = True

    def _look(self) -> None:
        self.read.disabled = not all(self.answers.values())
