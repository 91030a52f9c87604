"""Collection of records into scores: exact values if they fit in memory, otherwise counts."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.epsilon_star.estimate import bins_worth_splitting
from dpviz.audit.scores import binned_scores
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Labels, Provenance, ScoreKind, Scores
from dpviz.audit.scores.binned_scores import BITS, LARGEST_ON_GRID, BinnedScores, lower_edges
from dpviz.checks import FloatArray
from dpviz.data.sources.options import ReadError, ReadOptions, mismatch, quoted
from dpviz.data.sources.progress import progress_bar

Numbers = NDArray[Any]  # of any real type
Mask = NDArray[np.bool]
# Scores or losses of the members (or of the non-members), and their group labels.
ValuesAndGroups = tuple[Numbers, Labels | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """Records of successive rows; `dropped` lists the row numbers at which a value is missing."""

    values: Numbers  # scores or losses, all finite
    is_member: Mask
    labels: Labels | None = None
    dropped: Sequence[int] = ()

    def by_membership(self) -> tuple[ValuesAndGroups, ValuesAndGroups]:
        """Return (values, labels) of the members, then (values, labels) of the non-members."""

        def values_at(rows: NDArray[np.intp]) -> ValuesAndGroups:
            labels = None if self.labels is None else self.labels.take(rows)
            return self.values.take(rows), labels

        return values_at(np.flatnonzero(self.is_member)), values_at(np.flatnonzero(~self.is_member))


# Exact counts of any number of scores in constant memory, from which `BinnedScores` are made.

INNER_BITS = 32 - BITS  # bits of a float32 that tell the numbers of one bin apart
N_BINS = 2**BITS  # one for each value of the leading bits
MOST_PACKED = 2**24  # records: their count (27 bits) and sum of offsets (37) share 64 bits
PACKED_RECORD = 1 << 37  # adds 1 to the count, above the 37 bits of the sum
RECORDS_AT_ONCE = 2**16  # records at a time, so that intermediate arrays fit in the CPU cache


class BinCounts:
    """Counts and mean scores of members and of non-members, in bins of neighbouring float32s."""

    # A bin is the set of float32 numbers whose first `BITS` bits agree. The score of a loss is its
    # negative. Means come from `offset_sums`: how far scores lie above the lower edge of their bin,
    # in half steps between float32 numbers. These are whole: the order of records changes no sum.

    def __init__(self, kind: ScoreKind) -> None:
        self.kind = kind
        self.counts = np.zeros((2, N_BINS), np.int64)
        self.offset_sums = np.zeros((2, N_BINS), np.int64)
        self._packed = np.zeros(2 * N_BINS, np.int64)
        self._n_packed = 0

    def add(self, records: Records) -> None:
        """Add records to the counts; ValueError if a score is beyond the largest float32."""
        for begin in range(0, records.values.size, RECORDS_AT_ONCE):
            part = slice(begin, begin + RECORDS_AT_ONCE)
            self._add_keys(*self.float32_keys(records.values[part]), records.is_member[part])

    def float32_keys(self, values: Numbers) -> tuple[NDArray[np.uint32], Mask | None]:
        """Return integers that encode scores as float32s, and a mask of scores rounded down."""
        # The integers have the order of the scores. For float32 `values` the mask is None.
        if values.dtype != np.float32:
            beyond = (np.abs(values) > np.float64(LARGEST_ON_GRID)) & np.isfinite(values)
            if beyond.any():
                limits = f"[-{LARGEST_ON_GRID:.3g}, {LARGEST_ON_GRID:.3g}]"
                first = np.asarray(values)[np.argmax(beyond)]
                raise ValueError(f"numbers must be in {limits}, or infinite, got {first:.3g}")
            wide = np.asarray(values, np.float64)
            wide = 0.0 - wide if self.kind == "loss" else wide
            rounded = binned_scores.rounded_down_to_float32(wide)
            return binned_scores.monotone_integers(rounded), wide > rounded
        negated = 0 - values if self.kind == "loss" else values
        return binned_scores.monotone_integers(negated), None

    def _add_keys(self, keys: NDArray[np.uint32], is_rounded: Mask | None, is_member: Mask) -> None:
        # Packed counts and sums are moved to `counts` and `offset_sums` before they can overflow.
        if self._n_packed + keys.size > MOST_PACKED:
            self._unpack_counts_and_sums()
        # The bin of a record: one bit for the class, then the leading bits of the key.
        bins = is_member.astype(np.uint32)
        bins <<= np.uint32(BITS)
        bins |= keys >> np.uint32(INNER_BITS)
        # The offset in half steps of float32, odd where the score exceeds its float32.
        rest = keys & np.uint32(2**INNER_BITS - 1)
        rest <<= np.uint32(1)
        if is_rounded is not None:
            rest += is_rounded
        # One addition for each record: 1 to the count, and the offset to the sum.
        np.add.at(self._packed, bins.astype(np.intp), np.add(rest, PACKED_RECORD, dtype=np.int64))
        self._n_packed += keys.size

    def _unpack_counts_and_sums(self) -> None:
        counts, sums = self.counts.ravel(), self.offset_sums.ravel()  # views: both are contiguous
        for begin in range(0, self._packed.size, RECORDS_AT_ONCE):  # in parts: no copy of all bins
            part = slice(begin, begin + RECORDS_AT_ONCE)
            counts[part] += self._packed[part] >> 37
            sums[part] += self._packed[part] & (PACKED_RECORD - 1)
        self._packed[:] = 0
        self._n_packed = 0

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The numbers of members and of non-members counted so far."""
        self._unpack_counts_and_sums()
        nonmembers, members = self.counts.sum(axis=1).tolist()
        return members, nonmembers

    def scores(self, provenance: Provenance | None = None) -> BinnedScores:
        """Return `BinnedScores` of all records counted so far."""
        self._unpack_counts_and_sums()
        filled = np.flatnonzero(self.counts.any(axis=0))
        first = filled.astype(np.uint32) << np.uint32(INNER_BITS)
        last = first + np.uint32(2**INNER_BITS - 1)
        low, high = (lower_edges(ends, bits=32) for ends in (first, last))
        is_finite = np.isfinite(low)  # an infinite number is alone in its bin
        counts, offsets = self.counts[:, filled], self.offset_sums[:, filled] * is_finite
        # All numbers of a bin have one exponent, so that they are equally spaced.
        width = np.subtract(high, low, out=np.zeros_like(low), where=is_finite)
        half_step = width / (2 * (2**INNER_BITS - 1))
        means = low + half_step * (offsets / np.maximum(counts, 1))
        # If a record exceeds the lower edge, the mean exceeds the edge, in spite of rounding.
        means = np.where(offsets > 0, np.maximum(means, np.nextafter(low, np.inf)), low)
        arrays = {"nonmember_counts": counts[0], "member_counts": counts[1]}
        arrays |= {"nonmember_means": means[0], "member_means": means[1]}
        return BinnedScores(thresholds=low, kind=self.kind, provenance=provenance, **arrays)


