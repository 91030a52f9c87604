"""What chance does to Epsilon*: a permutation test against no leakage, and a bootstrap."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.again import dealer, drawn_again
from dpviz.audit.binned_scores import Scores
from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.empirical import empirical_suprema
from dpviz.audit.epsilon_star import epsilon_star
from dpviz.audit.ratios import Clip, Method, resolved_clip
from dpviz.checks import FloatArray

Progress = Callable[[range], Iterable[int]]
"""Wraps the rounds as they are made: `tqdm.tqdm` shows a bar, one that raises cancels."""
BOOTSTRAP_WARNING = (
    "the spread of a resampled maximum, not a confidence interval: where nothing leaks it misses "
    "the truth in every run (0 of 60 intervals held 0), since the maximum is biased upwards"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PermutationTest:
    """Epsilon* beside its values when membership is dealt out at random.

    Parameters
    ----------
    observed : float
        nan where no threshold survives the clip: such a separation counts as larger than any value.
    permuted : ndarray
        Values of the random labellings, ascending, nan last.
    p_value : float
        Share of labellings, the real one among them, with a value at least as large. If members
        and non-members are exchangeable it is at most a with probability at most a.
    """

    observed: float
    permuted: FloatArray = field(repr=False)
    p_value: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Bootstrap:
    """The spread of Epsilon* over resampled data; see `warning` for what it is not.

    Parameters
    ----------
    observed : float
    resampled : ndarray
        Values of the resamples, ascending, nan last.
    low, high : float
        The central share `confidence_level` of them.
    confidence_level : float
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
    """How often chance alone gives an Epsilon* as large as these scores do.

    Member labels are dealt out again at random and everything else repeated, the choice of
    components included. Exact, whatever the law of the losses, if members and non-members are
    exchangeable where nothing leaks (Fisher's permutation test).

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float
        In [0, 1].
    permutations : int
        Random labellings, at least 1; the smallest p-value is 1 / (permutations + 1).
    seed : int
        Of the labellings.
    progress : callable
        Wraps ``range(permutations)``; `tqdm.tqdm` shows a bar.
    **form
        Further arguments of `epsilon_star`: `method`, `clip`, `transform`, `components`.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    permutations = checks.whole("permutations", permutations, 1)
    seed = checks.whole("seed", seed, 0)
    observed = epsilon_star(scores, delta=delta, **form).value
    deal = dealer(scores, np.random.default_rng(seed))
    values = [_value(deal(), delta=delta, **form) for _ in progress(range(permutations))]
    # An empty window comes from the largest separation there is.
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
    """The spread of Epsilon* when both samples are drawn again, with replacement, from themselves.

    **Not a confidence interval**, and no lower bound: see `Bootstrap.warning`. Parameters and
    errors as in `permutation_test`; `confidence_level` in (0, 1) is the share between `low` and
    `high`.
    """
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    resamples = checks.whole("resamples", resamples, 1)
    seed = checks.whole("seed", seed, 0)
    observed = epsilon_star(scores, delta=delta, **form).value
    rng = np.random.default_rng(seed)
    values = [
        _value(drawn_again(scores, rng), delta=delta, **form) for _ in progress(range(resamples))
    ]
    ascending = np.sort(values)
    # Order statistics, not np.quantile: a few undefined values last leave the others as they are.
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
    """The value alone; of counts without the unclipped one beside it, which takes as long."""
    if method != "empirical":
        return epsilon_star(scores, delta=delta, method=method, clip=clip, **fit).value
    delta = checks.real("delta", delta, 0, 1)
    number = resolved_clip(clip, method=method, delta=delta)
    return empirical_suprema(threshold_blocks(scores), delta=delta, clip=number).value
