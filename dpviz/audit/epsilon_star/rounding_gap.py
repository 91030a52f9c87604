"""Bounds of what counts in cells hide: how much larger Epsilon* over all thresholds can be.

Inside a cell the counts are between those at its ends. A ratio ``(A - delta) / B`` whose A and B
grow along the thresholds is at most ``(A at the far end - delta) / (B at the near end)`` there;
with a clip, A and B are between the smallest and the largest rate that survive it.
"""

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.result import Clip, resolved_clip
from dpviz.audit.roc.threshold_counts import ThresholdCounts
from dpviz.audit.roc.threshold_search import RATIOS, CountedBlocks
from dpviz.audit.scores.base import Counts
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

# Maxima for other deltas are mostly at the same places.
USUAL_DELTAS = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 5e-2, 0.1, 0.2)


def rounding_gap(scores: BinnedScores, *, delta: float, clip: Clip = "paper") -> float:
    """An upper bound of the Epsilon* of the original scores less that of the binned ones.

    The empirical `epsilon_star` of binned scores is exact at the edges of cells. Over all
    thresholds of the original scores it is at least that, and at most so much more.

    Parameters
    ----------
    scores : BinnedScores
    delta, clip : as of `epsilon_star`

    Returns
    -------
    float
        In [0, inf]. inf where counts do not bound it: without a clip where a rate at the end of a
        cell is 0; with one where no edge survives but a threshold inside a cell may.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import BinnedScores, audit, read_sample
    >>> audit.rounding_gap(BinnedScores.of(read_sample("overfitted")), delta=1e-5) < 0.05
    True
    """
    delta = checks.real("delta", delta, 0, 1)
    number = resolved_clip(clip, method="empirical", delta=delta)
    return gap_of(CountedBlocks(scores), delta=delta, clip=number)


def cells_worth_opening(scores: BinnedScores, *, most: int) -> Counts:
    """Cells that may hide a larger m1..m4 than the edges show, for some usual delta and clip.

    At most `most` places in `scores.thresholds`, ascending: those with the largest bounds for each
    delta and clip in turn.
    """
    blocks = CountedBlocks(scores)
    ranked = []
    for delta in USUAL_DELTAS:
        for clip in (resolved_clip("paper", method="empirical", delta=delta), None):
            found = blocks.largest_log_ratios(delta=delta, clip=clip)
            best = -np.inf if found is None else max(each.log_ratio for each in found)
            bounds = bounds_between(blocks.all_cells, delta=delta, clip=clip)
            above = np.flatnonzero((bounds > best) & scores.hides[::-1])
            ranked.append(above[np.argsort(-bounds[above], kind="stable")][:most])
    depth = max((places.size for places in ranked), default=0)
    in_turn = [places[k] for k in range(depth) for places in ranked if k < places.size]
    chosen = np.array(list(dict.fromkeys(in_turn))[:most], np.int64)
    # From the highest threshold down to places in ascending order.
    return np.sort(scores.thresholds.size - 1 - chosen)


def gap_of(blocks: CountedBlocks, *, delta: float, clip: float | None) -> float:
    """`rounding_gap` from blocks: only those with large bounds are opened."""
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
    """Upper bounds of the largest log m1..m4 between neighbouring ends; -inf if none survives."""
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
    """The smallest rate among `size` records that survives a clip."""
    if clip is None:
        return 0.0
    count = int(clip * size)
    return (count if count / size > clip else count + 1) / size
