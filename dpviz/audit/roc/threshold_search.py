"""The one search for the maxima of m1..m4 over all thresholds of two samples.

Each is the largest log ratio ``log((A_i / a - delta) / (B_i / b))`` over all thresholds i, where
the counts A and B only grow along the thresholds, in one direction or the other. Counts are made
at the ends of some thousand blocks of thresholds only. For a block u..v,
``log((A_v / a - delta) / (B_u / b))`` bounds what any threshold inside can reach; only blocks that
promise more than what was reached are opened. The result is exact. Where the blocks come from is
not the search's business: see `dpviz.audit.blocks`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import Scores
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

Rates = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""TPR, FPR, TNR, FNR at each threshold."""
RATIOS = ((0, 1, True), (2, 3, False), (3, 2, False), (1, 0, True))
"""For m1..m4: rates above and below (TPR, FPR, TNR, FNR), and whether both grow."""


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A largest log ratio, with the threshold on the score that reaches it and the counts there.

    `index` is the threshold's place in the counts it was found in.
    """

    index: int
    log_ratio: float
    threshold: float
    false_positives: int
    true_positives: int

    def precedes(self, other: "Reached") -> bool:
        """Whether it is larger than another, or as large and comes first."""
        return (self.log_ratio, self.threshold) > (other.log_ratio, other.threshold)


@dataclass(frozen=True, kw_only=True, eq=False)
class ThresholdCounts:
    """Non-members and members with a score >= each of some descending thresholds."""

    thresholds: FloatArray
    false_positives: Counts
    true_positives: Counts
    n_nonmembers: int
    n_members: int

    def some(self, chosen: Counts | slice) -> "ThresholdCounts":
        """Those at some places."""
        return replace(
            self,
            thresholds=self.thresholds[chosen],
            false_positives=self.false_positives[chosen],
            true_positives=self.true_positives[chosen],
        )

    def survive(self, clip: float | None) -> NDArray[np.bool_]:
        """Whether FPR and FNR are both strictly inside (clip, 1 - clip)."""
        if clip is None:
            return np.ones(self.thresholds.size, np.bool_)
        # Rates and complements alike, not 1 - clip, whose rounding would treat ends differently.
        return np.asarray(np.min(self.rates, axis=0) > clip)

    @cached_property
    def rates(self) -> Rates:
        """TPR, FPR, TNR, FNR."""
        n, m = self.n_members, self.n_nonmembers
        tp, fp = self.true_positives, self.false_positives
        return tp / n, fp / m, (m - fp) / m, (n - tp) / n

    def largest(
        self, above: FloatArray, below: FloatArray, *, delta: float, clip: float | None
    ) -> Reached | None:
        """The first threshold with the largest ratio of two rates among those that survive."""
        survive = self.survive(clip)
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
            threshold=float(self.thresholds[index]),
            false_positives=int(self.false_positives[index]),
            true_positives=int(self.true_positives[index]),
        )


Limits = Callable[[ThresholdCounts], tuple[Rates, Rates]]
"""What stands for the rates above and below the ratios' line; each grows with its count."""


def measured(counts: ThresholdCounts) -> tuple[Rates, Rates]:
    """The rates as they were counted."""
    return counts.rates, counts.rates


class ThresholdBlocks(ABC):
    """Scores with counts at the ends of blocks of thresholds, the first of which accuses nobody.

    Block i holds the scores from the end i + 1 on and below the end i.
    """

    scores: Scores
    ends: ThresholdCounts
    are_single: bool
    """Whether every distinct score is an end, so that there is nothing to open."""

    @abstractmethod
    def opener(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        """What gives the counts at every distinct score of a block, for some of these blocks."""

    def largest_log_ratios(
        self, *, delta: float, clip: float | None = None, limits: Limits = measured
    ) -> tuple[Reached, ...] | None:
        """Exact maxima of log m1..m4 over the thresholds that survive the clip; None if none does.

        A maximum is -inf where no numerator is positive, +inf where a positive one meets 0.
        """
        above, below = limits(self.ends)
        if self.are_single:
            singles = [
                self.ends.largest(above[top], below[bottom], delta=delta, clip=clip)
                for top, bottom, _ in RATIOS
            ]
            return tuple(best for best in singles if best is not None) or None
        survive = self.ends.survive(clip)
        tpr, fpr, tnr, fnr = self.ends.rates
        lowest = -np.inf if clip is None else clip
        # Both ends of a block allow it: accusing more than too few, and fewer than too many.
        may_survive = (np.minimum(tpr, fpr)[1:] > lowest) & (np.minimum(tnr, fnr)[:-1] > lowest)
        is_cut = may_survive & ~(survive[:-1] & survive[1:])
        bests, bounds = [], []
        wanted = is_cut.copy()
        for top, bottom, grows in RATIOS:
            a, b = above[top], below[bottom]
            most, least = (a[1:], b[:-1]) if grows else (a[:-1], b[1:])
            bound = np.where(may_survive, log_ratio(most - delta, least), -np.inf)
            best = self.ends.largest(a, b, delta=delta, clip=clip)
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
            return opened(i).largest(above[top], below[bottom], delta=delta, clip=clip)

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


def _promising(bound: FloatArray, best: Reached) -> NDArray[np.bool_]:
    """Blocks that may hold as much as the best end, which closes the first block with infinity."""
    return np.asarray(
        bound > best.log_ratio if np.isinf(best.log_ratio) else bound >= best.log_ratio
    )
