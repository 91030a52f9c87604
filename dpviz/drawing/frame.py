"""A frame: two axes and the marks of layers."""

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from dpviz.checks import FloatArray
from dpviz.drawing.axes import Axis
from dpviz.drawing.marks import D, Mark
from dpviz.naming import NAMINGS, Naming, has_replaceable_term

MOST_VERTICES = 512  # of a line, beyond what a picture's width can show


def thinned(vertices: FloatArray) -> FloatArray:
    """Return at most `MOST_VERTICES` vertices of a line, evenly spread, including the ends."""
    kept = np.linspace(0, len(vertices) - 1, min(len(vertices), MOST_VERTICES)).round()
    return np.asarray(vertices[kept.astype(int)])


def rectangle(x0: float, x1: float, y0: float, y1: float) -> FloatArray:
    """Return the four corners of a rectangle, in order around it."""
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


class Frame(ABC):
    """The drawing area of a picture: two axes, and marks in the order in which they were added."""

    x: Axis
    y: Axis
    top: Axis  # above the picture, where its scene has one
    naming: Naming = NAMINGS["words"]  # of the names of marks and axes

    def follow_naming(self, naming: Naming) -> None:
        """Name the error rates as `naming` does, on the axes and in the labels of later marks."""
        self.naming = naming
        for axis in (self.x, self.y):
            if has_replaceable_term(axis.spec.label):
                axis.set_label(naming.axis_label(axis.spec.label))

    def label_of(self, mark: Mark[D]) -> str:
        """Return the label of a mark in the terms of the frame's naming."""
        return self.naming.renamed(mark.label)

    def script_label_of(self, mark: Mark[D]) -> str:
        """Return a mark's label in which the words "the claim" stay, for a script to replace."""
        return replace(self.naming, unclaimed="").renamed(mark.label)

    @abstractmethod
    def add(self, mark: Mark[D]) -> D:
        """Add a mark, at first hidden, in front of earlier marks; return the drawn mark."""

    def ends_of_vertical_line(self, x: float) -> FloatArray:
        """Return the ends of a vertical line over the whole height, at `x` clamped to the axis."""
        return np.array([[self.x.clamp(x), self.y.low], [self.x.clamp(x), self.y.high]])

    def cropped(self, line: FloatArray) -> FloatArray:
        """Fit a line into log-odds axes: drop vertices with x outside the axis, and clip y."""
        if self.x.spec.scale == "log-odds":
            ends = self.x.low - 1e-9, self.x.high + 1e-9
            line = line[(line[:, 0] >= ends[0]) & (line[:, 0] <= ends[1])]
        if self.y.spec.scale == "log-odds":
            line = np.column_stack([line[:, 0], np.clip(line[:, 1], self.y.low, self.y.high)])
        return line

    def ends_of_horizontal_line(self, y: float) -> FloatArray:
        """Return the ends of a horizontal line over the whole width, at height `y`."""
        return np.array([[self.x.low, y], [self.x.high, y]])
