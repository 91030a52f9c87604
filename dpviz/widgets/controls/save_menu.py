"""The Save menu: what an explorer shows as files, once the audit is computed."""

import json
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, Protocol

from dpviz.analysis import Result
from dpviz.reports.write import report_as
from dpviz.widgets.base.html import Html, sentence, stack
from dpviz.widgets.base.job import Job
from dpviz.widgets.base.picture_menu import Action, ActionMenu
from dpviz.widgets.state.store import Store

REPORTS = {  # text on the button and media type, by the ending of the file's name
    ".html": ("Report (HTML)", "text/html"),
    ".md": ("Report (Markdown)", "text/markdown"),
    ".pdf": ("Report (PDF)", "application/pdf"),
    ".json": ("Report (JSON)", "application/json"),
}


class Saved(Protocol):
    """What the menu saves."""

    store: Store

    @property
    def result(self) -> Result:
        """The result that is shown."""

    def svg(self) -> str:
        """Return all pictures as one SVG document."""

    def csv(self) -> str:
        """Return the numbers behind the pictures."""

    def html(self) -> str:
        """Return a page that needs no network."""

    def code(self) -> str:
        """Return Python code that shows the same."""

    def state(self) -> dict[str, Any]:
        """Return the state for JSON."""


class SaveMenu:
    """A row of files, which the browser downloads; `widget` also shows progress.

    Reports, page, pictures and numbers have the audit of the scores: it is computed first, in the
    background where there is an event loop. A PDF is offered where WeasyPrint is installed.
    """

    def __init__(self, shown: Saved) -> None:
        self._shown = shown
        svg, page = ("image/svg+xml", shown.svg), ("text/html", shown.html)
        reports = {
            f"privacy-report{ending}": (*named, partial(report_as, ending, shown), True)
            for ending, named in REPORTS.items()
            if ending != ".pdf" or find_spec("weasyprint")
        }
        files: dict[str, tuple[str, str, Callable[[], str | bytes], bool]] = {
            **reports,
            "privacy-audit.html": ("Page (HTML)", *page, True),
            "privacy-audit.png": ("Pictures (PNG)", *svg, True),
            "privacy-audit.svg": ("Pictures (SVG)", *svg, True),
            "privacy-audit.csv": ("Numbers (CSV)", "text/csv", shown.csv, True),
            "privacy-audit.py": ("Python code", "text/x-python", shown.code, False),
            "privacy-audit.json": ("State (JSON)", "application/json", self._state, False),
        }
        actions = {
            name: Action(text=text, act=self._saving(name, kind, content, waits))
            for name, (text, kind, content, waits) in files.items()
        }
        self.menu = ActionMenu("", "save what is shown", actions)
        self.progress = Html()
        self.job = Job(self._say)
        self.widget = stack([self.menu, self.progress, self.job.widget])

    def _saving(
        self, name: str, kind: str, content: Callable[[], str | bytes], waits: bool
    ) -> Callable[[], None]:
        def save() -> None:
            if waits and self._is_pending():
                self._compute_audit(lambda: self.menu.choose(name))
                return
            self._say("")
            made = content()
            self.menu.download(name, kind, made if isinstance(made, bytes) else made.encode())

        return save

    def _is_pending(self) -> bool:
        sample = self._shown.store.result.sample
        return sample is not None and bool(sample.audit.pending)

    def _compute_audit(self, then: Callable[[], None]) -> None:
        store, spec = self._shown.store, self._shown.store.spec

        def done(_answer: object) -> None:
            store.refresh()
            then()

        self.job.run(
            "computing the audit before saving ...",
            lambda progress: store.prepare_audit(spec, progress=progress),
            done,
        )

    def _state(self) -> str:
        return json.dumps(self._shown.state(), indent=2, ensure_ascii=False) + "\n"

    def _say(self, text: str) -> None:
        self.progress.value = sentence(text)
