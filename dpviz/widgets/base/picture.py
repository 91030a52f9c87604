"""One of several figures of a view: its legend and its layers."""

from typing import TYPE_CHECKING

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.scene import Scene
from dpviz.widgets.figures import PlotFrame

if TYPE_CHECKING:
    from dpviz.widgets.view import View


class Picture:
    """A scene on a figure with its legend; `widget` shows both.

    Parameters
    ----------
    scene : Scene
    view : View
        Whose store is asked for changes.
    """

    def __init__(self, scene: Scene, view: "View") -> None:
        self.scene, self.frame, self.layers = scene, PlotFrame(scene), list(scene.layers())
        for layer in self.layers:
            layer.build(self.frame, view.change)
        self._live = view.store.live
        if self._live is not None:
            self._live.add_picture(view, scene.title, self.frame, self.layers, view.change)
        self._drawn: list[tuple[object, ...] | None] = [None] * len(self.layers)
        legend = ipywidgets.HTML(f'<div class="dpviz-legend">{"".join(self.frame.legend)}</div>')
        self.widget = ipywidgets.VBox(
            [legend, self.frame.figure], layout=ipywidgets.Layout(min_width="0", overflow="hidden")
        )

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, but those that the browser draws by itself."""
        is_live = self._live is not None and self._live.draws(result)
        for i, layer in enumerate(self.layers):
            drawn = self._drawn[i]
            if drawn is not None and is_live and layer.closed_form:
                continue
            parts = layer.parts(result)
            if drawn is None or list(map(id, parts)) != list(map(id, drawn)):
                layer.draw(result)
                self._drawn[i] = parts
