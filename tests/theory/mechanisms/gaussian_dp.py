"""Gaussian DP: Normal noise in the plane."""

import math

import numpy as np
from scipy import stats

from dpviz.theory import GaussianDP
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs

EXAMPLES = [{"mu": m} for m in (0.0, 1e-6, 0.3, 1.0, 4.0, 40.0, math.inf)]
NOISY = {
    GaussianDP(mu=3.0): (stats.norm(), stats.norm(3)),
    GaussianDP(mu=0.0): (stats.norm(), stats.norm()),
}
COUNTED = [GaussianDP(mu=math.inf)]


def in_the_plane() -> Experiment:
    """The record moves a two-dimensional query by (3, 4), of length 5; the noise has sd 4."""
    shift = np.array([3.0, 4.0])

    def loss(y: Outputs) -> np.ndarray:
        return (np.sum(y**2, axis=1) - np.sum((y - shift) ** 2, axis=1)) / 32

    return Experiment(
        "Gaussian in the plane",
        GaussianDP(mu=5 / 4),
        lambda rng, member: rng.normal(0, 4, (DRAWS, 2)) + member * shift,
        loss,
        lambda y: y[:, 0] > 1,  # forgets the second coordinate
    )


EXPERIMENTS = [in_the_plane()]
