"""Reading an uploaded file in the background, with questions where it is ambiguous."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import ipywidgets

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.description import understood
from dpviz.data.formats.registry import suffixes
from dpviz.data.sources.options import ColumnError, plain
from dpviz.widgets.base.html import Html, row, sentence, stack
from dpviz.widgets.base.job import CancelledError, Job
from dpviz.widgets.base.view import View
from dpviz.widgets.one_at_a_time import FileUpload
from dpviz.widgets.received import chosen_file
from dpviz.widgets.upload.drop_zone import BUNDLE, DropZone
from dpviz.widgets.upload.questions import Questions
from dpviz.widgets.upload.received_file import UploadedFile

Loaded = Callable[[str, Scores | None, tuple[str, ...]], None]


class Outcome(NamedTuple):
    """The scores of a file and their description, or the error."""

    scores: Scores | None
    lines: tuple[str, ...]
    error: Exception | None


class UploadReader:
    """Widgets that receive a file, read it in the background and ask about its columns.

    Nothing changes until it is read. `loaded` gets the file name, the scores and lines that
    describe them; errors appear in the error line of `view`.
    """

    def __init__(self, view: View, loaded: Loaded) -> None:
        self._view, self._loaded = view, loaded
        self._file: UploadedFile | None = None
        self.fallback = FileUpload(
            accept=",".join(suffixes()),
            multiple=False,
            description="upload a file",
            layout=ipywidgets.Layout(width="max-content"),
        )
        self.fallback.observe(self._chosen, names="value")
        self.zone = (
            DropZone(self.fallback, drop=self._clear, done=self._received, refused=view.show_error)
            if BUNDLE.is_file()
            else None
        )
        self.job = Job(self._say)
        self.progress = Html()
        self._work = row([self.progress, self.job.widget], is_hidden=True)
        self._work.add_class("dpviz-reading")
        self.questions = Questions(self._read, self.forget)
        ways = [self.fallback] if self.zone is None else [self.zone, self.fallback]
        self.place = stack(ways)
        self.widgets = [self.place, self._work, self.questions.widget]
        self._say("")
        view.observe(lambda _: self._close(), names="comm")  # closed

    def forget(self) -> None:
        """Discard the file that is being received or read, if any."""
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

    def _clear(self) -> None:
        self._view.show_error("")
        self.forget()

    def _chosen(self, change: Any) -> None:
        if not change["new"]:
            return
        self._clear()
        try:
            with self._view.guarded():
                name, content = chosen_file(change["new"][0])
                file = UploadedFile(name, len(content))
                file.add(content)
                self._received(file)
        finally:
            self.fallback.value = ()  # so that the same file can be chosen again

    def _received(self, file: UploadedFile) -> None:
        self._file = file
        self._read()

    def _read(self) -> None:
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
        if outcome.error is None or not self.questions.answers:  # otherwise another answer may help
            self.forget()
        with self._view.guarded():
            if outcome.error is not None:
                raise outcome.error
            self._loaded(file.name, outcome.scores, outcome.lines)

    def _say(self, text: str) -> None:
        self.progress.value = sentence(text)
        self._work.is_hidden = not text


def _outcome(file: UploadedFile, answers: dict[str, str], progress: Progress) -> Outcome:
    try:
        scores = file.read(progress=progress, **answers)
        return Outcome(scores, understood(scores), None)
    except CancelledError:
        raise
    except Exception as error:
        return Outcome(None, (), error)
