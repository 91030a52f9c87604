"""The one search for a maximum over all thresholds.

Epsilon* is the largest of four log ratios ``log((A_i / a - delta) / (B_i / b))`` over all
thresholds i, where the counts A and B only grow with i. For a block of thresholds u..v that gives
the bound ``log((A_v / a - delta) / (B_u / b))``, so one look at the block ends tells which few
blocks can hold the maximum; only those are opened. The result is exact, and once the counts are
there a new delta costs O(sqrt(n)) instead of O(n).
"""

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

Counts = NDArray[np.int64]


def largest_log_ratio(
    numerators: Counts, denominators: Counts, *, n_numerator: int, n_denominator: int, delta: float
) -> tuple[float, int]:
    """Exact maximum of ``log((A_i / n_numerator - delta) / (B_i / n_denominator))``.

    Parameters
    ----------
    numerators, denominators : ndarray of int, shape (k,), k >= 1
        Nondecreasing counts A and B.
    n_numerator, n_denominator : int
        What turns the counts into rates.
    delta : float
        In [0, 1].

    Returns
    -------
    value : float
        -inf where no numerator is positive, +inf where a positive one meets a zero denominator.
    index : int
        The first threshold that reaches it.
    """

    def log_ratios(top: Counts, bottom: Counts) -> FloatArray:
        return log_ratio(top / n_numerator - delta, bottom / n_denominator)

    size = numerators.size
    block = max(1, int(np.sqrt(size)))
    starts = np.arange(0, size, block)
    ends = np.minimum(starts + block, size) - 1
    bounds = log_ratios(numerators[ends], denominators[starts])
    reached = log_ratios(numerators[ends], denominators[ends]).max()

    best, best_index = -np.inf, 0
    for start in starts[bounds >= reached]:
        inside = slice(start, start + block)
        ratios = log_ratios(numerators[inside], denominators[inside])
        index = int(np.argmax(ratios))
        if ratios[index] > best:
            best, best_index = float(ratios[index]), int(start) + index
    return best, best_index
