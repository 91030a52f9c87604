"""What stands in the place of a figure until there is one: the same scene as SVG."""

from functools import cache
from uuid import uuid4

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.scene import Scene
from dpviz.pictures.svg.frame import WIDTH, SvgFrame
from dpviz.pictures.svg.page import INK, SIZE
from dpviz.pictures.svg.text import FONTS, escaped
from dpviz.widgets.plain import Plain

NARROW = 400  # pixels of a picture that has others beside it


class Still(Plain, ipywidgets.HTML):
    """The picture of a scene, of the size that its figure will have."""

    def __init__(self, scene: Scene, result: Result) -> None:
        classes = ["dpviz-figure", f"dpviz-{scene.shape}"]
        super().__init__(layout=place_of(scene) if scene.trim else None, _dom_classes=classes)
        self._scene, self._key = scene, f"still-{uuid4().hex[:8]}"
        self._parts: list[object] = []
        self.draw(result)

    def draw(self, result: Result) -> None:
        """Show a result, if it differs in what the scene shows."""
        layers = self._scene.layers()
        parts = [result.naming, *(part for layer in layers for part in layer.parts(result))]
        if list(map(id, parts)) == list(map(id, self._parts)):
            return
        self._parts = parts
        width = WIDTH if self._scene.shape == "strip" else NARROW
        frame = SvgFrame(self._scene, self._key, width=width)
        frame.draw(layers, result)
        title = escaped(self._scene.title_of(result))
        self.value = (
            f'<svg viewBox="0 0 {width} {frame.height:g}" role="img" aria-label="{title}" '
            f'font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">{frame.svg()}</svg>'
        )


@cache
def has_extra(scene: Scene) -> bool:
    """Whether a scene has marks that are not drawn at first."""
    frame = SvgFrame(scene)
    frame.build(scene.layers())
    return frame.has_extra


def place_of(scene: Scene) -> ipywidgets.Layout:
    """As wide as its place; what a square is wider than high stands beside its square content."""
    more = f"{scene.trim}px * var(--dpviz-font-scale, 1)"
    beside = {"padding": f"0 calc({more}) 0 0", "width": f"calc(100% - {more})"}
    return ipywidgets.Layout(min_width="0", **(beside if scene.trim else {"width": "100%"}))
