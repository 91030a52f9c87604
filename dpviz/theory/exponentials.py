"""e^epsilon times a rate, where e^epsilon itself may overflow."""

from typing import cast

import numpy as np

from dpviz.checks import FloatArray


def times_exp(epsilon: float, rates: FloatArray) -> FloatArray:
    """``e^epsilon * rates`` for rates >= 0; 0 stays 0, what exceeds the largest float is inf."""
    if epsilon < 700:
        return cast(FloatArray, np.exp(epsilon) * rates)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.where(rates > 0, np.exp(epsilon + np.log(rates)), 0.0)
