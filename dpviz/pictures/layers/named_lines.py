"""Several lines of one kind, each with a dash of its own and its name beside it."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

import numpy as np

from dpviz.analysis import Result
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Area, Line, Points

LONGEST_NAME = 22  # letters that fit on one side of the middle
Style = tuple[str, theme.Dash, float]  # colour, dash and width
Part = TypeVar("Part")


class NamedLines(Layer, Generic[Part]):
    """A line, or an outline if `closed`, and a direct label for each of some parts of a result.

    `line` returns the vertices of a part; `place` the point of the i-th name on its line.
    """

    styles: ClassVar[Sequence[Style]]

    def __init__(
        self,
        line: Callable[[Part], FloatArray],
        place: Callable[[Part, int], tuple[float, float]],
        *,
        closed: bool = False,
        steps: bool = False,
    ) -> None:
        self._line, self._place, self._closed, self._steps = line, place, closed, steps

    @abstractmethod
    def named(self, result: Result) -> Sequence[tuple[str, Part]]:
        """The names and the parts to draw."""

    def add_marks(self) -> None:
        self._pairs = []
        for i, (color, dash, width) in enumerate(self.styles):
            mark = (
                Area(color=color, opacity=0, dash=dash, width=width)
                if self._closed
                else Line(color=color, dash=dash, width=width, steps=self._steps)
            )
            label = Points(color=color, marker="diamond", size=30)
            self._pairs.append((self.add(f"line {i}", mark), self.add(f"name {i}", label)))

    def draw(self, result: Result) -> None:
        named = self.named(result)
        for line, label in self._pairs[len(named) :]:
            line.hide()
            label.hide()
        for i, ((name, part), (line, label)) in enumerate(zip(named, self._pairs, strict=False)):
            line.draw(self._line(part))
            text = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
            label.draw(np.array([self._place(part, i)]), texts=[text])


def at_height(curve: FloatArray, height: float) -> tuple[float, float]:
    """The place on a curve with columns FPR and FNR at an FNR, or at its beginning."""
    fpr, fnr = curve.T
    height = min(height, float(fnr[0]))
    return float(np.interp(-height, -fnr, fpr)), height
