"""Parameters under which every registered guarantee has to obey the laws: corners and the middle.

A new mechanism without a line here is tried with its defaults; one that has none fails to build.
"""

import math
from typing import Any

import numpy as np

from dpviz.theory import (
    ApproximateDP,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    RandomizedResponse,
    TotalVariation,
)

SKEWED = DiscretePair([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.35, 0.25])

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "pure": [{"epsilon": e} for e in (0.0, 1e-9, 0.5, 3.0, 20.0, 40.0, 800.0, math.inf)],
    "approximate": [
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
    ],
    "total_variation": [{"delta": d} for d in (0.0, 1e-9, 0.25, 1.0)],
    "gaussian_dp": [{"mu": m} for m in (0.0, 1e-6, 0.3, 1.0, 4.0, 40.0, math.inf)],
    "gaussian": [{"noise_multiplier": s} for s in (0.5, 1.0, 30.0, math.inf)],
    "laplace": [{"epsilon": e} for e in (0.0, 1e-6, 0.5, 1.0, 6.0, 40.0, 800.0, math.inf)],
    "discrete_laplace": [
        {"scale": b, "sensitivity": s}
        for b, s in [(1.0, 1), (1.7, 3), (0.02, 1), (50.0, 20), (math.inf, 2), (1.0, 0)]
    ],
    "randomized_response": [
        {"epsilon": e, "categories": k}
        for e, k in [(0.0, 2), (1.0, 2), (1.0, 5), (3.0, 100), (800.0, 3), (math.inf, 2)]
    ],
    "list_experiment": [
        {"support": s} for s in [(0.5, 0.5, 0.5), (0.9, 0.2), (0.5,), (1.0, 0.0), (0.01,) * 6]
    ],
    "uniform": [{"width": w, "sensitivity": s} for w, s in [(4.0, 1.0), (1.0, 0.0), (1.0, 7.0)]],
    "discrete_pair": [
        {"P": (0.5, 0.25, 0.25), "Q": (0.125, 0.25, 0.625)},
        {"P": (0.5, 0.5, 0.0), "Q": (0.25, 0.5, 0.25)},
        {"P": (0.2, 0.3, 0.5), "Q": (0.2, 0.3, 0.5)},
        {"P": (1.0, 0.0), "Q": (0.0, 1.0)},
        SKEWED.parameters,
    ],
    "subsampled": [
        {"base": base, "sampling_rate": p}
        for base, p in [
            (GaussianDP(mu=1.0), 0.3),
            (GaussianDP(mu=4.0), 0.01),
            (GaussianDP(mu=1.0), 1.0),
            (LaplaceMechanism(epsilon=1.0), 0.3),
            (RandomizedResponse(epsilon=2.0, categories=4), 0.2),
            (ApproximateDP(epsilon=1.0, delta=0.1), 0.5),
        ]
    ],
    "one_way_subsampled": [
        {"base": base, "sampling_rate": p}
        for base, p in [
            (GaussianDP(mu=1.0), 0.3),
            (LaplaceMechanism(epsilon=1.0), 0.3),
            (ApproximateDP(epsilon=1.0, delta=0.1), 0.5),
            (SKEWED, 0.7),
        ]
    ],
    "subsampled_gaussian": [
        {"noise_multiplier": 1.0, "sampling_rate": 0.3},
        {"noise_multiplier": 2.0, "sampling_rate": 1.0, "steps": 4},
        {"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000},
        {"noise_multiplier": 0.8, "sampling_rate": 0.2, "steps": 20},
        {"noise_multiplier": math.inf, "sampling_rate": 0.2, "steps": 3},
    ],
    "composed": [
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
    ],
    "public_mixture": [
        {"components": parts, "weights": weights}
        for parts, weights in [
            ((ApproximateDP(epsilon=1.0, delta=0.01), PureDP(epsilon=2.0)), (0.25, 0.75)),
            ((GaussianDP(mu=1.0), LaplaceMechanism(epsilon=2.0)), (0.5, 0.5)),
            ((GaussianDP(mu=0.5), PureDP(epsilon=0.0)), (0.1, 0.9)),
            ((SKEWED, PureDP(epsilon=1.0)), (0.4, 0.6)),
        ]
    ],
    "piecewise_linear": [
        {"knots": knots}
        for knots in [
            ((0.0, 1.0), (1.0, 0.0)),
            ((0.0, 0.0), (1.0, 0.0)),
            ((0.0, 0.875), (0.125, 0.5), (0.5, 0.125), (0.75, 0.0), (1.0, 0.0)),
            ((0.0, 1.0), (0.01, 0.6), (1.0, 0.0)),
        ]
    ],
}

NUMERIC = {  # curves that are looked for rather than written down: a conjugate or an inverse
    "public_mixture",
    "one_way_subsampled",
    "subsampled",
    "composed",
    "subsampled_gaussian",
}
ALPHAS = np.unique(np.r_[np.linspace(0, 1, 401), np.geomspace(1e-300, 1, 301), 1 - 2.0**-50])
EPSILONS = np.array([-5.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.0, 5.0, 20.0, 39.0, 300.0, 799.5, 801.0])
DELTAS = np.array([0.0, 1e-300, 1e-9, 1e-5, 0.01, 0.2, 0.3, 0.9, 1.0])
