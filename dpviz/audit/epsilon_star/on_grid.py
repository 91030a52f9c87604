"""Epsilon* at chosen quantiles t1, ..., tk of the non-members' losses, the paper's equation 7.

With fixed quantiles the FPRs are the same for every model, which Theorem 2 of the paper needs. The
counts of a sample reach only some FPRs. Between two of them the attacker chooses at random between
the thresholds, so that the FPR is exactly t and the FNR lies on the straight line between theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray, read_only
from dpviz.theory.region import implied_epsilons

MOST = 10_000  # quantiles
GRID = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True, eq=False)
class GridEpsilonStar:
    """Epsilon* over a grid: an estimate, and no bound.

    Parameters
    ----------
    grid, fnr : ndarray, shape (k,)
        The FPRs t1 < ... < tk, and the FNR at each.
    log_ratios : ndarray, shape (k, 4)
        log m1..m4 at each.
    value : float
        The largest of them, or 0; infinite where a rate of 0 is divided by.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.epsilon_star_on_grid(read_sample("gamma"), delta=1e-5, grid=[0.1, 0.5])
    >>> found.log_ratios.shape
    (2, 4)
    """

    grid: FloatArray
    fnr: FloatArray
    log_ratios: FloatArray
    value: float


def checked_grid(grid: ArrayLike | Sequence[float]) -> FloatArray:
    """Return a grid as an array; ValueError unless it is ascending and inside (0, 1)."""
    given = checks.reals("grid", grid)
    if given.ndim != 1 or not 1 <= given.size <= MOST:
        raise checks.fail("grid", f"1 to {MOST} FPRs", given.shape)
    outside = given[(given <= 0) | (given >= 1)]
    if outside.size:
        raise checks.fail("grid", "inside (0, 1)", float(outside[0]))
    if np.any(np.diff(given) <= 0):
        raise checks.fail("grid", "in ascending order, each once", given.tolist())
    return given


def fnr_on_grid(scores: Scores, grid: FloatArray) -> FloatArray:
    """The FNR of a model at FPRs of exactly `grid`, shape (k,)."""
    curve = AttackCurve.from_scores(scores)
    # Of thresholds with one FPR the last detects the most.
    last = np.append(np.diff(curve.false_positives) > 0, True)
    missed = curve.n_members - curve.true_positives[last]
    exact = np.interp(grid * curve.n_nonmembers, curve.false_positives[last], missed)
    return np.asarray(exact / curve.n_members)


def from_rates(grid: FloatArray, fnr: FloatArray, *, delta: float) -> GridEpsilonStar:
    """The four ratios of FNRs at the FPRs of a grid, and the largest."""
    ratios = implied_epsilons(fpr=grid, fnr=fnr, delta=delta)
    return GridEpsilonStar(
        grid=read_only(grid),
        fnr=read_only(fnr),
        log_ratios=read_only(ratios),
        value=max(0.0, float(ratios.max())),
    )


def epsilon_star_on_grid(
    scores: Scores, *, delta: float, grid: ArrayLike | Sequence[float] = GRID
) -> GridEpsilonStar:
    """Epsilon* from the quantiles t1, ..., tk of the non-members' losses, without a clip.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    grid : sequence of float
        The FPRs, ascending, inside (0, 1), at most 10 000.

    Returns
    -------
    GridEpsilonStar

    Raises
    ------
    ValueError
        If an argument leaves its range.

    References
    ----------
    Negoescu et al., "Epsilon*: Privacy metric for machine learning models" (2023), equation 7.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.epsilon_star_on_grid(read_sample("overfitted"), delta=1e-5, grid=[0.01, 0.5])
    >>> round(found.value, 2)
    0.51
    """
    delta, places = checks.real("delta", delta, 0, 1), checked_grid(grid)
    return from_rates(places, fnr_on_grid(scores, places), delta=delta)
