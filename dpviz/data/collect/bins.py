"""Counting scores of any number in constant memory: what grows into `BinnedScores`."""

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.binned_scores import BinnedScores
from dpviz.audit.float_grid import BITS, LARGEST, edges, keys, rounded_down
from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import ScoreKind
from dpviz.data.formats.records import Numbers, Records

REST = 32 - BITS
N_CELLS = 2**BITS
PACKED_AT_MOST = 2**24
"""Records whose number (27 bits) and sum of rests (37 bits) share a 64-bit sum."""
ONE_RECORD = 1 << 37
AT_ONCE = 2**16
"""Records: what is made of them on the way stays in the processor's cache."""


class Bins:
    """Exact counts on the grid of float32 bit patterns, and the mean in each cell.

    What a record adds to a mean is where it stands in its cell, in half steps of float32: on one of
    these numbers, or anywhere between two. So all sums are of whole numbers, in which order records
    or parts come changes nothing, and no mean is at the edge of a cell that hides something.

    Parameters
    ----------
    kind : {"loss", "score"}
        Unit of the numbers; losses are turned here.
    """

    def __init__(self, kind: ScoreKind) -> None:
        self.kind = kind
        self.counts = np.zeros((2, N_CELLS), np.int64)
        self.rests = np.zeros((2, N_CELLS), np.int64)
        self._packed = np.zeros(2 * N_CELLS, np.int64)
        self._n_packed = 0

    def add(self, records: Records) -> None:
        """Count some more.

        Raises
        ------
        ValueError
            If a number is beyond the largest float32.
        """
        for begin in range(0, records.values.size, AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            self._count(*self.keys_of(records.values[part]), records.is_member[part])

    def keys_of(self, values: Numbers) -> tuple[NDArray[np.uint32], NDArray[np.bool] | None]:
        """Keys of numbers in the unit, ascending with the score, and whether that is above theirs.

        None of float32 is above its own.

        Raises
        ------
        ValueError
            If a number is beyond the largest float32.
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
        packed = self._packed.reshape(2, N_CELLS)
        self.counts += packed >> 37
        self.rests += packed & (ONE_RECORD - 1)
        self._packed[:] = 0
        self._n_packed = 0

    @property
    def sizes(self) -> tuple[int, int]:
        """Members and non-members so far."""
        self._unpack()
        nonmembers, members = self.counts.sum(axis=1).tolist()
        return members, nonmembers

    def scores(self, provenance: Provenance | None = None) -> BinnedScores:
        """What was counted so far."""
        self._unpack()
        filled = np.flatnonzero(self.counts.any(axis=0))
        first = filled.astype(np.uint32) << np.uint32(REST)
        low, high = edges(first, bits=32), edges(first + np.uint32(2**REST - 1), bits=32)
        counts, rests = self.counts[:, filled], self.rests[:, filled]
        # In a cell all numbers have one exponent: they are equally far apart.
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
