"""One of the figures of a view: its legend and its layers."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.layer import Change
from dpviz.pictures.scene import Scene
from dpviz.widgets.base.html import stack
from dpviz.widgets.figures import PlotFrame
from dpviz.widgets.state.live import BrowserState


class Picture:
    """A scene on a figure with its legend; `widget` shows both.

    `change` requests a change of the spec. `live`, if given, draws closed forms in the browser
    until :meth:`BrowserState.forget` is called with `owner`.
    """

    def __init__(
        self, scene: Scene, *, owner: object, change: Change, live: BrowserState | None
    ) -> None:
        self.scene, self.frame, self.layers = scene, PlotFrame(scene), list(scene.layers())
        for layer in self.layers:
            layer.build(self.frame, change)
        self._live = live
        if live is not None:
            live.add_picture(owner, scene.title, self.frame, self.layers, change)
        self._drawn: list[tuple[object, ...] | None] = [None] * len(self.layers)
        legend = ipywidgets.HTML(f'<div class="dpviz-legend">{"".join(self.frame.legend)}</div>')
        self.widget = stack([legend, self.frame.figure])

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, except those that the browser draws itself."""
        is_live = self._live is not None and self._live.draws(result)
        for i, layer in enumerate(self.layers):
            drawn = self._drawn[i]
            if drawn is not None and is_live and layer.closed_form:
                continue
            parts = layer.parts(result)
            if drawn is None or list(map(id, parts)) != list(map(id, drawn)):
                layer.draw(result)
                self._drawn[i] = parts
