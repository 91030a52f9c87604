"""The Save menu: what an explorer shows as files, once the audit is computed."""

import json
from collections.abc import Callable
from typing import Any, Protocol

import ipywidgets

from dpviz.analysis import Result
from dpviz.reports.write import report_as
from dpviz.widgets.base.action_menu import Action, ActionMenu
from dpviz.widgets.base.html import sentence, stack
from dpviz.widgets.base.job import Job
from dpviz.widgets.state.store import Store


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

    Report, page, pictures and numbers have the audit of the scores: it is computed first, in the
    background where there is an event loop.
    """

    def __init__(self, shown: Saved) -> None:
        self._shown = shown
        svg, page = ("image/svg+xml", shown.svg), ("text/html", shown.html)
        files: dict[str, tuple[str, str, Callable[[], str], bool]] = {
            "privacy-report.html": ("Report (HTML)", "text/html", self._report, True),
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
        self.progress = ipywidgets.HTML()
        self.job = Job(self._say)
        self.widget = stack([self.menu, self.progress, self.job.widget])

    def _saving(
        self, name: str, kind: str, content: Callable[[], str], waits: bool
    ) -> Callable[[], None]:
        def save() -> None:
            self._say("")
            self.menu.download(name, kind, content())

        return (lambda: self._with_audit(save)) if waits else save

    def _with_audit(self, save: Callable[[], None]) -> None:
        store = self._shown.store
        sample, spec = store.result.sample, store.spec
        if sample is None or not sample.audit.pending:
            save()
            return

        def done(_answer: object) -> None:
            store.refresh()
            save()

        self.job.run(
            "computing the audit before saving ...",
            lambda progress: store.prepare_audit(spec, progress=progress),
            done,
        )

    def _report(self) -> str:
        return report_as(".html", self._shown).decode()

    def _state(self) -> str:
        return json.dumps(self._shown.state(), indent=2, ensure_ascii=False) + "\n"

    def _say(self, text: str) -> None:
        self.progress.value = sentence(text)
