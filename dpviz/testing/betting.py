"""Betting on the outputs of one pair of data sets, with capital that a true claim keeps down."""

from collections.abc import Iterator

import numpy as np

from dpviz.checks import FloatArray
from dpviz.testing.bets import WorstPair
from dpviz.testing.learning import SMALLEST_CELLS, Cells, Classifier, expected
from dpviz.testing.outputs import Outputs, joined

FIRST = 32  # draws before the first bet
GROWTH = 1.5  # of the draws, from the end of one block to the end of the next
LARGEST_LOG = 500.0  # capital beyond e^500 counts as e^500, which keeps a supermartingale


def blocks(draws: int) -> Iterator[tuple[int, int]]:
    """Begin and end of the blocks of draws; what is bet changes between them."""
    begin, end = 0, min(FIRST, draws)
    while begin < end:
        yield begin, end
        begin, end = end, min(int(end * GROWTH), draws)


class PairBetting:
    """Capitals bet on one pair; all that is bet on an output is fixed before it is drawn.

    One half of the earlier outputs trains a classifier, the other half tells how probable its
    scores are on both data sets; then the next outputs are bet on.
    """

    def __init__(self, worst: WorstPair, *, low_bits: bool) -> None:
        self._worst, self._low_bits = worst, low_bits
        self._first: list[Outputs] = []
        self._second: list[Outputs] = []
        self._logs = np.zeros(len(SMALLEST_CELLS))  # of the capitals
        self._classifier: Classifier | None = None
        self._bets: list[tuple[Cells, FloatArray, FloatArray]] = []

    @property
    def capital(self) -> float:
        """Capital now, from 1 at the beginning; an average over the ways to bet."""
        return float(np.exp(np.minimum(self._logs, LARGEST_LOG)).mean())

    def outputs(self) -> tuple[Outputs, Outputs]:
        """All outputs on the first data set, and on the second."""
        return joined(self._first), joined(self._second)

    def play(self, first: Outputs, second: Outputs) -> None:
        """Bet on new outputs, equally many of both data sets, then learn from them."""
        if self._classifier is not None:
            scores = self._classifier.score(first), self._classifier.score(second)
            for i, (cells, b, a) in enumerate(self._bets):
                self._logs[i] += cells.counts(scores[0]) @ b + cells.counts(scores[1]) @ a
        self._first.append(first)
        self._second.append(second)
        self._learn()

    def _learn(self) -> None:
        outputs = self.outputs()
        half = len(outputs[0]) // 2
        self._classifier = Classifier(
            *(each.rows(slice(half)) for each in outputs), low_bits=self._low_bits
        )
        first, second = (self._classifier.score(each.rows(slice(half, None))) for each in outputs)
        self._bets = []
        for smallest in SMALLEST_CELLS:
            cells = Cells.of(np.concatenate([first, second]), smallest)
            p, q = expected(cells.counts(first), cells.counts(second))
            self._bets.append((cells, *self._worst.bets(p, q)))
