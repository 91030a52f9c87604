"""The distribution of attack statistics under no leakage, by permutation of the labels.

**Statement.** If members and non-members are exchangeable, membership is random given the pooled
scores. So labels are permuted many times: the statistics of the resulting curves have the
distribution that those of the data have without leakage. A p-value from them is exact (Fisher's
permutation test), ties included.

A curve is evaluated at rank cut-offs: numbers of records with a score of at least a threshold. They
depend on the pooled scores and the class sizes alone, not on membership. With up to 1000 records
all thresholds are used; with more only some, dense at both ends and around the clip and `fpr`. The
curve of the data is evaluated there, too, so p-values stay exact. Statistics are then smaller than
over all thresholds: the advantage by 1 to 2 % of the null's 95 % quantile on average (measured at
2000 to 100 000 records), the others by less than 0.1 % of it. For data that leak, Epsilon* was
smaller by up to 0.03 and the TPR at `fpr` by up to 0.006: report these from `epsilon_star` and the
curve, and use the statistics here for the comparison with chance. None of them is a bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, xlogy

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import Clip, resolved_clip
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.roc.curve import ThresholdCounts
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, Scores, reject_too_many_records
from dpviz.checks import FloatArray, Rng
from dpviz.theory.profile import first_whole_numbers_where
from dpviz.value_object import ValueObject

ALL_DEPTHS = 1000  # number of records up to which every rank cut-off is evaluated
DENSE = 200  # with more records, evaluate every rank cut-off up to this one, from both ends
GROWTH = 0.02  # beyond it, steps grow by 2 % of the distance from the dense part
LARGEST_STEP = 1 / 300  # and never exceed this fraction of all records
CUT_OFFS_AROUND_JUMP = 60  # rank cut-offs around each FPR or TPR at which a statistic jumps
DEVIATIONS_AROUND_JUMP = 4.0  # half the width of that range, in standard deviations
LARGEST_TABULATED = 2**24  # number of records up to which x log x is tabulated
RECORDS_DRAWN_SINGLY = 12  # steps of at most this many are drawn record by record: faster
CHUNK = 1000  # permutations drawn per batch
CACHED = 16  # simulations that are kept
SUB_BATCH = 100  # permutations per sub-batch, so that its arrays fit in the CPU cache
VERTICES = 255  # of each limit of a band, at most
ENDS = 48  # vertices at the first rank cut-offs, and as many at the last
Function = Callable[[Any], FloatArray]  # of whole numbers


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NullBand(ValueObject):
    """A band that contains the whole attack curve with a given probability if nothing leaks.

    Parameters
    ----------
    lower, upper : ndarray, shape (k, 2), FPR and FNR at k common rank cut-offs, at most `VERTICES`
    share : float, without leakage at least this fraction of curves is expected to lie inside
    inside : float, fraction of the simulated curves that are inside everywhere

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> null = audit.null_distribution(read_sample("null"), delta=1e-5, n_resamples=100)
    >>> null.band(0.9).lower.shape
    (255, 2)
    """

    lower: FloatArray = field(repr=False)
    upper: FloatArray = field(repr=False)
    share: float
    inside: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NullDistribution(ValueObject):
    """Statistics of the data, such as the AUC, and their values for many permuted labellings.

    Parameters
    ----------
    observed : dict of float, by the names of `STATISTICS`, at the rank cut-offs of `depths`
        "epsilon_star" is nan, and ranks above all numbers, where the clip leaves no threshold.
    simulated : dict of ndarray, shape (n_resamples,), ascending, nan last
    n_members, n_nonmembers, n_resamples : int
    delta : float
    clip : float or None
    fpr : float
    depths : ndarray of int, shape (k,), the rank cut-offs of the curves, from 0 to all records
    deviances : ndarray, shape (n_resamples,), the largest of each, ascending; see `band`

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> null = audit.null_distribution(read_sample("overfitted"), delta=1e-5, n_resamples=200)
    >>> round(null.observed["auc"], 3), round(null.quantile("auc"), 2)
    (0.605, 0.53)
    """

    observed: dict[str, float]
    simulated: dict[str, FloatArray] = field(repr=False)
    n_members: int
    n_nonmembers: int
    n_resamples: int
    delta: float
    clip: float | None
    fpr: float
    depths: Counts = field(repr=False)
    deviances: FloatArray = field(repr=False)

    def quantile(self, name: str, share: float = 0.95) -> float:
        """Return the `share` quantile of a statistic's simulated values, not interpolated."""
        ascending = self._simulated_values(name)
        share = checks.real("share", share, 0, 1, closed="neither")
        return float(ascending[_rank_of_quantile(share, self.n_resamples) - 1])

    def quantile_confidence_limits(self, name: str, share: float = 0.95) -> tuple[float, float]:
        """Return 95 % confidence limits of a quantile of the simulated statistic.

        The quantile is that of level `share`. The limits are simulated values; a limit is -inf or
        inf if there are too few runs for it.
        """
        ascending = self._simulated_values(name)
        share = checks.real("share", share, 0, 1, closed="neither")
        # The number of runs below the true quantile is binomial: its quantiles are ranks.
        n = self.n_resamples
        at_most = bdtr(np.arange(n), n, share)  # of 0, 1, ... runs below
        low, high = (int(np.searchsorted(at_most, level)) for level in (0.025, 0.975))
        ends = [-np.inf, *ascending.tolist(), np.inf]
        return ends[low], ends[high + 1]

    def p_value(self, name: str) -> float:
        """Return the permutation p-value of one statistic.

        This is the share of labellings, the data's own included, whose statistic is at least that
        of the data.
        """
        values = np.nan_to_num(self._simulated_values(name), nan=np.inf)
        observed = np.nan_to_num(self.observed[name], nan=np.inf)
        return (1 + int((values >= observed).sum())) / (1 + self.n_resamples)

    def band(self, share: float = 0.95) -> NullBand:
        """Return a band that contains the curve of a random labelling.

        The whole curve is in the band with probability at least `share`. At each rank cut-off the
        limits are the fewest and the most members whose `deviance` is at most a quantile of
        `deviances`, the largest deviance of each run. ValueError if `share` is not in (0, 1), or
        there are too few runs for this share.
        """
        share = checks.real("share", share, 0, 1, closed="neither")
        # Under the null hypothesis the curve of the data is one more run.
        runs = self.n_resamples
        rank = _rank_of_quantile(share, runs + 1)
        if rank > runs:
            limit, way_out = f"at most {1 - 1 / (runs + 1):.4g}", "increase n_resamples"
            raise checks.fail("share", limit, share, way_out)
        limit, n, m = self.deviances[rank - 1], self.n_members, self.n_nonmembers
        drawn = self.depths[_indices_to_plot(self.depths.size)]
        few, many = _member_range(drawn, n, m, limit)
        lower, upper = (
            checks.read_only(np.stack([(drawn - tp) / m, (n - tp) / n], axis=1))
            for tp in (many, few)
        )
        inside = float((self.deviances <= limit).mean())
        return NullBand(lower=lower, upper=upper, share=share, inside=inside)

    def _simulated_values(self, name: str) -> FloatArray:
        return self.simulated[checks.choice("name", name, self.simulated)]


