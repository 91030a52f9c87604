"""Limits from one Clopper-Pearson limit of each rate: for samples that are too large for others.

At a fixed threshold the upper limit u of the TPR fails with probability at most a, the lower limit
l of the FPR with at most b, where a + b is the level. Unless one of them fails, ``TPR - c FPR`` is
at most ``u - c l``, and the epsilon at delta at most ``log((u - delta) / l)``. How the level is
divided depends on the class sizes only. These limits hold at every sample size, too, but are about
1.4 to 1.7 times as far from the rates of the sample as those of
`dpviz.audit.upper_limits.inversion`.
"""

import numpy as np
from scipy.special import betainc, ndtri

from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.base import Counts
from dpviz.audit.upper_limits.thresholds import ReachedCounts
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

SHARES = np.arange(1, 20) / 20  # of the level that the limit of the TPR may have


def largest_difference(counts: ReachedCounts, slope: float, *, level: float) -> float:
    """Return the limit of the largest TPR - `slope` FPR over all thresholds."""
    upper, lower = _limits(counts, slope, level)
    return float(np.max(upper - slope * lower))


def largest_log_slope(counts: ReachedCounts, delta: float, *, level: float) -> float:
    """Return the limit of the largest ``log((TPR - delta) / FPR)``, at least 0."""
    upper, lower = _limits(counts, 1.0, level)
    return max(0.0, float(np.max(log_ratio(upper - delta, lower))))


def largest_rate(counts: ReachedCounts, fpr: float, *, level: float) -> float:
    """Return the limit of the TPR at a threshold whose true FPR is at most `fpr`."""
    n, m, half = counts.n_members, counts.n_nonmembers, level / 2
    # As many false positives, or more, have a probability of at most half the level.
    is_possible = (counts.y == 0) | (_tail(counts.y, m, fpr) > half)
    most = int(counts.x[is_possible].max())
    return float(clopper_pearson(most, n, confidence_level=1 - half, side="upper"))


def _tail(y: Counts, m: int, rate: float) -> FloatArray:
    """Return P(Y >= y) for Y binomial with m trials, for y >= 1."""
    y = np.maximum(y, 1)
    return np.asarray(betainc(y, m - y + 1, rate))


def share_of_tpr(counts: ReachedCounts, slope: float, *, level: float) -> float:
    """Return the share of the level for the limit of the TPR: the least margin at rates of 1/2."""
    n, m = counts.n_members, counts.n_nonmembers
    of_tpr = -ndtri(SHARES * level) / np.sqrt(n)
    of_fpr = -slope * ndtri((1 - SHARES) * level) / np.sqrt(m)
    return float(SHARES[np.argmin(of_tpr + of_fpr)])


def _limits(counts: ReachedCounts, slope: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Return an upper limit of the TPR and a lower limit of the FPR at each threshold."""
    share = share_of_tpr(counts, slope, level=level)
    x, n, y, m = counts.x, counts.n_members, counts.y, counts.n_nonmembers
    upper = clopper_pearson(x, n, confidence_level=1 - share * level, side="upper")
    lower = clopper_pearson(y, m, confidence_level=1 - (1 - share) * level, side="lower")
    return upper, lower
