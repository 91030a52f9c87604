"""The largest epsilon that a p-value refutes."""

from math import expm1, log1p

from scipy.special import expit, ndtri

from dpviz.audit.bounds.number_law import Chance

UNIT, STEP = 0.1, 1e-3  # neighbours are 0.001 (epsilon + 0.1) apart
LAST = log1p(700 / UNIT) / STEP  # a secant may point where e^epsilon is no float any more
SMALLEST = UNIT * expm1(STEP)  # above 0
FLATTER = 0.8  # slope of a statistic that is a search among guesses, over that of one: about
SECANTS = 12  # evaluations before brackets are halved


def largest_refuted(
    p_value: Chance,
    level: float,
    *,
    near: float,
    records: int,
    p_near: float | None = None,
    about: bool = False,
) -> float:
    """The largest epsilon of the lattice with a p-value of at most the level; 0 if there is none.

    P-values do not fall with epsilon, and their normal quantile is nearly linear in it: so the
    search goes by secants, from `near`, first with the slope of guesses about all `records`.
    `p_near`, at least the level, is what the p-value at `near` is expected to be: it is not
    evaluated there. With `about` the search ends where the next secant would change next to
    nothing, and the result is close, refuted or not.
    """
    at = max(int(log1p(near / UNIT) / STEP), 1)
    slope = FLATTER * STEP * (near + UNIT) * (records * float(expit(near) * expit(-near))) ** 0.5
    low, high = 0, None  # 0 is no bound, refuted or not
    tried: list[tuple[int, float]] = []
    if p_near is not None:
        at = max(int((at - (ndtri(p_near) - ndtri(level)) / slope) // 1), 1)
    while high is None or high - low > 1:
        p = p_value(UNIT * expm1(STEP * at))
        low, high = (at, high) if p <= level else (low, at)
        excess = float(ndtri(min(max(p, 1e-290), 1 - 1e-15)) - ndtri(level))
        if tried and excess != tried[-1][1]:
            slope = max((excess - tried[-1][1]) / (at - tried[-1][0]), slope / 10)
        tried.append((at, excess))
        at = int(min(at - excess / slope, LAST) // 1)
        if about and abs(at - tried[-1][0]) <= 1:
            return UNIT * expm1(STEP * max(at, 1))
        if high is not None:
            if low == 0 and at < high // 2:
                at = 1  # perhaps nothing is refuted
            elif len(tried) >= SECANTS:
                at = (low + high) // 2
            at = min(at, high - 1)
        at = max(at, low + 1)
    return UNIT * expm1(STEP * low)
