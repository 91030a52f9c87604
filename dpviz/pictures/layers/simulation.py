"""A series of a fixed figure: a line through places, whiskers, markers."""

from dataclasses import dataclass

import numpy as np

from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame
from dpviz.pictures.marks import Line, Points


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """The data and the style of one row of the legend."""

    label: str  # HTML
    places: FloatArray  # shape (k, 2); those that are not finite are left out
    color: str
    spread: FloatArray | None = None  # half the length of vertical whiskers, where finite
    dash: theme.Dash | None = "solid"  # None: no line
    width: float = 2
    marker: str | None = None  # at every place
    outline: float = 0  # of markers that are not filled, its width

    @property
    def shown(self) -> FloatArray:
        """The finite places."""
        return self.places[np.isfinite(self.places).all(axis=1)]

    @property
    def whiskers(self) -> FloatArray:
        """Vertical lines, shape (k, 2, 2): line, end (lower first), coordinate."""
        if self.spread is None:
            return np.empty((0, 2, 2))
        x, y = self.places.T
        ends = np.array([[x, y - self.spread], [x, y + self.spread]]).transpose(2, 0, 1)
        return np.asarray(ends[np.isfinite(ends).all(axis=(1, 2))])


def draw_series(frame: Frame, series: Series) -> None:
    """Draw a series on a frame, once."""
    for whisker in series.whiskers:
        frame.add(Line(color=series.color, width=1.5)).draw(whisker)
    label = series.label
    if series.dash is not None:
        line = Line(color=series.color, dash=series.dash, width=series.width, label=label)
        frame.add(line).draw(series.shown)
        label = ""
    if series.marker is not None:
        points = Points(
            color=series.color,
            marker=series.marker,
            size=45,
            outline=series.outline,
            label=label,
        )
        frame.add(points).draw(series.shown)
