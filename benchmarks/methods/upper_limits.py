"""Upper limits of many rates at once, for methods that try every threshold."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.roc.intervals import _clopper_pearson
from dpviz.checks import FloatArray

TABLED = 10_000  # records up to which the upper limits of all counts are computed and cached


def upper_limits_of_rates(counts: NDArray[np.int64], n: int, level: float) -> FloatArray:
    """Return Clopper-Pearson upper limits of the rates counts / n; each fails with P <= `level`."""
    if n <= TABLED:
        return np.asarray(_all_upper_limits(n, level)[counts])
    return _clopper_pearson(counts.astype(np.float64), np.array(float(n)), level)[1]


@lru_cache(maxsize=16)
def _all_upper_limits(n: int, level: float) -> FloatArray:
    every = _clopper_pearson(np.arange(n + 1.0), np.array(float(n)), level)[1]
    return checks.read_only(every)
