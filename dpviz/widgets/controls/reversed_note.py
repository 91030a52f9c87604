"""A note about scores that look reversed, with the buttons that mend them."""

from collections.abc import Callable

from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.description import reversed_remark
from dpviz.widgets.base.html import Html, block, button, row
from dpviz.widgets.base.view import View

REMARK = "The attack is worse than random guessing: the {unit} look reversed."


class ReversedNote:
    """Shown while the scores of the store of `view` look reversed and nobody has kept them so.

    A press loads other scores: a step that can be undone.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._seen: Scores | None = None
        self.text = Html()
        self.turn = button("", lambda: self._load(lambda scores: scores.reversed()))
        self.swap = button(
            "swap members and non-members", lambda: self._load(lambda scores: scores.swapped())
        )
        self.keep = button("keep as is", self._hide)
        self.widget = row([self.text, self.turn, self.swap, self.keep])
        self.widget.add_class("dpviz-warnings")
        self._hide()

    def follow(self) -> None:
        """Look at scores that are new."""
        scores = self._view.store.scores
        if scores is self._seen:
            return
        self._seen = scores
        self._hide()
        if scores is not None and reversed_remark(scores):
            is_loss = scores.kind == "loss"
            unit = "losses" if is_loss else "scores"
            self.text.value = block("dpviz-sentence", REMARK.format(unit=unit))
            self.turn.description = "high = member" if is_loss else "low = member"
            self.widget.is_hidden = False

    def _load(self, mend: Callable[[Scores], Scores]) -> None:
        if self._seen is not None:
            with self._view.guarded():
                self._view.store.load(mend(self._seen))

    def _hide(self) -> None:
        self.widget.is_hidden = True
