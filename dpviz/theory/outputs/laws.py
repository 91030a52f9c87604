"""The output distributions of a mechanism under both hypotheses, and tests between them.

Outputs are real numbers with a density (noise on a query), or finitely many in bars: output k is
the interval ``[k, k + 1]``, and the share of a bar that a test flags is the probability with which
a randomised test decides "member" there. So every test is a set of intervals.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

Rule = Literal["best", "threshold"]
RULES = ("best", "threshold")


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A test: it decides "member" inside the intervals, which ascend and do not touch.

    An interval without a largest output ends at inf; one that begins at inf flags nobody.
    """

    intervals: tuple[tuple[float, float], ...]
    fpr: float
    fnr: float

    @property
    def threshold(self) -> float | None:
        """The t of "member if the output is at least t"; None for a test of another form."""
        first = self.intervals[0]
        return first[0] if len(self.intervals) == 1 and np.isposinf(first[1]) else None


class OutputLaws(ABC):
    """The distributions of the output for a non-member (P) and a member (Q); `name` is its axis."""

    name: str

    @property
    @abstractmethod
    def is_monotone(self) -> bool:
        """Whether the loss never falls with the output: then the best test is one threshold."""

    @property
    @abstractmethod
    def span(self) -> tuple[float, float]:
        """An interval with nearly all mass of both distributions."""

    @abstractmethod
    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        """Mass left of each x."""

    @abstractmethod
    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        """Mass right of each x, summed from that end: exact where it is small."""

    @abstractmethod
    def log_ratio(self, x: FloatArray) -> FloatArray:
        """The privacy loss log dQ/dP at outputs."""

    @abstractmethod
    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        """Vertices of the density from low to high, inside `span`; at most 500, shape (k, 2)."""

    @abstractmethod
    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
        """Draw n outputs."""

    @abstractmethod
    def _test(self, fpr: float, rule: Rule) -> Decision: ...

    def at_least(self, threshold: float) -> Decision:
        """The test "member if the output is at least `threshold`", any number."""
        t = checks.real("threshold", threshold)
        at = np.array(t)
        return Decision(
            intervals=((t, np.inf),),
            fpr=float(self.survival(at, member=False)),
            fnr=float(self.cdf(at, member=True)),
        )

    def test(self, fpr: float, rule: Rule = "best") -> Decision:
        """The best of all tests with an FPR in [0, 1], or the best one with a single threshold."""
        checks.choice("rule", rule, RULES)
        return self._test(checks.real("fpr", fpr, 0, 1), rule)


def output_laws(f: TradeoffFunction) -> OutputLaws | None:
    """The distributions of the output whose trade-off is exactly this curve: ``f.outputs()``.

    Parameters
    ----------
    f : TradeoffFunction

    Returns
    -------
    OutputLaws or None
        None where the guarantee names no mechanism, or outputs that do not fit on a line.

    Raises
    ------
    ValueError
        If `f` is no trade-off function.

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, output_laws
    >>> round(output_laws(LaplaceMechanism(epsilon=1.0)).test(fpr=0.1).threshold, 3)
    1.609
    """
    return checked_tradeoff("f", f).outputs()
