"""Sampling before a mechanism, in both orders of the pair."""

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    RandomizedResponse,
    Subsampled,
)
from tests.theory.mechanisms.experiment import poisson_sampled

NUMERIC = True
EXAMPLES = [
    {"base": base, "sampling_rate": p}
    for base, p in [
        (GaussianDP(mu=1.0), 0.3),
        (GaussianDP(mu=4.0), 0.01),
        (GaussianDP(mu=1.0), 1.0),
        (LaplaceMechanism(epsilon=1.0), 0.3),
        (RandomizedResponse(epsilon=2.0, categories=4), 0.2),
        (ApproximateDP(epsilon=1.0, delta=0.1), 0.5),
    ]
]
EXPERIMENTS = [
    poisson_sampled("C_p(f)", Subsampled(base=GaussianDP(mu=1.25), sampling_rate=0.4), 0.8, 0.4)
]
