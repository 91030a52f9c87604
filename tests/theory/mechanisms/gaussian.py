"""Normal noise on a number."""

import math

from scipy import stats

from dpviz.theory import GaussianMechanism
from tests.theory.mechanisms.experiment import DRAWS, Experiment, noise

EXAMPLES = [{"noise_multiplier": s} for s in (0.5, 1.0, 30.0, math.inf)]
NOISY = {GaussianMechanism(noise_multiplier=0.8): (stats.norm(), stats.norm(1.25))}


def gaussian(noise_multiplier: float) -> Experiment:
    return noise(
        f"Gaussian {noise_multiplier}",
        GaussianMechanism(noise_multiplier=noise_multiplier),
        lambda rng: rng.normal(0, noise_multiplier, DRAWS),
        lambda z: -(z**2) / (2 * noise_multiplier**2),
    )


EXPERIMENTS = [gaussian(0.7), gaussian(2.0)]
