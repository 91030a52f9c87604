"""Logistic noise on a number."""

import numpy as np
from scipy import stats

from tests.registries.logistic_noise import LogisticMechanism
from tests.theory.mechanisms.experiment import DRAWS, noise

EXAMPLES = [{"scale": 0.2}, {"scale": 1.0}]
NOISY = {LogisticMechanism(scale=0.5): (stats.logistic(), stats.logistic(2))}
EXPERIMENTS = [
    noise(
        "logistic",
        LogisticMechanism(scale=0.5),
        lambda rng: rng.logistic(0, 0.5, DRAWS),
        lambda z: -2 * z - 2 * np.log1p(np.exp(-2 * z)),
    )
]
