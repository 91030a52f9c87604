"""Several mechanisms on the same data."""

import math

import numpy as np
from numpy.random import Generator

from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    GaussianDP,
    LaplaceMechanism,
    OneWaySubsampled,
    PureDP,
    RandomizedResponse,
    TotalVariation,
)
from tests.theory.mechanisms.discrete_pair import SKEWED
from tests.theory.mechanisms.experiment import DRAWS, Experiment, Outputs, response

NUMERIC = True
EXAMPLES = [
    {"mechanisms": mechanisms}
    for mechanisms in [
        (GaussianDP(mu=3.0), GaussianDP(mu=4.0)),
        (PureDP(epsilon=0.3),) * 10,
        (ApproximateDP(epsilon=1.0, delta=0.01),) * 3,
        (DiscreteLaplaceMechanism(scale=2.0), RandomizedResponse(epsilon=1.0, categories=3)),
        (LaplaceMechanism(epsilon=0.5),) * 4,
        (LaplaceMechanism(epsilon=1.0), GaussianDP(mu=0.5), PureDP(epsilon=0.2)),
        (SKEWED, SKEWED),
        (TotalVariation(delta=0.1), LaplaceMechanism(epsilon=1.0)),
    ]
]


def poisson_sampled_steps(sigma: float, rate: float, steps: int) -> Experiment:
    """The output is the loss itself, added up over the steps, and that of the last step alone."""
    step = OneWaySubsampled(base=GaussianDP(mu=1 / sigma), sampling_rate=rate)

    def sample(rng: Generator, member: bool) -> Outputs:
        total, one = np.zeros(DRAWS), np.zeros(DRAWS)
        for _ in range(steps):
            sampled = (rng.random(DRAWS) < rate) & member
            y = rng.normal(0, sigma, DRAWS) + sampled
            one = np.log(1 - rate + rate * np.exp((2 * y - 1) / (2 * sigma**2)))
            total += one
        return np.column_stack([total, one])

    return Experiment(
        f"{steps} sampled steps",
        Composed([step] * steps),
        sample,
        lambda y: y[:, 0],
        lambda y: y[:, 1] > 0,
    )


def two_laplace(a: float, b: float) -> Experiment:
    def loss(y: Outputs) -> np.ndarray:
        return (np.abs(y) - np.abs(y - 1)) @ np.array([a, b])

    return Experiment(
        f"Laplace {a} and Laplace {b}",
        Composed([LaplaceMechanism(epsilon=a), LaplaceMechanism(epsilon=b)]),
        lambda rng, member: rng.laplace(0, [1 / a, 1 / b], (DRAWS, 2)) + member,
        loss,
        lambda y: y[:, 0] > 0.5,  # forgets the second answer
    )


def two_responses() -> Experiment:
    """Randomized response twice, with two answers at ln 3 and with three at 1."""
    first, second = (response(PureDP(epsilon=0), e, k) for e, k in [(math.log(3), 2), (1, 3)])
    f = Composed(
        [PureDP(epsilon=math.log(3)), RandomizedResponse(epsilon=1.0, categories=3)],
    )
    return Experiment(
        "two responses",
        f,
        lambda rng, m: np.column_stack([first.sample(rng, m), second.sample(rng, m)]),
        lambda y: first.loss(y[:, 0]) + second.loss(y[:, 1]),
        lambda y: y[:, 1] == 1,  # forgets the first answer, which tells more
    )


EXPERIMENTS = [poisson_sampled_steps(0.9, 0.2, 8), two_laplace(0.7, 1.1), two_responses()]
