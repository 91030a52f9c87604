"""e^epsilon times a rate, where e^epsilon itself may overflow."""

import numpy as np

from dpviz.checks import FloatArray


def times_exp(epsilon: float | FloatArray, rates: FloatArray) -> FloatArray:
    """``e^epsilon * rates`` for rates >= 0; 0 stays 0, what exceeds the largest float is inf."""
    # In two steps, each finite: the smallest rate times e^1418 is far above 1 already.
    half = np.exp(np.minimum(np.asarray(epsilon) / 2, 709.0))
    with np.errstate(over="ignore", under="ignore"):
        return rates * half * half


def log1mexp(x: FloatArray) -> FloatArray:
    """``log(1 - e^x)`` for x <= 0, accurate near 0 and far below."""
    with np.errstate(divide="ignore", under="ignore"):
        near = np.log(-np.expm1(x))
        far = np.log1p(-np.exp(np.minimum(x, -np.log(2))))
    return np.where(x > -np.log(2), near, far)


def logsubexp(a: FloatArray, b: FloatArray) -> FloatArray:
    """``log(e^a - e^b)`` for a >= b."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(b), a, a + log1mexp(np.minimum(b - a, 0.0)))
