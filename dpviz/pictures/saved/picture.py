"""One picture of a saved page: a figure of HTML whose closed forms a script can move."""

from collections.abc import Sequence
from typing import Any, cast

from dpviz.analysis import Result
from dpviz.analysis.number_format import unbroken
from dpviz.analysis.sentences.registry import SENTENCES as REGISTERED
from dpviz.analysis.state.browser_state import SENTENCES, has_closed_form
from dpviz.pictures.layer import Layer
from dpviz.pictures.scene import Scene
from dpviz.pictures.svg.frame import WIDTH, SvgFrame
from dpviz.pictures.svg.marks import SvgMark, SvgPoints
from dpviz.pictures.svg.text import escaped


class SavedPicture:
    """The picture of a scene, drawn by new layers; element ids begin with `name`."""

    def __init__(
        self,
        scene: Scene,
        result: Result,
        name: str,
        sentences: Sequence[str],
        *,
        show_extra: bool = False,
    ) -> None:
        self.scene, self._result, self._name = scene, result, name
        self._frame = SvgFrame(scene, name, show_extra=show_extra)
        self._is_live = has_closed_form(result.spec.claim)
        fixed = [name for name in scene.sentences if REGISTERED[name].fixed]
        self._fixed = {result.sentences[name] for name in fixed}
        names = {result.sentences[name]: name for name in scene.sentences if name in SENTENCES}
        self._sentences = [(text, names.get(text, "")) for text in sentences]
        self._layers = scene.layers()
        self._frame.draw(self._layers, result)

    def html(self, *, says_late: bool = True) -> str:
        """Title and picture on a card, sentences below; `style.py` has their font and colours.

        With `says_late`, there is a place to say that the picture is as it was saved.
        """
        late = self._late() if says_late else ""
        frame, name, title = self._frame, self._name, escaped(self.scene.title_of(self._result))
        return (
            f'<figure><h2>{title}</h2><div class="card">'
            f'<svg viewBox="0 0 {WIDTH} {frame.height:g}" role="img" aria-label="{title}" '
            f'aria-describedby="{name}-said">'
            f'<g id="{name}" {frame.plot.attributes()}>{frame.svg()}</g></svg></div>'
            f'<figcaption id="{name}-said">{late}{self._text()}</figcaption></figure>'
        )

    def live(self) -> dict[str, Any]:
        """The closed-form layers, with the ids of their elements by the names of the marks.

        `shapes` has the paths of fixed markers at (0, 0), by the ids of their elements. Markers
        that the script draws are among the `labels` even without a text: it may give them one.
        """
        return {
            "name": self._name,
            "layers": [
                {
                    "name": type(layer).__name__,
                    "marks": {
                        name: mark.element_id
                        for name, mark in _marks(layer).items()
                        if mark.is_kept
                    },
                }
                for layer in self._layers
                if layer.closed_form
            ],
            "shapes": {
                mark.element_id: mark.shape()
                for layer in self._layers
                if layer.closed_form
                for mark in _marks(layer).values()
                if isinstance(mark, SvgPoints)
            },
            "labels": [
                drawn.told()
                for drawn in self._frame.written()
                if drawn.texts or (drawn.is_kept and isinstance(drawn, SvgPoints))
            ],
        }

    def _late(self) -> str:
        """An element for the script to write that something is stale; empty if nothing can be."""
        stays = [
            *self._stays(),
            *(
                text
                for text, name in self._sentences
                if text and not name and text not in self._fixed
            ),
        ]
        if not self._is_live or not stays:
            return ""
        how = "some" if self.live()["layers"] else "all"
        return f'<p class="late" data-late="{how}"></p>'

    def _stays(self) -> list[Layer]:
        """Layers with something that only Python can recompute; overlays never change."""
        return [
            layer
            for layer in self._layers
            if not layer.closed_form
            and any(mark.is_shown for mark in _marks(layer).values())
            and any(part is not self._result.overlays for part in layer.parts(self._result))
        ]

    def _text(self) -> str:
        written = ""
        for text, name in self._sentences:
            live = f' data-sentence="{name}"' if name and self._is_live else ""
            written += f"<p{live}>{unbroken(escaped(text))}</p>"
        return written


def _marks(layer: Layer) -> dict[str, SvgMark]:
    return cast(dict[str, SvgMark], layer.marks())
