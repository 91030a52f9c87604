"""Controls that only an explorer has: a table of rates, undo, downloads and notes."""

import json
from collections.abc import Callable
from functools import partial
from html import escape
from importlib.util import find_spec
from typing import Any

import ipywidgets

from dpviz.analysis import Result, Spec
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.analysis.topics.answer import fpr_of_clearest_contradiction, short_claim_text
from dpviz.analysis.topics.readout import CELLS
from dpviz.analysis.words import WORDS, capitalised
from dpviz.audit.scores.base import Scores, warning_if_reversed
from dpviz.naming import Naming
from dpviz.number_format import percent
from dpviz.reports.write import report_as
from dpviz.widgets.base.files import ActionMenu, MenuItem
from dpviz.widgets.base.html import Html, ToggleButton, button, div, explained_term_html, row, stack
from dpviz.widgets.base.job import BackgroundJob
from dpviz.widgets.base.view import View

CODE_HTML = '<pre tabindex="0" role="region" aria-label="{label}" style="{style}">{text}</pre>'
CODE_LABEL = "Python code that shows the same page"
CODE_STYLE = "overflow-x: auto; margin: 0; line-height: 1.4;"
REPORTS = {  # text on the button and media type, by the ending of the file's name
    ".html": ("Report (HTML)", "text/html"),
    ".md": ("Report (Markdown)", "text/markdown"),
    ".pdf": ("Report (PDF)", "application/pdf"),
    ".json": ("Report (JSON)", "application/json"),
}
RECORDED_TEXT = "Recorded and copied. Paste this line between the quotes of your answer:"
CHANGED_TEXT = "The picture has changed. Press “Record answer” again."
ANSWER_LINE = (  # one click selects all of it
    '<code class="dpviz-recorded" tabindex="0" role="textbox" aria-readonly="true" '
    'aria-label="recorded answer" style="display: block; user-select: all; '
    'overflow-wrap: anywhere; line-height: 1.4;">{line}</code>'
)
# The name of each row and what it counts, by the name of the row's text.
READOUT = {
    "readout_caught": ("caught", "Flagged members per 100 members."),
    "readout_right": ("right", "Members per 100 people that the attack flags."),
    "readout_advantage": (
        "advantage",
        "Flagged per 100 members minus flagged per 100 non-members.",
    ),
    "readout_one_percent": ("caught", "Flagged members per 100 members at FPR 1 %.{clearest}"),
}
REVERSED_TEXT = "The attack is worse than random guessing: the {unit} look reversed."


class SelectedFprTable:
    """A table of rates at the selected FPR: those the claim allows and those the attack reached."""

    def __init__(self, view: View) -> None:
        self._live = view.store.live
        self._fixed: tuple[Naming, str, bool] | None = None  # what the browser does not write
        self.widget = Html(_dom_classes=["dpviz-readout"])
        view.own_widgets.append(self.widget)
        if self._live is not None:
            self._live.add_text_widget(view, "readout", self.widget)

    def update_from(self, result: Result) -> None:
        """Show a result, unless the browser shows it already."""
        is_live = self._live is not None and self._live.draws_closed_forms(result)
        fixed = result.naming, _clearest_fpr_hint(result), result.sample is None
        if is_live and self._fixed == fixed:
            return
        self._fixed = fixed
        said, renamed = result.sentences, result.naming.renamed
        *rows, last = (
            f'<tr data-name="{key}"><th scope="row">'
            f"{explained_term_html(renamed(name), renamed(meaning.format(clearest=fixed[1])))}</th>"
            f"<td>{'</td><td>'.join(map(escape, said[key].split(CELLS)))}</td></tr>"
            for key, (name, meaning) in READOUT.items()
        )
        head = f'<th scope="col" data-name="readout_claim">{escape(said["readout_claim"])}</th>'
        head += '<th scope="col">attack</th>' * (result.sample is not None)
        # The only row that is not at the FPR of the caption has a heading of its own.
        at_one_percent = renamed(WORDS["readout_at"].format(fpr=percent(DEFAULT_FPR)))
        self.widget.value = (
            f'<table><caption data-name="readout_at">{escape(said["readout_at"])}</caption>'
            f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody><tbody>"
            f'<tr><th scope="rowgroup" colspan="3">{escape(at_one_percent)}</th></tr>'
            f"{last}</tbody></table>"
        )


