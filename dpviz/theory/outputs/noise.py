"""The two laws of a mechanism's output on a line, and tests that tell them apart.

Outputs are real numbers with a density (noise on a query), or finitely many in bars: output k is
the piece ``[k, k + 1]`` of the line, and the part of a bar that a test accuses is how often its
coin says "member" there. So every test is a set of intervals, randomised or not.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator

from dpviz import checks
from dpviz.checks import FloatArray, read_only

Rule = Literal["best", "threshold"]
RULES = ("best", "threshold")
BESIDE = 1e-9
"""A jump of a density is drawn from this far left of it to this far right."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A test: "member" is said inside the intervals, which ascend and do not touch.

    An interval without a largest output ends at inf; one that begins at inf accuses nobody.
    """

    intervals: tuple[tuple[float, float], ...]
    fpr: float
    fnr: float

    @property
    def threshold(self) -> float | None:
        """The t of "member if the output is at least t"; None where one threshold does not do."""
        first = self.intervals[0]
        return first[0] if len(self.intervals) == 1 and np.isposinf(first[1]) else None


class OutputLaws(ABC):
    """The laws of the output for a non-member (P) and for a member (Q).

    `name` says what the outputs are.
    """

    name: str

    @property
    @abstractmethod
    def is_monotone(self) -> bool:
        """Whether larger outputs never speak less for "member": then one threshold is best."""

    @property
    @abstractmethod
    def span(self) -> tuple[float, float]:
        """A piece of the line with nearly all of both laws."""

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
        """The best of all tests with this FPR, or the best that says "member" from a threshold on.

        Parameters
        ----------
        fpr : float
            In [0, 1].
        rule : {"best", "threshold"}
        """
        checks.choice("rule", rule, RULES)
        return self._test(checks.real("fpr", fpr, 0, 1), rule)


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Noise with a density symmetric about 0, on a scale of its own.

    `loss` is the privacy loss at an output when a record moves the query by a shift, `reach` how
    far from 0 the noise is worth drawing, `corners` where its density has jumps or kinks.
    """

    density: Callable[[FloatArray], FloatArray]
    cdf: Callable[[FloatArray], FloatArray]
    quantile: Callable[[float], float]
    loss: Callable[[FloatArray, float], FloatArray]
    draw: Callable[[Generator, int], FloatArray]
    reach: float
    corners: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NoisyQuery(OutputLaws):
    """A query of 0 without the record and of `shift` with it, plus noise."""

    name: str
    noise: Noise
    shift: float

    @property
    def is_monotone(self) -> bool:
        """Always: the densities of all three kinds of noise are log-concave."""
        return True

    @property
    def span(self) -> tuple[float, float]:
        """Both centres, and the noise around them."""
        return -self.noise.reach, self.shift + self.noise.reach

    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        """In closed form."""
        return self.noise.cdf(x - self._centre(member))

    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        """In closed form, by symmetry."""
        return self.noise.cdf(self._centre(member) - x)

    def log_ratio(self, x: FloatArray) -> FloatArray:
        """In closed form."""
        return self.noise.loss(x, self.shift)

    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        """A grid around both centres, the corners from either side."""
        grid = self._grid
        x = np.concatenate([[low], grid[(grid > low) & (grid < high)], [high]])
        return np.column_stack([x, self.noise.density(x - self._centre(member))])

    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
        """Noise around the query."""
        return self.noise.draw(rng, n) + self._centre(member)

    @cached_property
    def _grid(self) -> FloatArray:
        around = np.linspace(-self.noise.reach, self.noise.reach, 201)
        corners = np.array(self.noise.corners)
        around = np.concatenate([around, corners - BESIDE, corners + BESIDE])
        return read_only(np.union1d(around, around + self.shift))

    def _centre(self, member: bool) -> float:
        return self.shift if member else 0.0

    def _test(self, fpr: float, rule: Rule) -> Decision:
        t = -self.noise.quantile(fpr) + 0.0  # no "-0"
        fnr = float(self.noise.cdf(np.array(t - self.shift)))
        return Decision(intervals=((t, np.inf),), fpr=fpr, fnr=fnr)
