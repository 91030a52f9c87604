"""Buttons and notes: undo and redo, recording an answer, resampling, reversed scores."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

import ipywidgets

from dpviz.analysis import Result, Spec
from dpviz.analysis.topics.epsilon_star import bootstrap_spread, permutation_p_value
from dpviz.audit import bootstrap, permutation_test
from dpviz.audit.scores.base import Scores, reversed_remark
from dpviz.widgets.base.html import Html, ToggleButton, block, button, row, sentence, stack
from dpviz.widgets.base.job import Job
from dpviz.widgets.base.picture_menu import Action, ActionMenu
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


# A button that records what is shown as one line of text, to paste as an answer.

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


# Buttons for a permutation test and a bootstrap of Epsilon*, and their answers.


class ResamplingButtons:
    """A permutation test and a bootstrap of the displayed estimate, in the background.

    An answer belongs to one estimate: when that changes, answer and work are dropped. `scores`
    returns the loaded scores.
    """

    def __init__(self, scores: Callable[[], Scores | None]) -> None:
        self._scores = scores
        self.job = Job(self.say)
        self._result: Result | None = None
        self.text = Html()
        self.buttons = [
            self._button("permutation p-value", permutation_test, permutation_p_value),
            self._button("bootstrap spread", bootstrap, bootstrap_spread),
        ]
        self.widget = row(self.buttons)

    def follow(self, result: Result) -> None:
        """Drop answers about another estimate."""
        if _asked(self._result) is not _asked(result):
            if self.job.is_running:
                self.job.cancel()
            self.say("")
        self._result = result
        for each in self.buttons:
            each.disabled = result.sample is None

    def say(self, text: str) -> None:
        """Show one answer."""
        self.text.value = sentence(text)

    def _button(
        self, label: str, resample: Callable[..., Any], write: Callable[..., str]
    ) -> ipywidgets.Button:
        return button(label, lambda: self._compute(label, resample, write))

    def _compute(self, label: str, resample: Callable[..., Any], write: Callable[..., str]) -> None:
        scores, result = self._scores(), self._result
        if scores is None or result is None or result.sample is None:
            return
        star, spec = result.sample.epsilon_star.star, result.spec
        work = partial(
            resample,
            scores,
            delta=star.suprema.delta,
            clip=star.suprema.clip,
            method=spec.method,
            transform=spec.transform,
            components=spec.components,
        )
        self.job.run(
            f"{label}: at work ...",
            lambda progress: work(progress=progress),
            lambda found: self.say(write(found, star)),
        )


def _asked(result: Result | None) -> object:
    return result.sample.epsilon_star if result is not None and result.sample is not None else None


# A note about scores that look reversed, with the buttons that mend them.

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
