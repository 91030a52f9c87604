"""The menus of an explorer: a menu of scores, and a menu of claims with their controls."""

from collections.abc import Callable, Container
from contextlib import suppress
from functools import partial
from html import escape
from itertools import chain, count
from pathlib import PurePath
from typing import Any

from dpviz.analysis import Result, Spec
from dpviz.analysis.attacks import LONGEST_NAME
from dpviz.analysis.claims import menu
from dpviz.analysis.claims.menu import ENTRIES, EXAMPLES, fields_with_parameters
from dpviz.analysis.claims.text_fields import TextField
from dpviz.analysis.spec import MOST_OVERLAYS, Control
from dpviz.analysis.state.browser_state import has_closed_form
from dpviz.audit.scores.base import Scores
from dpviz.data import read_sample
from dpviz.data.samples import SAMPLES, sample_key
from dpviz.widgets.base.html import Html, button, columns, div, row, sentence_html, stack
from dpviz.widgets.base.job import BackgroundJob
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import InputControl, Menu, NumberControl, TextBox, dropdown
from dpviz.widgets.upload import UploadReader

NO_SCORES = "no scores: the claim alone"
OWN_SCORES = "your scores"
SAMPLE, UPLOADED = "sample: {}", "uploaded: "
LOAD_FILE = "your own file ..."
ADD_ATTACK = "another attack, to compare with this one ..."
ADJACENCIES = {"replace one record": "replace_one", "add or remove one": "add_remove"}
OTHER_CLAIM = "from Python: {}"


class DataSetMenu(InputControl):
    """A menu of data sets; the widget `files` has the upload area and notes on the loaded file."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._loaded: dict[str, Scores | None] = {NO_SCORES: None}
        self._lines: dict[str, tuple[str, ...]] = {}
        self._titles = {SAMPLE.format(sample.title): key for key, sample in SAMPLES.items()}
        self._is_to_compare = False
        self.menu = dropdown("Data", [NO_SCORES, *self._titles, LOAD_FILE, ADD_ATTACK])
        self.uploads = UploadReader(view, self._use_upload)
        self.lines = Html(is_hidden=True, _dom_classes=["dpviz-understood"])
        self.close = button("Close notes", self._remove_notes, is_hidden=True)
        self.files = stack([*self.uploads.widgets, self.lines, self.close], css_class="dpviz-files")
        self.uploads.error.observe(self._clear_notes_on_error, names="value")
        self.uploads.questions.widget.observe(lambda _: self.update(), names="is_hidden")
        self.on_choice(self.menu, self._choose_entry)
        self.uploads.place.is_hidden = True

    def update(self) -> None:
        """Select the store's data set, and add an entry for scores that Python code has loaded."""
        scores = self._view.store.scores
        name = next((n for n, s in self._loaded.items() if s is scores), "")
        if not name:
            key = sample_key(scores)
            title = SAMPLE.format(SAMPLES[key].title) if key else OWN_SCORES
            name = _unused_name(title, self._loaded)
            self._loaded[name] = scores
        with self.setting_by_program():
            if name not in self.menu.options:
                self.menu.options = [*self.menu.options, name]
            self.menu.value = name
        # While another file raises a question, the notes on the loaded file are not shown.
        shown = self._lines if self.uploads.questions.widget.is_hidden else {}
        first, *others = shown.get(name, ("",))
        notes = "".join(div("dpviz-sentence", line) for line in others)
        self.lines.value = (
            f"<details><summary>{escape(first)}</summary>{notes}</details>" if first else ""
        )
        self.lines.is_hidden = self.close.is_hidden = not first
        self.uploads.groups.is_hidden |= not name.startswith(UPLOADED)  # columns of another file

    def _remove_notes(self) -> None:
        """Remove the notes on the loaded file, and the menu of its group columns."""
        self._lines.clear()
        self.uploads.discard_file()
        self.update()

    def _clear_notes_on_error(self, change: Any) -> None:
        """Remove the notes on the loaded file if another file could not be read."""
        if change["new"]:
            self._lines.clear()
            self.update()

    def _choose_entry(self, name: str) -> None:
        self._is_to_compare = name == ADD_ATTACK
        self.uploads.place.is_hidden = name not in (LOAD_FILE, ADD_ATTACK)
        if name in (LOAD_FILE, ADD_ATTACK):  # an action: select the store's data set again
            self.update()
            return
        self.uploads.discard_file()
        with self._view.showing_errors():
            if name in self._titles and name not in self._loaded:
                self._loaded[name] = read_sample(self._titles[name])
            self._view.store.load(self._loaded[name])
        self.update()

    def _use_upload(self, file_name: str, scores: Scores | None, notes: tuple[str, ...]) -> None:
        """Load a file's scores or, if the user chose to compare, add them as another attack."""
        store = self._view.store
        self.uploads.place.is_hidden = True
        if self._is_to_compare and scores is not None:
            others = store.spec.compare
            name = _unused_name(PurePath(file_name).stem[: LONGEST_NAME - 5], others)
            self._is_to_compare = False
            self.uploads.discard_file()
            store.update(compare={**others, name: scores})
        else:
            name = _unused_name(f"{UPLOADED}{file_name}", self._loaded)
            self._loaded[name], self._lines[name] = scores, notes
            store.load(scores)


