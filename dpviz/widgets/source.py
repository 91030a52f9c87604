"""Where the scores come from: the packaged samples, the caller's own, or an uploaded file."""

from itertools import count
from typing import Any

import ipywidgets

from dpviz.audit import AttackScores
from dpviz.data import SAMPLES, read_sample, read_scores
from dpviz.widgets.view import View

NOTHING = "no scores: the claim alone"
OWN = "your scores"


class SourceMenu:
    """A menu of data sets and an upload button; what was loaded once stays in the menu.

    Parameters
    ----------
    view : View
        Whose store is loaded, and whose error line says what was refused.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._loaded: dict[str, AttackScores | None] = {NOTHING: None}
        self._titles = {sample.title: key for key, sample in SAMPLES.items()}
        self._following = False
        self.menu = ipywidgets.Dropdown(
            options=[NOTHING, *self._titles],
            description="scores",
            style={"description_width": "4.5em"},
            layout=ipywidgets.Layout(width="100%"),
        )
        self.upload = ipywidgets.FileUpload(
            accept=".csv",
            multiple=False,
            description="upload CSV",
            layout=ipywidgets.Layout(width="max-content"),
            tooltip="a CSV file with a column of losses (or scores) and one of membership",
        )
        self.widgets = [self.menu, self.upload]
        self.menu.observe(self._picked, names="value")
        self.upload.observe(self._uploaded, names="value")

    def follow(self) -> None:
        """Show which data set the store has; one it was given from Python is "your scores"."""
        scores = self._view.store.scores
        name = next((n for n, s in self._loaded.items() if s is scores), "")
        if not name:
            name = self._new_name(OWN)
            self._loaded[name] = scores
        self._following = True
        try:
            if name not in self.menu.options:
                self.menu.options = [*self.menu.options, name]
            self.menu.value = name
        finally:
            self._following = False

    def _picked(self, change: Any) -> None:
        if self._following:
            return
        name = change["new"]
        with self._view.guarded():
            if name in self._titles and name not in self._loaded:
                self._loaded[name] = read_sample(self._titles[name])
            self._view.store.load(self._loaded[name])
        self.follow()

    def _uploaded(self, change: Any) -> None:
        if not change["new"]:
            return
        file = change["new"][0]
        try:
            with self._view.guarded():
                scores = read_scores(bytes(file["content"]), name=file["name"])
                self._loaded[self._new_name(f"uploaded: {file['name']}")] = scores
                self._view.store.load(scores)
        finally:
            self.upload.value = ()  # so that the same file can be chosen again

    def _new_name(self, name: str) -> str:
        """The name, numbered when another data set has it already."""
        numbered = (f"{name} ({i})" for i in count(2))
        return (
            name if name not in self._loaded else next(n for n in numbered if n not in self._loaded)
        )
