"""One picture of a saved page: a figure of HTML whose closed forms a script can move."""

from collections.abc import Sequence
from typing import Any

from dpviz.analysis import Result
from dpviz.analysis.closed_form import SENTENCES, has_closed_form
from dpviz.pictures.layer import ClosedForm, Layer
from dpviz.pictures.scene import Scene
from dpviz.pictures.svg_frame import HEIGHT, WIDTH, SvgFrame
from dpviz.pictures.svg_marks import SvgMark
from dpviz.pictures.svg_page import INK, SIZE
from dpviz.pictures.svg_text import FONTS, escaped


class SavedPicture:
    """A scene of a result, drawn; layers of its own.

    Parameters
    ----------
    scene : Scene
    result : Result
    name : str
        Unique in the page: ids begin with it.
    sentences : sequence of str
        What is said of it.
    """

    def __init__(self, scene: Scene, result: Result, name: str, sentences: Sequence[str]) -> None:
        self._scene, self._result, self._name = scene, result, name
        self._frame = SvgFrame(scene, name)
        self._is_live = has_closed_form(result.spec.claim)
        written = {result.sentences[of]: of for of in scene.sentences if of in SENTENCES}
        self._sentences = [(said, written.get(said, "")) for said in sentences]
        self._layers = self._frame.draw(scene.layers(), result)

    def html(self) -> str:
        """Title, legend and picture on a white card, sentences below."""
        frame, name, title = self._frame, self._name, escaped(self._scene.title)
        return (
            f'<figure><h2>{title}</h2><div class="card"><ul class="legend">{self._legend()}</ul>'
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" '
            f'aria-describedby="{name}-said" font-family="{FONTS}" font-size="{SIZE}" '
            f'fill="{INK}"><g id="{name}" {frame.plot.attributes()}>{frame.svg()}</g></svg></div>'
            f'<figcaption id="{name}-said">{self._late()}{self._text()}</figcaption></figure>'
        )

    def live(self) -> dict[str, Any]:
        """Its layers that a script moves, with the ids of their elements by role."""
        return {
            "name": self._name,
            "layers": [
                {"name": type(layer).__name__, "marks": _ids(layer)}
                for layer, _ in self._layers
                if layer.closed_form and isinstance(layer, ClosedForm)
            ],
        }

    def _legend(self) -> str:
        """All that is shown, and what a script may show."""
        return "".join(
            f'<li data-mark="{mark.element_id}"{"" if mark.is_shown else " hidden"}>{sample}'
            f"{escaped(label)}</li>"
            for mark, sample, label in self._frame.explained
            if mark.is_shown or (mark.is_kept and self._is_live)
        )

    def _late(self) -> str:
        """Room to say what does not follow a change; none where everything does."""
        stays = [*self._stays(), *(said for said, name in self._sentences if not name)]
        if not self._is_live or not stays:
            return ""
        how = "some" if self.live()["layers"] else "all"
        return f'<p class="late" role="status" data-late="{how}"></p>'

    def _stays(self) -> list[Layer]:
        """Layers that show something which only Python can work out anew; overlays are fixed."""
        return [
            layer
            for layer, marks in self._layers
            if not layer.closed_form
            and any(mark.is_shown for mark in marks)
            and any(part is not self._result.overlays for part in layer.parts(self._result))
        ]

    def _text(self) -> str:
        written = ""
        for said, name in self._sentences:
            live = f' role="status" data-sentence="{name}"' if name and self._is_live else ""
            written += f"<p{live}>{escaped(said)}</p>"
        return written


def _ids(layer: ClosedForm) -> dict[str, str]:
    marks = layer.marks().items()
    return {role: mark.element_id for role, mark in marks if isinstance(mark, SvgMark)}
