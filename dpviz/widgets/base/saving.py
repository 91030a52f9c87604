"""Views as pictures, saved to files."""

import re
from collections.abc import Sequence
from pathlib import Path

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import (
    SCENES,
    sentences_of,
)
from dpviz.drawing.scene import Scene
from dpviz.pictures.numbers import as_csv, numbers
from dpviz.pictures.saved import Origin, SavedPicture, saved_page
from dpviz.pictures.svg import as_png, drawn, page
from dpviz.replace_file import replace_file
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.state.store import Store


class SavingMixin:
    """Saves what :meth:`svg` gives."""

    def svg(self, prefix: str = "") -> str:
        """Return one SVG document, whose ids begin with `prefix`."""
        raise NotImplementedError

    def complete(self) -> None:
        """Compute what is still missing, before anything is saved."""

    def save_svg(self, path: str | Path) -> None:
        """Write the pictures to an SVG file; an existing one is replaced."""
        self.complete()
        replace_file(path, self.svg().encode())

    def save_png(self, path: str | Path, scale: float = 2) -> None:
        """Write the pictures to a PNG file, `scale` in (0, 10] pixels per unit of the SVG.

        An existing file is replaced. ImportError without the extra `png`, OSError without a font.
        """
        checks.real("scale", scale, 0, 10, closed="right")
        self.complete()
        replace_file(path, as_png(self.svg(), scale=scale))


class PictureSavingMixin(SavingMixin, ipywidgets.Widget):
    """The pictures and sentences of a view, to be saved."""

    store: Store
    pictures: list[Picture]

    @property
    def result(self) -> Result:
        """The result that the view shows."""
        raise NotImplementedError

    @property
    def active_pictures(self) -> list[Picture]:
        """The figures that are on the page now."""
        return self.pictures

    def to_save(self) -> list[Picture]:
        """Return the pictures that show something now."""
        return self.active_pictures

    def on_screen(self) -> list[Picture]:
        """Return the pictures that are to be seen now, for a notebook's file."""
        return self.to_save()

    def in_words(self, picture: Picture) -> list[str]:
        """Return the sentences about one of the pictures."""
        written = (self.result.sentences.get(name, "") for name in sentences_of(picture.scene))
        return [sentence for sentence in written if sentence]

    def complete(self) -> None:
        """Compute the audit of the scores now, if it is missing: some seconds for many records."""
        sample = self.store.result.sample
        if sample is not None and sample.audit.pending:
            self.store.prepare_audit(self.store.spec)
            self.store.refresh()

    def svg(self, prefix: str = "") -> str:
        """Return the pictures as one SVG document for a white page, without script or style sheet.

        All ids begin with `prefix`. ValueError if there is nothing to show, as before bounds are
        computed.
        """
        return self.svg_of(self.to_save(), prefix)

    def svg_of(self, pictures: Sequence[Picture], prefix: str) -> str:
        """Return some of the pictures as one SVG document."""
        self.something(pictures)
        result, names = self.result, _names([each.scene for each in pictures], prefix)
        return page(
            [
                drawn(each.scene, result, name, self.in_words(each), show_extra=each.show_extra)
                for name, each in zip(names, pictures, strict=True)
            ]
        )

    def save_html(self, path: str | Path) -> None:
        """Write the pictures to one HTML file that needs no network; an existing one is replaced.

        The audit of the scores is computed first. Closed forms of the claim still follow controls,
        arrow keys and dragged markers; the page says that results that need Python are as they were
        saved. Of several pictures, those that have nothing to show are left out. ValueError if
        there is nothing to show.
        """
        self.complete()
        replace_file(path, self.html().encode())

    def html(self) -> str:
        """Return the pictures as one HTML document that needs no network; see :meth:`save_html`."""
        pictures = self.something(self.to_save())
        result = self.result  # an explorer may have built views
        names = _names([each.scene for each in pictures], "picture-")
        saved = [
            SavedPicture(each.scene, result, name, self.in_words(each), show_extra=each.show_extra)
            for name, each in zip(names, pictures, strict=True)
            if each.scene is not RULER  # the page begins with it
            and (len(pictures) == 1 or not each.scene.is_empty(result))
        ]
        return saved_page(result, saved, origin=Origin.of(self.store.scores))

    def to_csv(self, path: str | Path) -> None:
        """Write the numbers behind the pictures to a CSV file; an existing one is replaced.

        The audit of the scores is computed first. One row for each point of each mark, as drawn:
        of long curves at most 512 points. ValueError if there is nothing to show.
        """
        self.complete()
        replace_file(path, self.csv().encode())

    def csv(self) -> str:
        """Return the numbers behind the pictures as the text of a CSV file; see :meth:`to_csv`."""
        return self.csv_of(self.to_save())

    def csv_of(self, pictures: Sequence[Picture]) -> str:
        """Return the numbers behind some of the pictures as the text of a CSV file."""
        scenes = [picture.scene for picture in self.something(pictures)]
        result = self.result
        return as_csv(point for scene in scenes for point in numbers(scene, result))

    def something(self, pictures: Sequence[Picture]) -> Sequence[Picture]:
        """Return the pictures; ValueError if there are none."""
        if not pictures:
            raise ValueError(f"{type(self).__name__} must have something to show, got no answer")
        return pictures


def _names(scenes: list[Scene], prefix: str) -> list[str]:
    """Return a different name for each: the registered one, or one made of the title."""
    own = {id(scene): name for name, scene in SCENES.items()}
    names: list[str] = []
    for scene in scenes:
        words = re.findall("[a-z0-9]+", scene.title.lower())
        name = prefix + own.get(id(scene), "-".join(words) or "picture")
        while name in names:
            name += f"-{len(names)}"
        names.append(name)
    return names
