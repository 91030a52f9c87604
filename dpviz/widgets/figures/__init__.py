"""The only package that uses bqplot: frames, axes, marks and style."""

from dpviz.widgets.figures.frame import PlotFrame
from dpviz.widgets.figures.marks import is_held_back, model_of
from dpviz.widgets.figures.style import style

__all__ = ["PlotFrame", "is_held_back", "model_of", "style"]
