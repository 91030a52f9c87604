"""From a file of the user to scores: taken in, read beside the live picture, asked about."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets

from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress
from dpviz.audit.understood import understood
from dpviz.data.formats import SUFFIXES
from dpviz.data.formats.format import ColumnError, plain
from dpviz.widgets.job import CancelledError, Job
from dpviz.widgets.upload_file import UploadedFile
from dpviz.widgets.upload_questions import Questions
from dpviz.widgets.view import View, block

if TYPE_CHECKING:
    from dpviz.widgets.upload import Upload

Loaded = Callable[[str, Scores | None, tuple[str, ...]], None]
WIDE = "auto / 1 / auto / -1"


class Outcome(NamedTuple):
    """The scores of a file and what was understood of them, or why there are none."""

    scores: Scores | None
    lines: tuple[str, ...]
    error: Exception | None


class Uploads:
    """The way in for files, and the widgets that belong to it.

    Nothing changes before a file is read: cancelled or refused, all stays as it was.

    Parameters
    ----------
    view : View
        Whose error line says what was refused.
    loaded : callable
        Gets the name of a file, its scores, and in lines what was understood of them.
    """

    def __init__(self, view: View, loaded: Loaded) -> None:
        self._view, self._loaded = view, loaded
        self._file: UploadedFile | None = None
        self.fallback = ipywidgets.FileUpload(
            accept=",".join(SUFFIXES),
            multiple=False,
            description="upload a file",
            layout=ipywidgets.Layout(width="max-content"),
        )
        self.fallback.observe(self._chosen, names="value")
        self.zone = self._zone()
        self.job = Job(self._say)
        self.progress = ipywidgets.HTML()
        wrapped = ipywidgets.Layout(flex_flow="row wrap")
        self._work = ipywidgets.HBox([self.progress, self.job.widget], layout=wrapped)
        self._work.add_class("dpviz-reading")
        self.questions = Questions(self._read, self.forget)
        ways = [self.fallback] if self.zone is None else [self.zone, self.fallback]
        way = ipywidgets.VBox(ways, layout=ipywidgets.Layout(min_width="0"))
        self.widgets = [way, self._work, self.questions.widget]
        for widget in self.widgets[1:]:
            widget.layout.grid_area = WIDE
        self._say("")
        view.observe(lambda _: self._close(), names="comm")  # closed: nobody waits

    def forget(self) -> None:
        """Drop the file that is coming, being read or asked about, if any."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.job.cancel()
        self.questions.clear()
        self._say("")

    def _close(self) -> None:
        self.forget()
        if self.zone is not None:
            self.zone.forget()

    def _zone(self) -> "Upload | None":
        try:
            from dpviz.widgets.upload import Upload  # reads the bundle
        except FileNotFoundError:
            return None
        return Upload(
            self.fallback, drop=self._clear, done=self._received, refused=self._view.show_error
        )

    def _clear(self) -> None:
        self._view.show_error("")
        self.forget()

    def _chosen(self, change: Any) -> None:
        if not change["new"]:
            return
        chosen = change["new"][0]
        self._clear()
        try:
            with self._view.guarded():
                file = UploadedFile(chosen["name"], len(chosen["content"]))
                file.add(chosen["content"])
                self._received(file)
        finally:
            self.fallback.value = ()  # so that the same file can be chosen again

    def _received(self, file: UploadedFile) -> None:
        self._file = file
        self._read()

    def _read(self) -> None:
        """Read the file, with what was answered."""
        file, answers = self._file, self.questions.answers
        if file is None or self.job.is_running:
            return
        self.job.run(
            f"reading {plain(file.name)} ...",
            partial(_outcome, file, answers),
            partial(self._show, file),
            stopped=self.forget,
        )

    def _show(self, file: UploadedFile, outcome: Outcome) -> None:
        self._say("")
        self._view.show_error("")
        if isinstance(outcome.error, ColumnError):
            self.questions.ask(plain(file.name), outcome.error.role, outcome.error.choices)
            return
        if outcome.error is None or not self.questions.answers:  # else another answer may do
            self.forget()
        with self._view.guarded():
            if outcome.error is not None:
                raise outcome.error
            self._loaded(file.name, outcome.scores, outcome.lines)

    def _say(self, text: str) -> None:
        self.progress.value = block("dpviz-sentence", text, role="status") if text else ""
        self._work.layout.display = None if text else "none"


def _outcome(file: UploadedFile, answers: dict[str, str], progress: Progress) -> Outcome:
    try:
        scores = file.read(progress=progress, **answers)
        return Outcome(scores, understood(scores), None)
    except CancelledError:
        raise
    except Exception as error:
        return Outcome(None, (), error)
