"""Where the blocks of the search come from: sorted scores, unsorted ones, or counts of cells."""

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import BinnedScores, Scores
from dpviz.audit.curve import AttackCurve
from dpviz.audit.scores import AttackScores
from dpviz.audit.supremum import ThresholdBlocks, ThresholdCounts
from dpviz.checks import FloatArray

BLOCKS = 4096
"""Per class, at most, of sorted scores; smaller samples have one threshold per block."""
KEPT = 256
"""Opened blocks that are remembered: counts depend on neither delta nor clip."""
SORTED_UP_TO = 2**18
"""Records; more of them are binned unless they are sorted already."""
BIN_BITS = 20
"""Leading bits of a float that tell its bin: sign, exponent, and 8 binary digits."""
N_BINS = 2**BIN_BITS


def threshold_blocks(scores: Scores) -> ThresholdBlocks:
    """The blocks that are made fastest for one search."""
    if isinstance(scores, BinnedScores):
        return CountedBlocks(scores)
    if scores.is_sorted or scores.n_members + scores.n_nonmembers <= SORTED_UP_TO:
        return SortedBlocks(scores)
    return UnsortedBlocks(scores)


def lasting_blocks(scores: Scores) -> ThresholdBlocks:
    """The blocks with which a search for another delta or clip costs next to nothing."""
    return CountedBlocks(scores) if isinstance(scores, BinnedScores) else SortedBlocks(scores)


