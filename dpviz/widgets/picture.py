"""One of several figures of a view: its legend and its layers."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.layer import Change
from dpviz.pictures.scene import Scene
from dpviz.widgets.figures import PlotFrame


class Picture:
    """A scene on a figure with its legend; `widget` shows both.

    Parameters
    ----------
    scene : Scene
    change : callable
        Asks the store for a change.
    """

    def __init__(self, scene: Scene, change: Change) -> None:
        self.scene, self.frame, self.layers = scene, PlotFrame(scene), scene.layers()
        for layer in self.layers:
            layer.build(self.frame, change)
        self._drawn: list[tuple[object, ...]] = [()] * len(self.layers)
        legend = ipywidgets.HTML(f'<div class="dpviz-legend">{"".join(self.frame.legend)}</div>')
        self.widget = ipywidgets.VBox(
            [legend, self.frame.figure], layout=ipywidgets.Layout(min_width="0", overflow="hidden")
        )

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed."""
        for i, layer in enumerate(self.layers):
            parts = layer.parts(result)
            if list(map(id, parts)) != list(map(id, self._drawn[i])):
                layer.draw(result)
                self._drawn[i] = parts
