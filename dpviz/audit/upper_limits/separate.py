"""Limits from one Clopper-Pearson limit of each rate: for samples that are too large for others.

At a fixed threshold the upper limit u of the TPR fails with probability at most a, the lower limit
l of the FPR with at most b, where a + b is the level. Unless one of them fails, ``TPR - c FPR`` is
at most ``u - c l``, and the epsilon at delta at most ``log((u - delta) / l)``. How the level is
divided depends on the class sizes only. These limits hold at every sample size, too, but are about
1.4 to 1.7 times as far from the rates of the sample as those of
`dpviz.audit.upper_limits.inversion`.
"""

from dataclasses import replace

import numpy as np
from scipy.special import betainc, ndtri

from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.upper_limits.thresholds import ReachedCounts
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

EXACT_NEAR_ENDS = 2000  # thresholds from either end that are looked at one by one
INTERVALS = 20_000  # of the other thresholds, with one limit for each
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
    counts, n, m, half = few_counts(counts), counts.n_members, counts.n_nonmembers, level / 2
    # As many false positives, or more, have a probability of at most half the level.
    y = np.maximum(counts.y, 1)
    is_possible = (counts.y == 0) | (betainc(y, m - y + 1, fpr) > half)
    most = int(counts.x[is_possible].max())
    return float(clopper_pearson(most, n, confidence_level=1 - half, side="upper"))


def few_counts(counts: ReachedCounts) -> ReachedCounts:
    """Return counts that are at least as favourable to the attack, at fewer thresholds.

    Of an interval of thresholds, the most true positives are those at its lower end, the fewest
    false positives those at its upper end; both together stand for all thresholds in between.
    """
    size = counts.x.size - counts.n_inside_cells
    if size <= 2 * EXACT_NEAR_ENDS + INTERVALS:
        return counts
    inner = np.linspace(EXACT_NEAR_ENDS, size - 1 - EXACT_NEAR_ENDS, INTERVALS).astype(np.int64)
    first = np.arange(EXACT_NEAR_ENDS)
    ends = np.unique(np.concatenate([first, inner, size - 1 - first]))
    x, y = counts.x[ends], counts.y[ends]
    # Descending thresholds: counts rise, or fall if classes are exchanged.
    x, y = np.maximum(x[1:], x[:-1]), np.minimum(y[1:], y[:-1])
    cells = slice(size, None)
    x = np.concatenate([x, counts.x[[0, size - 1]], counts.x[cells]])
    y = np.concatenate([y, counts.y[[0, size - 1]], counts.y[cells]])
    return replace(counts, x=x, y=y)


def share_of_tpr(counts: ReachedCounts, slope: float, *, level: float) -> float:
    """Return the share of the level for the limit of the TPR: the least margin at rates of 1/2."""
    n, m = counts.n_members, counts.n_nonmembers
    of_tpr = -ndtri(SHARES * level) / np.sqrt(n)
    of_fpr = -slope * ndtri((1 - SHARES) * level) / np.sqrt(m)
    return float(SHARES[np.argmin(of_tpr + of_fpr)])


def _limits(counts: ReachedCounts, slope: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Return an upper limit of the TPR and a lower limit of the FPR at each threshold."""
    share = share_of_tpr(counts, slope, level=level)
    counts, n, m = few_counts(counts), counts.n_members, counts.n_nonmembers
    x, y = counts.x, counts.y
    upper = clopper_pearson(x, n, confidence_level=1 - share * level, side="upper")
    lower = clopper_pearson(y, m, confidence_level=1 - (1 - share) * level, side="lower")
    return upper, lower
