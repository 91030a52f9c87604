"""Discrete Gaussian noise on a whole number."""

import numpy as np
from numpy.random import Generator

from dpviz.theory import DiscreteGaussianMechanism
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs

EXAMPLES = [
    {"noise": s, "sensitivity": d} for s, d in [(1.0, 1), (2.5, 3), (0.03, 1), (40.0, 7), (2.0, 0)]
]
COUNTED = [
    DiscreteGaussianMechanism(noise=1.0, sensitivity=1),
    DiscreteGaussianMechanism(noise=3.0, sensitivity=5),
]


def gaussian(noise: float, shift: int) -> Experiment:
    def sample(rng: Generator, member: bool) -> Outputs:
        # Rejection from two-sided geometric noise (Canonne, Kamath and Steinke, algorithm 3).
        scale = np.floor(noise) + 1
        stop = -np.expm1(-1 / scale)
        kept = np.empty(0)
        while len(kept) < DRAWS:
            z = rng.geometric(stop, 2 * DRAWS) - rng.geometric(stop, 2 * DRAWS)
            accept = np.exp(-((np.abs(z) - noise**2 / scale) ** 2) / (2 * noise**2))
            kept = np.append(kept, z[rng.random(2 * DRAWS) < accept])
        return kept[:DRAWS] + shift * member

    return Experiment(
        f"discrete Gaussian {noise} {shift}",
        DiscreteGaussianMechanism(noise=noise, sensitivity=shift),
        sample,
        lambda y: shift * (2 * y - shift) / (2 * noise**2),
        lambda y: y % 2 == 0,
    )


EXPERIMENTS = [gaussian(1.0, 1), gaussian(2.5, 3)]
