"""A series of a fixed figure: a line through places, whiskers, markers."""

from dataclasses import dataclass

import numpy as np

from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """What one row of the legend stands for.

    Parameters
    ----------
    label : str
        For the legend, as HTML.
    places : ndarray, shape (k, 2)
        In the unit of the axes; what is not finite is left out.
    color : str
    spread : ndarray, shape (k,), optional
        Whiskers go that far up and down; there is none where it is not finite.
    dash : str, optional
        Of the line; None draws no line.
    width : float
    marker : str, optional
        At every place; None leaves them unmarked.
    """

    label: str
    places: FloatArray
    color: str
    spread: FloatArray | None = None
    dash: theme.Dash | None = "solid"
    width: float = 2
    marker: str | None = None

    @property
    def shown(self) -> FloatArray:
        """The places that are drawn."""
        return self.places[np.isfinite(self.places).all(axis=1)]

    @property
    def whiskers(self) -> FloatArray:
        """Vertical lines, shape (k, 2, 2): for each its lower and its upper end."""
        if self.spread is None:
            return np.empty((0, 2, 2))
        x, y = self.places.T
        ends = np.array([[x, y - self.spread], [x, y + self.spread]]).transpose(2, 0, 1)
        return np.asarray(ends[np.isfinite(ends).all(axis=(1, 2))])


def draw_series(frame: Frame, series: Series) -> None:
    """Put a series on a frame, for good."""
    for whisker in series.whiskers:
        frame.line(color=series.color, width=1.5).draw(whisker)
    if series.dash is not None:
        line = frame.line(
            color=series.color, dash=series.dash, width=series.width, label=series.label
        )
        line.draw(series.shown)
    if series.marker is not None:
        label = "" if series.dash is not None else series.label
        points = frame.points(color=series.color, marker=series.marker, size=45, label=label)
        points.draw(series.shown)
