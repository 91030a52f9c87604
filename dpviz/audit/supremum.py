"""The one search for the maxima of m1..m4 over all thresholds of two samples.

Each is the largest log ratio ``log((A_i / a - delta) / (B_i / b))`` over all thresholds i, where
the counts A and B only grow along the thresholds, in one direction or the other. Counts are made
at every k-th order statistic of either class only, some thousand in all. For a block u..v between
two of them, ``log((A_v / a - delta) / (B_u / b))`` bounds what any threshold inside can reach; only
blocks that promise more than what was reached are opened. The result is exact, and once the scores
are sorted a new delta or clip costs next to nothing.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.scores import AttackScores
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

Counts = NDArray[np.int64]
BLOCKS = 8192
"""Per class, at most; smaller samples have one threshold per block."""


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A largest log ratio, with the threshold on the score that reaches it and the counts there."""

    log_ratio: float
    threshold: float
    false_positives: int
    true_positives: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ThresholdCounts:
    """Non-members and members with a score >= each of some descending thresholds."""

    thresholds: FloatArray
    false_positives: Counts
    true_positives: Counts
    n_nonmembers: int
    n_members: int

    @classmethod
    def of(
        cls,
        scores: AttackScores,
        thresholds: FloatArray,
        *,
        nonmembers: slice = slice(None),
        members: slice = slice(None),
    ) -> "ThresholdCounts":
        """Count at these thresholds; O(log n) each.

        The slices say where among the ascending scores the thresholds belong, if that is known.
        """
        parts = ((scores.sorted_nonmember, nonmembers), (scores.sorted_member, members))
        at_least = [
            ascending.size - (part.start or 0) - np.searchsorted(ascending[part], thresholds)
            for ascending, part in parts
        ]
        return cls(
            thresholds=checks.read_only(thresholds),
            false_positives=checks.read_only(at_least[0].astype(np.int64)),
            true_positives=checks.read_only(at_least[1].astype(np.int64)),
            n_nonmembers=scores.n_nonmembers,
            n_members=scores.n_members,
        )

    def survive(self, clip: float | None) -> NDArray[np.bool_]:
        """Whether FPR and FNR are both strictly inside (clip, 1 - clip)."""
        if clip is None:
            return np.ones(self.thresholds.size, np.bool_)
        # Rates and complements alike, not 1 - clip, whose rounding would treat ends differently.
        return np.asarray(np.min(self.rates, axis=0) > clip)

    @cached_property
    def rates(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """TPR, FPR, TNR, FNR."""
        n, m = self.n_members, self.n_nonmembers
        tp, fp = self.true_positives, self.false_positives
        return tp / n, fp / m, (m - fp) / m, (n - tp) / n

    def reached(self, index: int, value: float) -> Reached:
        """What the threshold at `index` reached."""
        return Reached(
            log_ratio=value,
            threshold=float(self.thresholds[index]),
            false_positives=int(self.false_positives[index]),
            true_positives=int(self.true_positives[index]),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ThresholdBlocks:
    """The scores with counts at the ends of blocks of thresholds."""

    scores: AttackScores
    ends: ThresholdCounts

    @classmethod
    def of(cls, scores: AttackScores) -> "ThresholdBlocks":
        """Block ends at every k-th order statistic of either class; the first accuses nobody."""
        picked = [
            ascending[:: -(-ascending.size // BLOCKS)]
            for ascending in (scores.sorted_member, scores.sorted_nonmember)
        ]
        # The smallest score of a class is the first one picked: the last end accuses everybody.
        thresholds = np.concatenate([[np.inf], np.unique(np.concatenate(picked))[::-1]])
        return cls(scores=scores, ends=ThresholdCounts.of(scores, thresholds))

    def largest_log_ratios(self, *, delta: float, clip: float | None) -> tuple[Reached, ...] | None:
        """Exact maxima of log m1..m4 over the thresholds that survive the clip; None if none does.

        A maximum is -inf where no numerator is positive, +inf where a positive one meets 0.
        """
        survive = self.ends.survive(clip)
        tpr, fpr, tnr, fnr = self.ends.rates
        lowest = -np.inf if clip is None else clip
        # Both ends of a block allow it: accusing more than too few, and fewer than too many.
        may_survive = (np.minimum(tpr, fpr)[1:] > lowest) & (np.minimum(tnr, fnr)[:-1] > lowest)
        is_cut = may_survive & ~(survive[:-1] & survive[1:])
        opened = {i: self._inside(i) for i in np.flatnonzero(is_cut).tolist()}
        if not survive.any() and not any(block.survive(clip).any() for block in opened.values()):
            return None
        found = []
        for top, bottom, grows in ((0, 1, True), (2, 3, False), (3, 2, False), (1, 0, True)):
            a, b = self.ends.rates[top], self.ends.rates[bottom]
            most, least = (a[1:], b[:-1]) if grows else (a[:-1], b[1:])
            bounds = np.where(may_survive, log_ratio(most - delta, least), -np.inf)
            best = _best(self.ends, survive, top, bottom, delta=delta)
            # Without survivors among the ends, the blocks that are cut hold them all.
            promising = is_cut if best is None else bounds > best.log_ratio
            indices = np.flatnonzero(promising)
            for i in indices[np.argsort(-bounds[indices])].tolist():
                if best is not None and bounds[i] <= best.log_ratio:
                    break
                if i not in opened:
                    opened[i] = self._inside(i)
                inside = _best(opened[i], opened[i].survive(clip), top, bottom, delta=delta)
                if inside is not None and (best is None or inside.log_ratio > best.log_ratio):
                    best = inside
            found.append(best)
        return tuple(reached for reached in found if reached is not None)

    def _inside(self, i: int) -> ThresholdCounts:
        """Counts at every distinct score from the end i + 1 up to below the end i."""
        scores = self.scores
        members, nonmembers = (
            slice(size - int(counts[i + 1]), size - int(counts[i]))
            for size, counts in (
                (scores.n_members, self.ends.true_positives),
                (scores.n_nonmembers, self.ends.false_positives),
            )
        )
        values = np.concatenate(
            [scores.sorted_member[members], scores.sorted_nonmember[nonmembers]]
        )
        thresholds = np.unique(values)[::-1]
        return ThresholdCounts.of(scores, thresholds, nonmembers=nonmembers, members=members)


def _best(
    counts: ThresholdCounts, survive: NDArray[np.bool_], top: int, bottom: int, *, delta: float
) -> Reached | None:
    """The first threshold with the largest ratio among the survivors."""
    if not survive.any():
        return None
    ratios = log_ratio(counts.rates[top] - delta, counts.rates[bottom])
    ratios[~survive] = -np.inf
    index = int(np.argmax(ratios))
    if not survive[index]:  # no ratio is positive: any survivor will do
        index = int(np.argmax(survive))
    return counts.reached(index, float(ratios[index]))
