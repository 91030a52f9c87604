"""Discrete Laplace (two-sided geometric) noise on a whole-number query."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.outputs.bars import MOST_BARS, Bars
from dpviz.theory.tradeoff import Adjacency, checked_adjacency

TAIL = 0.001  # mass of the noise beyond the outputs that are drawn one by one


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteLaplaceMechanism(FiniteLoss):
    """Noise z in {..., -1, 0, 1, ...} with probability proportional to ``e^(-|z| / scale)``.

    Pure epsilon-DP with ``epsilon = sensitivity / scale``; the loss takes the values
    ``(2 m - sensitivity) / scale`` for m = 0..sensitivity.

    Parameters
    ----------
    scale : float, in (0, inf]
    sensitivity : int, largest change of the query, a whole number from 0 to 10^6

    Examples
    --------
    >>> from dpviz.theory import DiscreteLaplaceMechanism
    >>> DiscreteLaplaceMechanism(scale=2.0, sensitivity=1).epsilon(delta=0.0)
    0.5
    """

    scale: float
    sensitivity: int = 1
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        scale = checks.real("scale", self.scale, 0, np.inf, closed="right")
        object.__setattr__(self, "scale", scale)
        shift = checks.whole("sensitivity", self.sensitivity, 0, 10**6)
        object.__setattr__(self, "sensitivity", shift)
        checked_adjacency(self.adjacency)

    def _two_steps(self) -> "DiscreteLaplaceMechanism":
        return DiscreteLaplaceMechanism(scale=self.scale, sensitivity=2 * self.sensitivity)

    def outputs(self) -> Bars | None:
        """Whole numbers; all beyond either end share one bar, as they have the same loss."""
        shift, scale = self.sensitivity, self.scale
        if np.isinf(scale):
            return None
        around = max(2, int(np.ceil(min(-scale * np.log(TAIL), MOST_BARS))))
        around = min(around, (MOST_BARS - shift - 1) // 2)
        if around < 2:
            return None
        places = np.arange(-around, shift + around + 1)
        ratio = np.exp(-1 / scale)
        p = np.exp(-np.abs(places) / scale) * -np.expm1(-1 / scale) / (1 + ratio)
        p[[0, -1]] = np.exp(-np.abs(places[[0, -1]]) / scale) / (1 + ratio)  # and all beyond
        loss = (np.abs(places) - np.abs(places - shift)) / scale
        labels = [str(k) for k in places]
        labels[0], labels[-1] = f"≤ {labels[0]}", f"≥ {labels[-1]}"
        return Bars.of("output", tuple(labels), p, p[::-1], loss=loss, first=-around)

    def _atoms(self) -> Atoms:
        shift = self.sensitivity
        if shift == 0:
            return Atoms.of(np.ones(1), np.ones(1))
        m = np.arange(shift, -1, -1)
        ends = (m == 0) | (m == shift)  # everything beyond either end has the same loss
        ratio = np.exp(-1 / self.scale)
        weight = np.where(ends, 1.0, -np.expm1(-1 / self.scale)) / (1 + ratio)
        p = weight * np.exp(-m / self.scale)
        return Atoms.of(p, p[::-1].copy(), (2 * m - shift) / self.scale)
