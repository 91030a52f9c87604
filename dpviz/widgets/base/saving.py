"""Views as pictures: saved to files, and shown where no widget can be."""

import re
from itertools import chain
from pathlib import Path
from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.saved import saved_page
from dpviz.pictures.saved_picture import SavedPicture
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import SCENES, WITH_SCORES
from dpviz.pictures.svg_page import drawn, page
from dpviz.widgets.picture import Picture
from dpviz.widgets.svg_files import SvgFiles


class Saving(SvgFiles, ipywidgets.Widget):
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
        result = self.result
        named = self._named(prefix)
        return page([drawn(p.scene, result, name, self.in_words(p)) for name, p in named])

    def save_html(self, path: str | Path) -> None:
        """Write the pictures to one HTML file that needs no network; an existing one is replaced.

        Closed forms of the claim stay alive in it: controls, arrow keys and dragged markers move
        them. What only Python can work out is as it was saved, and the page says so. Of several
        pictures, those that show nothing without scores are left out where there are none.

        Parameters
        ----------
        path : str or Path

        Raises
        ------
        ValueError
            If there is nothing to show yet.
        OSError
            If the file cannot be written.
        """
        result, named = self.result, self._named("picture-")
        is_bare = result.sample is None and len(named) > 1
        empty = [SCENES[name] for name in WITH_SCORES] if is_bare else []
        pictures = [
            SavedPicture(picture.scene, result, name, self.in_words(picture))
            for name, picture in named
            if picture.scene not in empty
        ]
        Path(path).write_text(saved_page(result, pictures), encoding="utf-8")

    def _named(self, prefix: str) -> list[tuple[str, Picture]]:
        """The pictures to save, by their names."""
        pictures = self.to_save()
        if not pictures:
            raise ValueError(f"{type(self).__name__} must have something to show, got no answer")
        names = _names([picture.scene for picture in pictures], prefix)
        return list(zip(names, pictures, strict=True))

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
        while name in names:
            name += f"-{len(names)}"
        names.append(name)
    return names
