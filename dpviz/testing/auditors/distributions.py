"""Distributions of scores for which epsilon is known exactly; a high score suggests a member.

An object draws scores: ``drawn(rng, size, is_member)``. All are classes at the top of a module, so
that other processes can read them.
"""

from dataclasses import dataclass
from math import exp, log
from typing import Literal, Protocol

import numpy as np
from typing_extensions import override

from dpviz.checks import FloatArray


class ScoreDistributions(Protocol):
    """The distribution of the scores of members, and that of non-members."""

    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        """Return `size` independent scores of one class."""


@dataclass(frozen=True)
class ShiftedNoise(ScoreDistributions):
    """Noise of scale 1, shifted up by `shift` for members."""

    noise: Literal["normal", "laplace"]
    shift: float

    @override
    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        centre = self.shift if is_member else 0.0
        if self.noise == "normal":
            return rng.normal(centre, 1.0, size)
        return rng.laplace(centre, 1.0, size)


@dataclass(frozen=True)
class TwoScores(ScoreDistributions):
    """Scores 1 and 0: the larger one with probability `tpr` for members, `fpr` for others."""

    fpr: float
    tpr: float

    @override
    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        is_large = rng.random(size) < (self.tpr if is_member else self.fpr)
        return is_large.astype(np.float64)

    def epsilon(self, delta: float) -> float:
        """Return the epsilon of both directions at `delta`: two sets of outputs, two orders."""
        rates = [(self.tpr, self.fpr), (1 - self.fpr, 1 - self.tpr)]
        return max(log((p - delta) / q) if p - delta > q else 0.0 for p, q in rates)


@dataclass(frozen=True)
class FewValues(ScoreDistributions):
    """Scores 0 to ``values - 1``, equally likely in both classes: many ties, and epsilon is 0."""

    values: int

    @override
    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        return rng.integers(self.values, size=size).astype(float)


@dataclass(frozen=True)
class ShiftedIntegers(ScoreDistributions):
    """Discrete Laplace noise on integers; members' scores are larger by 1."""

    scale: float

    @override
    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        stop = 1 - exp(-1 / self.scale)
        noise = rng.geometric(stop, size) - rng.geometric(stop, size)
        return (noise + is_member).astype(np.float64)


@dataclass(frozen=True)
class LeakyResponses(ScoreDistributions):
    """Randomized response, in which a share `leak` of either class shows itself.

    The least favourable distributions for `epsilon` at delta = `leak`.
    """

    epsilon: float
    leak: float

    @override
    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        is_right = rng.random(size) < 1 / (1 + exp(-self.epsilon))
        told = np.where(is_right, float(is_member), float(not is_member))
        shown = np.where(rng.random(size) < self.leak, 2.0 if is_member else -1.0, told)
        return shown + rng.random(size) / 2  # without ties


@dataclass(frozen=True)
class LeakAtTheTop(ScoreDistributions):
    """Equal distributions, but for a share `leak` of the members, which have the largest scores.

    At delta = `leak`, and above it, epsilon is exactly 0; below it, epsilon is infinite.
    """

    leak: float

    @override
    def __call__(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        is_shown = (rng.random(size) < self.leak) & is_member
        return rng.random(size) + 2.0 * is_shown
