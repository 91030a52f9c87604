"""(epsilon, delta)-DP: randomized response that sometimes answers in the open."""

import math

from dpviz.theory import ApproximateDP
from tests.theory.mechanisms.experiment import sometimes_in_the_open

EXAMPLES = [
    {"epsilon": e, "delta": d}
    for e, d in [
        (0.0, 0.0),
        (0.0, 0.3),
        (1.0, 1e-5),
        (1.0, 1e-300),
        (2.5, 0.2),
        (0.1, 0.999),
        (40.0, 1e-3),
        (800.0, 0.1),
        (math.inf, 0.1),
        (1.0, 1.0),
    ]
]
EXPERIMENTS = [sometimes_in_the_open(ApproximateDP(epsilon=1.0, delta=0.1), 1.0, 0.1)]
COUNTED = [ApproximateDP(epsilon=1.0, delta=0.1), ApproximateDP(epsilon=1.0, delta=1e-5)]
