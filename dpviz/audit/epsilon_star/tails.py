"""Tails of distributions along a direction, and the limit of their ratio in the tails.

It matters only at delta = 0: any other delta exceeds the tails there.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from dpviz.audit.epsilon_star.laws import Law, Mixture, Normal
from dpviz.checks import FloatArray

STILL_GROWING = 1e-9  # a log ratio that changes by less over the farther half of a tail has a limit
STEADY = 0.85  # growth over the farther half, relative to the quarter before, taken as unbounded
LAST_TAIL = log(1e-200)  # log of a tail from which on a limit can be read


@dataclass(frozen=True, eq=False)
class Tail:
    """``log P(X <= s)``, or with sign -1 ``log P(-X < s)``: it grows along s."""

    law: Law
    sign: int

    def __call__(self, s: FloatArray) -> FloatArray:
        """The log tail at s."""
        return self.law.log_cdf(s) if self.sign > 0 else self.law.log_sf(-s)

    @property
    def begins(self) -> float:
        """The beginning of the support along s."""
        low, high = self.law.support
        return low if self.sign > 0 else -high


def before_the_grid(top: Tail, bottom: Tail, known: FloatArray) -> tuple[float, float]:
    """The limit of ``log(A / B)`` before the first known place, and an upper bound there.

    The tail of a Normal mixture is dominated by the component with the largest standard deviation,
    among equals the farthest mean. For others the limit is read off the last tails that floats
    represent; where those are not small, there is neither limit nor bound.
    """
    if are_normal(top, bottom):
        return _before_the_grid_of_mixtures(top, bottom, known)
    if top.begins != bottom.begins:
        return (np.inf, np.inf) if top.begins < bottom.begins else (-np.inf, -np.inf)
    s, a, b = known[:, np.isfinite(known[1]) & np.isfinite(known[2])]
    if s.size == 0 or a[0] > LAST_TAIL:
        return -np.inf, np.inf
    # A ratio that converges as 1 / log(tail) or faster grows at most half as much over the farther
    # half of the e-folds as over the quarter before; one that diverges as log log grows as much.
    places = np.minimum(np.searchsorted(a, [a[0], a[0] / 2, a[0] / 4]), s.size - 1)
    ratios = (a - b)[places]
    farther, nearer = ratios[0] - ratios[1], ratios[1] - ratios[2]
    if abs(farther) <= STILL_GROWING:
        return float(ratios[0]), float(ratios[0])
    if farther < 0:
        return -np.inf, float(ratios[0])
    return (np.inf if farther >= STEADY * nearer else -np.inf), np.inf


def are_normal(*tails: Tail) -> bool:
    """Whether the tails are of Normal distributions or mixtures of them, whose limits are known."""
    return all(isinstance(tail.law, Normal | Mixture) for tail in tails)


def _before_the_grid_of_mixtures(top: Tail, bottom: Tail, known: FloatArray) -> tuple[float, float]:
    (sd, distance, weight), (*under, other) = _leading(top), _leading(bottom)
    if [sd, distance] > under:
        return np.inf, np.inf
    is_equal = [sd, distance] == under
    limit = float(np.log(weight) - np.log(other)) if is_equal else -np.inf
    # B is at least its dominant part, and the ratio of a part of A to that one is monotone before
    # the place where their density ratio turns.
    sd, distance = under
    first = known[:, :1]
    turns = [
        (distance * part[0] ** 2 - part[1] * sd**2) / (sd**2 - part[0] ** 2)
        for part in _parts(top)
        if part[0] < sd
    ]
    if any(first[0, 0] >= turn for turn in turns):
        return limit, np.inf
    dominant = Tail(Normal(mean=-bottom.sign * distance, sd=sd), bottom.sign)
    return limit, float(first[1, 0] - dominant(first[0])[0] - np.log(other))


def _parts(tail: Tail) -> list[tuple[float, float, float]]:
    """Standard deviation, distance of the mean against the tail's direction, and weight."""
    law = tail.law
    if isinstance(law, Normal):
        return [(law.sd, -tail.sign * law.mean, 1.0)]
    if not isinstance(law, Mixture):
        raise TypeError(f"tail must be of a Normal distribution or a mixture, got {law!r}")
    columns = (law.sds, -tail.sign * law.means, law.weights)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _leading(tail: Tail) -> tuple[float, float, float]:
    """Standard deviation, distance and weight of the part that dominates the tail."""
    parts = _parts(tail)
    sd, distance, _ = max(parts)
    return sd, distance, sum(weight for *same, weight in parts if same == [sd, distance])