class CountedBlocks(ThresholdBlocks):
    """Blocks of cells whose records were counted: every k-th cell is an end."""

    scores: BinnedScores

    def __init__(self, scores: BinnedScores) -> None:
        self.scores = scores
        curve = AttackCurve.from_scores(scores)
        last = curve.thresholds.size - 1
        self.all_cells = ThresholdCounts(
            thresholds=curve.thresholds,
            false_positives=curve.false_positives,
            true_positives=curve.true_positives,
            n_nonmembers=curve.n_nonmembers,
            n_members=curve.n_members,
        )
        self.are_single = last <= BLOCKS
        self._ends = np.append(np.arange(0, last, -(-last // BLOCKS)), last)
        self.ends = self.all_cells.some(self._ends)

    def opener(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        """A look into the counts."""
        return lambda i: self.all_cells.some(slice(self._ends[i] + 1, self._ends[i + 1] + 1))

    def cells(self, i: int) -> ThresholdCounts:
        """Counts at both ends of every cell of a block."""
        return self.all_cells.some(slice(self._ends[i], self._ends[i + 1] + 1))

    def hides(self, i: int) -> NDArray[np.bool_]:
        """Whether each of these cells may hold scores above its edge."""
        return self.scores.hides[::-1][self._ends[i] : self._ends[i + 1]]


class SortedBlocks(ThresholdBlocks):
    """Blocks between every k-th order statistic of either class; a search costs next to nothing."""

    scores: AttackScores

    def __init__(self, scores: AttackScores) -> None:
        self.scores = scores
        classes = (scores.sorted_member, scores.sorted_nonmember)
        picked = [ascending[:: -(-ascending.size // BLOCKS)] for ascending in classes]
        self.are_single = max(ascending.size for ascending in classes) <= BLOCKS
        self._opened = lru_cache(maxsize=KEPT)(self._open)
        # The smallest score of a class is the first one picked: the last end accuses everybody.
        thresholds = np.concatenate([[np.inf], np.unique(np.concatenate(picked))[::-1]])
        self.ends = _counts(
            thresholds, member=scores.sorted_member, nonmember=scores.sorted_nonmember
        )

    def opener(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        """Open a block when it is asked for; a neighbouring delta or clip will ask again."""
        return self._opened

    def _open(self, i: int) -> ThresholdCounts:
        """A slice of either class."""
        scores, ends = self.scores, self.ends
        n, m = scores.n_members, scores.n_nonmembers
        tp, fp = ends.true_positives, ends.false_positives
        return _opened(
            ends,
            i,
            member=scores.sorted_member[n - tp[i + 1] : n - tp[i]],
            nonmember=scores.sorted_nonmember[m - fp[i + 1] : m - fp[i]],
        )


class UnsortedBlocks(ThresholdBlocks):
    """Blocks of scores whose leading bits agree: counted in one pass, opened in another, exactly.

    The leading bits of floats order them, so a count of bins is a count of scores at a threshold.
    """

    scores: AttackScores

    def __init__(self, scores: AttackScores) -> None:
        self.scores = scores
        self.are_single = False
        member, nonmember = (
            _descending(np.bincount(_bins(x), minlength=N_BINS))
            for x in (scores.member, scores.nonmember)
        )
        self._filled = np.flatnonzero(member + nonmember)
        true_positives, false_positives = (
            np.concatenate([[0], np.cumsum(counts[self._filled])]) for counts in (member, nonmember)
        )
        self.ends = ThresholdCounts(
            # Until a block is opened, any number between two blocks tells them apart.
            thresholds=np.concatenate([[np.inf], -self._filled.astype(np.float64)]),
            false_positives=false_positives,
            true_positives=true_positives,
            n_nonmembers=scores.n_nonmembers,
            n_members=scores.n_members,
        )

    def opener(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        """Fetch the scores of these blocks in one pass."""
        wanted = np.zeros(N_BINS, np.bool)
        wanted[self._filled[blocks]] = True
        wanted = _descending_back(wanted)
        place = {int(block): k for k, block in enumerate(blocks)}
        fetched = [
            _Fetched(np.sort(x[wanted[_bins(x)]]), np.diff(counts)[blocks])
            for x, counts in (
                (self.scores.member, self.ends.true_positives),
                (self.scores.nonmember, self.ends.false_positives),
            )
        ]

        @cache
        def opened(i: int) -> ThresholdCounts:
            member, nonmember = (scores.of(place[i]) for scores in fetched)
            return _opened(self.ends, i, member=member, nonmember=nonmember)

        return opened


class _Fetched:
    """Ascending scores of some blocks, whose sizes are given from the highest scores down."""

    def __init__(self, ascending: FloatArray, sizes: Counts) -> None:
        self._ascending, self._sizes = ascending, sizes
        self._stops = ascending.size - np.cumsum(sizes) + sizes

    def of(self, k: int) -> FloatArray:
        """The scores of the k-th of these blocks."""
        return self._ascending[self._stops[k] - self._sizes[k] : self._stops[k]]


def _bins(x: FloatArray) -> Counts:
    """The leading bits of floats, as numbers."""
    return (x.view(np.uint64) >> np.uint64(64 - BIN_BITS)).view(np.int64)


def _descending(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """From the order of the bits to descending scores; -0.0 and 0.0 share a bin.

    Positive floats ascend with their bits and come first, negative ones descend and come after.
    """
    half = N_BINS // 2
    ordered = np.concatenate([counts[:half][::-1], counts[half:]])
    ordered[half - 1] += ordered[half]
    ordered[half] = 0
    return ordered


def _descending_back(wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From descending scores to the order of the bits."""
    half = N_BINS // 2
    bits = np.concatenate([wanted[:half][::-1], wanted[half:]])
    bits[half] = bits[0]
    return bits


def _opened(
    ends: ThresholdCounts, i: int, *, member: FloatArray, nonmember: FloatArray
) -> ThresholdCounts:
    """Counts at every distinct score of block i, which holds these scores, ascending."""
    inside = _counts(
        np.unique(np.concatenate([member, nonmember]))[::-1], member=member, nonmember=nonmember
    )
    return ThresholdCounts(
        thresholds=inside.thresholds,
        false_positives=inside.false_positives + ends.false_positives[i],
        true_positives=inside.true_positives + ends.true_positives[i],
        n_nonmembers=ends.n_nonmembers,
        n_members=ends.n_members,
    )


def _counts(
    thresholds: FloatArray, *, member: FloatArray, nonmember: FloatArray
) -> ThresholdCounts:
    """Counts of ascending scores at descending thresholds; O(log n) each."""
    at_least = [
        (ascending.size - np.searchsorted(ascending, thresholds)).astype(np.int64)
        for ascending in (nonmember, member)
    ]
    return ThresholdCounts(
        thresholds=checks.read_only(thresholds),
        false_positives=checks.read_only(at_least[0]),
        true_positives=checks.read_only(at_least[1]),
        n_nonmembers=nonmember.size,
        n_members=member.size,
    )
