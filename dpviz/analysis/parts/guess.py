"""Guesses about a secret: what the claim allows, what the best guess on a mechanism reaches."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.checks import FloatArray, read_only
from dpviz.theory import TradeoffFunction, best_guess
from dpviz.theory.exponentials import times_exp
from dpviz.theory.guessing import Candidates

LOWEST = 1e-3  # of the drawn chances without the output
VERTICES = 121
COUNTS = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 200, 300, 500, 1000)  # of candidates


@dataclass(frozen=True, kw_only=True, eq=False)
class GuessPart:
    """A guess that is right with probability `kappa` without the output; curves over kappa.

    `epsilon` and `delta` are those of the looser bound ``e^epsilon kappa + delta``.
    """

    claim: TradeoffFunction
    epsilon: float
    delta: float
    kappa: float

    @property
    def candidates(self) -> Candidates:
        """The candidates of which the likeliest has this prior."""
        return Candidates.of(self.kappa)

    @cached_property
    def bound(self) -> float:
        """The largest chance with the output: ``1 - f(kappa)``."""
        return self.claim.tpr(self.kappa)

    @property
    def loose(self) -> float:
        """The bound ``min(1, e^epsilon kappa + delta)``."""
        return float(self._loose(np.array(self.kappa)))

    @cached_property
    def best(self) -> float | None:
        """The chance of the best guess on a mechanism with this guarantee, where one is known."""
        return best_guess(self.claim, baseline=self.kappa)

    @cached_property
    def bounds(self) -> FloatArray:
        """Columns kappa and ``1 - f(kappa)``."""
        kappas = np.union1d(grid(VERTICES), [x for x in self.claim.kinks if LOWEST < x < 1])
        return read_only(np.column_stack([kappas, self.claim.tpr(kappas)]))

    @cached_property
    def loose_bounds(self) -> FloatArray:
        """Columns kappa and ``min(1, e^epsilon kappa + delta)``."""
        kappas = grid(VERTICES)
        return read_only(np.column_stack([kappas, self._loose(kappas)]))

    @cached_property
    def best_guesses(self) -> FloatArray | None:
        """Columns kappa = 1/k, for some numbers k of candidates, and the chance of the best guess.

        Between them the chance is no smooth curve, because one candidate has what is left.
        """
        if self.best is None:
            return None
        found = [(1 / k, best_guess(self.claim, candidates=k)) for k in COUNTS]
        return read_only(np.array(found, dtype=np.float64))

    def _loose(self, kappas: FloatArray) -> FloatArray:
        return np.minimum(1.0, times_exp(self.epsilon, kappas) + self.delta)


def grid(n: int) -> FloatArray:
    """Chances from the lowest one to 1, evenly in log."""
    return np.geomspace(LOWEST, 1.0, n)