def _clearest_fpr_hint(result: Result) -> str:
    """Return a hint on the FPR where scores contradict the claim most clearly, or ""."""
    sample, fpr = result.sample, fpr_of_clearest_contradiction(result)
    if sample is None or fpr is None:
        return ""
    if sample.at_one_percent.tpr > result.claim.claim.tpr(DEFAULT_FPR):
        return ""
    claim = capitalised(short_claim_text(result))
    return f" {claim} is contradicted at another FPR, most clearly at {percent(fpr)}."


class UndoAndCodeButtons:
    """Buttons that undo, redo and reset changes of a view's store, and show Python code."""

    def __init__(self, view: View, make_code: Callable[[], str]) -> None:
        self._view, self._make_code = view, make_code
        self.undo = self._button("undo", "undo the last change", view.store.undo)
        self.redo = self._button("redo", "make the undone change again", view.store.redo)
        self.reset = self._button("reset", "return to the start", view.store.reset)
        look = {"tooltip": CODE_LABEL, "_dom_classes": ["dpviz-button"]}
        self.show_code = ToggleButton(description="Code", **look)
        self.show_code.observe(self._toggle_code, names="value")
        self.text = Html(is_hidden=True)
        self.undo.add_class("dpviz-undo")
        self.redo.add_class("dpviz-redo")
        self.code_widget = stack([self.show_code, self.text])

    def update(self) -> None:
        """Enable the buttons whose action is possible now, and rewrite the code if it is shown."""
        store = self._view.store
        self.undo.disabled = not store.can_undo
        self.redo.disabled = not store.can_redo
        self.reset.disabled = not store.can_reset
        if self.show_code.value:
            try:
                text = self._make_code()
            except ValueError as error:  # the claim is of a class that is not registered
                text = f"# no code: {error}"
            self.text.value = CODE_HTML.format(
                label=CODE_LABEL, style=CODE_STYLE, text=escape(text)
            )

    def _button(self, label: str, hint: str, act: Callable[[], None]) -> ipywidgets.Button:
        return button(label, self._view.showing_errors()(act), tooltip=hint)

    def _toggle_code(self, change: Any) -> None:
        self.text.is_hidden = not change["new"]
        self.update()


