"""What stands in the place of a figure until there is one: the same scene as SVG."""

from functools import cache
from uuid import uuid4

import ipywidgets

from dpviz.analysis import Result
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import FONTS, WIDTH, SvgFrame, escaped
from dpviz.drawing.theme import INK
from dpviz.pictures.svg import SIZE
from dpviz.widgets.plain import Plain

NARROW = 400  # pixels of a picture that has others beside it


class Still(Plain, ipywidgets.HTML):
    """The picture of a scene, of the size that its figure will have."""

    def __init__(self, scene: Scene, result: Result) -> None:
        layout = ipywidgets.Layout(**place_of(scene)) if scene.trim else None
        super().__init__(layout=layout, _dom_classes=classes_of(scene))
        self._scene = scene
        self._parts: list[object] = []
        self.draw(result)

    def draw(self, result: Result) -> None:
        """Show a result, if it differs in what the scene shows."""
        layers = self._scene.layers()
        parts = [result.naming, *(part for layer in layers for part in layer.parts(result))]
        if list(map(id, parts)) == list(map(id, self._parts)):
            return
        self._parts = parts
        self.value = still_svg(self._scene, result)


def still_svg(scene: Scene, result: Result) -> str:
    """Return the picture of a scene as an element of a page."""
    width = WIDTH if scene.shape == "strip" else NARROW
    frame = SvgFrame(scene, f"still-{uuid4().hex[:8]}", width=width)
    frame.draw(scene.layers(), result)
    return (
        f'<svg viewBox="0 0 {width} {frame.height:g}" role="img" '
        f'aria-label="{escaped(scene.title_of(result))}" '
        f'font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">{frame.svg()}</svg>'
    )


@cache
def has_extra(scene: Scene) -> bool:
    """Whether a scene has marks that are not drawn at first."""
    frame = SvgFrame(scene)
    frame.build(scene.layers())
    return frame.has_extra


def classes_of(scene: Scene) -> list[str]:
    """The classes of a picture, still or live."""
    return ["dpviz-figure", f"dpviz-{scene.shape}"]


def place_of(scene: Scene) -> dict[str, str]:
    """As wide as its place; what a square is wider than high stands beside its square content."""
    more = f"{scene.trim}px * var(--dpviz-font-scale, 1)"
    beside = {"padding": f"0 calc({more}) 0 0", "width": f"calc(100% - {more})"}
    return {"min_width": "0", **(beside if scene.trim else {"width": "100%"})}
