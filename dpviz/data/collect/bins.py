"""Exact counts of any number of scores in constant memory, from which `BinnedScores` are made."""

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores.base import ScoreKind
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.float_grid import BITS, LARGEST, edges, keys, rounded_down
from dpviz.audit.scores.provenance import Provenance
from dpviz.data.collect.records import Numbers, Records

REST = 32 - BITS  # bits of a float32 that tell the numbers of one cell apart
N_CELLS = 2**BITS  # one for each value of the leading bits
PACKED_AT_MOST = 2**24  # records: their number (27 bits) and sum of rests (37) share 64 bits
ONE_RECORD = 1 << 37  # adds 1 to the number, above the 37 bits of the sum
AT_ONCE = 2**16  # records at a time, so that intermediate arrays fit in the CPU cache


class Bins:
    """Exact counts on the grid of float32 bit patterns, and the mean in each cell.

    A record adds its place in the cell to the sum for the mean, in half steps of float32: even for
    a float32, odd between two of them. Sums are thus of whole numbers, so that the order of records
    or parts does not matter, and a mean is at the edge of its cell only if all its records are.
    Losses change their sign here.
    """

    def __init__(self, kind: ScoreKind) -> None:
        self.kind = kind
        self.counts = np.zeros((2, N_CELLS), np.int64)
        self.rests = np.zeros((2, N_CELLS), np.int64)
        self._packed = np.zeros(2 * N_CELLS, np.int64)
        self._n_packed = 0

    def add(self, records: Records) -> None:
        """Count more records; raise ValueError if a number is beyond the largest float32."""
        for begin in range(0, records.values.size, AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            self._count(*self.keys_of(records.values[part]), records.is_member[part])

    def keys_of(self, values: Numbers) -> tuple[NDArray[np.uint32], NDArray[np.bool] | None]:
        """Keys on the grid, and which scores are above the float32 of their key.

        Keys ascend with the score. The second result is None for numbers in float32. Raises
        ValueError if a number is beyond the largest float32.
        """
        if values.dtype != np.float32:
            wide = np.asarray(values, np.float64)
            wide = 0.0 - wide if self.kind == "loss" else wide
            beyond = np.abs(wide) > LARGEST
            if beyond.any():
                raise ValueError(
                    f"numbers must be in [-{LARGEST:.3g}, {LARGEST:.3g}] to be counted, got "
                    f"{np.asarray(values)[np.argmax(beyond)]!r}"
                )
            rounded = rounded_down(wide)
            return keys(rounded), wide > rounded
        scores = 0 - values if self.kind == "loss" else values
        return keys(scores), None

    def _count(
        self,
        found: NDArray[np.uint32],
        is_above: NDArray[np.bool] | None,
        is_member: NDArray[np.bool],
    ) -> None:
        if self._n_packed + found.size > PACKED_AT_MOST:
            self._unpack()
        cells = is_member.astype(np.uint32)
        cells <<= np.uint32(BITS)
        cells |= found >> np.uint32(REST)
        rest = found & np.uint32(2**REST - 1)
        rest <<= np.uint32(1)
        if is_above is not None:
            rest += is_above
        np.add.at(self._packed, cells.astype(np.intp), np.add(rest, ONE_RECORD, dtype=np.int64))
        self._n_packed += found.size

    def _unpack(self) -> None:
        counts, rests = self.counts.ravel(), self.rests.ravel()  # views: both are contiguous
        for begin in range(0, self._packed.size, AT_ONCE):  # in parts: no copy of all cells
            part = slice(begin, begin + AT_ONCE)
            counts[part] += self._packed[part] >> 37
            rests[part] += self._packed[part] & (ONE_RECORD - 1)
        self._packed[:] = 0
        self._n_packed = 0

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of members and of non-members so far."""
        self._unpack()
        nonmembers, members = self.counts.sum(axis=1).tolist()
        return members, nonmembers

    def scores(self, provenance: Provenance | None = None) -> BinnedScores:
        """Scores of the records counted so far."""
        self._unpack()
        filled = np.flatnonzero(self.counts.any(axis=0))
        first = filled.astype(np.uint32) << np.uint32(REST)
        low, high = edges(first, bits=32), edges(first + np.uint32(2**REST - 1), bits=32)
        counts, rests = self.counts[:, filled], self.rests[:, filled]
        # All numbers of a cell have one exponent, so that they are equally spaced.
        half_step = (high - low) / (2 * (2**REST - 1))
        means = low + half_step * (rests / np.maximum(counts, 1))
        means = np.where(rests > 0, np.maximum(means, np.nextafter(low, np.inf)), low)
        return BinnedScores(
            thresholds=low,
            nonmember_counts=counts[0],
            member_counts=counts[1],
            nonmember_means=means[0],
            member_means=means[1],
            kind=self.kind,
            provenance=provenance,
        )
