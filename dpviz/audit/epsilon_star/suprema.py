"""The largest Epsilon* ratios of two distributions, exact if both are Normal, else bounded.

Each of the four ratios is a supremum of ``log((A - delta) / B)``, where A and B are tails of the
two distributions that grow along one direction: the CDFs upwards, the survival functions downwards.
For two Normals this ratio has at most one stationary point (`laws.supremum_of_normal_ratio`).
For others the search is by branch and bound: on a cell [u, v] the ratio is at most ``log((A(v) -
delta) / B(u))``. Cells whose bound exceeds the best known ratio are split until none is left. The
largest bound of a cell that was not split limits the error.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isinf, log
from typing import Any

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.audit.epsilon_star import laws
from dpviz.audit.epsilon_star.laws import Law, Mixture, Normal, ScipyLaw
from dpviz.checks import FloatArray
from dpviz.theory.profile import log_diff_exp

LARGEST_SEARCH_GAP = 1e-4  # cells whose bound exceeds the best ratio by less are not split
PARTS_PER_CELL = 8  # parts into which a cell is split
MOST_ZOOMS = 20  # zooms into the neighbourhood of the maximum, at most
RATIO_TOLERANCE = 1e-13  # relative difference of neighbouring ratios at which the zoom ends
MOST_CELLS = 2**17  # cells at a time
ROUNDING = 1e-9  # error of differences of large logs
DECADES = 9.0  # fitted curves run from FPR 1e-9 to FPR 1 - 1e-9
VERTICES = 500  # of a fitted curve


@dataclass(frozen=True, kw_only=True)
class RatioMaximum:
    """The maximum of one of the four Epsilon* ratios, with its threshold and error rates."""

    log_ratio: float
    fpr: float
    fnr: float
    threshold: float  # on the original scale; +-inf for a limit in a tail, nan without a maximum
    gap: float = 0.0  # upper bound of the true maximum minus `log_ratio`; 0 if the search is exact


UNDEFINED = RatioMaximum(log_ratio=np.nan, fpr=np.nan, fnr=np.nan, threshold=np.nan)


@dataclass(frozen=True, kw_only=True)
class RatioSuprema:
    """The maxima of the four Epsilon* ratios over thresholds inside the clip, and Epsilon*."""

    maxima: tuple[RatioMaximum, ...]  # of m1 to m4, the four ratios of `estimate`
    delta: float
    clip: float | None  # thresholds with FPR or FNR outside (clip, 1 - clip) are left out
    reason: str  # why the value is inf, nan or not certain; empty otherwise

    @property
    def log_ratios(self) -> FloatArray:
        """The logs of the largest values of the four ratios, shape (4,)."""
        return np.array([maximum.log_ratio for maximum in self.maxima])

    @property
    def value(self) -> float:
        """Epsilon*: the largest log ratio, or 0; nan if the clip excludes all thresholds."""
        return float("nan") if self.is_empty else max(0.0, float(self.log_ratios.max()))

    @property
    def gap(self) -> float:
        """An upper bound on (true Epsilon*) - `value`; 0 where the search is exact."""
        if self.is_empty or self.value == np.inf:
            return 0.0
        return max(0.0, max(m.log_ratio + m.gap for m in self.maxima) - self.value)

    @property
    def rates_at_maxima(self) -> tuple[tuple[float, float], ...]:
        """The pairs (FPR, FNR) of the maxima; () if the clip excludes all thresholds."""
        return () if self.is_empty else tuple((m.fpr, m.fnr) for m in self.maxima)

    @property
    def is_empty(self) -> bool:
        """Whether the clip excludes all thresholds."""
        return all(np.isnan(maximum.fpr) for maximum in self.maxima)

    @property
    def cap(self) -> float:
        """The largest Epsilon* that the clip allows; inf without a clip."""
        if not self.clip:
            return np.inf
        return float(np.log(max(1.0, (1 - self.clip - self.delta) / self.clip)))

    @property
    def index_of_largest(self) -> int:
        """The index of the largest ratio, 0 to 3 for m1 to m4; 0 if Epsilon* is nan."""
        return 0 if self.is_empty else int(np.argmax(self.log_ratios))

    @property
    def is_about_low_losses(self) -> bool:
        """Whether the largest ratio, m1 or m4, is about low losses, which suggest members."""
        return self.index_of_largest in (0, 3)

    @property
    def is_of_reversed_attack(self) -> bool:
        """Whether the largest ratio, m3 or m4, belongs to the reversed attack (see `estimate`)."""
        return self.index_of_largest in (2, 3)


@dataclass(frozen=True, kw_only=True)
class LawSuprema(RatioSuprema):
    """The ratio suprema of two given distributions of losses; their thresholds are losses."""

    pair: "LawPair" = field(compare=False, repr=False)

    def standard_error(self, *, n_nonmembers: int, n_members: int) -> float | None:
        """Return the standard error of Epsilon* from Normal fits to samples, by the delta method.
        None unless both are Normal, Epsilon* > 0, and its threshold is inside the clip.
        """
        checks.whole("n_nonmembers", n_nonmembers, 1)
        checks.whole("n_members", n_members, 1)
        p, q = self.pair.nonmember, self.pair.member
        if not (isinstance(p, Normal) and isinstance(q, Normal)) or not self.value > 0:
            return None
        x = self.maxima[self.index_of_largest].threshold
        low, high = threshold_range_inside_clip(self.pair, self.clip)
        # At an end of the window, or at a limit, the ratio has no stationary point.
        if not low < x < high:
            return None
        # At a stationary point, a shift of either distribution changes the log ratio by its density
        # over the tail in the denominator: the same for both, as g = h there.
        bottom = (p.log_cdf, q.log_sf, p.log_sf, q.log_cdf)[self.index_of_largest]
        density = (p, q, p, q)[self.index_of_largest].log_pdf
        slope = float(np.exp(density(np.array(x)) - bottom(np.array(x))))
        # A quantile x of a fitted Normal distribution has this variance: of mean and sd.
        sizes = ((p, n_nonmembers), (q, n_members))
        spread = sum(law.sd**2 * (1 + ((x - law.mean) / law.sd) ** 2 / 2) / n for law, n in sizes)
        return slope * float(np.sqrt(spread))


def epsilon_star_of_normals(
    *,
    nonmember: tuple[float, float],
    member: tuple[float, float],
    delta: float,
    clip: float | None = None,
) -> LawSuprema:
    """Return Epsilon* of two Normal distributions of losses, exact to about 1e-13.

    Low losses suggest members.

    Parameters
    ----------
    nonmember, member : tuple of (mean, sd), sd > 0
    delta : float in [0, 1]; at 0, two different distributions give inf
    clip : float, optional, in [0, 0.5): only thresholds with FPR and FNR inside [clip, 1 - clip]

    Raises
    ------
    ValueError, if an argument leaves its range

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import epsilon_star_of_normals
    >>> round(epsilon_star_of_normals(nonmember=(1, 1), member=(0, 1), delta=0.1).value, 4)
    1.1603
    """
    normals = []
    for name, law in (("nonmember", nonmember), ("member", member)):
        # An error of one distribution names its class.
        mean, sd = _checked_parameters(name, law, ("mean", "sd"))
        try:
            normals.append(Normal(mean=mean, sd=sd))
        except ValueError as error:
            raise ValueError(f"{name} {error}") from error
    return _checked_suprema(normals, delta=delta, clip=clip)


def epsilon_star_of_mixtures(
    *, nonmember: Any, member: Any, delta: float, clip: float | None = None
) -> LawSuprema:
    """Return Epsilon* of two mixtures of Normal distributions of losses.

    Each maximum is precise to about 1e-12 and has a certified `gap`: no threshold exceeds it by
    more. The gap is at most 1e-4 for typical fits; a ratio that stays flat over hundreds of e-folds
    of a tail, with delta below 1e-8, leaves more.

    Parameters
    ----------
    nonmember, member : tuple of (weights, means, sds), of one shape; weights > 0 of sum 1, sds > 0
    delta, clip
        As of `epsilon_star_of_normals`; at delta 0 the value is finite where the same component
        dominates the same tail of both mixtures.

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import epsilon_star_of_mixtures
    >>> p, q = ([0.5, 0.5], [0, 2], [1, 1]), ([0.5, 0.5], [0, 1], [1, 1])
    >>> round(epsilon_star_of_mixtures(nonmember=p, member=q, delta=1e-5).value, 3)
    4.208
    """
    given, names = {"nonmember": nonmember, "member": member}, ("weights", "means", "sds")
    mixtures = [Mixture(*_checked_parameters(name, law, names)) for name, law in given.items()]
    return _checked_suprema(mixtures, delta=delta, clip=clip)


def epsilon_star_of(
    *, nonmember: Any, member: Any, delta: float, clip: float | None = None
) -> LawSuprema:
    """Return Epsilon* of two continuous distributions of losses from scipy.stats.

    Its `gap` is inf where scipy's tails end before the maximum is certain.

    Parameters
    ----------
    nonmember, member : frozen distribution, such as ``scipy.stats.gamma(2, scale=5)``
    delta, clip
        As of `epsilon_star_of_normals`. At delta 0, without a clip, a ratio that still grows where
        the tails underflow counts as unbounded.

    Raises
    ------
    TypeError, if one is not such a distribution

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import epsilon_star_of
    >>> from scipy.stats import gamma
    >>> round(epsilon_star_of(nonmember=gamma(3), member=gamma(2), delta=0.01).value, 3)
    2.035
    """
    return _checked_suprema([ScipyLaw(nonmember), ScipyLaw(member)], delta=delta, clip=clip)


def _checked_parameters(argument: str, values: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    if not isinstance(values, Sequence | np.ndarray) or len(values) != len(names):
        raise checks.fail(argument, f"a tuple ({', '.join(names)})", values)
    return tuple(values)


def _checked_suprema(pair: Sequence[Law], *, delta: float, clip: float | None) -> LawSuprema:
    nonmember, member = pair
    delta = checks.real("delta", delta, 0, 1)
    if clip is not None:
        clip = checks.real("clip", clip, 0, 0.5, closed="left")
    return suprema_of_laws(LawPair(nonmember, member), delta=delta, clip=clip)


@dataclass(frozen=True, kw_only=True)
class Supremum:
    """The largest log ratio that a search found, and by how much the supremum may exceed it."""

    log_ratio: float
    x: float | None  # its threshold; +-inf for a limit where both tails are 0, None if both are 1
    gap: float  # upper bound of the true supremum minus `log_ratio`; inf where tails underflow


@dataclass(frozen=True, eq=False)
class LawPair:
    """The distributions of non-members' and members' losses, with cached tails on a grid."""

    nonmember: Law
    member: Law

    @cached_property
    def reflected(self) -> "LawPair":
        """The distributions of minus the losses: lower tails become upper tails."""
        return LawPair(self.nonmember.reflected, self.member.reflected)

    @cached_property
    def log_cdfs(self) -> FloatArray:
        """Rows: thresholds, dense in both tails, and the log CDFs of members and non-members."""
        grid = np.unique(np.concatenate([self.nonmember.loss_grid, self.member.loss_grid]))
        return np.stack([grid, self.member.log_cdf(grid), self.nonmember.log_cdf(grid)])

    @cached_property
    def curve_rates(self) -> tuple[FloatArray, ...]:
        """FPR, FNR, TPR and TNR at `VERTICES` points, evenly spaced in the log-odds of the FPR."""
        odds = np.linspace(-DECADES, DECADES, VERTICES) * np.log(10)
        # Quantiles from the nearer tail keep their digits where the FPR is near 0 or 1.
        below, above = odds[odds <= 0], odds[odds > 0]
        lower, upper = self.nonmember.quantile, self.nonmember.upper_quantile
        x = np.concatenate([lower(expit(below)), upper(expit(-above))])
        fnr, tpr = np.exp(self.member.log_sf(x)), np.exp(self.member.log_cdf(x))
        return expit(odds), fnr, tpr, expit(-odds)

    def suprema(self, *, delta: float, low: float, high: float) -> tuple[Supremum, ...]:
        """Return the suprema of the four log ratios over thresholds in [low, high]."""
        # m1 and m4 compare the lower tails of losses, m2 and m3 the upper ones.
        m1, m4 = self._suprema_of_lower_tails(delta=delta, low=low, high=high)
        m3, m2 = self.reflected._suprema_of_lower_tails(delta=delta, low=-high, high=-low)
        m2, m3 = (replace(m, x=None if m.x is None else 0.0 - m.x) for m in (m2, m3))
        return m1, m2, m3, m4

    def _suprema_of_lower_tails(self, **given: float) -> tuple[Supremum, Supremum]:
        """Return the suprema of two log ratios of CDFs: member / non-member, and the inverse."""
        p, q = self.nonmember, self.member
        if isinstance(p, Normal) and isinstance(q, Normal):
            return _supremum_for_normals(q, p, **given), _supremum_for_normals(p, q, **given)
        table = self.log_cdfs
        swapped = _supremum_of_ratio(p, q, table[[0, 2, 1]], **given)
        return _supremum_of_ratio(q, p, table, **given), swapped


def _supremum_of_ratio(
    top: Law, bottom: Law, table: FloatArray, *, delta: float, low: float, high: float
) -> Supremum:
    """Return the supremum in [low, high] of ``log((A - delta) / B)``; `top` has CDF A, `bottom` B.
    The rows of `table` are ascending thresholds, log A and log B.
    """
    is_clipped = np.isfinite([low, high]).all()
    near_limit, rest_bound, starts = -np.inf, -np.inf, (top.support[0], bottom.support[0])
    if is_clipped:
        ends = np.array([low, high])
        edges = np.stack([ends, top.log_cdf(ends), bottom.log_cdf(ends)])
        inside = table[:, (table[0] > low) & (table[0] < high)]
        table = np.concatenate([edges[:, :1], inside, edges[:, 1:]], axis=1)
    elif delta == 0:
        # The ratio may have a limit before the grid, or none at all.
        near_limit, rest_bound = laws.limit_and_bound_of_log_ratio(top, bottom, table)
    elif table[0, 0] > starts[0] and table[1, 0] > np.log(delta):
        rest_bound = np.inf  # delta is below the smallest tail of scipy
    if near_limit == np.inf:
        # A limit read off the last tails is not certain.
        is_certain = starts[0] < starts[1] or laws.are_normal_mixtures(top, bottom)
        return Supremum(log_ratio=near_limit, x=-np.inf, gap=0.0 if is_certain else np.inf)
    best = _supremum_by_branch_and_bound(top, bottom, table, delta=delta, rest_bound=rest_bound)
    far_limit = float(np.log1p(-delta)) if delta < 1 and not is_clipped else -np.inf
    for limit, x, rounding in ((near_limit, -np.inf, ROUNDING), (far_limit, None, 0.0)):
        if limit >= best.log_ratio - rounding:
            gap = max(0.0, best.log_ratio + best.gap - limit)
            return Supremum(log_ratio=limit, x=x, gap=gap)
    return best


def suprema_of_laws(pair: LawPair, *, delta: float, clip: float | None) -> LawSuprema:
    """Return the maxima of the four ratios over thresholds with both rates in [clip, 1 - clip]."""
    low, high = threshold_range_inside_clip(pair, clip)
    if low > high:
        reason = f"no threshold has both FPR and FNR inside ({clip:g}, {1 - (clip or 0):g})"
        return LawSuprema(maxima=(UNDEFINED,) * 4, delta=delta, clip=clip, reason=reason, pair=pair)
    suprema = pair.suprema(delta=delta, low=low, high=high)
    # A maximum that no threshold attains lies at an end: -inf or inf on the axis of losses.
    ends = zip(suprema, (np.inf, -np.inf, -np.inf, np.inf), strict=True)
    maxima = tuple(_to_ratio_maximum(pair, supremum, x_if_none=end) for supremum, end in ends)
    reason = ""
    # Why a ratio is infinite, or not certain.
    if any(maximum.log_ratio == np.inf for maximum in maxima):
        if delta > 0:
            reason = "one distribution has a share above delta where the other has none"
        elif any(maximum.log_ratio == maximum.gap == np.inf for maximum in maxima):
            reason = "at delta = 0 the ratio grows up to the largest float, and counts as infinite"
        else:
            reason = "at delta = 0 the ratio of the two distributions grows without limit"
    elif any(maximum.gap == np.inf for maximum in maxima):
        reason = "larger ratios are possible in tails that were not searched"
    return LawSuprema(maxima=maxima, delta=delta, clip=clip, reason=reason, pair=pair)


def threshold_range_inside_clip(pair: LawPair, clip: float | None) -> tuple[float, float]:
    """Return the range of thresholds with both rates in [clip, 1 - clip]; low > high if empty."""
    if not clip:
        return -np.inf, np.inf
    if clip > 0.5:  # the paper's clip at a large delta
        return np.inf, -np.inf
    both, rate = (pair.nonmember, pair.member), np.array(clip)
    # Both rates survive between the larger lower quantile and the smaller upper one.
    low = max(float(law.quantile(rate)) for law in both)
    return low, min(float(law.upper_quantile(rate)) for law in both)


def _to_ratio_maximum(pair: LawPair, supremum: Supremum, *, x_if_none: float) -> RatioMaximum:
    """Return a supremum with its FPR and FNR; `x_if_none` replaces a threshold of None."""
    x = np.array(x_if_none if supremum.x is None else supremum.x)
    given = {"log_ratio": supremum.log_ratio, "threshold": float(x), "gap": supremum.gap}
    tails = (pair.nonmember.log_cdf(x), pair.member.log_sf(x))
    fpr, fnr = (min(1.0, float(np.exp(tail))) for tail in tails)
    return RatioMaximum(fpr=fpr, fnr=fnr, **given)


def _supremum_by_branch_and_bound(
    top: Law, bottom: Law, table: FloatArray, *, delta: float, rest_bound: float
) -> Supremum:
    """Return the supremum of ``log((A - delta) / B)``, by branch and bound that starts at `table`.
    The rows of `table` are ascending s, log A and log B; `rest_bound` bounds the ratio beyond them.
    """

    def log_ratios(log_a: FloatArray, log_b: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            difference = (log_diff_exp(log_a, log(delta)) if delta > 0 else log_a) - log_b
        # Where both are -inf, A does not exceed delta.
        return np.nan_to_num(difference, copy=False, nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    def log_ratios_at(points: FloatArray) -> FloatArray:
        """Return the log ratios at points (rows as in `table`); -inf where log B underflows."""
        s, a, b = points
        values = log_ratios(a, b)
        if np.isneginf(start):
            return values
        # Where scipy's tail underflows inside the support, the ratio is not known.
        return np.where(np.isneginf(b) & (s > start), -np.inf, values)

    def table_at(s: FloatArray) -> FloatArray:
        return np.stack([s, top.log_cdf(s), bottom.log_cdf(s)])

    start = bottom.support[0]
    values = log_ratios_at(table)
    best = int(np.argmax(values))
    value, place = float(values[best]), float(table[0, best])
    # The maximum is polished between the neighbours of the best point.
    around = table[0, max(best - 1, 0)], table[0, min(best + 1, values.size - 1)]
    left, right = table[:, :-1], table[:, 1:]
    steps = np.arange(PARTS_PER_CELL + 1) / PARTS_PER_CELL
    while value < np.inf:
        # Bound each cell; one with a small bound stays closed and counts for the gap only.
        bounds = log_ratios(right[1], left[2])
        # Epsilon* is at least 0: ratios below 1 need no precision.
        is_open = bounds > max(value, 0) + LARGEST_SEARCH_GAP
        rest_bound = max(rest_bound, float(bounds[~is_open].max(initial=-np.inf)))
        if not is_open.any():
            break
        # Cells between neighbouring floats cannot be split.
        is_split = is_open & (np.nextafter(left[0], np.inf) < right[0])
        rest_bound = max(rest_bound, float(bounds[is_open & ~is_split].max(initial=-np.inf)))
        # Too many cells for the memory: what they may hold is part of the gap.
        if is_split.sum() > MOST_CELLS // PARTS_PER_CELL:
            rest_bound = max(rest_bound, float(bounds.max()))
            break
        left, right = left[:, is_split], right[:, is_split]
        if left.size == 0:
            break
        inner = table_at(left[0][:, None] + (right[0] - left[0])[:, None] * steps[1:-1])
        values = log_ratios_at(inner)
        if values.max() > value:
            cell, step = np.unravel_index(int(np.argmax(values)), values.shape)
            value, place = float(values[cell, step]), float(inner[0, cell, step])
            reach = (right[0, cell] - left[0, cell]) / PARTS_PER_CELL
            around = place - reach, place + reach
        cuts = np.concatenate([left[:, :, None], inner, right[:, :, None]], axis=2)
        left, right = cuts[:, :, :-1].reshape(3, -1), cuts[:, :, 1:].reshape(3, -1)
    # What exceeds 0 is the value of Epsilon*, and worth all its digits.
    if 0 < value < np.inf:
        value, place = _refine_maximum(lambda s: log_ratios_at(table_at(s)), around, value, place)
    gap = max(0.0, rest_bound - value) if value < np.inf else 0.0
    return Supremum(log_ratio=value, x=place, gap=gap)


def _refine_maximum(
    ratio: Callable[[FloatArray], FloatArray],
    around: tuple[float, float],
    value: float,
    point: float,
) -> tuple[float, float]:
    """Return (value, point) of a maximum of `ratio`, refined on finer grids within `around`."""
    low, high = around
    for _ in range(MOST_ZOOMS):
        s = np.linspace(low, high, 8 * PARTS_PER_CELL + 1)
        values = ratio(s)
        best = int(np.argmax(values))
        if values[best] > value:
            value, point = float(values[best]), float(s[best])
        # Continue between the neighbours of the best point, unless the ratio is flat there.
        ends = max(best - 1, 0), min(best + 1, s.size - 1)
        if value - values[list(ends)].min() <= RATIO_TOLERANCE * (1 + value):
            break
        low, high = s[ends[0]], s[ends[1]]
    return value, point


def _supremum_for_normals(
    top: Normal, bottom: Normal, *, delta: float, low: float, high: float
) -> Supremum:
    """Return the supremum of ``log((A - delta) / B)`` of Normal CDFs A, B, exact to about 1e-13."""
    # Standardise by the denominator: squares of the original numbers would over- or underflow.
    mean, sd = (top.mean - bottom.mean) / bottom.sd, top.sd / bottom.sd
    low, high = (end if isinf(end) else (end - bottom.mean) / bottom.sd for end in (low, high))
    value, x = laws.supremum_of_normal_ratio(mean, sd, delta=delta, low=low, high=high)
    place = None if x is None else bottom.mean + bottom.sd * x
    return Supremum(log_ratio=value, x=place, gap=0.0)
