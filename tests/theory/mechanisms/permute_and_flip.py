"""A candidate drawn in random order; `test_permute_and_flip.py` draws it from its definition.

No single data set has the whole curve, but Laplace noise has: it is the worst of all.
"""

import math

import numpy as np

from dpviz.theory import PermuteAndFlip
from tests.theory.mechanisms.experiment import DRAWS, Experiment, noise

EXAMPLES = [{"epsilon": e} for e in (0.0, 0.01, 1.0, 6.0, math.inf)]


def as_noisy_as(epsilon: float) -> Experiment:
    return noise(
        f"permute-and-flip {epsilon}",
        PermuteAndFlip(epsilon=epsilon),
        lambda rng: rng.laplace(0, 1 / epsilon, DRAWS),
        lambda z: -epsilon * np.abs(z),
    )


EXPERIMENTS = [as_noisy_as(1.0), as_noisy_as(3.0)]
