"""Two-sided geometric noise on a whole number."""

import math

import numpy as np
from numpy.random import Generator

from dpviz.theory import DiscreteLaplaceMechanism
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs

EXAMPLES = [
    {"scale": b, "sensitivity": s}
    for b, s in [(1.0, 1), (1.7, 3), (0.02, 1), (50.0, 20), (math.inf, 2), (1.0, 0)]
]
COUNTED = [
    DiscreteLaplaceMechanism(scale=1.7, sensitivity=3),
    DiscreteLaplaceMechanism(scale=40, sensitivity=1),
    DiscreteLaplaceMechanism(scale=0.1, sensitivity=1),
]


def geometric(scale: float, shift: int) -> Experiment:
    stop = -math.expm1(-1 / scale)

    def sample(rng: Generator, member: bool) -> Outputs:
        # The difference of two geometric variables is two-sided geometric.
        return rng.geometric(stop, DRAWS) - rng.geometric(stop, DRAWS) + shift * member

    return Experiment(
        f"discrete Laplace {scale} {shift}",
        DiscreteLaplaceMechanism(scale=scale, sensitivity=shift),
        sample,
        lambda y: (np.abs(y) - np.abs(y - shift)) / scale,
        lambda y: y % 2 == 0,
    )


EXPERIMENTS = [geometric(1.0, 1), geometric(1.7, 3)]
