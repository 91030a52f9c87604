"""The four Epsilon* ratios of any two continuous distributions: suprema with a certified gap.

All four are suprema of ``log((A - delta) / B)``, where A and B are tails of the two distributions
that grow along a direction: the CDFs upwards, the survival functions downwards. On a cell [u, v]
the ratio is at most ``log((A(v) - delta) / B(u))``. Branch and bound: cells whose bound exceeds the
best ratio found are split until none is left; the maximum is then polished.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import cast

import numpy as np
from scipy.special import expit

from dpviz.audit.epsilon_star.laws import Law
from dpviz.audit.epsilon_star.tails import Tail, are_normal, before_the_grid
from dpviz.checks import FloatArray

GAP = 1e-4  # cells whose bound exceeds the best ratio by less are not split
PARTS = 8  # of a cell that is split
ROUNDS = 20  # of polishing, at most
SETTLED = 1e-13  # relative difference of neighbouring ratios at which the larger is the maximum
MOST_CELLS = 2**17  # at a time
ROUNDING = 1e-9  # error of differences of large logs


@dataclass(frozen=True, kw_only=True)
class Supremum:
    """The largest log ratio found, its place, and an upper bound of the true one less this one.

    `x` is None where it is only the limit ``log(1 - delta)`` at the far end, and infinite where it
    is a limit at the near end. `gap` is inf where a tail is below every float.
    """

    log_ratio: float
    x: float | None
    gap: float


@dataclass(frozen=True, eq=False)
class LawPair:
    """Distributions of non-members' and members' losses, and their tails on a grid, cached."""

    nonmember: Law
    member: Law

    @cached_property
    def places(self) -> FloatArray:
        """The grid, ascending."""
        return np.unique(np.concatenate([self.nonmember.grid, self.member.grid]))

    @cached_property
    def _tails(self) -> dict[tuple[bool, int], FloatArray]:
        """Log tails along each direction on the grid, by (is it the members', sign)."""
        laws = {False: self.nonmember, True: self.member}
        return {
            (is_member, sign): Tail(law, sign)(np.sort(sign * self.places))
            for is_member, law in laws.items()
            for sign in (1, -1)
        }

    def rates(self, decades: float, n: int) -> tuple[FloatArray, ...]:
        """FPR, FNR, TPR and TNR at n thresholds, evenly spread in log-odds of the FPR.

        The odds of the FPR go from 10**-decades to 10**decades. Cached for the next delta.
        """
        remembered = self.__dict__.setdefault("_rates", {})
        if (decades, n) not in remembered:
            odds = np.linspace(-decades, decades, n) * np.log(10)
            below, above = odds <= 0, odds > 0
            x = np.empty(n)
            x[below] = self.nonmember.quantile(expit(odds[below]))
            x[above] = self.nonmember.upper_quantile(expit(-odds[above]))
            remembered[decades, n] = (
                expit(odds),
                np.exp(self.member.log_sf(x)),
                np.exp(self.member.log_cdf(x)),
                expit(-odds),
            )
        return cast(tuple[FloatArray, ...], remembered[decades, n])

    def suprema(self, *, delta: float, low: float, high: float) -> tuple[Supremum, ...]:
        """For m1..m4, over thresholds in [low, high]."""
        return tuple(
            self._supremum(sign, is_member, delta=delta, low=low, high=high)
            for sign, is_member in ((1, True), (-1, False), (-1, True), (1, False))
        )

    def _supremum(
        self, sign: int, is_member: bool, *, delta: float, low: float, high: float
    ) -> Supremum:
        """The ratio of the members' tail to the non-members', or the other way round."""
        laws = {False: self.nonmember, True: self.member}
        top, bottom = Tail(laws[is_member], sign), Tail(laws[not is_member], sign)
        known = np.stack(
            [
                np.sort(sign * self.places),
                self._tails[is_member, sign],
                self._tails[not is_member, sign],
            ]
        )
        is_clipped = np.isfinite([low, high]).all()
        start, ceiling = -np.inf, -np.inf
        if is_clipped:
            ends = np.sort(sign * np.array([low, high]))
            edges = np.stack([ends, top(ends), bottom(ends)])
            inside = known[:, (known[0] > ends[0]) & (known[0] < ends[1])]
            known = np.concatenate([edges[:, :1], inside, edges[:, 1:]], axis=1)
        elif delta == 0:
            start, ceiling = before_the_grid(top, bottom, known)
        elif known[0, 0] > top.begins and known[1, 0] > np.log(delta):
            ceiling = np.inf  # delta is below the smallest tail of scipy
        if start == np.inf:
            # A limit read off the last tails is not certain.
            is_certain = bool(top.begins < bottom.begins) or are_normal(top, bottom)
            gap = 0.0 if is_certain else np.inf
            return Supremum(log_ratio=start, x=-sign * np.inf, gap=gap)
        found = _largest(top, bottom, known, delta=delta, ceiling=ceiling)
        if start >= found.log_ratio - ROUNDING:
            gap = max(0.0, found.log_ratio + found.gap - start)
            return Supremum(log_ratio=start, x=-sign * np.inf, gap=gap)
        limit = float(np.log1p(-delta)) if delta < 1 else -np.inf
        if not is_clipped and limit >= found.log_ratio:
            gap = max(0.0, found.log_ratio + found.gap - limit)
            return Supremum(log_ratio=limit, x=None, gap=gap)
        return replace(found, x=sign * found.x if found.x is not None else None)


def log_less(a: FloatArray, delta: float) -> FloatArray:
    """``log(e^a - delta)``; -inf where that is not positive."""
    if delta == 0:
        return a
    with np.errstate(divide="ignore", invalid="ignore"):
        # log(e^a - delta) = a + log(1 - delta / e^a)
        return np.where(
            a > log(delta), a + np.log(-np.expm1(np.minimum(log(delta) - a, 0))), -np.inf
        )


def _largest(
    top: Tail, bottom: Tail, known: FloatArray, *, delta: float, ceiling: float
) -> Supremum:
    """Branch and bound between known points: rows place, log A and log B, ascending.

    `ceiling` is an upper bound of the ratio outside of them.
    """

    def ratios(a: FloatArray, b: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            difference = log_less(a, delta) - b
        # Where both are -inf, A does not exceed delta.
        return np.nan_to_num(difference, copy=False, nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    def reached(points: FloatArray) -> FloatArray:
        s, a, b = points
        values = ratios(a, b)
        if np.isneginf(bottom.begins):
            return values
        # Where scipy's tail underflows inside the support, the ratio is not known.
        return np.where(np.isneginf(b) & (s > bottom.begins), -np.inf, values)

    def at(s: FloatArray) -> FloatArray:
        return np.stack([s, top(s), bottom(s)])

    values = reached(known)
    best = int(np.argmax(values))
    value, place = float(values[best]), float(known[0, best])
    around = known[0, max(best - 1, 0)], known[0, min(best + 1, values.size - 1)]
    left, right = known[:, :-1], known[:, 1:]
    steps = np.arange(PARTS + 1) / PARTS
    while value < np.inf:
        bounds = ratios(right[1], left[2])
        # Epsilon* is at least 0: ratios below 1 need no precision.
        is_open = bounds > max(value, 0) + GAP
        ceiling = max(ceiling, float(bounds[~is_open].max(initial=-np.inf)))
        if not is_open.any():
            break
        # Cells between neighbouring floats cannot be split.
        is_split = is_open & (np.nextafter(left[0], np.inf) < right[0])
        ceiling = max(ceiling, float(bounds[is_open & ~is_split].max(initial=-np.inf)))
        if is_split.sum() > MOST_CELLS // PARTS:
            ceiling = max(ceiling, float(bounds.max()))
            break
        left, right = left[:, is_split], right[:, is_split]
        if left.size == 0:
            break
        inner = at(left[0][:, None] + (right[0] - left[0])[:, None] * steps[1:-1])
        values = reached(inner)
        if values.max() > value:
            cell, step = np.unravel_index(int(np.argmax(values)), values.shape)
            value, place = float(values[cell, step]), float(inner[0, cell, step])
            reach = (right[0, cell] - left[0, cell]) / PARTS
            around = place - reach, place + reach
        cuts = np.concatenate([left[:, :, None], inner, right[:, :, None]], axis=2)
        left, right = cuts[:, :, :-1].reshape(3, -1), cuts[:, :, 1:].reshape(3, -1)
    if 0 < value < np.inf:
        value, place = _polished(lambda s: reached(at(s)), around, value, place)
    gap = max(0.0, ceiling - value) if value < np.inf else 0.0
    return Supremum(log_ratio=value, x=place, gap=gap)


def _polished(
    ratio: Callable[[FloatArray], FloatArray],
    around: tuple[float, float],
    value: float,
    place: float,
) -> tuple[float, float]:
    """The local maximum near the best place: zoom in until the ratio is stationary."""
    low, high = around
    for _ in range(ROUNDS):
        s = np.linspace(low, high, 8 * PARTS + 1)
        values = ratio(s)
        best = int(np.argmax(values))
        if values[best] > value:
            value, place = float(values[best]), float(s[best])
        ends = max(best - 1, 0), min(best + 1, s.size - 1)
        if value - values[list(ends)].min() <= SETTLED * (1 + value):
            break
        low, high = s[ends[0]], s[ends[1]]
    return value, place
