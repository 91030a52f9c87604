"""Upload of scores: drop zone, temporary file, questions on the file's columns, and file reader."""

import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import ipywidgets
import traitlets

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores, source_sizes_and_warnings
from dpviz.data import read_scores
from dpviz.data.formats.registry import file_suffixes
from dpviz.data.read import unreadable_source_error
from dpviz.data.sources.file import File, TemporaryFile, suffix_of
from dpviz.data.sources.options import ColumnError, ReadError, printable, quoted, quoted_names
from dpviz.data.tables.table import GROUP_COLUMNS
from dpviz.widgets.base.html import Dropdown, Html, button, row, sentence_html, stack
from dpviz.widgets.base.job import BackgroundJob, CancelledError
from dpviz.widgets.base.view import View
from dpviz.widgets.browser_input import FileUpload, ThreadSafeWidget, name_and_bytes, upload_message
from dpviz.widgets.controls.fields import InputControl

QUESTION_TEXTS = {
    "score": "Which column holds the loss or score?",
    "member": "Which column says who is a member?",
    "kind": "Do low or high numbers mean member?",
    "group": "Which column holds the group?",
}
ANSWER_TEXTS = {("kind", "loss"): "low = member (loss)", ("kind", "score"): "high = member (score)"}
NOT_CHOSEN = "choose ..."
NO_GROUP = "none"
UNREAD = "columns not read: {}"
NO_GROUPS_READ = "groups not read: {}"
UPLOAD = "upload"  # the field of errors about a file


class FileQuestions:
    """Questions on an ambiguous file; the button "read" works once all have an answer."""

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
        """The chosen answer for each role, such as the column for "member"; "" before a choice."""
        return {role: menu.value for role, menu in self.menus.items()}

    def ask(self, file_name: str, role: str, choices: Iterable[str]) -> None:
        """Add a menu of `choices`, such as columns, for a `role`, such as "member"."""
        options = [(ANSWER_TEXTS.get((role, c), quoted(c)), c) for c in choices if c]
        question = QUESTION_TEXTS.get(role, f"Which {role}?")
        menu = Dropdown(options=[(NOT_CHOSEN, ""), *options], description=question)
        menu.observe(lambda _: self._enable_read_button(), names="value")
        self.menus[role] = menu
        self._text.value = sentence_html(
            f"{file_name} can be read in more than one way. Answer these questions to read it."
        )
        self._rows.children = [*self.menus.values()]
        self.widget.is_hidden = False
        self._enable_read_button()

    def clear(self) -> None:
        """Remove all questions."""
        self._rows.children = []
        for menu in self.menus.values():
            menu.close()
        self.menus = {}
        self._text.value = ""
        self.widget.is_hidden = True

    def _enable_read_button(self) -> None:
        self.read.disabled = not all(self.answers.values())


