"""What no leakage looks like at these records: statistics of a curve whose labels are dealt out.

**Statement.** Where members and non-members are exchangeable, who is a member is random given the
pooled scores. So labels are dealt out at random many times, and statistics of the attack's curve
computed each time. Their values here show what the same statistic of the data would be if nothing
leaked; a p-value from them is exact (Fisher's permutation test), ties included.

A curve is seen at some depths: numbers of records with a score of at least a threshold. They follow
from the pooled scores and the numbers of records alone, not from who is a member. Of up to 1000
records all thresholds are looked at; of more only some, dense at both ends and where the clip and
`fpr` cut. The data are looked at there, too, so p-values stay exact. Next to all thresholds, values
are then lower: the advantage by 1 to 2 % of the null's 95 % quantile in the mean (measured at 2000
to 100 000 records), each of the others by less than 0.1 % of it. Of data that do leak, Epsilon* was
lower by up to 0.03 and the TPR at `fpr` by up to 0.006: quote these from `epsilon_star` and the
curve, and take from here what chance makes of them.

Nothing here is a bound: these are values of estimates where the truth is no leakage.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import Scores, refuse_too_many
from dpviz.audit.dealt import STATISTICS, DealtCurves, deal, depths_to_see, deviance, x_log_x
from dpviz.audit.ratios import Clip, resolved_clip
from dpviz.audit.resampling import Progress
from dpviz.checks import FloatArray

CHUNK = 1000
"""Runs that are dealt at a time,"""
IN_CACHE = 100
"""and of which statistics are computed at a time."""
VERTICES = 255
"""Of each limit of a band, at most."""
ENDS = 48
"""Of them at the first depths, and as many at the last."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NullBand:
    """Limits between which the whole curve stays where nothing leaks.

    Parameters
    ----------
    lower, upper : ndarray, shape (k, 2)
        Columns FPR and FNR, at most `VERTICES` rows, from (0, 1) to (1, 0). Row i of both is about
        the same depth: as many records are accused at either limit.
    share : float
        Of further curves, at least so many are inside at all depths, in the mean over simulations.
    inside : float
        Of the simulated curves, so many are.
    """

    lower: FloatArray = field(repr=False)
    upper: FloatArray = field(repr=False)
    share: float
    inside: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NullDistribution:
    """Statistics of the data beside their values when membership is dealt out at random.

    Parameters
    ----------
    observed : dict of float
        By the names of `STATISTICS`, at the depths that were looked at. "epsilon_star" is nan where
        no threshold survives the clip: such a separation counts as larger than any value.
    simulated : dict of ndarray, shape (runs,)
        Ascending, nan last.
    n_members, n_nonmembers, runs : int
    delta : float
    clip : float or None
    fpr : float
    depths : ndarray of int, shape (k,)
        Numbers of first records at which curves were looked at, from 0 to all.
    deviances : ndarray, shape (runs,)
        The largest of each run over the depths, ascending; see `band`.
    """

    observed: dict[str, float]
    simulated: dict[str, FloatArray] = field(repr=False)
    n_members: int
    n_nonmembers: int
    runs: int
    delta: float
    clip: float | None
    fpr: float
    depths: Counts = field(repr=False)
    deviances: FloatArray = field(repr=False)

    def quantile(self, name: str, share: float = 0.95) -> float:
        """The smallest simulated value that at least this share of the runs does not exceed."""
        ascending = self._of(name)
        share = checks.real("share", share, 0, 1, closed="neither")
        return float(ascending[_rank(share, self.runs) - 1])

    def quantile_interval(self, name: str, share: float = 0.95) -> tuple[float, float]:
        """95 % confidence limits of the quantile that infinitely many runs would give.

        Order statistics, by the binomial law of the number of runs below it; where there are too
        few runs beyond it for a limit, -inf or inf.
        """
        ascending = self._of(name)
        share = checks.real("share", share, 0, 1, closed="neither")
        at_most = bdtr(np.arange(self.runs), self.runs, share)  # of 0, 1, ... runs below
        low, high = (int(np.searchsorted(at_most, level)) for level in (0.025, 0.975))
        return (
            float(ascending[low - 1]) if low > 0 else -np.inf,
            float(ascending[high]) if high < self.runs else np.inf,
        )

    def p_value(self, name: str) -> float:
        """Share of labellings, the real one among them, with a value at least as large."""
        values = np.nan_to_num(self._of(name), nan=np.inf)
        observed = np.nan_to_num(self.observed[name], nan=np.inf)
        return (1 + int((values >= observed).sum())) / (1 + self.runs)

    def band(self, share: float = 0.95) -> NullBand:
        """Limits between which the whole curve of a random labelling stays at this share.

        At each depth, the numbers of members that are no less likely than a common limit; likely by
        Wilks's deviance. The limit is an order statistic of the runs' largest deviances over all
        depths, those between the vertices included.

        Raises
        ------
        ValueError
            If `share` leaves (0, 1), or there are too few runs for it.
        """
        share = checks.real("share", share, 0, 1, closed="neither")
        rank = _rank(share, self.runs + 1)
        if rank > self.runs:
            raise checks.fail("share", f"at most {1 - 1 / (self.runs + 1):.4g} here", share)
        limit, n, m = self.deviances[rank - 1], self.n_members, self.n_nonmembers
        drawn = self.depths[_drawn(self.depths.size)]
        few, many = _limits(drawn, n, m, limit)
        lower, upper = (np.stack([(drawn - tp) / m, (n - tp) / n], axis=1) for tp in (many, few))
        return NullBand(
            lower=checks.read_only(lower),
            upper=checks.read_only(upper),
            share=share,
            inside=float((self.deviances <= limit).mean()),
        )

    def _of(self, name: str) -> FloatArray:
        return self.simulated[checks.choice("name", name, self.simulated)]