# Second pass over a source: bins that may hold the threshold of Epsilon* are split by float32.

MOST_RECOUNTED_BINS = 128  # bins counted again, of 4096 numbers each: 12 MiB of counts


def split_bins(
    scores: BinnedScores, recount: Callable[[NDArray[np.uint32]], NDArray[np.int64]]
) -> BinnedScores:
    """Return scores with finer bins around the thresholds at which Epsilon* may be attained."""
    # Such a bin becomes one per float32 number with records. `recount` maps the numbers of bins to
    # their `counts_by_float32` in a second reading; ReadError if these do not add up to `scores`.
    indices = bins_worth_splitting(scores, most=MOST_RECOUNTED_BINS)
    if indices.size == 0:
        return scores
    bin_numbers = binned_scores.cell_numbers(scores.thresholds[indices])
    counts = recount(bin_numbers)
    before = np.array([scores.nonmember_counts[indices], scores.member_counts[indices]])
    if (counts[:2].sum(axis=2) != before).any():
        source = "the source" if scores.provenance is None else scores.provenance.source
        raise mismatch(source, "the same records at the second reading", "other records")
    # A bin for each float32 number with records replaces the bins at `indices`.
    index, rest = np.nonzero(counts.any(axis=0))
    codes = (bin_numbers[index] << np.uint32(INNER_BITS)) + rest.astype(np.uint32)
    found = lower_edges(codes, bits=32)
    stays = np.ones(scores.thresholds.size, np.bool)
    stays[indices] = False
    thresholds = np.concatenate([scores.thresholds[stays], found])
    order = np.argsort(thresholds)
    nonmember, member, above = counts[:, index, rest]
    # The middle between two neighbouring float32 numbers stands for the unknown mean.
    half_way = (found + np.nextafter(found.astype(np.float32), np.float32(np.inf))) / 2

    def kept_and_new(old: NDArray[np.generic] | None, new: NDArray[np.generic]) -> NDArray[Any]:
        return np.concatenate([(scores.thresholds if old is None else old)[stays], new])[order]

    def means_of_new_bins(n_records: NDArray[np.int64]) -> FloatArray:
        return np.where((above > 0) & (n_records > 0), half_way, found)

    return BinnedScores(
        thresholds=thresholds[order],
        member_counts=kept_and_new(scores.member_counts, member),
        nonmember_counts=kept_and_new(scores.nonmember_counts, nonmember),
        member_means=kept_and_new(scores.member_means, means_of_new_bins(member)),
        nonmember_means=kept_and_new(scores.nonmember_means, means_of_new_bins(nonmember)),
        kind=scores.kind,
        provenance=scores.provenance,
    )


