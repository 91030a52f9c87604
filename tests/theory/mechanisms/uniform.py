"""Uniform noise on a number."""

import math

import numpy as np
from scipy import stats

from dpviz.theory import UniformMechanism
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs

EXAMPLES = [{"width": w, "sensitivity": s} for w, s in [(4.0, 1.0), (1.0, 0.0), (1.0, 7.0)]]
NOISY = {
    UniformMechanism(width=4, sensitivity=1): (stats.uniform(-0.5, 1), stats.uniform(-0.25, 1)),
    UniformMechanism(width=1, sensitivity=3): (stats.uniform(-0.5, 1), stats.uniform(2.5, 1)),
}


def uniform(width: float, shift: float) -> Experiment:
    def loss(y: Outputs) -> np.ndarray:
        return np.where(y < shift, -math.inf, np.where(y >= width, math.inf, 0.0))

    return Experiment(
        f"uniform {width} {shift}",
        UniformMechanism(width=width, sensitivity=shift),
        lambda rng, member: width * rng.random(DRAWS) + shift * member,
        loss,
        lambda y: y < width / 2,
    )


EXPERIMENTS = [uniform(4.0, 1.0)]
