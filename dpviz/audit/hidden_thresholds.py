"""Which cells of counted scores are worth counting again, more finely."""

import numpy as np

from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import BinnedScores
from dpviz.audit.blocks import CountedBlocks
from dpviz.audit.ratios import resolved_clip
from dpviz.audit.rounding import bounds_between

DELTAS = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 5e-2, 0.1, 0.2)
"""Those a reader may ask for: neighbouring ones have their maxima at the same places, mostly."""


def cells_worth_opening(scores: BinnedScores, *, most: int) -> Counts:
    """Cells that may hide a larger m1..m4 than the edges show, for some usual delta and clip.

    Parameters
    ----------
    scores : BinnedScores
    most : int
        How many; those that promise most beyond what edges show come first, of every question in
        turn.

    Returns
    -------
    ndarray of int
        Places in `scores.thresholds`, ascending.
    """
    blocks = CountedBlocks(scores)
    ranked = []
    for delta in DELTAS:
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