def counts_by_float32(
    bin_numbers: NDArray[np.uint32], records: Iterable[Records], kind: ScoreKind
) -> NDArray[np.int64]:
    """Return counts of non-members, members and rounded scores for each float32 in these bins."""
    # `bin_numbers` ascend. result[0] counts the non-members and result[1] the members from one
    # float32 up to the next; result[2] counts all records strictly between the two.
    bins, size = BinCounts(kind), 2**INNER_BITS
    counts = np.zeros((3, bin_numbers.size, size), np.int64)
    flat = counts.reshape(-1)
    is_wanted = np.zeros(N_BINS, np.bool)
    is_wanted[bin_numbers] = True
    for some in records:
        for begin in range(0, some.values.size, RECORDS_AT_ONCE):
            part = slice(begin, begin + RECORDS_AT_ONCE)
            keys, above = bins.float32_keys(some.values[part])
            # take() with the machine's index type halves the time of is_wanted[...].
            found = np.flatnonzero(is_wanted.take((keys >> np.uint32(INNER_BITS)).astype(np.intp)))
            keys = keys[found]
            # The flat index of a count: part, then bin, then float32 in the bin.
            place = np.searchsorted(bin_numbers, keys >> np.uint32(INNER_BITS))
            place = place * size + (keys & np.uint32(size - 1))
            np.add.at(flat, place + some.is_member[part][found] * bin_numbers.size * size, 1)
            if above is not None:
                np.add.at(flat, place[above[found]] + 2 * bin_numbers.size * size, 1)
    return counts


MOST_EXACT = 2**24  # records kept as exact values unless a memory limit is given


def binned_if_many(scores: Scores) -> Scores:
    """Return `BinnedScores` if there are over `MOST_EXACT` scores without groups, else `scores`."""
    if not isinstance(scores, AttackScores) or scores.groups:
        return scores
    counted = binned_scores_if_many(scores.member, scores.nonmember, "score", scores.provenance)
    return scores if counted is None else counted.shown_as(scores.kind)


def binned_scores_if_many(
    member: Numbers, nonmember: Numbers, kind: ScoreKind, provenance: Provenance | None
) -> BinnedScores | None:
    """Return `BinnedScores`; None for few numbers, or if any number is NaN or too large."""
    if member.size + nonmember.size <= MOST_EXACT or min(member.size, nonmember.size) == 0:
        return None
    records = [
        Records(values=values, is_member=np.broadcast_to(np.bool(is_member), values.shape))
        for values, is_member in ((member, True), (nonmember, False))
    ]
    bins = BinCounts(kind)
    try:
        for part in records:
            if np.isnan(part.values.min()):
                return None
            bins.add(part)
    except ValueError:  # a score beyond the largest float32
        return None
    return split_bins(bins.scores(provenance), lambda x: counts_by_float32(x, records, kind))


# From records to scores: values stay in memory if they fit, otherwise records are counted.

MEMORY_PER_RECORD = 32  # bytes: the value, its copy in one array, the score, the sorted score
MEMORY_PER_LABEL = 24  # bytes: references in a piece, in one array and in the scores