def null_distribution(
    scores: ScoresLike,
    *,
    delta: float,
    clip: Clip = "paper",
    fpr: float = 0.01,
    n_resamples: int = 2000,
    rng: Rng = 0,
    progress: Progress = iter,
) -> NullDistribution:
    """Return the distribution of the attack's statistics under permuted labels of these records.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float, in [0, 1]; of "epsilon_star" and "raw_epsilon"
    clip : float, None or "paper", of `epsilon_star`
    fpr : float, in [0, 1]; of "tpr_at_fpr"
    n_resamples : int, permutations, at least 1; the smallest p-value is 1 / (n_resamples + 1)
    rng : int or Generator, of the permutations
    progress : callable, wraps the range of batches of runs

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> null = audit.null_distribution(read_sample("null"), delta=1e-5, n_resamples=99)
    >>> null.p_value("advantage") > 0.05
    True
    """
    scores = as_scores("scores", scores)
    delta, fpr = checks.real("delta", delta, 0, 1), checks.real("fpr", fpr, 0, 1)
    number = resolved_clip(clip, method="empirical", delta=delta)
    runs, seed = checks.whole("n_resamples", n_resamples, 1), checks.seed(rng)
    reject_too_many_records(scores, "label permutation")
    # Cut-offs to evaluate depend on the pooled scores alone, so they are the same for all runs.
    n, m = scores.n_members, scores.n_nonmembers
    jumps = (fpr,) if number is None else (fpr, number, 1 - number)
    depths, true_positives = _pooled_and_member_counts(scores, rank_cut_offs(n, m, jumps))
    given: dict[str, Any] = {"n_members": n, "n_nonmembers": m, "delta": delta, "clip": number}
    # Classes of equal sizes have the same permutations, which are kept unless progress is shown.
    simulate = _cached_null_values if progress is iter else partial(_null_values, progress)
    *simulated, deviances = simulate(tuple(depths.tolist()), fpr, runs, seed, **given)
    observed = _statistics_of_runs(true_positives[:, None], depths, fpr, given)
    return NullDistribution(
        observed={name: float(each[0]) for name, each in zip(STATISTICS, observed, strict=True)},
        simulated=dict(zip(STATISTICS, simulated, strict=True)),
        **given,
        n_resamples=runs,
        fpr=fpr,
        depths=checks.read_only(depths),
        deviances=deviances,
    )