MOST_BYTES = 2 * 2**30  # bytes: more takes minutes to send, and seconds to read from its path
TOO_LARGE = (
    "{name}: expected at most {limit} for an upload, got {size}; nothing was sent. "
    'Give its path instead: dpviz.explore("path of the file")'
)
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def upload_size_limit() -> int:
    """Return the limit of an upload in bytes: `MOST_BYTES`, or half the free space if smaller."""
    return min(MOST_BYTES, shutil.disk_usage(tempfile.gettempdir()).free // 2)


def size_text(size: int, *, round_up: bool = False) -> str:
    """Return a number of bytes as a text such as "1.5 MiB", rounded down, or up if `round_up`."""
    unit = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    per_unit = 1024**unit
    tenths = 10 if unit and size < 10 * per_unit else 1  # fewer than ten units have one decimal
    whole = -(-size * tenths // per_unit) if round_up else size * tenths // per_unit
    return f"{whole / tenths:g} {UNITS[unit]}"


class UploadedFile:
    """A temporary file for an upload of `size` bytes, removed when closed or garbage-collected."""

    # ReadError above :func:`upload_size_limit`, or if no format has the suffix of `name`.

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size, self.taken = name, size, 0
        if size > (limit := upload_size_limit()):
            sizes = {"limit": size_text(limit), "size": size_text(size, round_up=True)}
            raise ReadError(TOO_LARGE.format(name=printable(name), **sizes))
        self._suffix = suffix_of(name)
        if self._suffix and self._suffix not in file_suffixes():
            raise unreadable_source_error(File(where=printable(name), suffix=self._suffix))
        self._copy = TemporaryFile(self._suffix)
        self.path, self.close = self._copy.path, self._copy.close

    def add(self, piece: bytes | memoryview) -> None:
        """Append the next bytes; ReadError if the total number exceeds `size`."""
        if self.taken + len(piece) > self.size:
            raise ReadError(f"{printable(self.name)}: expected {self.size} bytes, got more")
        self._copy.stream.write(piece)
        self._copy.stream.flush()
        self.taken += len(piece)

    def read(self, **options: Any) -> Scores:
        """Return the scores in the file, with options and errors of :func:`dpviz.read_scores`."""
        if self._suffix:
            scores = read_scores(self.path, name=self.name, **options)
        else:  # an open file: its format is recognised by its content
            with open(self.path, "rb", buffering=0) as stream:
                scores = read_scores(stream, name=self.name, **options)
        # The path of a temporary copy would mean nothing to a reader.
        read = scores.provenance
        return scores if read is None else scores.replaced(provenance=replace(read, path=None))


SCRIPT_FILE = Path(__file__).parents[1] / "static" / "upload.js"  # of `js/src/upload/`
BROWSER_TEXTS = {
    "label": "upload of scores",
    "choose": "choose a file",
    "drop": "or drop it here, up to {limit}",
    "going": "share of the file that is uploaded",
    "far": "{share} % of {size}",
    "cancel": "cancel",
    "too_large": TOO_LARGE,
    "many": "expected one file at a time, got {n}",
    "unreadable": "{name}: the browser could not read it; is it a folder, or has it just changed?",
}
CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")

TakeFile = Callable[[UploadedFile], None]
Say = Callable[[str], None]


class DropZone(ThreadSafeWidget, anywidget.AnyWidget):
    """An area on which a user drops a file; if its script fails, `fallback` is shown."""

    # `clear` is called when an upload begins or is cancelled, `done` with the complete file, and
    # `refuse` with a line on why a file was rejected.

    # As text: anywidget keeps every widget of a file for as long as it watches the file.
    _esm = SCRIPT_FILE.read_text(encoding="utf-8") if SCRIPT_FILE.is_file() else ""
    _css = CSS
    accept = traitlets.Unicode(help="ends of names").tag(sync=True)
    limit = traitlets.Int(help="bytes").tag(sync=True)
    words = traitlets.Dict(help="texts, some with slots").tag(sync=True)
    fallback = traitlets.Unicode(help="reference to a widget").tag(sync=True)

    def __init__(
        self, fallback: ipywidgets.Widget, *, clear: Callable[[], None], done: TakeFile, refuse: Say
    ) -> None:
        self._clear, self._done, self._refuse = clear, done, refuse
        self._asker = ""
        self._file: UploadedFile | None = None
        accept, reference = ",".join(file_suffixes()), f"IPY_MODEL_{fallback.model_id}"
        super().__init__(accept=accept, fallback=reference, **_size_limit_traits())
        self.on_msg(self._receive_message)

    def cancel_upload(self) -> None:
        """Cancel the upload in progress, if any."""
        if self._file is not None:
            self._file.close()
        if self._asker:
            self.send({"id": self._asker, "stopped": True})
        self._file, self._asker = None, ""

    def _receive_message(self, _widget: object, content: object, buffers: list[memoryview]) -> None:
        try:
            message = upload_message(content, buffers)
        except ValueError as error:
            self.cancel_upload()
            self.send({"stopped": True})  # the sender may have an upload that never began here
            self._refuse(str(error))
            return
        try:
            # An upload begins with its size, so that a file too large is never sent.
            if message.step == "begin":
                self.cancel_upload()
                self._asker = message.id
                self._begin_upload(message.name, message.size)
            elif message.id != self._asker:  # of an earlier upload
                return
            elif message.step == "piece":
                self._append_piece(message.piece)
            else:  # cancelled, perhaps after the last piece
                self.cancel_upload()
                self._clear()
        except (ValueError, OSError) as error:
            self.cancel_upload()
            self._refuse(str(error))

    def _begin_upload(self, name: str, size: int) -> None:
        self._clear()
        # The free space may have changed since the last upload.
        with self.hold_sync():
            for trait, value in _size_limit_traits().items():
                setattr(self, trait, value)
        self._file = UploadedFile(name, size)
        self._append_piece(b"")  # the reply to no bytes lets the browser send the first piece

    def _append_piece(self, piece: bytes | memoryview) -> None:
        """Append bytes to the file, and send the browser the number of bytes so far."""
        file = self._file
        if file is None:
            return
        file.add(piece)
        self.send({"id": self._asker, "taken": file.taken})
        if file.taken == file.size:
            self._file = None
            self._done(file)


def _size_limit_traits() -> dict[str, Any]:
    limit = upload_size_limit()
    words = {key: text.replace("{limit}", size_text(limit)) for key, text in BROWSER_TEXTS.items()}
    return {"limit": limit, "words": words}


UseScores = Callable[[str, Scores | None, tuple[str, ...]], None]


class ReadResult(NamedTuple):
    """Scores and messages from a file, or the error; `group` is the group column or ""."""

    scores: Scores | None
    lines: tuple[str, ...]
    error: Exception | None
    group: str = ""


class UploadReader(InputControl):
    """Widgets that receive a file, read it in the background, and ask which columns to use."""

    # `loaded` is called with the file's name, its scores and lines on them, and again if the user
    # chooses a further column with groups.

    def __init__(self, view: View, loaded: UseScores) -> None:
        self._view, self._loaded = view, loaded
        self._file: UploadedFile | None = None
        self._answers: dict[str, str] = {}  # with which the file was read
        layout, accept = ipywidgets.Layout(width="max-content"), ",".join(file_suffixes())
        look = {"multiple": False, "description": "upload a file", "layout": layout}
        self.fallback = FileUpload(accept=accept, **look)
        self.fallback.observe(self._read_chosen_file, names="value")
        clear, read = self._clear_error_and_file, self._read_new_file
        refuse = partial(view.show_error, field=UPLOAD)
        self.zone = (
            DropZone(self.fallback, clear=clear, done=read, refuse=refuse)
            if SCRIPT_FILE.is_file()
            else None
        )
        self.job = BackgroundJob(self._show_progress_text)
        self.progress = Html()
        self._work = row([self.progress, self.job.widget], is_hidden=True)
        self._work.add_class("dpviz-reading")
        self.questions = FileQuestions(self._read_in_background, self.discard_file)
        self.place = stack([self.fallback] if self.zone is None else [self.zone, self.fallback])
        self.error = Html(_dom_classes=["dpviz-error-line"])
        view.error_lines[UPLOAD] = self.error
        self.groups = Dropdown(description=QUESTION_TEXTS["group"], is_hidden=True)
        self.on_choice(self.groups, lambda _: self._read_in_background())
        asked = [self.questions.widget, self.groups]
        self.widgets = [self.place, self.error, self._work, *asked]
        self._show_progress_text("")
        view.observe(lambda _: self._close(), names="comm")  # closed

    def discard_file(self) -> None:
        """Discard the file that is being read, if any."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._answers, self.groups.is_hidden = {}, True
        self.job.cancel()
        self.questions.clear()
        self._show_progress_text("")

    def _close(self) -> None:
        self.discard_file()
        if self.zone is not None:
            self.zone.cancel_upload()

    def _clear_error_and_file(self) -> None:
        self._view.show_error("")
        self.discard_file()

    def _read_chosen_file(self, change: Any) -> None:
        if not change["new"]:
            return
        self._clear_error_and_file()
        try:
            with self._view.showing_errors(UPLOAD):
                name, content = name_and_bytes(change["new"][0])
                file = UploadedFile(name, len(content))
                file.add(content)
                self._read_new_file(file)
        finally:
            self.fallback.value = ()  # so that the same file can be chosen again

    def _read_new_file(self, file: UploadedFile) -> None:
        self._file = file
        self._read_in_background()

    def _read_in_background(self) -> None:
        file, answers = self._file, self._answers | self.questions.answers
        if file is None or self.job.is_running:
            return
        if not self.groups.is_hidden:
            answers["group"] = self.groups.value
        work = partial(_scores_or_error, file, answers)
        done = partial(self._use_result, file, answers)
        self.job.run(f"reading {printable(file.name)} ...", work, done, on_stop=self.discard_file)

    def _use_result(self, file: UploadedFile, answers: dict[str, str], result: ReadResult) -> None:
        self._show_progress_text("")
        self._view.show_error("")
        if isinstance(result.error, ColumnError):
            self.questions.ask(printable(file.name), result.error.role, result.error.choices)
            return
        by = f" by {result.group}" if answers.get("group") else ""
        # After a failed answer the questions stay, as another answer may help.
        if result.scores is not None:
            self._answers = answers | {"group": result.group}
            self.questions.clear()
            self._offer_group_columns(result.scores)
        elif not answers:
            self.discard_file()
        elif not self.groups.is_hidden:
            self._show_group_menu(self._answers["group"])
        with self._view.showing_errors(UPLOAD):
            if result.error is not None:
                raise result.error
            self._loaded(f"{file.name}{by}", result.scores, result.lines)

    def _offer_group_columns(self, scores: Scores) -> None:
        """Show the menu of columns that may hold groups; if there are none, discard the file."""
        group = self._answers["group"]
        columns = [c for c in (group, *_unread_columns(scores)) if c and not scores.is_binned]
        if not columns:
            self.discard_file()
            return
        with self.setting_by_program():
            self.groups.options = [(NO_GROUP, ""), *((quoted(name), name) for name in columns)]
        self._show_group_menu(group)

    def _show_group_menu(self, group: str) -> None:
        with self.setting_by_program():
            self.groups.value = group
        self.groups.is_hidden = False

    def _show_progress_text(self, text: str) -> None:
        self.progress.value = sentence_html(text)
        self._work.is_hidden = not text


def _scores_or_error(file: UploadedFile, answers: dict[str, str], progress: Progress) -> ReadResult:
    group = answers.get("group", "")
    try:
        chosen = {role: name for role, name in answers.items() if name}
        scores = file.read(progress=progress, **chosen)
        more: list[str] = []
        # A column that is known to hold groups is read, unless the reader has chosen.
        unread = _unread_columns(scores)
        known = [name for name in unread if name.casefold() in GROUP_COLUMNS]
        if "group" not in answers and len(known) == 1 and not scores.is_binned:
            try:
                scores = file.read(progress=progress, group=known[0], **answers)
                group = known[0]
            except (ValueError, OSError) as error:
                more.append(NO_GROUPS_READ.format(error))
        if unread := _unread_columns(scores):
            more.append(UNREAD.format(quoted_names(unread)))
        return ReadResult(scores, (*source_sizes_and_warnings(scores), *more), None, group)
    except CancelledError:
        raise
    except Exception as error:
        return ReadResult(None, (), error)


def _unread_columns(scores: Scores) -> tuple[str, ...]:
    return scores.provenance.unread if scores.provenance is not None else ()