class SaveMenu:
    """A menu of downloads: reports, pictures, numbers, Python code and the state."""

    # PNG and SVG files have the pictures in sight; files with the audit wait until it is computed.

    def __init__(
        self, view: View, code: Callable[[], str], state: Callable[[], dict[str, Any]]
    ) -> None:
        def state_text() -> str:
            return json.dumps(state(), indent=2, ensure_ascii=False) + "\n"

        self._view = view
        reports = {
            f"privacy-report{ending}": (*named, partial(report_as, ending, view), True)
            for ending, named in REPORTS.items()
            if ending != ".pdf" or find_spec("weasyprint")
        }
        # By the name of the file: text and media type, content, whether the file has the audit.
        files: dict[str, tuple[str, str, Callable[[], str | bytes], bool]] = {
            **reports,
            "privacy-audit.html": ("Page (HTML)", "text/html", view.to_html, True),
            "privacy-audit.png": ("Pictures (PNG)", "image/svg+xml", view.svg_in_sight, True),
            "privacy-audit.svg": ("Pictures (SVG)", "image/svg+xml", view.svg_in_sight, True),
            "privacy-audit.csv": ("Numbers (CSV)", "text/csv", view.csv, True),
            "privacy-audit.py": ("Python code", "text/x-python", code, False),
            "privacy-audit.json": ("State (JSON)", "application/json", state_text, False),
        }
        actions = {
            name: MenuItem(text, self._save_action(name, media_type, content, has_audit))
            for name, (text, media_type, content, has_audit) in files.items()
        }
        self.menu = ActionMenu("", "save pictures, numbers, a report or code", actions)
        self.progress = Html()
        self.job = BackgroundJob(self.progress.show_sentence)
        self.widget = stack([self.menu, self.progress, self.job.widget])

    def _save_action(
        self, name: str, media_type: str, content: Callable[[], str | bytes], has_audit: bool
    ) -> Callable[[], None]:
        """Return a function that downloads a file, after the audit is computed if `has_audit`."""
        store = self._view.store

        def save() -> None:
            sample = store.result.sample
            # The file waits for its audit; then `save_after_audit` chooses the entry again.
            if has_audit and sample is not None and sample.audit.pending:
                spec = store.spec
                self.job.run(
                    "computing the audit before saving ...",
                    lambda progress: store.prepare_audit(spec, progress=progress),
                    save_after_audit,
                )
                return
            self.progress.show_sentence("")
            file = content()
            self.menu.download(name, media_type, file.encode() if isinstance(file, str) else file)

        def save_after_audit(_audit: object) -> None:
            store.refresh()
            self.menu.run_action(name)

        return save


class RecordAnswerButton:
    """A button that copies the settings as a line of text, `answer()`, and shows this line."""

    def __init__(self, view: View, answer: Callable[[], str]) -> None:
        self._view, self._answer = view, answer
        self._recorded: Spec | None = None
        self.line = ""
        action = MenuItem("Record answer", self._copy_answer_as_line)
        self.menu = ActionMenu("", "record the picture as your answer", {"record": action})
        look = {"border": "1px solid var(--jp-border-color1)", "height": "30px"}
        self.menu.layout = ipywidgets.Layout(overflow="hidden", **look)
        self.text = Html()

    def update(self) -> None:
        """Show the recorded line, and whether the spec has changed since then."""
        if self._recorded is not None:
            note = RECORDED_TEXT if self._view.store.spec == self._recorded else CHANGED_TEXT
            line = ANSWER_LINE.format(line=escape(self.line))
            self.text.value = div("dpviz-sentence", note, role="status") + line

    def _copy_answer_as_line(self) -> None:
        self.line, self._recorded = self._answer(), self._view.store.spec
        self.menu.copy_to_clipboard(self.line)
        self.menu.said = ""  # not "Copied.": the text below says more
        self.update()


class ReversedScoresNote:
    """A note on scores that look reversed, with buttons to reverse, swap or keep the scores."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._seen: Scores | None = None
        self.text = Html()
        self.turn = button("", partial(self._load_corrected, lambda scores: scores.reversed()))
        swap = partial(self._load_corrected, lambda scores: scores.swapped())
        self.swap = button("swap members and non-members", swap)
        self.keep = button("keep as is", self._hide)
        self.widget = row([self.text, self.turn, self.swap, self.keep])
        self.widget.add_class("dpviz-warnings")
        self._hide()

    def update(self) -> None:
        """Show the note if the store has new scores that look reversed."""
        scores = self._view.store.scores
        if scores is self._seen:  # once closed, the note comes back for other scores only
            return
        self._seen = scores
        self._hide()
        if scores is not None and warning_if_reversed(scores):
            is_loss = scores.kind == "loss"
            unit = "losses" if is_loss else "scores"
            self.text.value = div("dpviz-sentence", REVERSED_TEXT.format(unit=unit))
            self.turn.description = "high = member" if is_loss else "low = member"
            self.widget.is_hidden = False

    def _load_corrected(self, correct: Callable[[Scores], Scores]) -> None:
        if self._seen is not None:
            with self._view.showing_errors():
                self._view.store.load(correct(self._seen))

    def _hide(self) -> None:
        self.widget.is_hidden = True
