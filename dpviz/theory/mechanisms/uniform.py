"""Uniform noise: it hides most outputs perfectly and gives the others away."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.mechanisms.claims import ApproximateDP
from dpviz.theory.outputs.laws import OutputLaws
from dpviz.theory.outputs.noise import Noise, noisy_query
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


def _loss(x: FloatArray, shift: float) -> FloatArray:
    only_p, only_q = x < shift - 0.5, x > 0.5
    return np.where(only_p, -np.inf, np.where(only_q, np.inf, 0.0))


NOISE = Noise(  # in units of its width
    density=lambda x: (np.abs(x) <= 0.5).astype(np.float64),
    cdf=lambda x: np.clip(x + 0.5, 0.0, 1.0),
    quantile=lambda rate: rate - 0.5,
    loss=_loss,
    draw=lambda rng, n: rng.uniform(-0.5, 0.5, n),
    reach=0.75,
    corners=(-0.5, 0.5),
)


@dataclass(frozen=True, kw_only=True, repr=False)
class UniformMechanism(FiniteLoss):
    """Noise uniform on an interval: the curve of (0, delta), ``delta = sensitivity / width``.

    No epsilon makes that delta smaller: outside the overlap of the two intervals the output
    reveals its origin, with certainty.

    Parameters
    ----------
    width : float, length of the interval, in (0, inf]
    sensitivity : float
        Largest change of the query, in [0, inf); at `width` or more nothing is hidden.

    Examples
    --------
    >>> from dpviz.theory import UniformMechanism
    >>> UniformMechanism(width=4.0, sensitivity=1.0).delta(10.0)
    0.25
    """

    width: float
    sensitivity: float = 1.0
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        width = checks.real("width", self.width, 0, np.inf, closed="right")
        shift = checks.real("sensitivity", self.sensitivity, 0, np.inf, closed="left")
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "sensitivity", shift)
        checked_adjacency(self.adjacency)

    def outputs(self) -> OutputLaws:
        """Uniform noise on a query that moves by ``sensitivity / width`` widths."""
        shift = self.sensitivity / self.width
        return noisy_query("output (unit: width of the noise)", NOISE, shift)

    def _two_steps(self) -> "UniformMechanism":
        return UniformMechanism(width=self.width, sensitivity=2 * self.sensitivity)

    def _atoms(self) -> Atoms:
        revealed = min(1.0, self.sensitivity / self.width)
        return ApproximateDP(epsilon=0, delta=revealed).atoms()
