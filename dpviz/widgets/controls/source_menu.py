"""Where the scores come from: the packaged samples, the caller's own, or an uploaded file."""

from itertools import chain, count
from pathlib import PurePath

from dpviz.analysis.attacks import LONGEST
from dpviz.audit.scores.base import Scores
from dpviz.data import SAMPLES, read_sample
from dpviz.data.samples import sample_key
from dpviz.widgets.base.html import Html, block, stack
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import Field, dropdown
from dpviz.widgets.upload import UploadReader

NOTHING = "no scores: the claim alone"
OWN = "your scores"
SAMPLE = "sample: {}"
FILE = "your own file ..."
ATTACK = "another attack, to compare with this one ..."


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
        self._is_to_compare = False
        options = [NOTHING, *self._titles, FILE, ATTACK]
        self.menu = dropdown("Data", options)
        self.uploads = UploadReader(view, self._uploaded)
        self.lines = Html(is_hidden=True)
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
        self.lines.is_hidden = not lines

    def _choose(self, name: str) -> None:
        self._is_to_compare = name == ATTACK
        self._fold(name not in (FILE, ATTACK))
        if name in (FILE, ATTACK):
            self.follow()
            return
        with self._view.guarded():
            if name in self._titles and name not in self._loaded:
                self._loaded[name] = read_sample(self._titles[name])
            self._view.store.load(self._loaded[name])
        self.follow()

    def _uploaded(self, file: str, scores: Scores | None, lines: tuple[str, ...]) -> None:
        if self._is_to_compare and scores is not None:
            self._compare(file, scores)
            return
        name = self._new_name(f"uploaded: {file}")
        self._loaded[name], self._lines[name] = scores, lines
        self._fold(True)
        self._view.store.load(scores)

    def _compare(self, file: str, scores: Scores) -> None:
        """Add the attack of a file, under the file's name without its ending."""
        others, name = self._view.store.spec.compare, PurePath(file).stem[: LONGEST - 5]
        names = chain([name], (f"{name} ({i})" for i in count(2)))
        new = next(each for each in names if each not in others)
        self._is_to_compare = False
        self._fold(True)
        self._view.store.update(compare={**others, new: scores})

    def _fold(self, is_folded: bool) -> None:
        """Hide or show the place for files; what was understood of one stays."""
        self.uploads.place.is_hidden = is_folded

    def _new_name(self, name: str) -> str:
        """The name, numbered when another data set has it already."""
        names = chain([name], (f"{name} ({i})" for i in count(2)))
        return next(each for each in names if each not in self._loaded)
