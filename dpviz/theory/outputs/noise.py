"""Noise on a query as a pair of output distributions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from dpviz.checks import FloatArray, read_only
from dpviz.theory.outputs.bars import Bars
from dpviz.theory.outputs.laws import Decision, OutputLaws, Rule

BESIDE = 1e-9  # a jump of a density is drawn from this far left of it to this far right


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

    is_monotone = True  # of log-concave noise

    @property
    def span(self) -> tuple[float, float]:
        return -self.noise.reach, self.shift + self.noise.reach

    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        return self.noise.cdf(x - self._centre(member))

    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        return self.noise.cdf(self._centre(member) - x)

    def log_ratio(self, x: FloatArray) -> FloatArray:
        return self.noise.loss(x, self.shift)

    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        """A grid around both centres, the corners from either side."""
        grid = self._grid
        x = np.concatenate([[low], grid[(grid > low) & (grid < high)], [high]])
        return np.column_stack([x, self.noise.density(x - self._centre(member))])

    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
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


def noisy_query(name: str, noise: Noise, shift: float) -> OutputLaws:
    """The outputs of a query that moves by `shift`; an infinite shift leaves no noise at all."""
    if np.isinf(shift):
        return Bars.without_noise()
    return NoisyQuery(name=name, noise=noise, shift=shift)