def _unused_name(name: str, taken: Container[str]) -> str:
    names = chain([name], (f"{name} ({i})" for i in count(2)))
    return next(each for each in names if each not in taken)


class ClaimMenu(InputControl):
    """The menu of guarantees that can be claimed, with controls of their parameters."""

    # `wait(True)` is called when a slow curve begins to be computed, and pictures still show
    # the earlier claim; `wait(False)` when it ends.

    def __init__(self, view: View, wait: Callable[[bool], None], pin: Callable[[], None]) -> None:
        self._view, self._set_waiting = view, wait
        self._claim_at_request = view.store.spec.claim
        self._titles = {entry.title: key for key, entry in ENTRIES.items()}
        self._shown, self._is_empty = "", True
        self.kind = dropdown("Claim", (*self._titles, *EXAMPLES))
        self.on_choice(self.kind, self._choose_claim_kind)
        self.adjacency = Menu("adjacency", "adjacency", ADJACENCIES, self._change_parameters)
        self.parameters: dict[str, NumberControl | TextBox] = {}
        self.pin = button("Pin this claim", view.showing_errors()(pin))
        self.clear = button("Remove pinned", lambda: view.change(overlays=()))
        self.implies = Html()
        self.job = BackgroundJob(self._show_text_below_menu)
        self.choices = [self.adjacency.widget, self.pin, self.clear]
        self._grid = columns([])
        self.widget = stack([self._grid, row([self.implies, self.job.widget])], is_hidden=True)
        self.widget.add_class("dpviz-claim-menu")

    def update_from(self, result: Result) -> None:
        """Show the claim of a result in the menu and in the controls of its parameters."""
        spec = result.spec
        claim, key = spec.claim, menu.menu_key(spec.claim)
        if self.job.is_running and claim != self._claim_at_request:
            self.job.cancel()
        # A claim made in Python may have a class that no entry has.
        title = ENTRIES[key].title if key else OTHER_CLAIM.format(type(claim).__name__)
        with self.setting_by_program():
            options = (*self._titles, *EXAMPLES, *([] if key else [title]))
            if self.kind.options != options:
                self.kind.options = options
            self.kind.value = title
        live = self._view.store.live
        is_new = key != self._shown or self._is_empty
        if is_new:
            if live is not None:
                live.remove_elements_of(self)
            self._build_parameter_controls(key)
        for name, control in self.parameters.items():
            shown = ENTRIES[key].parameters[name]
            if isinstance(control, NumberControl):
                control.show_value(claim.parameters[name])
            elif isinstance(shown, TextField):
                control.show_text(shown.write(claim))
        if is_new and has_closed_form(claim) and self._view.comm is not None:
            for name, control in self.parameters.items():
                if isinstance(control, NumberControl):
                    control.let_browser_move(live, owner=self, field=f"claim.{name}")
        self.adjacency.update_from(claim)
        self.pin.disabled = claim in spec.overlays or len(spec.overlays) == MOST_OVERLAYS
        self.clear.disabled = not spec.overlays
        if not self.job.is_running:
            self._show_text_below_menu(result.sentences["implies"])

    def _build_parameter_controls(self, claim_key: str) -> None:
        parameters = ENTRIES[claim_key].parameters if claim_key else {}
        self.parameters = {name: self._new_control(name, how) for name, how in parameters.items()}
        lines = self._view.error_lines
        lines = {field: line for field, line in lines.items() if not field.startswith("claim.")}
        for name, control in self.parameters.items():
            if isinstance(control, NumberControl):
                lines[f"claim.{name}"] = control.error
        self._view.error_lines = lines
        self._grid.children = [control.widget for control in self.parameters.values()]
        self._shown, self._is_empty = claim_key, False
        self.widget.is_hidden = claim_key == "approximate"  # its parameters are in the column

    def _new_control(self, parameter: str, setting: Control | TextField) -> NumberControl | TextBox:
        if isinstance(setting, Control):
            return NumberControl(parameter, setting, self._change_parameters)
        change = partial(self._change_claim_from_text, parameter)
        return TextBox(setting.label, setting.help, change)

    def _choose_claim_kind(self, title: str) -> None:
        if title in EXAMPLES:
            example = EXAMPLES[title]
            self._request_change(lambda _: {"claim": example}, menu.menu_key(example))
            return
        key = self._titles.get(title)
        choice = menu.fields_of_menu_choice
        self._request_change(lambda spec: choice(key, spec) if key else {}, key)

    def _change_claim_from_text(self, parameter: str, text: str) -> None:
        field = ENTRIES[self._shown].parameters.get(parameter) if self._shown else None
        if isinstance(field, TextField):  # else the box is of an earlier claim
            self._request_change(
                lambda spec: fields_with_parameters(spec, **field.read(spec.claim, text)),
                self._shown,
            )

    def _change_parameters(self, **parameters: Any) -> None:
        field = f"claim.{next(iter(parameters))}"
        self._request_change(
            lambda spec: fields_with_parameters(spec, **parameters), self._shown, field
        )

    def _request_change(
        self, changes_of: Callable[[Spec], dict[str, Any]], claim_key: str | None, field: str = ""
    ) -> None:
        """Change the spec by `changes_of(spec)`; compute a slow curve of the new claim first."""
        # A claim without a key in `ENTRIES` counts as slow. Errors stand in the line of `field`.
        view, store = self._view, self._view.store
        if self.job.is_running:
            self.job.cancel()
        asked: dict[str, Any] = {}
        self._claim_at_request = store.spec.claim
        with view.showing_errors(field):
            asked = changes_of(store.spec)
            store.checked_spec(**asked)
        if view.error:
            self.update_from(view.result)
        elif claim_key in ENTRIES and not ENTRIES[claim_key].slow:
            view.change(**asked)
        else:
            self._set_waiting_for_curve(True)
            self.job.run(
                "computing the curve ...",
                lambda _: self._cache_curve_of_changed_claim(asked),
                lambda _: self._change_spec_and_end_waiting(asked),
                on_stop=self._reset_menu_to_claim,
            )

    def _change_spec_and_end_waiting(self, spec_changes: dict[str, Any]) -> None:
        try:
            self._view.change(**spec_changes)
        finally:
            self._set_waiting_for_curve(False)

    def _reset_menu_to_claim(self) -> None:
        self._set_waiting_for_curve(False)
        self.update_from(self._view.result)

    def _set_waiting_for_curve(self, is_waiting: bool) -> None:
        self._set_waiting(is_waiting)
        self.widget.is_hidden = not is_waiting and self._shown == "approximate"

    def _cache_curve_of_changed_claim(self, spec_changes: dict[str, Any]) -> None:
        store = self._view.store
        with suppress(ValueError, ImportError):  # `View.change` shows the error afterwards
            store.cache_result(store.checked_spec(**spec_changes))

    def _show_text_below_menu(self, text: str) -> None:
        self.implies.value = sentence_html(text, "dpviz-implies")
