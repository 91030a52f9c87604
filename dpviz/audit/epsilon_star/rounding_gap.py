"""What counts in cells can hide: how much larger Epsilon* over all thresholds may be.

Inside a cell the counts are between those at its ends. A ratio ``(A - delta) / B`` whose A and B
grow along the thresholds is at most ``(A at the far end - delta) / (B at the near end)`` there;
with a clip, A and B are between the smallest and the largest rate that survive it.
"""

import numpy as np

from dpviz import checks
from dpviz.audit.binned_scores import BinnedScores
from dpviz.audit.blocks import CountedBlocks
from dpviz.audit.ratios import Clip, resolved_clip
from dpviz.audit.supremum import RATIOS, ThresholdCounts
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio


def rounding_gap(scores: BinnedScores, *, delta: float, clip: Clip = "paper") -> float:
    """How much larger Epsilon* over all thresholds of the original scores can be, at most.

    The empirical `epsilon_star` of binned scores looks at the edges of cells only, and is exact
    there. The Epsilon* of the scores that were counted is at least that, and at most so much more.

    Parameters
    ----------
    scores : BinnedScores
    delta, clip
        As of `epsilon_star`.

    Returns
    -------
    float
        In [0, inf]. inf where counts do not bound it: without a clip where a rate at the end of a
        cell is 0; with one where no edge survives it but a threshold inside a cell may.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    delta = checks.real("delta", delta, 0, 1)
    number = resolved_clip(clip, method="empirical", delta=delta)
    return gap_of(CountedBlocks(scores), delta=delta, clip=number)


def gap_of(blocks: CountedBlocks, *, delta: float, clip: float | None) -> float:
    """The gap from blocks already made: only those that promise more than others are opened."""
    found = blocks.largest_log_ratios(delta=delta, clip=clip)
    value = -np.inf if found is None else max(0.0, *(best.log_ratio for best in found))
    if value == np.inf:
        return 0.0
    of_blocks = bounds_between(blocks.ends, delta=delta, clip=clip)
    most = -np.inf
    for i in np.argsort(-of_blocks).tolist():
        if of_blocks[i] <= max(most, value):
            break
        of_cells = bounds_between(blocks.cells(i), delta=delta, clip=clip)
        most = max(most, float(of_cells.max(where=blocks.hides(i), initial=-np.inf)))
    return max(0.0, most - value) if most > value else 0.0


def bounds_between(ends: ThresholdCounts, *, delta: float, clip: float | None) -> FloatArray:
    """What the largest of m1..m4 can reach between neighbouring ends, in logs; -inf if nothing."""
    lowest = -np.inf if clip is None else clip
    tpr, fpr, tnr, fnr = ends.rates
    may_survive = (np.minimum(tpr, fpr)[1:] > lowest) & (np.minimum(tnr, fnr)[:-1] > lowest)
    n, m = ends.n_members, ends.n_nonmembers
    smallest = [_smallest_rate(size, clip) for size in (n, m, m, n)]
    bounds = np.full(may_survive.size, -np.inf)
    for top, bottom, grows in RATIOS:
        a = np.minimum(ends.rates[top], 1 - smallest[top])
        b = np.maximum(ends.rates[bottom], smallest[bottom])
        most, least = (a[1:], b[:-1]) if grows else (a[:-1], b[1:])
        np.maximum(bounds, log_ratio(most - delta, least), out=bounds)
    return np.where(may_survive, bounds, -np.inf)


def _smallest_rate(size: int, clip: float | None) -> float:
    """Of so many records, the smallest that survives a clip."""
    if clip is None:
        return 0.0
    count = int(clip * size)
    return (count if count / size > clip else count + 1) / size
