"""From outputs on two data sets: a score, cells of scores, and their probabilities."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import FloatArray
from dpviz.testing.features import features_of
from dpviz.testing.outputs import Outputs, joined
from dpviz.testing.trees import BoostedTrees

Counts = NDArray[np.intp]
SMALLEST_CELLS = (4, 16)  # outputs in the smallest cells, for two ways to bet
MOST_ROWS = 3000  # outputs of each data set that are learned from, the last ones
PRIOR = 2.0  # outputs per cell that count as equally probable on both data sets


class Classifier:
    """Scores outputs: the larger, the more they look like those of the second data set."""

    def __init__(self, first: Outputs, second: Outputs, *, low_bits: bool) -> None:
        outputs = joined(
            [first.rows(slice(-MOST_ROWS, None)), second.rows(slice(-MOST_ROWS, None))]
        )
        is_second = np.arange(len(outputs)) >= len(outputs) // 2
        self.features = features_of(outputs, is_second, low_bits=low_bits)
        self.trees = BoostedTrees(self._codes(outputs), is_second)

    def score(self, outputs: Outputs) -> FloatArray:
        """Log odds, rounded so that equal outputs have equal scores."""
        return np.round(self.trees.log_odds(self._codes(outputs)), 9)

    def _codes(self, outputs: Outputs) -> NDArray[np.uint8]:
        return np.column_stack([feature.codes(outputs) for feature in self.features])


@dataclass(frozen=True, eq=False)
class Cells:
    """Intervals of scores; cell i begins at edge i - 1."""

    edges: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, smallest: int) -> "Cells":
        """Cells of a half, a quarter, ... of some scores, from either end."""
        return cls(np.unique(np.sort(scores)[cuts(scores.size, smallest)]))

    def counts(self, scores: FloatArray) -> Counts:
        """How many scores fall into each cell."""
        cell = np.searchsorted(self.edges, scores, side="right")
        return np.bincount(cell, minlength=self.edges.size + 1)


def cuts(size: int, smallest: int) -> Counts:
    """Where cells begin among so many sorted scores."""
    halvings = size // 2 ** np.arange(1, max(size, 2).bit_length())
    cells = halvings[halvings >= smallest]
    return np.unique(np.concatenate([cells, size - cells]))


def expected(first: Counts, second: Counts) -> tuple[FloatArray, FloatArray]:
    """Chances of the cells (last axis) on both data sets, from counts; shrunk towards equality."""
    both = first + second + 1.0
    prior = PRIOR * both.shape[-1] * both / both.sum(axis=-1, keepdims=True)
    p, q = (counts + prior for counts in (first, second))
    return p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
