"""Where the scores come from: the packaged samples, the caller's own, or an uploaded file."""

from itertools import chain, count

import ipywidgets

from dpviz.audit.scores.base import Scores
from dpviz.data import SAMPLES, read_sample
from dpviz.data.samples import sample_key
from dpviz.widgets.base.html import block, stack
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import Field, dropdown
from dpviz.widgets.upload.reading import UploadReader

NOTHING = "no scores: the claim alone"
OWN = "your scores"
SAMPLE = "sample: {}"
FILE = "your own file ..."


class SourceMenu(Field):
    """A menu of data sets; `files` is a place for files and what was understood of the one read.

    The place is folded away until a file is wanted. Data sets that were loaded stay in the menu.
    Errors appear in the error line of `view`.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._loaded: dict[str, Scores | None] = {NOTHING: None}
        self._lines: dict[str, tuple[str, ...]] = {}
        self._titles = {SAMPLE.format(sample.title): key for key, sample in SAMPLES.items()}
        options = [NOTHING, *self._titles, FILE]
        self.menu = dropdown("Data", options, width="auto", max_width="100%")
        self.uploads = UploadReader(view, self._uploaded)
        self.lines = ipywidgets.HTML()
        self.lines.add_class("dpviz-understood")
        self.files = stack([*self.uploads.widgets, self.lines])
        self.on_choice(self.menu, self._choose)
        self._fold(True)

    def follow(self) -> None:
        """Show which data set the store has: one that Python gave is a sample or "your scores"."""
        scores = self._view.store.scores
        name = next((n for n, s in self._loaded.items() if s is scores), "")
        if not name:
            key = sample_key(scores)
            name = self._new_name(SAMPLE.format(SAMPLES[key].title) if key else OWN)
            self._loaded[name] = scores
        with self.following():
            if name not in self.menu.options:
                self.menu.options = [*self.menu.options, name]
            self.menu.value = name
        lines = self._lines.get(name, ())
        self.lines.value = "".join(block("dpviz-sentence", line) for line in lines)
        self.lines.layout.display = None if lines else "none"

    def _choose(self, name: str) -> None:
        self._fold(name != FILE)
        if name == FILE:
            self.follow()
            return
        with self._view.guarded():
            if name in self._titles and name not in self._loaded:
                self._loaded[name] = read_sample(self._titles[name])
            self._view.store.load(self._loaded[name])
        self.follow()

    def _uploaded(self, file: str, scores: Scores | None, lines: tuple[str, ...]) -> None:
        name = self._new_name(f"uploaded: {file}")
        self._loaded[name], self._lines[name] = scores, lines
        self._fold(True)
        self._view.store.load(scores)

    def _fold(self, is_folded: bool) -> None:
        """Hide or show the place for files; what was understood of one stays."""
        self.uploads.place.layout.display = "none" if is_folded else None

    def _new_name(self, name: str) -> str:
        """The name, numbered when another data set has it already."""
        names = chain([name], (f"{name} ({i})" for i in count(2)))
        return next(each for each in names if each not in self._loaded)
