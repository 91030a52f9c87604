"""One of several figures of a view: its legend and its layers."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.widgets.figures import Frame
from dpviz.widgets.layers.layer import Change, Layer


class Picture:
    """A frame with layers on it; `widget` shows both.

    Parameters
    ----------
    frame : Frame
    layers : list of Layer
        From back to front.
    change : callable
        Asks the store for a change.
    """

    def __init__(self, frame: Frame, layers: list[Layer], change: Change) -> None:
        self.frame, self.layers = frame, layers
        for layer in layers:
            layer.build(frame, change)
        self._drawn: list[tuple[object, ...]] = [()] * len(layers)
        legend = ipywidgets.HTML(f'<div class="dpviz-legend">{"".join(frame.legend)}</div>')
        self.widget = ipywidgets.VBox(
            [legend, frame.figure], layout=ipywidgets.Layout(min_width="0", overflow="hidden")
        )

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed."""
        for i, layer in enumerate(self.layers):
            parts = layer.parts(result)
            if list(map(id, parts)) != list(map(id, self._drawn[i])):
                layer.draw(result)
                self._drawn[i] = parts
