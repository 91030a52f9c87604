"""Several (epsilon, delta) statements."""

import math

from dpviz.theory import Stated
from tests.theory.mechanisms.experiment import sometimes_in_the_open

EXAMPLES = [
    {"statements": statements}
    for statements in [
        ((1.0, 1e-5),),
        ((1.0, 1e-5), (0.5, 0.01), (0.0, 0.3)),
        ((math.inf, 0.0), (2.0, 1.0)),
        ((800.0, 1e-300), (3.0, 0.1), (3.0, 0.2)),
    ]
]
EXPERIMENTS = [sometimes_in_the_open(Stated([(1.0, 0.1)]), 1.0, 0.1)]
