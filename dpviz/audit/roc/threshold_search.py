"""The exact maximum of each of the four Epsilon* ratios over all thresholds of two samples.

A log ratio is ``log((A_i / a - delta) / (B_i / b))`` at threshold i, where the counts A and B are
monotone in i. It is computed at the ends of some thousand blocks of thresholds. For a block u..v,
``log((A_v / a - delta) / (B_u / b))`` is an upper bound at every threshold inside; only blocks
whose bound exceeds the best known ratio are searched (branch and bound).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.roc.curve import AttackCurve, ThresholdCounts
from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, Scores, SortedSample
from dpviz.checks import FloatArray
from dpviz.theory.region import log_ratio

BLOCKS = 4096  # per class, at most; smaller samples have one threshold per block
KEPT = 256  # blocks whose counts inside are cached: these depend on neither delta nor clip
SORTED_UP_TO = 2**18  # records; more are binned unless they are sorted already
BIN_BITS = 20  # leading bits of a float that define its bin: sign, exponent, 8 binary digits
N_BINS = 2**BIN_BITS

# For m1 to m4: indices of the rates A and B in `rates`, and whether both grow with the index.
RATES_OF_RATIOS = ((0, 1, True), (2, 3, False), (3, 2, False), (1, 0, True))


@dataclass(frozen=True, kw_only=True)
class LargestRatio:
    """The largest log ratio over some thresholds, with its index, threshold and counts."""

    index: int
    log_ratio: float
    threshold: float
    false_positives: int
    true_positives: int

    def is_preferred_to(self, other: "LargestRatio") -> bool:
        """Return whether this ratio is larger than `other`, or equal at a higher threshold."""
        return (self.log_ratio, self.threshold) > (other.log_ratio, other.threshold)


class ScoreBlocks(ABC):
    """Scores in blocks: block i holds the scores s with thresholds[i + 1] <= s < thresholds[i]."""

    scores: Scores
    ends: ThresholdCounts  # counts at the thresholds that separate blocks; the first flags nobody
    are_single: bool  # whether each block has a single distinct score, its lower end

    @abstractmethod
    def counts_by_block(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        """Return a function from a block (one of `blocks`) to the counts at its distinct scores."""

    def largest_log_ratios(
        self, *, delta: float, clip: float | None = None
    ) -> tuple[LargestRatio, ...] | None:
        """Return the maximum of each log ratio inside the clip; None if no threshold is inside.
        A maximum is -inf if no numerator is positive, inf if a positive numerator is divided by 0.
        """
        largest_ratio = partial(_largest_ratio, delta=delta, clip=clip)
        # The best end for each ratio; where every threshold is an end, that is all.
        best_ends = [largest_ratio(self.ends, ratio) for ratio in range(4)]
        if self.are_single:
            return tuple(best for best in best_ends if best is not None) or None
        # Bound the ratios in each block, and choose the blocks that may have to be searched: those
        # with a limit of the clip inside, with large bounds, or just before a best end. If no end
        # is inside the clip, all thresholds inside are in blocks of the first kind.
        survive, may_survive = self.ends.survives_clip(clip), may_survive_clip(self.ends, clip)
        is_cut = may_survive & ~(survive[:-1] & survive[1:])
        rates = self.ends.rates
        bounds = log_ratio_bounds_of_blocks(rates, rates, delta=delta)
        bounds = np.where(may_survive, bounds, -np.inf)
        wanted = is_cut.copy()
        for bound, best in zip(bounds, best_ends, strict=True):
            if best is not None:
                wanted |= _may_hold_larger(bound, best)
                wanted[max(best.index - 1, 0)] = True
        opened = self.counts_by_block(np.flatnonzero(wanted))
        # Open blocks in the order of their bounds until no bound exceeds the best ratio.
        maxima = []
        for ratio, (bound, best) in enumerate(zip(bounds, best_ends, strict=True)):
            if best is not None and best.index > 0:
                # The block before this end holds its exact threshold, and maybe a larger ratio.
                before = best.index - 1
                best = replace(best, threshold=float(opened(before).thresholds[-1]))
                inside = largest_ratio(opened(before), ratio)
                best = inside if inside is not None and inside.is_preferred_to(best) else best
            promising = np.flatnonzero(is_cut if best is None else _may_hold_larger(bound, best))
            for block in promising[np.argsort(-bound[promising])].tolist():
                if best is not None and bound[block] < best.log_ratio:
                    break
                inside = largest_ratio(opened(block), ratio)
                if inside is not None and (best is None or inside.is_preferred_to(best)):
                    best = inside
            if best is None:
                return None
            maxima.append(best)
        return tuple(maxima)


def _largest_ratio(
    counts: ThresholdCounts, ratio: int, *, delta: float, clip: float | None
) -> LargestRatio | None:
    """Return the first maximum of a log ratio inside the clip; None if no threshold is inside."""
    survive = counts.survives_clip(clip)
    if not survive.any():
        return None
    top, bottom, _ = RATES_OF_RATIOS[ratio]
    ratios = log_ratio(counts.rates[top] - delta, counts.rates[bottom])
    ratios[~survive] = -np.inf
    index = int(np.argmax(ratios))
    if not survive[index]:  # no ratio is positive: any survivor will do
        index = int(np.argmax(survive))
    return LargestRatio(
        index=index,
        log_ratio=float(ratios[index]),
        threshold=float(counts.thresholds[index]),
        false_positives=int(counts.false_positives[index]),
        true_positives=int(counts.true_positives[index]),
    )


def may_survive_clip(ends: ThresholdCounts, clip: float | None) -> NDArray[np.bool_]:
    """Return, for each block, whether some threshold inside the block may survive the clip."""
    lowest = -np.inf if clip is None else clip
    tpr, fpr, tnr, fnr = ends.rates
    return np.asarray((np.minimum(tpr, fpr)[1:] > lowest) & (np.minimum(tnr, fnr)[:-1] > lowest))


def log_ratio_bounds_of_blocks(
    numerators: Sequence[FloatArray], denominators: Sequence[FloatArray], *, delta: float
) -> FloatArray:
    """Return upper bounds on the four log ratios inside each block, shape (4, blocks)."""
    bounds, first, last = [], slice(None, -1), slice(1, None)
    for top, bottom, grows in RATES_OF_RATIOS:
        # The bound takes the largest numerator and the smallest denominator, at opposite ends.
        most, least = (last, first) if grows else (first, last)
        bounds.append(log_ratio(numerators[top][most] - delta, denominators[bottom][least]))
    return np.array(bounds)


def _may_hold_larger(bound: FloatArray, best: LargestRatio) -> NDArray[np.bool_]:
    """Return, for each block, whether its bound allows a ratio as large as `best`."""
    is_better = np.greater if np.isinf(best.log_ratio) else np.greater_equal
    return np.asarray(is_better(bound, best.log_ratio))


def score_blocks(scores: ScoresLike, *, many_searches: bool = False) -> ScoreBlocks:
    """Return scores in blocks, of the kind that is fastest for one search or for many searches."""
    scores = as_scores("scores", scores)
    if not isinstance(scores, AttackScores):
        return BinnedBlocks(scores)
    if many_searches or scores.was_sorted or scores.n_members + scores.n_nonmembers <= SORTED_UP_TO:
        return SortedBlocks(scores)
    return UnsortedBlocks(scores)


class BinnedBlocks(ScoreBlocks):
    """Blocks of scores counted in bins; a search for a maximum skips most of the blocks."""

    def __init__(self, scores: Scores) -> None:
        self.scores = scores
        self.all_bins = AttackCurve.from_scores(scores)
        last = self.all_bins.thresholds.size - 1
        self.are_single = last <= BLOCKS
        self._ends = np.append(np.arange(0, last, -(-last // BLOCKS)), last)
        self.ends = self.all_bins.select(self._ends)

    def counts_by_block(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        return lambda i: self.all_bins.select(slice(self._ends[i] + 1, self._ends[i + 1] + 1))

    def counts_at_bin_edges(self, block: int) -> ThresholdCounts:
        """Return the counts at the edges of all bins of a block."""
        return self.all_bins.select(slice(self._ends[block], self._ends[block + 1] + 1))

    def may_bins_hide_scores(self, block: int) -> NDArray[np.bool_]:
        """Return for each bin of a block whether it may hold scores other than its lower edge."""
        return self.scores.may_be_rounded[::-1][self._ends[block] : self._ends[block + 1]]


class SortedBlocks(ScoreBlocks):
    """Blocks of scores; their ends are every k-th order statistic of members and non-members."""

    scores: AttackScores

    def __init__(self, scores: AttackScores) -> None:
        self.scores = scores
        classes = (scores.sorted_member, scores.sorted_nonmember)
        picked = [ascending[:: -(-ascending.size // BLOCKS)] for ascending in classes]
        self.are_single = max(ascending.size for ascending in classes) <= BLOCKS
        self._opened = lru_cache(maxsize=KEPT)(self._counts_inside)
        # The smallest score of a class is the first one picked: the last end flags everybody.
        thresholds = np.unique(np.concatenate(picked))[::-1]
        self.ends = ThresholdCounts.from_infinity(
            thresholds, members=scores.members, nonmembers=scores.nonmembers
        )

    def counts_by_block(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        return self._opened

    def _counts_inside(self, block: int) -> ThresholdCounts:
        scores, ends = self.scores, self.ends
        n, m = scores.n_members, scores.n_nonmembers
        # In ascending order the flagged records come last, so a block is a slice before them.
        tp, fp = ends.true_positives, ends.false_positives
        member = scores.sorted_member[n - tp[block + 1] : n - tp[block]]
        nonmember = scores.sorted_nonmember[m - fp[block + 1] : m - fp[block]]
        return _counts_in_block(ends, block, member=member, nonmember=nonmember)


class UnsortedBlocks(ScoreBlocks):
    """Blocks of unsorted scores; the scores of a block share the leading bits of their floats."""

    scores: AttackScores

    def __init__(self, scores: AttackScores) -> None:
        self.scores = scores
        self.are_single = False
        member, nonmember = (
            _counts_from_highest_scores(np.bincount(_high_bits(x), minlength=N_BINS))
            for x in (scores.member, scores.nonmember)
        )
        self._filled = np.flatnonzero(member + nonmember)
        true_positives, false_positives = (
            np.concatenate([[0], np.cumsum(counts[self._filled])]) for counts in (member, nonmember)
        )
        self.ends = ThresholdCounts(
            # Placeholders: the scores of a block are not known until it is searched.
            thresholds=np.concatenate([[np.inf], -self._filled.astype(np.float64)]),
            false_positives=false_positives,
            true_positives=true_positives,
            n_nonmembers=scores.n_nonmembers,
            n_members=scores.n_members,
        )

    def counts_by_block(self, blocks: Counts) -> Callable[[int], ThresholdCounts]:
        # One pass over the scores fetches those of all wanted blocks.
        wanted = np.zeros(N_BINS, np.bool)
        wanted[self._filled[blocks]] = True
        # From descending score to ascending bits; both bins next to 0 are one block.
        half = N_BINS // 2
        wanted = np.concatenate([wanted[:half][::-1], wanted[half:]])
        wanted[half] = wanted[0]
        place = {int(block): k for k, block in enumerate(blocks)}
        # The block of the highest scores is the last one in ascending order.
        classes = [
            np.split(np.sort(x[wanted[_high_bits(x)]]), np.cumsum(np.diff(counts)[blocks][:0:-1]))
            for x, counts in (
                (self.scores.member, self.ends.true_positives),
                (self.scores.nonmember, self.ends.false_positives),
            )
        ]

        @cache
        def counts_inside(block: int) -> ThresholdCounts:
            member, nonmember = (parts[-1 - place[block]] for parts in classes)
            return _counts_in_block(self.ends, block, member=member, nonmember=nonmember)

        return counts_inside


def _high_bits(x: FloatArray) -> NDArray[np.intp]:
    leading = x.view(np.uint64) >> np.uint64(64 - BIN_BITS)
    return leading.view(np.int64).astype(np.intp, copy=False)


def _counts_from_highest_scores(counts: NDArray[np.intp]) -> Counts:
    """Return the counts per bin of leading bits, reordered to begin with the highest scores."""
    # The two bins next to 0 are one block, because +0.0 and -0.0 are equal.
    half = N_BINS // 2
    ordered = np.concatenate([counts[:half][::-1], counts[half:]], dtype=np.int64)
    ordered[half - 1] += ordered[half]
    ordered[half] = 0
    return ordered


def _counts_in_block(
    ends: ThresholdCounts, block: int, *, member: FloatArray, nonmember: FloatArray
) -> ThresholdCounts:
    """Return counts at the distinct scores of a block; `member` and `nonmember` are sorted."""
    inside = ThresholdCounts.of(
        np.unique(np.concatenate([member, nonmember]))[::-1],
        members=SortedSample(member),
        nonmembers=SortedSample(nonmember),
    )
    return replace(
        ends,
        thresholds=inside.thresholds,
        false_positives=inside.false_positives + ends.false_positives[block],
        true_positives=inside.true_positives + ends.true_positives[block],
    )
