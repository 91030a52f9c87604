"""e^epsilon times a rate, where e^epsilon itself may overflow."""

from typing import cast

import numpy as np

from dpviz.checks import FloatArray


def times_exp(epsilon: float, rates: FloatArray) -> FloatArray:
    """``e^epsilon * rates`` for rates >= 0; 0 stays 0, what exceeds the largest float is inf."""
    # In two steps, each finite: the smallest rate times e^1418 is far above 1 already.
    half = np.exp(min(epsilon / 2, 709.0))
    with np.errstate(over="ignore"):
        return cast(FloatArray, rates * half * half)
