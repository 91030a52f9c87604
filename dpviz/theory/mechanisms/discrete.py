"""Mechanisms with discrete outputs: discrete noise, randomized response, list experiment."""

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.special import erfc

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.outputs import MOST_BARS, DiscreteOutputs
from dpviz.theory.tradeoff import Adjacency

UNDRAWN_MASS = 0.001  # mass of the noise beyond the outputs that have bars of their own


@dataclass(frozen=True, repr=False)
class DiscreteLaplaceMechanism(FinitelyManyLosses):
    """Integer noise z with probability proportional to ``e^(-|z| / scale)``.

    The loss takes the values ``(2 m - sensitivity) / scale`` for m = 0..sensitivity.

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
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"
    _group_factor = "sensitivity", 2

    def __post_init__(self) -> None:
        scale = checks.real("scale", self.scale, 0, np.inf, closed="right")
        shift = checks.whole("sensitivity", self.sensitivity, 0, 10**6)
        self._set_fields(scale=scale, sensitivity=shift)

    def outputs(self) -> DiscreteOutputs | None:
        """Return the output distributions of the mechanism.

        The result is None if the scale is infinite, or the sensitivity is too large for `MOST_BARS`
        outputs.
        """
        shift, scale = self.sensitivity, self.scale
        if np.isinf(scale):
            return None
        # As many outputs around both centres as have visible mass, within the number of bars.
        around = max(2, int(np.ceil(min(-scale * np.log(UNDRAWN_MASS), MOST_BARS))))
        around = min(around, (MOST_BARS - shift - 1) // 2)
        if around < 2:
            return None
        places = np.arange(-around, shift + around + 1)
        # Geometric masses; the bars at both ends hold the tails.
        ratio = np.exp(-1 / scale)
        p = np.exp(-np.abs(places) / scale) * -np.expm1(-1 / scale) / (1 + ratio)
        p[[0, -1]] = np.exp(-np.abs(places[[0, -1]]) / scale) / (1 + ratio)  # and all beyond
        loss = (np.abs(places) - np.abs(places - shift)) / scale
        labels = [str(k) for k in places]
        labels[0], labels[-1] = f"≤ {labels[0]}", f"≥ {labels[-1]}"
        return DiscreteOutputs.of("output", tuple(labels), p, p[::-1], loss=loss, first=-around)

    def _compute_atoms(self) -> Atoms:
        shift = self.sensitivity
        if shift == 0:
            return Atoms.of(np.ones(1), np.ones(1))
        m = np.arange(shift, -1, -1)
        ends = (m == 0) | (m == shift)  # all outputs beyond either end have the same loss
        ratio = np.exp(-1 / self.scale)
        weight = np.where(ends, 1.0, -np.expm1(-1 / self.scale)) / (1 + ratio)
        p = weight * np.exp(-m / self.scale)
        return Atoms.of(p, p[::-1].copy(), (2 * m - shift) / self.scale)


# Discrete Gaussian noise on a whole-number query.

REACH = 37.4  # standard deviations of the noise; beyond them, mass 1e-305, the loss is infinite
DRAWN = 8.5  # standard deviations of the noise that pictures show
LARGEST_NOISE = 1000.0  # a limit on the number of losses


@dataclass(frozen=True, repr=False)
class DiscreteGaussianMechanism(FinitelyManyLosses):
    """Integer noise z with probability proportional to ``e^(-z^2 / (2 noise^2))``.

    Like Gaussian noise, it has rho-zCDP with ``rho = sensitivity^2 / (2 noise^2)`` (Canonne,
    Kamath and Steinke, 2020, proposition 5). The loss is ``sensitivity (2 z - sensitivity) / (2
    noise^2)``.

    Parameters
    ----------
    noise : float, in (0, 1000]; nearly the standard deviation of the noise, unless it is small
    sensitivity : int, largest change of the query, a whole number from 0 to 10^4

    Examples
    --------
    >>> from dpviz.theory import DiscreteGaussianMechanism
    >>> round(DiscreteGaussianMechanism(noise=2.0, sensitivity=1).epsilon(1e-5), 3)
    2.011
    """

    noise: float
    sensitivity: int = 1
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"
    _group_factor = "sensitivity", 2

    def __post_init__(self) -> None:
        noise = checks.real("noise", self.noise, 0, LARGEST_NOISE, closed="right")
        shift = checks.whole("sensitivity", self.sensitivity, 0, 10**4)
        self._set_fields(noise=noise, sensitivity=shift)

    def outputs(self) -> DiscreteOutputs | None:
        """Return the output distributions for both data sets.

        Outputs of negligible probability are left out. The result is None if there are more than
        `MOST_BARS` likely outputs.
        """
        places = self._outputs_within(DRAWN)
        if len(places) > MOST_BARS:
            return None
        return DiscreteOutputs.of(
            "output",
            tuple(f"{z:.0f}" for z in places),
            self._masses(places),
            self._masses(places - self.sensitivity),
            loss=self._loss(places),
            first=int(places[0]),
        )

    def _compute_atoms(self) -> Atoms:
        if self.sensitivity == 0:
            return Atoms.of(np.ones(1), np.ones(1))
        places = self._outputs_within(REACH)
        beyond, none = np.array([erfc(REACH / np.sqrt(2))]), np.zeros(1)
        return Atoms.of(
            np.concatenate([none, self._masses(places), beyond]),
            np.concatenate([beyond, self._masses(places - self.sensitivity), none]),
            np.concatenate([[np.inf], self._loss(places), [-np.inf]]),
        )

    def _outputs_within(self, n_deviations: float) -> FloatArray:
        """Return outputs within `n_deviations` standard deviations of 0 or of the sensitivity."""
        around = float(np.ceil(n_deviations * self.noise))
        return np.arange(-around, self.sensitivity + around + 1)

    def _masses(self, z: FloatArray) -> FloatArray:
        support = np.arange(-np.ceil(REACH * self.noise), np.ceil(REACH * self.noise) + 1)
        weights, all_weights = (np.exp(-((x / self.noise) ** 2) / 2) for x in (z, support))
        return np.asarray(weights / all_weights.sum())

    def _loss(self, z: FloatArray) -> FloatArray:
        shift = self.sensitivity / self.noise
        return shift * (z / self.noise - shift / 2)

    def _smallest_rho(self) -> float:
        return (self.sensitivity / self.noise) ** 2 / 2

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        return self._smallest_rho() * orders


# Randomized response over k answers.


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(FinitelyManyLosses):
    """Randomized response to a question with two or more possible answers.

    The true answer is e^epsilon times as likely as any other answer. The probabilities are
    ``e^epsilon q`` and ``q = 1 / (e^epsilon + k - 1)``. With k = 2 the curve is that of pure
    epsilon-DP; with more answers it is higher in the middle.

    Parameters
    ----------
    epsilon : float, in [0, inf]
    categories : int, number k of possible answers, at least 2
    adjacency : {"replace_one", "add_remove"}; a change of the true answer replaces a record

    Examples
    --------
    >>> from dpviz.theory import RandomizedResponse
    >>> round(RandomizedResponse(epsilon=1.0, categories=5).tpr(0.5), 4)
    0.7558
    """

    claimed_epsilon: float
    categories: int
    adjacency: Adjacency

    def __init__(
        self, epsilon: float, categories: int = 2, *, adjacency: Adjacency = "replace_one"
    ) -> None:
        epsilon = checks.real("epsilon", epsilon, 0, np.inf)
        categories = checks.whole("categories", categories, 2)
        self._set_fields(claimed_epsilon=epsilon, categories=categories, adjacency=adjacency)

    def outputs(self) -> DiscreteOutputs:
        """Return the distributions of the answer if the truth is "out" (P) or "in" (Q)."""
        p, loss = self._masses_and_losses()
        others = self.categories - 2
        labels: tuple[str, ...] = ("“out”", f"{others} other" + "s" * (others > 1), "“in”")
        bars = slice(None, None, 1 if others else 2)
        return DiscreteOutputs.of("answer", labels[bars], p[bars], p[::-1][bars], loss=loss[bars])

    def _compute_atoms(self) -> Atoms:
        p, loss = self._masses_and_losses()
        return Atoms.of(p[::-1], p, loss[::-1])

    def _masses_and_losses(self) -> tuple[FloatArray, FloatArray]:
        """Return (masses under P, losses) of the answers "out", all others together, and "in"."""
        epsilon, others = self.claimed_epsilon, self.categories - 2
        log_total = np.logaddexp(epsilon, math.log(self.categories - 1))
        rare = float(np.exp(-log_total))
        common = float(np.exp(epsilon - log_total)) if np.isfinite(epsilon) else 1.0
        return np.array([common, others * rare, rare]), np.array([-epsilon, 0.0, epsilon])


# The list experiment ("item count"): respondents say how many of some items they support.


@dataclass(frozen=True, repr=False)
class ListExperiment(FinitelyManyLosses):
    """A survey in which respondents report how many items they support.

    One of the items is sensitive. The survey is not private in the sense of DP: the count is a
    deterministic function of the opinions, so an attacker who knows those on the J other items
    learns that on the sensitive item. This curve is for an attacker who knows only how often each
    other item is supported, independently. Even then a count of 0 or J + 1 reveals it: delta is at
    least the chance of supporting all the others.

    Parameters
    ----------
    support : sequence of float
        For each of the J other items, the probability in [0, 1] that a respondent supports it.
    adjacency : {"replace_one", "add_remove"}; a change of an opinion replaces a record

    Examples
    --------
    >>> from dpviz.theory import ListExperiment
    >>> ListExperiment(support=[0.5, 0.5, 0.5]).delta(5.0)  # 4 of 4 items settle the matter
    0.125
    """

    support: tuple[float, ...]
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        support = checks.reals("support", self.support, 0, 1)
        if support.ndim != 1 or support.size == 0:
            raise checks.fail("support", "a non-empty vector", self.support)
        self._set_fields(support=tuple(support.tolist()))

    @property
    def is_symmetric(self) -> bool:
        """Whether the curve stays the same if opponents and supporters exchange their roles."""
        p, q = self._distributions_of_count()
        return np.allclose(p, q[::-1], rtol=1e-12, atol=0)

    def outputs(self) -> DiscreteOutputs | None:
        """Return the distributions of the number that a respondent answers.

        P is for an opponent of the sensitive item, Q for a supporter. The result is None if there
        are more than `MOST_BARS` possible numbers.
        """
        if len(self.support) + 2 > MOST_BARS:
            return None
        p, q = self._distributions_of_count()
        numbers = tuple(map(str, range(len(p))))
        return DiscreteOutputs.of("number of items supported", numbers, p, q)

    def _compute_atoms(self) -> Atoms:
        return Atoms.of(*self._distributions_of_count())

    def _distributions_of_count(self) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of each count: for an opponent (P), and for a supporter (Q)."""
        others = np.ones(1)  # probabilities of the counts of the J other items
        for chance in self.support:
            others = np.convolve(others, [1 - chance, chance])
        return np.append(others, 0.0), np.append(0.0, others)
