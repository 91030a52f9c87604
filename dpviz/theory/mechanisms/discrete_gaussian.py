"""Discrete Gaussian noise on a whole-number query."""

from dataclasses import dataclass

import numpy as np
from scipy.special import erfc

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.outputs.bars import MOST_BARS, Bars
from dpviz.theory.tradeoff import Adjacency, checked_adjacency

REACH = 37.4  # standard deviations that are looked at; the rest, 1e-305, counts as proof
SEEN = 8.5  # standard deviations of noise that are drawn; the rest is below rounding
LARGEST = 1000.0  # noise whose outputs are listed one by one


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteGaussianMechanism(FiniteLoss):
    """Noise z in {..., -1, 0, 1, ...} with probability proportional to ``e^(-z^2 / (2 noise^2))``.

    As zero-concentrated as Gaussian noise, ``rho = sensitivity^2 / (2 noise^2)`` (Canonne, Kamath
    and Steinke, 2020, proposition 5), and the loss takes the values ``sensitivity (2 z -
    sensitivity) / (2 noise^2)``.

    Parameters
    ----------
    noise : float
        In (0, 1000]: the parameter, which is the standard deviation unless it is small.
    sensitivity : int, largest change of the query, a whole number from 0 to 10^4

    Examples
    --------
    >>> from dpviz.theory import DiscreteGaussianMechanism
    >>> round(DiscreteGaussianMechanism(noise=2.0, sensitivity=1).epsilon(1e-5), 3)
    2.011
    """

    noise: float
    sensitivity: int = 1
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        noise = checks.real("noise", self.noise, 0, LARGEST, closed="right")
        object.__setattr__(self, "noise", noise)
        shift = checks.whole("sensitivity", self.sensitivity, 0, 10**4)
        object.__setattr__(self, "sensitivity", shift)
        checked_adjacency(self.adjacency)

    def _two_steps(self) -> "DiscreteGaussianMechanism":
        return DiscreteGaussianMechanism(noise=self.noise, sensitivity=2 * self.sensitivity)

    def outputs(self) -> Bars | None:
        """Whole numbers; None where there are too many to draw."""
        places = self._places(SEEN)
        if len(places) > MOST_BARS:
            return None
        return Bars.of(
            "output",
            tuple(f"{z:.0f}" for z in places),
            self._masses(places),
            self._masses(places - self.sensitivity),
            loss=self._loss(places),
            first=int(places[0]),
        )

    def _atoms(self) -> Atoms:
        if self.sensitivity == 0:
            return Atoms.of(np.ones(1), np.ones(1))
        places = self._places(REACH)
        beyond, none = np.array([erfc(REACH / np.sqrt(2))]), np.zeros(1)
        return Atoms.of(
            np.concatenate([none, self._masses(places), beyond]),
            np.concatenate([beyond, self._masses(places - self.sensitivity), none]),
            np.concatenate([[np.inf], self._loss(places), [-np.inf]]),
        )

    def _places(self, reach: float) -> FloatArray:
        """Outputs within so many standard deviations of 0 or of the sensitivity."""
        around = float(np.ceil(reach * self.noise))
        return np.arange(-around, self.sensitivity + around + 1)

    def _masses(self, z: FloatArray) -> FloatArray:
        """Probabilities of noise values."""
        every = np.arange(-np.ceil(REACH * self.noise), np.ceil(REACH * self.noise) + 1)
        weights, total = (np.exp(-((x / self.noise) ** 2) / 2) for x in (z, every))
        return np.asarray(weights / total.sum())

    def _loss(self, z: FloatArray) -> FloatArray:
        shift = self.sensitivity / self.noise
        return shift * (z / self.noise - shift / 2)

    def _rho(self) -> float:
        return (self.sensitivity / self.noise) ** 2 / 2

    def _renyi(self, orders: FloatArray) -> FloatArray:
        return self._rho() * orders
