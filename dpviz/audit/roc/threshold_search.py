"""Branch and bound over all thresholds of two samples for the maxima of m1..m4.

Each is the largest log ratio ``log((A_i / a - delta) / (B_i / b))`` over all thresholds i, where
the counts A and B are monotone in the threshold. They are computed at the ends of some thousand
blocks of thresholds (`dpviz.audit.roc.threshold_blocks`). For a block u..v,
``log((A_v / a - delta) / (B_u / b))`` is an upper bound of the ratio at every threshold inside;
only blocks whose bound exceeds the best ratio found are opened. The result is exact.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.roc.threshold_counts import Rates, ThresholdCounts
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

# For m1..m4: rates above and below (TPR, FPR, TNR, FNR), and whether both grow.
RATIOS = ((0, 1, True), (2, 3, False), (3, 2, False), (1, 0, True))


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A largest log ratio, its threshold and the counts there.

    `index` is the place of the threshold in the counts among which it was found.
    """

    index: int
    log_ratio: float
    threshold: float
    false_positives: int
    true_positives: int

    def precedes(self, other: "Reached") -> bool:
        """Whether it is larger than another, or as large at a higher threshold."""
        return (self.log_ratio, self.threshold) > (other.log_ratio, other.threshold)


# Rates in the numerators and in the denominators; each grows with its count.
RateLimits = Callable[[ThresholdCounts], tuple[Rates, Rates]]


def measured(counts: ThresholdCounts) -> tuple[Rates, Rates]:
    """The measured rates themselves, for numerators and denominators."""
    return counts.rates, counts.rates


class ThresholdBlocks(ABC):
    """Scores with counts at the ends of blocks of thresholds; at the first, nobody is flagged.

    Block i holds the scores of at least the end i + 1 and below the end i.
    """

    scores: Scores
    ends: ThresholdCounts
    are_single: bool  # whether every distinct score is an end, so that there is nothing to open

    @abstractmethod
    def opener(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        """A function from a block, one of these, to the counts at its distinct scores."""

    def largest_log_ratios(
        self, *, delta: float, clip: float | None = None, limits: RateLimits = measured
    ) -> tuple[Reached, ...] | None:
        """Exact maxima of log m1..m4 over the thresholds that survive the clip; None if none does.

        A maximum is -inf where no numerator is positive, +inf where a positive one meets 0.
        """
        above, below = limits(self.ends)
        if self.are_single:
            singles = [
                _largest(self.ends, above[top], below[bottom], delta=delta, clip=clip)
                for top, bottom, _ in RATIOS
            ]
            return tuple(best for best in singles if best is not None) or None
        survive = self.ends.survive(clip)
        tpr, fpr, tnr, fnr = self.ends.rates
        lowest = -np.inf if clip is None else clip
        # One inside may survive if the last end flags enough records, the first not too many.
        may_survive = (np.minimum(tpr, fpr)[1:] > lowest) & (np.minimum(tnr, fnr)[:-1] > lowest)
        is_cut = may_survive & ~(survive[:-1] & survive[1:])
        # Bound each block, and find the best end.
        bests, bounds = [], []
        wanted = is_cut.copy()
        for top, bottom, grows in RATIOS:
            a, b = above[top], below[bottom]
            most, least = (a[1:], b[:-1]) if grows else (a[:-1], b[1:])
            bound = np.where(may_survive, log_ratio(most - delta, least), -np.inf)
            best = _largest(self.ends, a, b, delta=delta, clip=clip)
            if best is not None:
                wanted |= _promising(bound, best)
                wanted[max(best.index - 1, 0)] = True  # holds the score that the end stands for
            bests.append(best)
            bounds.append(bound)
        opened = self.opener(np.flatnonzero(wanted))

        @cache
        def rates_in(i: int) -> tuple[Rates, Rates]:
            return limits(opened(i))

        def largest_in(i: int, top: int, bottom: int) -> Reached | None:
            above, below = rates_in(i)
            return _largest(opened(i), above[top], below[bottom], delta=delta, clip=clip)

        # Open blocks in the order of their bounds until no bound exceeds the best ratio.
        found = []
        for (top, bottom, _), best, bound in zip(RATIOS, bests, bounds, strict=True):
            if best is not None and best.index > 0:
                before = best.index - 1
                best = replace(best, threshold=float(opened(before).thresholds[-1]))
                inside = largest_in(before, top, bottom)
                best = inside if inside is not None and inside.precedes(best) else best
            # Without survivors among the ends, the blocks that are cut hold them all.
            promising = np.flatnonzero(is_cut if best is None else _promising(bound, best))
            for i in promising[np.argsort(-bound[promising])].tolist():
                if best is not None and bound[i] < best.log_ratio:
                    break
                inside = largest_in(i, top, bottom)
                if inside is not None and (best is None or inside.precedes(best)):
                    best = inside
            if best is None:
                return None
            found.append(best)
        return tuple(found)


def _largest(
    counts: ThresholdCounts,
    above: FloatArray,
    below: FloatArray,
    *,
    delta: float,
    clip: float | None,
) -> Reached | None:
    """The first threshold with the largest ratio of two rates among those that survive."""
    survive = counts.survive(clip)
    if not survive.any():
        return None
    ratios = log_ratio(above - delta, below)
    ratios[~survive] = -np.inf
    index = int(np.argmax(ratios))
    if not survive[index]:  # no ratio is positive: any survivor will do
        index = int(np.argmax(survive))
    return Reached(
        index=index,
        log_ratio=float(ratios[index]),
        threshold=float(counts.thresholds[index]),
        false_positives=int(counts.false_positives[index]),
        true_positives=int(counts.true_positives[index]),
    )


def _promising(bound: FloatArray, best: Reached) -> NDArray[np.bool_]:
    """Blocks whose bound reaches the best end; of infinite ones, the first end is enough."""
    return np.asarray(
        bound > best.log_ratio if np.isinf(best.log_ratio) else bound >= best.log_ratio
    )
