"""Where the laws are tried: the examples of every registered guarantee, and rates to ask for."""

import numpy as np

from tests.theory.mechanisms import collected

EXAMPLES = collected("EXAMPLES")
NUMERIC = {key for key, is_numeric in collected("NUMERIC", False).items() if is_numeric}
ALPHAS = np.unique(np.r_[np.linspace(0, 1, 401), np.geomspace(1e-300, 1, 301), 1 - 2.0**-50])
EPSILONS = np.array([-5.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.0, 5.0, 20.0, 39.0, 300.0, 799.5, 801.0])
DELTAS = np.array([0.0, 1e-300, 1e-9, 1e-5, 0.01, 0.2, 0.3, 0.9, 1.0])
