"""Many models as a picture: strategies in the plane of Epsilon* and utility."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.analysis.number_format import short
from dpviz.audit.models.fleet import FleetEstimates
from dpviz.audit.models.frontier import Landscape, Strategy
from dpviz.checks import FloatArray, read_only

FEWEST = 3  # distinct values that a density needs
DENSITY_VERTICES = 120  # of the smooth density beside an axis
# The fields that distinguish strategies of one name.
DISTINGUISHING = (("", "stage"), ("claimed ε ", "claimed_epsilon"), ("claimed δ ", "claimed_delta"))
Kind = int
PLAIN, PRIVATE = 0, 1  # trained without a claim, and with one


@dataclass(frozen=True, kw_only=True, eq=False)
class LandscapePart:
    """Estimates of many models, and the ranges of their picture.

    `largest` is the largest finite Epsilon* of a strategy or of its repeats, 0 where there is none;
    `utilities` are the smallest and the largest, (0, 1) where there are none.
    """

    estimates: FleetEstimates
    landscape: Landscape
    largest: float
    utilities: tuple[float, float]

    def label(self, strategy: Strategy) -> str:
        """Its name, with what tells it from other strategies of this name."""
        namesakes = [each for each in self.landscape.strategies if each.name == strategy.name]
        told = [
            f"{text}{short(value)}"
            for text, field in DISTINGUISHING
            if (value := getattr(strategy, field)) is not None
            and any(getattr(each, field) != value for each in namesakes)
        ]
        told += [
            f"{name} {value}"
            for name, value in strategy.hyperparameters
            if any((name, value) not in each.hyperparameters for each in namesakes)
        ]
        return f"{strategy.name} ({', '.join(told)})" if told else strategy.name

    def place(self, strategy: Strategy, *, edge: float, bottom: float) -> tuple[float, float]:
        """Where a strategy stands: at the edge without a finite Epsilon*, below without utility."""
        epsilon = strategy.epsilon
        x = edge if epsilon is None or np.isinf(epsilon) else epsilon
        return x, bottom if strategy.utility is None else strategy.utility

    def densities(self, kind: Kind) -> tuple[FloatArray, FloatArray]:
        """Kernel density estimates of Epsilon* and of utility over strategies of a kind.

        Each of shape (k, 2): place, and density in units of its maximum; no rows where fewer than
        three distinct values are known.
        """
        chosen = [each for each in self.landscape.strategies if kind_of(each) == kind]
        epsilons = [s.epsilon for s in chosen if s.epsilon is not None and np.isfinite(s.epsilon)]
        utilities = [s.utility for s in chosen if s.utility is not None]
        return _density(epsilons), _density(utilities)

    @property
    def hyperparameters(self) -> tuple[str, ...]:
        """Names of all hyper-parameters, in their order."""
        pairs = (pair for each in self.landscape.strategies for pair in each.hyperparameters)
        return tuple(dict.fromkeys(name for name, _ in pairs))

    def models_of(self, strategy: Strategy) -> tuple[str, ...]:
        """Names of the models that are repeats of a strategy."""
        return self._repeats[_key(strategy)]

    def strategy_of(self, model: str) -> Strategy | None:
        """The strategy that a model is a repeat of; None where there is no such model."""
        return next((s for s in self.landscape.strategies if model in self.models_of(s)), None)

    @cached_property
    def _repeats(self) -> dict[tuple[object, ...], tuple[str, ...]]:
        found: dict[tuple[object, ...], tuple[str, ...]] = {}
        for model in self.estimates.fleet.models:
            claim = (model.epsilon, model.delta)
            key = (model.strategy_name, model.stage, *claim, model.hyperparameters)
            found[key] = (*found.get(key, ()), model.name)
        return found


def landscape_part(estimates: FleetEstimates) -> LandscapePart:
    """The picture of estimates."""
    landscape = estimates.landscape()
    values = estimates.values[np.isfinite(estimates.values)]
    utilities = [m.utility for m in estimates.fleet.models if m.utility is not None]
    return LandscapePart(
        estimates=estimates,
        landscape=landscape,
        largest=float(values.max(initial=0.0)),
        utilities=(min(utilities), max(utilities)) if utilities else (0.0, 1.0),
    )


def _key(strategy: Strategy) -> tuple[object, ...]:
    claim = (strategy.claimed_epsilon, strategy.claimed_delta)
    return strategy.name, strategy.stage, *claim, strategy.hyperparameters


def kind_of(strategy: Strategy) -> Kind:
    """Whether it was trained to a claim."""
    return PLAIN if strategy.claimed_epsilon is None else PRIVATE


def _density(values: Sequence[float]) -> FloatArray:
    from scipy.stats import gaussian_kde  # slow to import

    if len(set(values)) < FEWEST:
        return np.empty((0, 2))
    low, length = min(values), max(values) - min(values)
    law = gaussian_kde((np.array(values) - low) / length)  # tiny variances would be rounded to 0
    spread = 3 * float(np.sqrt(law.covariance[0, 0]))
    places = np.linspace(-spread, 1 + spread, DENSITY_VERTICES)
    heights = law(places)
    return read_only(np.column_stack([low + length * places, heights / heights.max()]))
