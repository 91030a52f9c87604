"""Randomized response with any number of answers."""

import math

from dpviz.theory import RandomizedResponse
from tests.theory.mechanisms.experiment import response

EXAMPLES = [
    {"epsilon": e, "categories": k}
    for e, k in [(0.0, 2), (1.0, 2), (1.0, 5), (3.0, 100), (800.0, 3), (math.inf, 2)]
]
EXPERIMENTS = [response(RandomizedResponse(epsilon=1.0, categories=5), 1.0, 5)]
COUNTED = [
    RandomizedResponse(epsilon=1.0),
    RandomizedResponse(epsilon=2.0, categories=5),
    RandomizedResponse(epsilon=800.0, categories=3),
    RandomizedResponse(epsilon=math.inf),
    RandomizedResponse(epsilon=1.0, categories=10**30),
]
