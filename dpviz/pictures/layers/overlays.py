"""Further claims as thin lines with their names beside them."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.claim_sentences import name
from dpviz.analysis.overlays import GuaranteePart
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Curve, Frame, Points
from dpviz.pictures.layer import Change

LONGEST_NAME = 22


class Overlays:
    """The overlays of a view, each with a line style of its own and a direct label.

    Parameters
    ----------
    line : callable
        Vertices of an overlay.
    place : callable
        Where the i-th overlay's name stands: a point on its line, at a height of its own.
    closed : bool
        Whether the lines are outlines.
    raise_names : float
        Pixels that names stand above their lines' points.
    """

    closed_form = False

    def __init__(
        self,
        line: Callable[[GuaranteePart], FloatArray],
        place: Callable[[GuaranteePart, int], tuple[float, float]],
        *,
        closed: bool = False,
        raise_names: float = 6,
    ) -> None:
        self._line, self._place, self._closed = line, place, closed
        self._raise_names = raise_names

    def build(self, frame: Frame, change: Change) -> None:
        """A line and a name for each that there can be."""
        self._frame = frame
        self._lines: list[Curve] = []
        self._names: list[Points] = []
        for color, dash, width in theme.OVERLAYS:
            self._lines.append(
                frame.area(color=color, opacity=0, dash=dash, width=width)
                if self._closed
                else frame.line(color=color, dash=dash, width=width)
            )
            self._names.append(
                frame.points(color=color, marker="diamond", size=30, raise_text=self._raise_names)
            )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The overlays."""
        return (result.overlays,)

    def draw(self, result: Result) -> None:
        """Show what there is."""
        for i, (line, mark) in enumerate(zip(self._lines, self._names, strict=True)):
            if i >= len(result.overlays):
                line.draw(NOTHING)
                mark.draw(NOTHING)
                continue
            overlay, x = result.overlays[i], self._frame.x
            line.draw(self._line(overlay))
            place = self._place(overlay, i)
            is_right = place[0] > (x.low + x.high) / 2
            mark.draw(np.array([place]), texts=[_label(overlay)], to_the_left=is_right)


def on_curve(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the trade-off curve, from FNR 0.8 downwards."""
    height = 0.8 - 0.12 * i
    fpr, fnr = overlay.curve.T
    height = min(height, float(fnr[0]))
    return float(np.interp(-height, -fnr, fpr)), height


def on_far_edge(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the other edge of the region, where the attack and its point are not."""
    x, y = on_curve(overlay, i)
    return 1 - x, 1 - y


def _label(overlay: GuaranteePart) -> str:
    """Short enough to fit on one side of the middle."""
    text = name(overlay.given).replace(" = ", "=")
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