class RecordCollector:
    """A store of records: all their values or, if these take too much memory, counts of values."""

    def __init__(self, kind: ScoreKind, n_bytes: int, options: ReadOptions, where: str) -> None:
        self.memory = options.memory
        # `n_bytes` is rough, and 0 for values that are in memory already.
        is_large = n_bytes > self.memory
        self.progress = options.progress or (progress_bar if is_large else iter)
        self._kind, self._where, self._may_grow = kind, where, n_bytes > 0
        self._group = options.group
        self._bins = self._empty_bins() if is_large else None
        # Of members and of non-members, in the pieces in which they were read.
        self._parts: tuple[list[ValuesAndGroups], list[ValuesAndGroups]] = ([], [])
        self._labels: dict[str, str] = {}  # one shared text for all equal labels
        self._label_memory = 0

    def add(self, records: Records) -> None:
        """Add records; ReadError if a score is too large to be counted."""
        with self._naming_source_in_errors():
            if self._bins is not None:
                self._bins.add(records)
                return
            for parts, (values, labels) in zip(self._parts, records.by_membership(), strict=True):
                parts.append((values, None if labels is None else self._with_shared_texts(labels)))
            # A compressed file may unpack to a thousand times its size.
            n_bytes = sum(self.class_sizes) * MEMORY_PER_RECORD + self._label_memory
            if self._may_grow and n_bytes > self.memory:
                self._bins = self._count_and_free_records()

    def _empty_bins(self) -> BinCounts:
        """Return empty `BinCounts`; ReadError if groups are requested, which bins cannot store."""
        if self._group is not None:
            most, column = f"{self.memory // 2**20} MiB (memory_limit)", quoted(self._group.strip())
            raise ReadError(
                f"{self._where}: group must be left out if the records need more memory than "
                f"{most}, got {column}; give a larger memory_limit to read the groups"
            )
        return BinCounts(self._kind)

    def _count_and_free_records(self) -> BinCounts:
        """Return the counts of the records in memory, and free the memory."""
        bins = self._empty_bins()
        for parts, is_member in zip(self._parts, (True, False), strict=True):
            for values, _ in parts:
                bins.add(Records(values=values, is_member=np.full(values.size, is_member)))
            parts.clear()
        return bins

    def _with_shared_texts(self, labels: Labels) -> Labels:
        """Return the labels; equal texts become one shared object, which saves memory."""
        n_before = len(self._labels)
        shared = [self._labels.setdefault(label, label) for label in labels.tolist()]
        new = islice(self._labels, n_before, None)
        self._label_memory += len(shared) * MEMORY_PER_LABEL + sum(map(sys.getsizeof, new))
        return np.array(shared, dtype=object)

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The numbers of members and of non-members collected so far."""
        if self._bins is not None:
            return self._bins.class_sizes
        members, nonmembers = (sum(values.size for values, _ in parts) for parts in self._parts)
        return members, nonmembers

    def scores(self, provenance: Provenance, read_again: Callable[[], Iterable[Records]]) -> Scores:
        """Return all scores; if binned, `read_again` yields the records for finer bins."""
        with self._naming_source_in_errors():
            if self._bins is None:
                return self._exact_scores(provenance)
            scores = self._bins.scores(provenance)
            return split_bins(scores, lambda x: counts_by_float32(x, read_again(), scores.kind))

    def _exact_scores(self, provenance: Provenance) -> AttackScores:
        """Return the scores of all records, in order; ValueError for finite scores over 1e300."""
        whole = partial(np.concatenate, dtype=np.float64, casting="same_kind")
        try:
            with np.errstate(over="raise"):  # of a longer float, which would become infinite
                member, nonmember = (whole([x for x, _ in parts]) for parts in self._parts)
        except FloatingPointError:
            raise ValueError(
                "numbers must be in [-1e+300, 1e+300], or infinite, got a larger number"
            ) from None
        labels = [[x for _, x in parts if x is not None] for parts in self._parts]
        if any(labels):
            build = AttackScores.from_losses if self._kind == "loss" else AttackScores
            of_members, others = map(np.concatenate, labels)
            groups: dict[str, Any] = {"member_groups": of_members, "nonmember_groups": others}
            return build(member=member, nonmember=nonmember, provenance=provenance, **groups)
        if self._kind == "loss":
            # In place, because nothing else uses the arrays.
            np.negative(member, out=member)
            np.negative(nonmember, out=nonmember)
        return AttackScores.of_numbers(member, nonmember, kind=self._kind, provenance=provenance)

    @contextmanager
    def _naming_source_in_errors(self) -> Iterator[None]:
        """Turn a ValueError in the ``with`` block into a ReadError that names the source."""
        try:
            yield
        except ReadError:
            raise
        except ValueError as error:
            raise ReadError(f"{self._where}: {error}") from None
