"""Where the scores come from: the packaged samples, the caller's own, or an uploaded file."""

from itertools import count
from typing import Any

import ipywidgets

from dpviz.audit.binned_scores import Scores
from dpviz.data import SAMPLES, read_sample
from dpviz.widgets.uploads import WIDE, Uploads
from dpviz.widgets.view import View, block

NOTHING = "no scores: the claim alone"
OWN = "your scores"


class SourceMenu:
    """A menu of data sets and a place for files; what was loaded once stays in the menu.

    Of a file, it says in three lines what was understood.

    Parameters
    ----------
    view : View
        Whose store is loaded, and whose error line says what was refused.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._loaded: dict[str, Scores | None] = {NOTHING: None}
        self._lines: dict[str, tuple[str, ...]] = {}
        self._titles = {sample.title: key for key, sample in SAMPLES.items()}
        self._following = False
        self.menu = ipywidgets.Dropdown(
            options=[NOTHING, *self._titles],
            description="scores",
            style={"description_width": "4.5em"},
            layout=ipywidgets.Layout(width="100%"),
        )
        self.uploads = Uploads(view, self._uploaded)
        self.lines = ipywidgets.HTML(layout=ipywidgets.Layout(grid_area=WIDE))
        self.lines.add_class("dpviz-understood")
        self.widgets = [self.menu, *self.uploads.widgets, self.lines]
        self.menu.observe(self._picked, names="value")

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
        lines = self._lines.get(name, ())
        self.lines.value = "".join(block("dpviz-sentence", line) for line in lines)
        self.lines.layout.display = None if lines else "none"

    def _picked(self, change: Any) -> None:
        if self._following:
            return
        name = change["new"]
        with self._view.guarded():
            if name in self._titles and name not in self._loaded:
                self._loaded[name] = read_sample(self._titles[name])
            self._view.store.load(self._loaded[name])
        self.follow()

    def _uploaded(self, file: str, scores: Scores | None, lines: tuple[str, ...]) -> None:
        name = self._new_name(f"uploaded: {file}")
        self._loaded[name], self._lines[name] = scores, lines
        self._view.store.load(scores)

    def _new_name(self, name: str) -> str:
        """The name, numbered when another data set has it already."""
        numbered = (f"{name} ({i})" for i in count(2))
        return (
            name if name not in self._loaded else next(n for n in numbered if n not in self._loaded)
        )
