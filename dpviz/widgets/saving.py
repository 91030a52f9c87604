"""Views as pictures: saved to files, and shown where no widget can be."""

import re
from itertools import chain
from pathlib import Path
from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import SCENES
from dpviz.pictures.svg_page import drawn, page
from dpviz.pictures.svg_png import as_png
from dpviz.widgets.picture import Picture


class Saving(ipywidgets.Widget):
    """What every view can do with its pictures."""

    pictures: list[Picture]

    @property
    def result(self) -> Result:
        """What the view shows."""
        raise NotImplementedError

    def to_save(self) -> list[Picture]:
        """The pictures that show something now."""
        return self.pictures

    def in_words(self, picture: Picture) -> list[str]:
        """What the view says of one of its pictures."""
        said = (self.result.sentences[name] for name in picture.scene.sentences)
        return [sentence for sentence in said if sentence]

    def svg(self, prefix: str = "") -> str:
        """Its pictures as one SVG document, for a white page: no script, no style sheet.

        Parameters
        ----------
        prefix : str
            What all ids begin with, where several documents stand in one page.

        Raises
        ------
        ValueError
            If there is nothing to show yet, as where bounds were not computed.
        """
        pictures = self.to_save()
        if not pictures:
            raise ValueError(f"{type(self).__name__} must have something to show, got no answer")
        names = _names([picture.scene for picture in pictures], prefix)
        return page(
            [
                drawn(picture.scene, self.result, name, self.in_words(picture))
                for picture, name in zip(pictures, names, strict=True)
            ]
        )

    def save_svg(self, path: str | Path) -> None:
        """Write the pictures to an SVG file; an existing one is replaced."""
        text = self.svg()
        Path(path).write_text(text, encoding="utf-8")

    def save_png(self, path: str | Path, scale: float = 2) -> None:
        """Write the pictures to a PNG file; an existing one is replaced.

        Parameters
        ----------
        path : str or Path
        scale : float
            Pixels per unit of the SVG, in (0, 10].

        Raises
        ------
        ImportError
            Without the extra `png`.
        OSError
            If the file cannot be written, or no font is installed.
        """
        checks.real("scale", scale, 0, 10, closed="right")
        image = as_png(self.svg(), scale=scale)
        Path(path).write_bytes(image)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget; a picture and its sentences for whoever shows no widgets."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        pictures = self.to_save()
        if pictures:
            bundle["image/svg+xml"] = self.svg(prefix=f"view-{self.model_id[:8]}-")
            said = ([picture.scene.title, *self.in_words(picture)] for picture in pictures)
            bundle["text/plain"] = "\n".join(chain.from_iterable(said))
        return bundle


def _names(scenes: list[Scene], prefix: str) -> list[str]:
    """A name for each: the scene's own, else made of its title; no two are equal."""
    own = {id(scene): name for name, scene in SCENES.items()}
    names: list[str] = []
    for scene in scenes:
        words = re.findall("[a-z0-9]+", scene.title.lower())
        name = prefix + own.get(id(scene), "-".join(words) or "picture")
        names.append(name if name not in names else f"{name}-{len(names)}")
    return names