def null_distribution(
    scores: Scores,
    *,
    delta: float,
    clip: Clip = "paper",
    fpr: float = 0.01,
    runs: int = 2000,
    seed: int = 0,
    progress: Progress = iter,
) -> NullDistribution:
    """What the curve's statistics are when the labels of these records are dealt out at random.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float
        In [0, 1]; of "epsilon_star" and "raw_epsilon".
    clip : float, None or "paper"
        Of "epsilon_star", as there.
    fpr : float
        In [0, 1]; of "tpr_at_fpr".
    runs : int
        Random labellings, at least 1; the smallest p-value is 1 / (runs + 1).
    seed : int
        Of the labellings.
    progress : callable
        Wraps the range of chunks of runs.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    delta, fpr = checks.real("delta", delta, 0, 1), checks.real("fpr", fpr, 0, 1)
    number = resolved_clip(clip, method="empirical", delta=delta)
    runs, seed = checks.whole("runs", runs, 1), checks.whole("seed", seed, 0)
    refuse_too_many(scores, "labels dealt out at random")
    n, m = scores.n_members, scores.n_nonmembers
    cuts = (fpr,) if number is None else (fpr, number, 1 - number)
    depths, true_positives = _seen(scores, depths_to_see(n, m, cuts))

    def statistics(counts: Counts) -> list[FloatArray]:
        dealt = DealtCurves(
            true_positives=counts,
            false_positives=depths[:, None] - counts,
            n_members=n,
            n_nonmembers=m,
            delta=delta,
            clip=number,
            fpr=fpr,
        )
        return [statistic(dealt) for statistic in STATISTICS.values()]

    rng, table = np.random.default_rng(seed), x_log_x(n + m)
    parts = []
    for begin in progress(range(0, runs, CHUNK)):
        dealt = deal(n, m, depths, min(CHUNK, runs - begin), rng)
        for some in np.array_split(dealt, -(-dealt.shape[1] // IN_CACHE), axis=1):
            counts = np.ascontiguousarray(some)
            deviances = deviance(counts, depths[:, None], n, m, table).max(axis=0)
            parts.append([*statistics(counts), deviances])
    *simulated, deviances = (
        checks.read_only(np.sort(np.concatenate(each))) for each in zip(*parts, strict=True)
    )
    observed = [float(value[0]) for value in statistics(true_positives[:, None])]
    return NullDistribution(
        observed=dict(zip(STATISTICS, observed, strict=True)),
        simulated=dict(zip(STATISTICS, simulated, strict=True)),
        n_members=n,
        n_nonmembers=m,
        runs=runs,
        delta=delta,
        clip=number,
        fpr=fpr,
        depths=checks.read_only(depths),
        deviances=deviances,
    )


def _seen(scores: Scores, targets: Counts) -> tuple[Counts, Counts]:
    """Depths of the thresholds nearest above the targets, and members among those records."""
    pooled = scores.pooled()
    thresholds = np.unique(pooled.at(pooled.size - targets[targets > 0]))[::-1]
    depths, true_positives = (
        np.concatenate([[0], sample.at_least(thresholds)]) for sample in (pooled, scores.members)
    )
    return depths, true_positives


def _limits(depths: Counts, n: int, m: int, limit: float) -> tuple[Counts, Counts]:
    """Fewest and most members among the first records with a deviance of at most the limit."""
    table = x_log_x(n + m)

    def inside(counts: Counts) -> NDArray[np.bool_]:
        return deviance(counts, depths, n, m, table) <= limit

    # The deviance is convex, and smallest at the mean.
    middle = depths * n // (n + m)
    middle = np.where(inside(middle), middle, middle + 1)
    ends = []
    for end in (np.maximum(0, depths - m), np.minimum(depths, n)):
        good, bad = np.where(inside(end), end, middle), end
        while (apart := np.abs(bad - good) > 1).any():
            between = (good + bad) // 2
            is_inside = inside(between)
            good = np.where(apart & is_inside, between, good)
            bad = np.where(apart & ~is_inside, between, bad)
        ends.append(good)
    return ends[0], ends[1]


def _rank(share: float, runs: int) -> int:
    """How many runs are at least `share` of them; up to the rounding of the product."""
    return max(1, int(np.ceil(share * runs * (1 - 1e-12))))


def _drawn(size: int) -> Counts:
    """At most `VERTICES` of so many depths: the first and the last ones, and some between."""
    if size <= VERTICES:
        return np.arange(size)
    between = np.linspace(ENDS, size - 1 - ENDS, VERTICES - 2 * ENDS).astype(np.int64)
    return np.concatenate([np.arange(ENDS), between, np.arange(size - ENDS, size)])
