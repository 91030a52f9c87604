"""The only package that knows bqplot: frames, axes, marks and theme."""

from dpviz.widgets.figures import theme
from dpviz.widgets.figures.axes import AxisSpec
from dpviz.widgets.figures.frame import Frame
from dpviz.widgets.figures.marks import Cursor, Curve, Handle, Points, Segments

__all__ = ["AxisSpec", "Cursor", "Curve", "Frame", "Handle", "Points", "Segments", "theme"]
