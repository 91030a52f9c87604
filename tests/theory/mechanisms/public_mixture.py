"""A mechanism drawn at random, and everybody sees which."""

import numpy as np
from numpy.random import Generator

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    PublicMixture,
    PureDP,
)
from tests.theory.mechanisms.discrete_pair import SKEWED
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs

NUMERIC = True
EXAMPLES = [
    {"components": parts, "weights": weights}
    for parts, weights in [
        ((ApproximateDP(epsilon=1.0, delta=0.01), PureDP(epsilon=2.0)), (0.25, 0.75)),
        ((GaussianDP(mu=1.0), LaplaceMechanism(epsilon=2.0)), (0.5, 0.5)),
        ((GaussianDP(mu=0.5), PureDP(epsilon=0.0)), (0.1, 0.9)),
        ((SKEWED, PureDP(epsilon=1.0)), (0.4, 0.6)),
    ]
]


def public_mixture() -> Experiment:
    """A coin that falls on heads in 30% of cases, shown to all: heads Laplace, tails Gaussian."""

    def sample(rng: Generator, member: bool) -> Outputs:
        heads = rng.random(DRAWS) < 0.3
        answer = np.where(heads, rng.laplace(0, 1 / 2, DRAWS), rng.normal(0, 1.5, DRAWS))
        return np.column_stack([heads, answer + member])

    def loss(y: Outputs) -> np.ndarray:
        laplace_loss = 2 * (np.abs(y[:, 1]) - np.abs(y[:, 1] - 1))
        return np.where(y[:, 0] == 1, laplace_loss, (2 * y[:, 1] - 1) / (2 * 1.5**2))

    f = PublicMixture([LaplaceMechanism(epsilon=2), GaussianDP(mu=1 / 1.5)], weights=[0.3, 0.7])
    return Experiment("public mixture", f, sample, loss, lambda y: np.abs(y[:, 1] - 1) < 0.3)


EXPERIMENTS = [public_mixture()]
