"""The line of an attacker who guesses at random; it never moves."""

import numpy as np

from dpviz.pictures import theme
from dpviz.pictures.frame import Frame
from dpviz.pictures.marks import Line


def add_random_guessing(
    frame: Frame, ends: tuple[tuple[float, float], ...] = ((0.0, 1.0), (1.0, 0.0))
) -> None:
    """Draw the line between two ends: those of FPR + FNR = 1 unless others are given."""
    mark = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="random guessing")
    frame.add(mark).draw(np.array(ends))
