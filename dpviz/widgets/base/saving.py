"""Views as pictures: saved to files, and shown where no widget can be."""

import re
from itertools import chain
from pathlib import Path
from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.pictures.saved.page import saved_page
from dpviz.pictures.saved.picture import SavedPicture
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import SCENES
from dpviz.pictures.svg.page import drawn, page
from dpviz.pictures.svg.png import as_png
from dpviz.widgets.base.picture import Picture


class SavingMixin:
    """Saves what :meth:`svg` gives."""

    def svg(self, prefix: str = "") -> str:
        """Return one SVG document, whose ids begin with `prefix`."""
        raise NotImplementedError

    def save_svg(self, path: str | Path) -> None:
        """Write the pictures to an SVG file; an existing one is replaced."""
        Path(path).write_text(self.svg(), encoding="utf-8")

    def save_png(self, path: str | Path, scale: float = 2) -> None:
        """Write the pictures to a PNG file, `scale` in (0, 10] pixels per unit of the SVG.

        An existing file is replaced. ImportError without the extra `png`, OSError without a font.
        """
        checks.real("scale", scale, 0, 10, closed="right")
        Path(path).write_bytes(as_png(self.svg(), scale=scale))


class PictureSavingMixin(SavingMixin, ipywidgets.Widget):
    """The pictures and sentences of a view, to be saved."""

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

    def in_words(self, picture: Picture) -> list[str]:
        """Return the sentences about one of the pictures."""
        written = (self.result.sentences.get(name, "") for name in picture.scene.sentences)
        return [sentence for sentence in written if sentence]

    def svg(self, prefix: str = "") -> str:
        """Return the pictures as one SVG document for a white page, without script or style sheet.

        All ids begin with `prefix`. ValueError if there is nothing to show, as before bounds are
        computed.
        """
        result = self.result
        named = self._named(prefix)
        return page([drawn(p.scene, result, name, self.in_words(p)) for name, p in named])

    def save_html(self, path: str | Path) -> None:
        """Write the pictures to one HTML file that needs no network; an existing one is replaced.

        Closed forms of the claim still follow controls, arrow keys and dragged markers; the page
        says that results that need Python are as they were saved. Of several pictures, those that
        show nothing without scores are left out where there are none. ValueError if there is
        nothing to show.
        """
        result, named = self.result, self._named("picture-")
        pictures = [
            SavedPicture(picture.scene, result, name, self.in_words(picture))
            for name, picture in named
            if len(named) == 1 or not picture.scene.is_empty(result)
        ]
        Path(path).write_text(saved_page(result, pictures), encoding="utf-8")

    def _named(self, prefix: str) -> list[tuple[str, Picture]]:
        pictures = self.to_save()
        if not pictures:
            raise ValueError(f"{type(self).__name__} must have something to show, got no answer")
        names = _names([picture.scene for picture in pictures], prefix)
        return list(zip(names, pictures, strict=True))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget, and a picture with its sentences for pages without widgets."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        pictures = self.to_save()
        if pictures:
            bundle["image/svg+xml"] = self.svg(prefix=f"view-{self.model_id[:8]}-")
            said = ([p.scene.title_of(self.result), *self.in_words(p)] for p in pictures)
            bundle["text/plain"] = "\n".join(chain.from_iterable(said))
        return bundle


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
