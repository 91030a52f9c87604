"""Laplace noise on a number."""

import math

import numpy as np
from scipy import stats

from dpviz.theory import LaplaceMechanism
from tests.theory.mechanisms.experiment import DRAWS, Experiment, noise

EXAMPLES = [{"epsilon": e} for e in (0.0, 1e-6, 0.5, 1.0, 6.0, 40.0, 800.0, math.inf)]
NOISY = {
    LaplaceMechanism(epsilon=0.5): (stats.laplace(), stats.laplace(0.5)),
    LaplaceMechanism(epsilon=4.0): (stats.laplace(), stats.laplace(4)),
}
COUNTED = [LaplaceMechanism(epsilon=math.inf)]


def laplace(epsilon: float) -> Experiment:
    scale = 1 / epsilon
    return noise(
        f"Laplace {epsilon}",
        LaplaceMechanism(epsilon=epsilon),
        lambda rng: rng.laplace(0, scale, DRAWS),
        lambda z: -np.abs(z) / scale,
    )


EXPERIMENTS = [laplace(0.5), laplace(2.0)]
