"""The one search of audits: the largest epsilon that a p-value refutes.

Epsilons lie on a lattice, so a result is refuted itself, and the next epsilon of the lattice is
not. Neighbours are ``STEP (epsilon + UNIT)`` apart: 0.1 % of epsilon from 0.1 on. Without the
lattice, where a search ends would depend on where it began, and a smaller p-value might give a
smaller bound.
"""

from collections.abc import Callable
from math import expm1, log1p

from scipy.special import expit, ndtri

UNIT, STEP = 0.1, 1e-3
SMALLEST_EPSILON = UNIT * expm1(STEP)  # epsilon of the lattice above 0
LARGEST_EXPONENT = 700.0  # epsilon from which on e^epsilon overflows
REL_SLOPE = 0.8  # slope of a search among guesses, over that of one guess: about
SECANTS = 12  # evaluations before brackets are halved
Chance = Callable[[float], float]  # from epsilon to the probability of data as extreme


def largest_refuted(
    p_value: Chance,
    level: float,
    *,
    near: float,
    records: float,
    p_near: float | None = None,
    about: bool = False,
    step: float = STEP,
) -> float:
    """The largest epsilon of a search lattice with a p-value <= `level`; 0 if there is none.

    P-values do not fall with epsilon, and their normal quantile is nearly linear in it. So secants
    search from `near`, with the first slope of a test of guesses about all `records`. `p_near`, at
    least the level, replaces the p-value at `near`. With `about` the search ends within about one
    place of the lattice, at an epsilon that may not be refuted. A smaller `step` makes the lattice
    finer.
    """

    def epsilon_at(place: int) -> float:
        return UNIT * expm1(step * place)

    last = int(log1p(LARGEST_EXPONENT / UNIT) / step)
    place = max(int(log1p(near / UNIT) / step), 1)
    slope = REL_SLOPE * step * (near + UNIT) * (records * float(expit(near) * expit(-near))) ** 0.5
    low, high = 0, None  # 0 is no bound, refuted or not
    tried: list[tuple[int, float]] = []
    if p_near is not None:
        place = max(int((place - (ndtri(p_near) - ndtri(level)) / slope) // 1), 1)
    while high is None or high - low > 1:
        # Narrow the bracket, and follow the secant through the last two places.
        p = p_value(epsilon_at(place))
        low, high = (place, high) if p <= level else (low, place)
        excess = float(ndtri(min(max(p, 1e-290), 1 - 1e-15)) - ndtri(level))
        if tried and excess != tried[-1][1]:
            slope = max((excess - tried[-1][1]) / (place - tried[-1][0]), slope / 10)
        tried.append((place, excess))
        place = int(min(place - excess / slope, last) // 1)
        if about and abs(place - tried[-1][0]) <= 1:
            return epsilon_at(max(place, 1))
        if low >= last:
            break
        # Stay inside the bracket; after too many secants, halve it.
        if high is not None:
            if low == 0 and place < high // 2:
                place = 1  # perhaps nothing is refuted
            elif len(tried) >= SECANTS:
                place = (low + high) // 2
            place = min(place, high - 1)
        place = max(place, low + 1)
    return epsilon_at(low)