def _null_values(
    progress: Progress, cut_offs: tuple[int, ...], fpr: float, runs: int, seed: int, **given: Any
) -> list[FloatArray]:
    """Return the values over all runs, ascending, of each of `STATISTICS` and of the deviance."""
    n, m, depths, parts = given["n_members"], given["n_nonmembers"], np.array(cut_offs), []
    rng, table = np.random.default_rng(seed), x_log_x_function(n + m)
    for begin in progress(range(0, runs, CHUNK)):
        permuted = draw_permuted_member_counts(n, m, depths, min(CHUNK, runs - begin), rng)
        for some in np.array_split(permuted, -(-permuted.shape[1] // SUB_BATCH), axis=1):
            counts = np.ascontiguousarray(some)
            deviances = deviance(counts, depths[:, None], n, m, table).max(axis=0)
            parts.append([*_statistics_of_runs(counts, depths, fpr, given), deviances])
    return [checks.read_only(np.sort(np.concatenate(each))) for each in zip(*parts, strict=True)]


_cached_null_values = lru_cache(maxsize=CACHED)(partial(_null_values, iter))


def _statistics_of_runs(
    counts: Counts, depths: Counts, fpr: float, given: dict[str, Any]
) -> list[FloatArray]:
    """Return each of `STATISTICS` for each run, from `counts` of members above the cut-offs."""
    ranks, others = -depths.astype(float), depths[:, None] - counts
    fields = given | {"thresholds": ranks, "true_positives": counts, "false_positives": others}
    curves = PermutedCurves(**fields, fpr_at=fpr)
    return [statistic(curves) for statistic in STATISTICS.values()]


def _pooled_and_member_counts(scores: Scores, cut_offs: Counts) -> tuple[Counts, Counts]:
    """Count records and members above cut-offs; a cut-off inside ties moves to the ties' end."""
    size = scores.n_members + scores.n_nonmembers
    # The score at a cut-off is a threshold; records tied with this score move the cut-off.
    ascending = np.unique(scores.at_pooled_ranks(size - cut_offs[cut_offs > 0]))
    # NaN, above all scores, flags nobody.
    thresholds = np.concatenate([[np.nan], ascending[::-1]])
    members = scores.members.count_at_least(thresholds)
    return members + scores.nonmembers.count_at_least(thresholds), members


def _member_range(cut_offs: Counts, n: int, m: int, max_deviance: float) -> tuple[Counts, Counts]:
    """Return, per rank cut-off, the fewest and most members with `deviance` <= `max_deviance`."""
    table = x_log_x_function(n + m)

    def is_out(members: Counts) -> NDArray[np.bool_]:
        return deviance(members, cut_offs, n, m, table) > max_deviance

    # The deviance is convex, and smallest at the mean: bisection on either side of the mean.
    middle = cut_offs * n // (n + m)
    middle = np.where(is_out(middle), middle + 1, middle)
    beyond = np.minimum(cut_offs, n) + 1, 1 - np.maximum(0, cut_offs - m)
    many = first_whole_numbers_where(is_out, middle, beyond[0]) - 1
    return 1 - first_whole_numbers_where(lambda x: is_out(-x), -middle, beyond[1]), many


def _rank_of_quantile(share: float, runs: int) -> int:
    """Return the rank, from 1, of the `share` quantile of `runs` values: ceil(share * runs)."""
    return max(1, int(np.ceil(share * runs * (1 - 1e-12))))


def _indices_to_plot(size: int) -> Counts:
    """Return at most `VERTICES` indices of `size` cut-offs: all near the ends, some between."""
    if size <= VERTICES:
        return np.arange(size)
    between = np.linspace(ENDS, size - 1 - ENDS, VERTICES - 2 * ENDS).astype(np.int64)
    return np.concatenate([np.arange(ENDS), between, np.arange(size - ENDS, size)])


def draw_permuted_member_counts(
    n: int, m: int, cut_offs: Counts, runs: int, rng: np.random.Generator
) -> Counts:
    """Permute n + m labels `runs` times; return members above each cut-off, shape (k, runs)."""
    # Faster than `LeastFavourableRankings` at (0, 0)-DP.
    members = np.empty((cut_offs.size, runs), np.int64)
    left, rest = np.full(runs, n, np.int64), n + m
    for i, cut_off in enumerate(cut_offs.tolist()):
        # A long step takes a hypergeometric number of members, a short one record after record.
        step = cut_off - (n + m - rest)
        if step > RECORDS_DRAWN_SINGLY:
            left = left - rng.hypergeometric(left, rest - left, step)
            rest -= step
        else:
            for _ in range(step):
                left = left - (rng.integers(rest, size=runs) < left)
                rest -= 1
        members[i] = n - left
    return members


def rank_cut_offs(n: int, m: int, jump_rates: tuple[float, ...]) -> Counts:
    """Return ranks at which to evaluate curves: dense at the ends and near FPRs `jump_rates`."""
    total = n + m
    if total <= ALL_DEPTHS:
        return np.arange(total + 1)
    upper = [0]
    while upper[-1] < total / 2:
        step = min((upper[-1] - DENSE) * GROWTH, total * LARGEST_STEP)
        upper.append(upper[-1] + max(1, int(step)))
    # More cut-offs where a statistic jumps, within some standard deviations of it.
    cut = np.array(jump_rates)[:, None]
    spread = DEVIATIONS_AROUND_JUMP * np.sqrt(total * max(n, m) / min(n, m) * cut * (1 - cut))
    around = cut * total + spread * np.linspace(-1, 1, CUT_OFFS_AROUND_JUMP)
    depths = np.concatenate([upper, total - np.array(upper), around.ravel()])
    return np.unique(np.clip(depths, 0, total).astype(np.int64))


def x_log_x_function(largest: int) -> Function:
    """Return the function x log x, for arrays of whole numbers x up to `largest`."""
    if largest > LARGEST_TABULATED:
        return lambda x: np.asarray(xlogy(x, x))
    x = np.arange(largest + 1)
    return np.asarray(xlogy(x, x)).__getitem__


def deviance(members: Counts, cut_offs: Counts, n: int, m: int, x_log_x: Function) -> FloatArray:
    """Return Wilks's deviance for the independence of class and rank, from counts at `cut_offs`."""
    of, top = x_log_x, cut_offs
    cells = of(members) + of(top - members) + of(n - members) + of(m - top + members)
    return np.asarray(2 * (cells - (of(top) + of(n + m - top) + (of(n) + of(m) - of(n + m)))))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PermutedCurves(ThresholdCounts):
    """The attack curves of many random labellings at k thresholds; counts have shape (k, runs)."""

    delta: float
    clip: float | None
    fpr_at: float  # the FPR at which `tpr_at_fpr` reads the curve

    @cached_property
    def _tpr_fpr_tnr_fnr_ratios(self) -> tuple[FloatArray, FloatArray]:
        """The ratios (TPR - delta) / FPR and (TNR - delta) / FNR, at least 0; shape (k, runs)."""
        return self._ratio_at_delta(self.tpr, self.fpr), self._ratio_at_delta(self.tnr, self.fnr)

    def epsilon_star(self) -> FloatArray:
        """Return each run's empirical Epsilon*; nan where the clip leaves no threshold."""
        ratios = np.maximum(*self._tpr_fpr_tnr_fnr_ratios)
        for top, bottom in ((self.fnr, self.tnr), (self.fpr, self.tpr)):
            np.maximum(ratios, self._ratio_at_delta(top, bottom), out=ratios)
        if self.clip is None:
            return np.asarray(np.log(np.maximum(ratios.max(axis=0), 1.0)))
        survive = self.survives_clip(self.clip)
        largest = np.where(survive, ratios, 0.0).max(axis=0)
        return np.where(survive.any(axis=0), np.log(np.maximum(largest, 1.0)), np.nan)

    def raw_epsilon(self) -> FloatArray:
        """Return each run's largest finite log of (TPR - delta) / FPR or (TNR - delta) / FNR."""
        ratios = np.maximum(*(np.where(np.isinf(r), 0.0, r) for r in self._tpr_fpr_tnr_fnr_ratios))
        return np.asarray(np.log(np.maximum(ratios.max(axis=0), 1.0)))

    def advantage(self) -> FloatArray:
        """Return each run's largest TPR - FPR over the thresholds."""
        n, m = self.n_members, self.n_nonmembers
        # In whole numbers, so that equal advantages are equal floats.
        lead = self.true_positives * m - self.false_positives * n
        return np.asarray(lead.max(axis=0) / (n * m))

    def auc(self) -> FloatArray:
        """Return each run's area under the ROC curve; a tie counts one half."""
        tp, fp = self.true_positives, self.false_positives
        twice = (np.diff(fp, axis=0) * (tp[1:] + tp[:-1])).sum(axis=0)
        return np.asarray(twice / (2 * self.n_members * self.n_nonmembers))

    def tpr_at_fpr(self) -> FloatArray:
        """Return each run's TPR at the lowest threshold whose FPR is at most `fpr_at`."""
        last = (self.fpr <= self.fpr_at).sum(axis=0) - 1
        return np.asarray(np.take_along_axis(self.tpr, last[None], axis=0)[0])

    def _ratio_at_delta(self, numerator: FloatArray, denominator: FloatArray) -> FloatArray:
        """Return (numerator - delta) / denominator; 0 where the numerator is at most delta."""
        above = numerator - self.delta
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(above > 0, above / denominator, 0.0)


STATISTIC_NAMES = ("epsilon_star", "raw_epsilon", "advantage", "auc", "tpr_at_fpr")
STATISTICS: dict[str, Callable[[PermutedCurves], FloatArray]] = {
    name: getattr(PermutedCurves, name) for name in STATISTIC_NAMES
}
