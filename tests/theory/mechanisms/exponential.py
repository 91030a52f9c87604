"""A candidate drawn by its quality.

Logistic noise has the same curve, which no single set of qualities has: it moves the log-odds of
every tail by the same amount.
"""

import math

import numpy as np

from dpviz.theory import ExponentialMechanism
from tests.theory.mechanisms.experiment import DRAWS, Experiment, noise

EXAMPLES = [{"epsilon": e} for e in (0.0, 0.01, 1.0, 6.0, math.inf)]


def logistic(epsilon: float) -> Experiment:
    return noise(
        f"exponential {epsilon}",
        ExponentialMechanism(epsilon=epsilon),
        lambda rng: rng.logistic(0, 1 / epsilon, DRAWS),
        lambda z: -epsilon * z - 2 * np.logaddexp(0, -epsilon * z),
    )


EXPERIMENTS = [logistic(1.0), logistic(3.0)]
