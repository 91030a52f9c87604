"""DP-SGD."""

import math

from dpviz.theory import SubsampledGaussian
from tests.theory.mechanisms.experiment import poisson_sampled

NUMERIC = True
REPLACED = {"sampling": "poisson", "adjacency": "replace_one"}
EXAMPLES = [
    {"noise_multiplier": 1.0, "sampling_rate": 0.3},
    {"noise_multiplier": 2.0, "sampling_rate": 1.0, "steps": 4},
    {"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000},
    {"noise_multiplier": 0.8, "sampling_rate": 0.2, "steps": 20},
    {"noise_multiplier": math.inf, "sampling_rate": 0.2, "steps": 3},
    {"noise_multiplier": 0.7, "sampling_rate": 0.3, **REPLACED},
    {"noise_multiplier": 1.0, "sampling_rate": 0.2, "steps": 5, "sampling": "random_allocation"},
    {"noise_multiplier": 1.5, "sampling_rate": 0.2, "steps": 20, "sampling": "random_allocation"},
    {"noise_multiplier": 1.0, "sampling_rate": 0.3, "steps": 20, "sampling": "shuffled"},
    {"noise_multiplier": 1.5, "sampling_rate": 0.1, "steps": 30, **REPLACED},
]
DP_SGD = SubsampledGaussian(noise_multiplier=0.8, sampling_rate=0.3)
EXPERIMENTS = [
    poisson_sampled("one step of DP-SGD adding", DP_SGD, 0.8, 0.3),
    poisson_sampled("one step of DP-SGD removing", DP_SGD, 0.8, 0.3, swapped=True),
]
