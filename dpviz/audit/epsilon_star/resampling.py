"""Resampling of Epsilon*: a permutation test against no leakage, and a bootstrap."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import empirical_suprema, epsilon_star
from dpviz.audit.epsilon_star.result import Clip, Method, resolved_clip
from dpviz.audit.roc.threshold_search import threshold_blocks
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray

# Wraps the rounds as they are computed: `tqdm.tqdm` shows a bar, one that raises cancels.
Progress = Callable[[range], Iterable[int]]
BOOTSTRAP_WARNING = (
    "the spread of a resampled maximum, not a confidence interval: where nothing leaks it misses "
    "the truth in every run (0 of 60 intervals held 0), since the maximum is biased upwards"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PermutationTest:
    """Epsilon* and its values under random permutations of the membership labels.

    Parameters
    ----------
    observed : float
        nan where no threshold survives the clip: such a separation counts as larger than any value.
    permuted : ndarray, values of the permuted labels, ascending, nan last
    p_value : float
        Fraction of labellings, the real one included, with a value at least as large. If members
        and non-members are exchangeable it is at most a with probability at most a.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=range(50, 100), nonmember=range(50))
    >>> audit.permutation_test(scores, delta=0.01, permutations=19).p_value
    0.05
    """

    observed: float
    permuted: FloatArray = field(repr=False)
    p_value: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Bootstrap:
    """The spread of Epsilon* over bootstrap samples; not a confidence interval, see `warning`.

    Parameters
    ----------
    observed : float
    resampled : ndarray, values of the resamples, ascending, nan last
    low, high : float, ends of the central fraction `confidence_level` of them
    confidence_level : float

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=range(50, 100), nonmember=range(50))
    >>> audit.bootstrap(scores, delta=0.01, resamples=9).resampled.size
    9
    """

    observed: float
    resampled: FloatArray = field(repr=False)
    low: float
    high: float
    confidence_level: float

    @property
    def warning(self) -> str:
        """Why this is no confidence interval."""
        return BOOTSTRAP_WARNING


def permutation_test(
    scores: Scores,
    *,
    delta: float,
    permutations: int = 999,
    seed: int = 0,
    progress: Progress = iter,
    **form: Any,
) -> PermutationTest:
    """A permutation test of no leakage, with Epsilon* as its statistic (Fisher).

    Membership labels are permuted at random and Epsilon* is computed anew, the choice of components
    included. Exact for any distribution of the losses, if members and non-members are exchangeable
    where nothing leaks.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    permutations : int, at least 1; the smallest p-value is 1 / (permutations + 1)
    seed : int, of the permutations
    progress : callable, wraps ``range(permutations)``; `tqdm.tqdm` shows a bar
    **form
        Further arguments of `epsilon_star`: `method`, `clip`, `transform`, `components`.

    Returns
    -------
    PermutationTest

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.permutation_test(read_sample("overfitted"), delta=1e-5, permutations=19).p_value
    0.05
    """
    permutations = checks.whole("permutations", permutations, 1)
    seed = checks.whole("seed", seed, 0)
    observed = epsilon_star(scores, delta=delta, **form).value
    permuted = scores.label_permuter(np.random.default_rng(seed))
    values = [_value(permuted(), delta=delta, **form) for _ in progress(range(permutations))]
    # nan (no threshold survives the clip) means the largest separation.
    at_least = np.nan_to_num(values, nan=np.inf) >= np.nan_to_num(observed, nan=np.inf)
    return PermutationTest(
        observed=observed,
        permuted=checks.read_only(np.sort(values)),
        p_value=(1 + int(at_least.sum())) / (1 + len(values)),
    )


def bootstrap(
    scores: Scores,
    *,
    delta: float,
    confidence_level: float = 0.95,
    resamples: int = 999,
    seed: int = 0,
    progress: Progress = iter,
    **form: Any,
) -> Bootstrap:
    """The spread of Epsilon* over bootstrap samples of members and non-members.

    **Not a confidence interval**, and no lower bound: see `Bootstrap.warning`.

    Parameters
    ----------
    scores, delta, seed, progress, **form : as of `permutation_test`
    confidence_level : float, in (0, 1): the fraction of values between `low` and `high`
    resamples : int, at least 1

    Returns
    -------
    Bootstrap

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.bootstrap(read_sample("overfitted"), delta=1e-5, resamples=19)
    >>> found.low <= found.high
    True
    """
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    resamples = checks.whole("resamples", resamples, 1)
    seed = checks.whole("seed", seed, 0)
    observed = epsilon_star(scores, delta=delta, **form).value
    rng = np.random.default_rng(seed)
    drawn = (scores.bootstrap_sample(rng) for _ in progress(range(resamples)))
    values = [_value(sample, delta=delta, **form) for sample in drawn]
    ascending = np.sort(values)
    # Order statistics, not np.quantile, so that a few nan at the end do not change the others.
    low, high = (
        ascending[max(0, int(np.ceil(share * ascending.size)) - 1)]
        for share in ((1 - level) / 2, (1 + level) / 2)
    )
    return Bootstrap(
        observed=observed,
        resampled=checks.read_only(ascending),
        low=float(low),
        high=float(high),
        confidence_level=level,
    )


def _value(
    scores: Scores,
    *,
    delta: float,
    method: Method = "empirical",
    clip: Clip = "paper",
    **fit: Any,
) -> float:
    """The value of `epsilon_star`; from counts without the unclipped one, which takes as long."""
    if method != "empirical":
        return epsilon_star(scores, delta=delta, method=method, clip=clip, **fit).value
    delta = checks.real("delta", delta, 0, 1)
    number = resolved_clip(clip, method=method, delta=delta)
    return empirical_suprema(threshold_blocks(scores), delta=delta, clip=number).value
