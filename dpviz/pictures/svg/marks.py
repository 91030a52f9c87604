"""Marks as SVG elements; they keep data, since a later layer may still set the axes."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.pictures.frame import NOTHING
from dpviz.pictures.svg_plot import Plot
from dpviz.pictures.svg_shapes import at_places, outline, pieces_of, steps


@dataclass(frozen=True, kw_only=True)
class Note:
    """A text beside a marker at pixels `x`, `y`, its base line `up` pixels higher."""

    name: str
    x: float
    y: float
    up: float
    text: str
    to_the_left: bool


class SvgMark:
    """One element of a picture.

    Parameters
    ----------
    element_id : str
        Unique in the document, the same in every document of the same picture.
    look : str
        Its presentation attributes.
    plot : Plot
    kept : bool
        Whether it is written while there is nothing to show, for a script to move.

    Attributes
    ----------
    is_kept : bool
    """

    def __init__(self, element_id: str, look: str, plot: Plot, *, kept: bool) -> None:
        self.element_id, self._look, self.is_kept = element_id, look, kept
        self._plot = plot
        self._data: FloatArray = NOTHING

    @property
    def is_shown(self) -> bool:
        """Whether there is something to show."""
        return len(self._data) > 0

    def svg(self) -> str:
        """The element; nothing where there is nothing to show, unless it is kept."""
        path = self._path(self._plot.to_pixels(self._data)) if self.is_shown else ""
        if not path and not self.is_kept:
            return ""
        shown = "" if path else ' display="none"'
        return f'<path id="{self.element_id}" d="{path or "M0 0"}"{shown} {self._look}/>'

    def notes(self) -> list[Note]:
        """Texts beside it."""
        return []

    def _keep(self, data: FloatArray) -> None:
        if not np.isfinite(data).all():
            raise checks.fail("vertices", "finite", data[~np.isfinite(data)].flat[0])
        self._data = np.array(data, float)

    def _path(self, pixels: FloatArray) -> str:
        raise NotImplementedError


class SvgCurve(SvgMark):
    """A line, or a filled outline where `closed`.

    `held` draws steps, `filled` lets both ends stand on the lower edge of the picture.
    """

    def __init__(
        self,
        element_id: str,
        look: str,
        plot: Plot,
        *,
        kept: bool,
        closed: bool = False,
        held: bool = False,
        filled: bool = False,
    ) -> None:
        super().__init__(element_id, look, plot, kept=kept)
        self._closed, self._held, self._filled = closed, held, filled

    def draw(self, vertices: FloatArray) -> None:
        """Show these vertices, shape (k, 2); none at all hides the line."""
        self._keep(vertices)

    def _path(self, pixels: FloatArray) -> str:
        corners = steps(pixels) if self._held else pixels
        if self._filled:
            feet = corners[[0, -1]].copy()
            feet[:, 1] = self._plot.bottom
            corners = np.vstack([feet[:1], corners, feet[1:]])
        return outline(corners, closed=self._closed)


class SvgSegments(SvgMark):
    """Straight pieces, each with two ends."""

    def draw(self, pieces: FloatArray) -> None:
        """Show these pieces, shape (k, 2, 2): piece, end, coordinate; none at all hides them."""
        self._keep(pieces)

    def _path(self, pixels: FloatArray) -> str:
        return pieces_of(pixels)


class SvgPoints(SvgMark):
    """Fixed markers with optional texts beside them."""

    def __init__(
        self,
        element_id: str,
        look: str,
        plot: Plot,
        *,
        kept: bool,
        marker: str,
        size: float,
        up: float = 0,
    ) -> None:
        super().__init__(element_id, look, plot, kept=kept)
        self._marker, self._size, self._up = marker, size, up
        self._texts: list[str] = []
        self._to_the_left = False

    def draw(
        self, places: FloatArray, *, texts: list[str] | None = None, to_the_left: bool = False
    ) -> None:
        """Show markers at these places, shape (k, 2), with texts on one side."""
        self._keep(places)
        self._texts, self._to_the_left = texts or [], to_the_left

    def notes(self) -> list[Note]:
        """Their texts, as far as they are not empty."""
        if not self._texts or not self.is_shown:
            return []
        places = self._plot.to_pixels(self._data)
        return [
            Note(
                name=f"{self.element_id}-note-{i}",
                x=float(x),
                y=float(y),
                up=self._up,
                text=text,
                to_the_left=self._to_the_left,
            )
            for i, ((x, y), text) in enumerate(zip(places, self._texts, strict=True))
            if text
        ]

    def _path(self, pixels: FloatArray) -> str:
        return at_places(pixels[self._plot.shows(pixels)], self._marker, self._size)


class SvgHandle(SvgPoints):
    """A marker that a widget's user could drag, where it stands now."""

    def place(self, x: float, y: float, *, marker: str | None = None, text: str = "") -> None:
        """Put the marker where the state says, inside the axes, with a text beside it."""
        plot = self._plot
        at = np.array([[plot.x.clamp(x), plot.y.clamp(y)]])
        right, high = plot.x.share(at[0, 0]), plot.y.share(at[0, 1])
        self._marker = marker or self._marker
        self._up = -16 if high > 0.85 else 8
        self.draw(at, texts=[text], to_the_left=bool(right > 0.5))

    def hide(self) -> None:
        """Take the marker away until it is placed again."""
        self.draw(NOTHING)
