"""The search of all audits for the largest epsilon that a p-value refutes.

The search is on a lattice of epsilons, ``STEP (epsilon + UNIT)`` apart: the result is refuted, and
the next epsilon of the lattice is not. So the result does not depend on where the search began, and
a smaller p-value never gives a smaller bound.
"""

from collections.abc import Callable
from math import expm1, log1p

from scipy.special import expit, ndtri

UNIT, STEP = 0.1, 1e-3
SMALLEST_EPSILON = UNIT * expm1(STEP)  # the first epsilon of the lattice above 0
LARGEST_EXPONENT = 700.0  # epsilon from which on e^epsilon overflows
REL_SLOPE = 0.8  # slope of a typical p-value's quantile, over that of one count of all guesses
SECANTS = 12  # p-values computed before brackets are halved
ChanceByEpsilon = Callable[[float], float]  # from epsilon to the probability of data as extreme


def largest_refuted_epsilon(
    p_value: ChanceByEpsilon,
    level: float,
    *,
    near: float,
    records: float,
    p_near: float | None = None,
    approximate: bool = False,
    step: float = STEP,
) -> float:
    """Return the largest epsilon of a lattice with a p-value <= `level`; 0 if there is none.

    `p_value` must not fall with epsilon. `near`, its p-value `p_near` and p-values as steep as
    those of `records` guesses are guesses that save time. If `approximate`, it may be steps off.
    """

    def epsilon_at(index: int) -> float:
        return UNIT * expm1(step * index)

    last = int(log1p(LARGEST_EXPONENT / UNIT) / step)
    index = max(int(log1p(near / UNIT) / step), 1)
    slope = REL_SLOPE * step * (near + UNIT) * (records * float(expit(near) * expit(-near))) ** 0.5
    low, high = 0, None  # 0 is no bound, refuted or not
    tried: list[tuple[int, float]] = []
    if p_near is not None:
        index = max(int((index - (ndtri(p_near) - ndtri(level)) / slope) // 1), 1)
    while high is None or high - low > 1:
        p = p_value(epsilon_at(index))
        low, high = (index, high) if p <= level else (low, index)
        excess = float(ndtri(min(max(p, 1e-290), 1 - 1e-15)) - ndtri(level))
        if tried and excess != tried[-1][1]:
            slope = max((excess - tried[-1][1]) / (index - tried[-1][0]), slope / 10)
        tried.append((index, excess))
        index = int(min(index - excess / slope, last) // 1)
        if approximate and abs(index - tried[-1][0]) <= 1:
            return epsilon_at(max(index, 1))
        if low >= last:
            break
        # Stay inside the bracket; after too many secants, halve it.
        if high is not None:
            if low == 0 and index < high // 2:
                index = 1  # perhaps nothing is refuted
            elif len(tried) >= SECANTS:
                index = (low + high) // 2
            index = min(index, high - 1)
        index = max(index, low + 1)
    return epsilon_at(low)
