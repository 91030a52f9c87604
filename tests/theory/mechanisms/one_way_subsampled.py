"""Sampling before a mechanism, without the record against with it."""

from dpviz.theory import ApproximateDP, GaussianDP, LaplaceMechanism, OneWaySubsampled
from tests.theory.mechanisms.discrete_pair import SKEWED
from tests.theory.mechanisms.experiment import poisson_sampled

NUMERIC = True
EXAMPLES = [
    {"base": base, "sampling_rate": p}
    for base, p in [
        (GaussianDP(mu=1.0), 0.3),
        (LaplaceMechanism(epsilon=1.0), 0.3),
        (ApproximateDP(epsilon=1.0, delta=0.1), 0.5),
        (SKEWED, 0.7),
    ]
]
ONE_WAY = OneWaySubsampled(base=GaussianDP(mu=1.25), sampling_rate=0.4)
EXPERIMENTS = [
    poisson_sampled("one way", ONE_WAY, 0.8, 0.4),
    poisson_sampled("one way, other order", ONE_WAY.inverse(), 0.8, 0.4, swapped=True),
]
