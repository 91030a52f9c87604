"""Further claims as thin lines with their names beside them."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.guarantee import GuaranteePart
from dpviz.analysis.sentences.claim import name
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Area, Line, Points

LONGEST_NAME = 22  # letters that fit on one side of the middle


class Overlays(Layer):
    """The overlays of a view, each with a line style of its own and a direct label.

    `line` returns the vertices of an overlay, an outline if `closed`; `place` the point of the i-th
    name on its line.
    """

    def __init__(
        self,
        line: Callable[[GuaranteePart], FloatArray],
        place: Callable[[GuaranteePart, int], tuple[float, float]],
        *,
        closed: bool = False,
    ) -> None:
        self._line, self._place, self._closed = line, place, closed

    def add_marks(self) -> None:
        self._pairs = []
        for i, (color, dash, width) in enumerate(theme.OVERLAYS):
            mark = (
                Area(color=color, opacity=0, dash=dash, width=width)
                if self._closed
                else Line(color=color, dash=dash, width=width)
            )
            label = Points(color=color, marker="diamond", size=30)
            self._pairs.append((self.add(f"line {i}", mark), self.add(f"name {i}", label)))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.overlays,)

    def draw(self, result: Result) -> None:
        for line, label in self._pairs[len(result.overlays) :]:
            line.hide()
            label.hide()
        for i, (overlay, (line, label)) in enumerate(
            zip(result.overlays, self._pairs, strict=False)
        ):
            line.draw(self._line(overlay))
            place = self._place(overlay, i)
            label.draw(np.array([place]), texts=[_label(overlay)])


def on_curve(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the trade-off curve, from FNR 0.8 downwards."""
    height = 0.8 - 0.12 * i
    fpr, fnr = overlay.curve.T
    height = min(height, float(fnr[0]))
    return float(np.interp(-height, -fnr, fpr)), height


def on_roc(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """The same place where the TPR is drawn."""
    fpr, fnr = on_curve(overlay, i)
    return fpr, 1 - fnr


def on_far_edge(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the other edge of the region, away from the attack and the point."""
    x, y = on_curve(overlay, i)
    return 1 - x, 1 - y


def _label(overlay: GuaranteePart) -> str:
    text = name(overlay.given).replace(" = ", "=")
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
