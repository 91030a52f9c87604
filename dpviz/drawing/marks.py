"""Marks: the style of lines, areas, points and handles, and methods that move them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast

import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray, read_only
from dpviz.drawing import theme
from dpviz.drawing.labels import LABEL_GAP, MARKER_GAP, PathKind

# Greatest distance from the centre of a marker of area 1 to its edge.
REACH = {"circle": 0.5642, "diamond": 0.7071, "cross": 0.7071, "triangle-up": 0.8774}
NOTHING = read_only(np.empty((0, 2)))  # no vertices, no places


class DrawnMark(ABC):
    """A mark on a frame; the layer that added the mark moves or hides it."""

    @abstractmethod
    def hide(self) -> None:
        """Hide the mark until it is drawn the next time."""

    @abstractmethod
    def set_label(self, label: str) -> None:
        """Give the mark another label."""


class DrawnLines(DrawnMark):
    """A line, a filled outline, or separate segments, on a frame."""

    @abstractmethod
    def draw(self, vertices: FloatArray) -> None:
        """Show a line of n vertices, shape (n, 2), or the ends of n segments, shape (n, 2, 2)."""


class DrawnPoints(DrawnMark):
    """Fixed markers with optional texts beside them."""

    @abstractmethod
    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        """Show markers at `places`, shape (n, 2), with `texts` beside the markers, if given."""


class DrawnHandle(DrawnMark):
    """A marker that the user drags."""

    @abstractmethod
    def place(
        self, x: float, y: float, *, marker: str | None = None, text: str = "", hollow: bool = False
    ) -> None:
        """Move the marker to (x, y), or to the nearest point of the plot; write `text` beside it.

        `marker` is a new shape, None keeps the present one; a `hollow` marker is not filled.
        """


D = TypeVar("D", bound=DrawnMark)


@dataclass(frozen=True, kw_only=True)
class Mark(Generic[D]):
    """The style of a mark; `Frame.add` returns the drawn mark of type `D`."""

    color: str
    label: str = ""  # what it is, in few words: written beside it
    extra: bool = False  # drawn only where all marks of a picture are shown
    labelled_first: bool = False  # its label chooses its place before the other labels
    path_kind: ClassVar[PathKind] = "line"  # beside or in what its label stands

    def __get__(self, layer: object, owner: type) -> D:
        """Return the mark itself, typed as the drawn mark that replaces the mark on a frame."""
        return cast(D, self)

    @property
    def label_gap(self) -> float:
        """The distance between the path of the mark and its label, in pixels."""
        return LABEL_GAP

    @property
    def legend_svg(self) -> str:
        """A small sample of the mark for the legend, as SVG."""
        return theme.legend_swatch(self.color)


@dataclass(frozen=True, kw_only=True)
class Line(Mark[DrawnLines]):
    """The style of a line, or of a step function; `fill` is the opacity of the area below."""

    dash: theme.Dash = "solid"
    width: float = 2
    steps: bool = False
    fill: float = 0

    @property
    @override
    def legend_svg(self) -> str:
        return theme.legend_swatch(self.color, dash=self.dash, fill=self.fill)


@dataclass(frozen=True, kw_only=True)
class Area(Mark[DrawnLines]):
    """The style of a filled outline, whose edge is drawn if `outline` is true."""

    path_kind: ClassVar[PathKind] = "area"
    opacity: float
    outline: bool = True
    dash: theme.Dash = "solid"
    width: float = 2

    @property
    @override
    def legend_svg(self) -> str:
        dash = self.dash if self.outline else None
        return theme.legend_swatch(self.color, dash=dash, fill=self.opacity)


@dataclass(frozen=True, kw_only=True)
class Segments(Mark[DrawnLines]):
    """The style of separate straight segments, such as error bars."""

    width: float = 1


def is_avoided_by_labels(mark: Mark[Any]) -> bool:
    """Return whether labels should not cover a mark; they may cover error bars and faint areas."""
    if isinstance(mark, Area):
        return mark.outline or mark.opacity == 1 or bool(mark.label)
    return not isinstance(mark, Segments)


@dataclass(frozen=True, kw_only=True)
class Markers(Mark[D]):
    """The style of markers of `size` square pixels; an `outline` above 0 makes them hollow."""

    path_kind: ClassVar[PathKind] = "points"
    marker: str = "circle"
    size: int = 55
    outline: float = 0

    @property
    @override
    def label_gap(self) -> float:
        return MARKER_GAP + REACH[self.marker] * sqrt(self.size) + self.outline / 2

    @property
    @override
    def legend_svg(self) -> str:
        return theme.legend_marker(self.color, self.marker)


@dataclass(frozen=True, kw_only=True)
class Points(Markers[DrawnPoints]):
    """The style of fixed markers; `on_pick` is called with the index of a clicked marker."""

    opacity: float = 1
    on_pick: Callable[[int], None] | None = None


@dataclass(frozen=True, kw_only=True)
class Handle(Markers[DrawnHandle]):
    """The style of a marker that users drag; each move calls `on_move(x, y)`."""

    on_move: Callable[[float, float], None]
    only: Literal["x", "y"] | None = None
    size: int = 150
    drop: ClassVar[float] = 0.0  # pixels from its place down to its middle


def label_order(mark: Mark[Any]) -> tuple[bool, bool, bool]:
    """Return a sort key of marks, by which their labels choose places one after the other."""
    # Beside a point there are fewer places than along a line.
    return not mark.labelled_first, not isinstance(mark, Handle), not isinstance(mark, Markers)


@dataclass(frozen=True, kw_only=True)
class Cursor(Handle):
    """The style of a handle below the x axis, where no point can cover the handle."""

    marker: str = "triangle-up"
    only: Literal["x", "y"] | None = "x"
    size: int = 40
    drop: ClassVar[float] = 4.0  # its tip is on the axis, its foot above the numbers of the ticks
