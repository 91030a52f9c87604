"""A button that records what is shown as one line of text, to paste as an answer."""

from collections.abc import Callable
from html import escape

import ipywidgets

from dpviz.analysis import Spec
from dpviz.widgets.base.action_menu import Action, ActionMenu
from dpviz.widgets.base.html import Html, block
from dpviz.widgets.base.view import View

RECORDED = "Recorded and copied. Paste this line between the quotes of your answer:"
CHANGED = "The picture was moved since. Press Record answer again to record it as it is now."
LINE = (  # one click selects all of it
    '<code class="dpviz-recorded" tabindex="0" role="textbox" aria-readonly="true" '
    'aria-label="recorded answer" style="display: block; user-select: all; '
    'overflow-wrap: anywhere; line-height: 1.4;">{line}</code>'
)


class RecordButton:
    """The button, `menu`, which copies the line that `answer` returns; `text` shows the line.

    `line` is what was recorded last; "" before that.
    """

    def __init__(self, view: View, answer: Callable[[], str]) -> None:
        self._view, self._answer = view, answer
        self._recorded: Spec | None = None
        self.line = ""
        action = Action(text="Record answer", act=self._record)
        self.menu = ActionMenu("", "record what is shown as an answer", {"record": action})
        self.menu.layout = ipywidgets.Layout(
            border="1px solid var(--jp-border-color1)", height="30px", overflow="hidden"
        )
        self.text = Html()

    def follow(self) -> None:
        """Say so where what is shown is not what was recorded."""
        if self._recorded is not None:
            note = RECORDED if self._view.store.spec == self._recorded else CHANGED
            line = LINE.format(line=escape(self.line))
            self.text.value = block("dpviz-sentence", note, role="status") + line

    def _record(self) -> None:
        self.line, self._recorded = self._answer(), self._view.store.spec
        self.menu.copy(self.line)
        self.menu.said = ""  # the text below says it
        self.follow()
