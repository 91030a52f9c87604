"""The advantage of an attack, its largest TPR - FPR: an estimate, and confidence limits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from dpviz import checks
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, curve_of
from dpviz.audit.scores.base import Scores

HALF = np.sqrt(np.log(2) / 2)  # from where on exp(-2 x^2) is at most 1/2
REACH = 9.0  # standard deviations
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True, kw_only=True)
class Advantage:
    """The largest TPR - FPR over all thresholds, in [0, 1].

    Parameters
    ----------
    value : float
        On this sample: an **estimate**, biased upwards by the search for the best threshold. Where
        nothing leaks it is about ``0.63 sqrt(1 / n_members + 1 / n_nonmembers)``.
    low, high : float
        Confidence limits of the true advantage, valid at any sample size after the search.
    confidence_level : float
    at : OperatingPoint, where this sample reaches `value`

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> found = audit.advantage(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 1]))
    >>> found.at.threshold, round(found.value, 3)
    (2.0, 0.667)
    """

    value: float
    low: float
    high: float
    confidence_level: float
    at: OperatingPoint


def advantage(scores: Scores | AttackCurve, *, confidence_level: float = 0.95) -> Advantage:
    """The largest TPR - FPR of an attack, with limits that hold after the search for a threshold.

    Members and non-members are independent draws of two distributions, n and m of them. Either
    limit fails with probability at most a = ``(1 - confidence_level) / 2``; both are cut to [0, 1].

    *Lower.* The measured advantage exceeds the true one by at most ``sup (measured TPR - TPR) + sup
    (FPR - measured FPR)``. These are independent, and each exceeds x with probability at most
    ``exp(-2 n x^2)``, respectively ``exp(-2 m x^2)``, where that is at most 1/2 (Massart, 1990).
    The margin is the quantile 1 - a of the sum of two variables with just these tails.

    *Upper.* At the best threshold of the distributions, which is fixed, the measured TPR - FPR is
    no larger than the measured advantage. A measured rate falls below the true one by x or more
    with probability at most ``Phi(-2 sqrt(n) (x - 1 / n))`` (Zubkov and Serov, 2013, with Pinsker's
    inequality), and exceeds it likewise. The margin is the quantile of the sum of two variables
    with such tails.

    Parameters
    ----------
    scores : AttackScores, BinnedScores or AttackCurve
        Higher = member: a reversed attack has no advantage.
    confidence_level : float in (0, 1)

    Returns
    -------
    Advantage

    Raises
    ------
    ValueError
        If `confidence_level` leaves its range.

    References
    ----------
    Massart, Annals of Probability 18 (1990) 1269. Zubkov and Serov, Theory of Probability and its
    Applications 57 (2013) 539. Yeom et al., CSF 2018 (advantage).

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.advantage(read_sample("overfitted"))
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.239, 0.338, 0.406)
    """
    confidence = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    level = (1 - confidence) / 2
    at = curve_of(scores).best_advantage()
    value = at.tpr - at.fpr
    above, below = (
        _quantile(tail, at.n_members, at.n_nonmembers, level)
        for tail in (_tail_of_suprema, _tail_of_rates)
    )
    return Advantage(
        value=value,
        low=max(0.0, value - above),
        high=min(1.0, value + below),
        confidence_level=confidence,
        at=at,
    )


@lru_cache(maxsize=64)
def _quantile(tail: Callable[[float, int, int], float], n: int, m: int, level: float) -> float:
    """A margin beyond which the tail is at most `level`, and none smaller by more than 1e-12."""
    low, high = 0.0, 1.0
    while tail(high, n, m) > level:
        low, high = high, 2 * high
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if tail(middle, n, m) <= level else (middle, high)
    return high


def _tail_of_suprema(margin: float, n: int, m: int) -> float:
    """P(X + Y > margin), X and Y independent with tails ``exp(-2 n x^2)`` and ``exp(-2 m x^2)``.

    Both are at least where these are 1/2: there they have an atom of 1/2.
    """
    first, second = HALF / np.sqrt(n), HALF / np.sqrt(m)
    last = margin - second
    if last <= first:
        return 1.0
    # X at its atom, and X beyond what Y may add; between them the integral of X's density times
    # the tail of Y, whose exponent is -2 (total (x - centre)^2 + n m margin^2 / total).
    total = n + m
    centre = m * margin / total
    ends = 2 * np.sqrt(total) * (np.array([first, last]) - centre)
    density = np.exp(-(ends**2) / 2)
    inside = (density[0] - density[1]) / (4 * total) + centre * np.sqrt(np.pi / (2 * total)) * (
        ndtr(ends[1]) - ndtr(ends[0])
    )
    outside = np.exp(-2 * m * (margin - first) ** 2) / 2 + np.exp(-2 * n * last**2)
    return float(outside + 4 * n * np.exp(-2 * n * m * margin**2 / total) * inside)


def _tail_of_rates(margin: float, n: int, m: int) -> float:
    """P(X + Y > margin), each 1/n plus the positive part of a normal variable, for Y with m.

    The standard deviation is ``1 / (2 sqrt(n))``.
    """
    rest = margin - 1 / n - 1 / m
    if rest <= 0:
        return 1.0
    first, second = 2 * rest * np.sqrt([n, m])
    # X alone or beyond reach, Y alone where X is 0, and the integral over X in between.
    reach = min(first, REACH)  # X beyond has next to no probability
    places = reach * (NODES + 1) / 2
    between = np.exp(-(places**2) / 2) * ndtr(-second * (1 - places / first))
    inside = float(WEIGHTS @ between) * reach / 2 / np.sqrt(2 * np.pi)
    return float(ndtr(-reach) + ndtr(-second) / 2 + inside)
