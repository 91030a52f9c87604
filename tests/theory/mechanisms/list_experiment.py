"""The number of items a respondent supports."""

import itertools
import math

import numpy as np
from numpy.random import Generator

from dpviz.theory import ListExperiment
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs

EXAMPLES = [{"support": s} for s in [(0.5, 0.5, 0.5), (0.9, 0.2), (0.5,), (1.0, 0.0), (0.01,) * 6]]
COUNTED = [ListExperiment(support=[0.5, 0.5, 0.5]), ListExperiment(support=[0.9, 0.2, 0.4, 1.0])]


def list_experiment(*support: float) -> Experiment:
    """The respondent holds an opinion on every other item and reports how many they support."""
    counts = np.zeros(len(support) + 1)
    for opinions in itertools.product([0, 1], repeat=len(support)):
        chances = [s if yes else 1 - s for s, yes in zip(support, opinions, strict=True)]
        counts[sum(opinions)] += math.prod(chances)

    def sample(rng: Generator, member: bool) -> Outputs:
        return np.sum(rng.random((DRAWS, len(support))) < support, axis=1) + member

    def loss(y: Outputs) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return (np.log(np.append(0, counts)) - np.log(np.append(counts, 0)))[y]

    f = ListExperiment(support=support)
    return Experiment(f"list experiment {support}", f, sample, loss, lambda y: y % 2 == 1)


EXPERIMENTS = [list_experiment(0.5, 0.5, 0.5), list_experiment(0.9, 0.2)]
