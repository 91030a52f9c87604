"""What layers draw on: a small vocabulary of marks, whoever shows them.

`dpviz.widgets.figures` shows them with bqplot, `dpviz.pictures.svg_frame` writes them as SVG.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np

from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import Axis

NOTHING = np.empty((0, 2))
MOST_VERTICES = 512


def thinned(vertices: FloatArray) -> FloatArray:
    """At most 512 rows, the first and the last among them, evenly spread."""
    kept = np.linspace(0, len(vertices) - 1, min(len(vertices), MOST_VERTICES)).round()
    return np.asarray(vertices[kept.astype(int)])


class Curve(Protocol):
    """A line or a filled outline through vertices."""

    def draw(self, vertices: FloatArray) -> None:
        """Show these vertices, shape (k, 2); none at all hides the line."""


class Segments(Protocol):
    """Straight pieces, each with two ends."""

    def draw(self, pieces: FloatArray) -> None:
        """Show these pieces, shape (k, 2, 2): piece, end, coordinate; none at all hides them."""


class Points(Protocol):
    """Fixed markers with optional texts beside them."""

    def draw(
        self, places: FloatArray, *, texts: list[str] | None = None, to_the_left: bool = False
    ) -> None:
        """Show markers at these places, shape (k, 2), with texts on one side."""


class Handle(Protocol):
    """A marker the user drags."""

    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        """Put the marker where the state says, inside the axes, with a text beside it."""

    def hide(self) -> None:
        """Take the marker away until it is placed again."""


Mark = Curve | Segments | Points | Handle


class Cursor:
    """A vertical line over the whole height with a handle on the x axis, moved along x."""

    def __init__(self, line: Curve, handle: Handle, y: Axis) -> None:
        self.line, self.handle, self._y = line, handle, y

    def place(self, x: float) -> None:
        """Stand at `x`."""
        self.line.draw(np.array([[x, self._y.low], [x, self._y.high]]))
        self.handle.place(x, self._y.low)

    def hide(self) -> None:
        """Take line and handle away until they are placed again."""
        self.line.draw(NOTHING)
        self.handle.hide()


class Frame(ABC):
    """Two axes and the marks that layers ask for, drawn in the order of asking.

    A mark's label stands in the legend; its hint, what a hand can do with it, stands there too
    where there is a hand.

    Attributes
    ----------
    x, y : Axis
    legend : list of str
        One piece of HTML for each mark with a label.
    """

    x: Axis
    y: Axis
    legend: list[str]

    @abstractmethod
    def line(
        self,
        *,
        color: str,
        dash: theme.Dash = "solid",
        width: float = 2,
        steps: bool = False,
        fill: float = 0,
        label: str = "",
    ) -> Curve:
        """A line; `steps` holds each value until the next x; `fill` is the opacity down to 0."""

    @abstractmethod
    def area(
        self,
        *,
        color: str,
        opacity: float,
        outline: bool = True,
        dash: theme.Dash = "solid",
        width: float = 2,
        label: str = "",
    ) -> Curve:
        """A filled outline."""

    @abstractmethod
    def segments(self, *, color: str, width: float = 1, label: str = "") -> Segments:
        """Straight pieces that do not hang together, such as error bars."""

    @abstractmethod
    def points(
        self,
        *,
        color: str,
        marker: str = "circle",
        size: int = 55,
        raise_text: float = 0,
        on_pick: Callable[[int], None] | None = None,
        label: str = "",
        hint: str = "",
    ) -> Points:
        """Fixed markers; `size` is an area in pixels, texts stand `raise_text` pixels higher.

        `on_pick` gets the number of a marker that was clicked.
        """

    @abstractmethod
    def handle(
        self,
        *,
        color: str,
        marker: str,
        on_move: Callable[[float, float], None],
        only: Literal["x", "y"] | None = None,
        label: str = "",
        hint: str = "",
    ) -> Handle:
        """A marker to drag, along one axis only if asked; `on_move` gets places inside the axes."""

    def cursor(
        self, *, on_move: Callable[[float], None], label: str, hint: str = "drag it"
    ) -> Cursor:
        """A vertical line to drag along x; `on_move` gets an x inside the axis."""
        line = self.line(color=theme.SELECTION, dash="dashed", width=1.5)
        handle = self.handle(
            color=theme.SELECTION,
            marker="triangle-up",
            on_move=lambda x, _: on_move(x),
            only="x",
            label=label,
            hint=hint,
        )
        return Cursor(line, handle, self.y)
