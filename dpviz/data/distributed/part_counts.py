"""Counts of some records, small enough to be sent: the result of a Dask task."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores.base import ScoreKind
from dpviz.data.collect.bins import REST, Bins
from dpviz.data.tables.dropped import SHOWN_ROWS, dropped_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Sums:
    """Sums of whole numbers at some keys, so that the order of addition does not matter."""

    keys: NDArray[np.uint32]  # shape (k,), ascending: cells of the grid, or single float32 numbers
    sums: NDArray[np.int64]  # shape (r, k)

    @classmethod
    def merged(cls, parts: "Sequence[Sums]") -> "Sums":
        """Add up the sums of all parts."""
        keys = _distinct(np.concatenate([part.keys for part in parts]))
        sums = np.zeros((len(parts[0].sums), keys.size), np.int64)
        for part in parts:
            sums[:, np.searchsorted(keys, part.keys)] += part.sums
        return cls(keys=keys, sums=sums)

    @classmethod
    def inside(cls, cells: NDArray[np.uint32], counts: NDArray[np.int64]) -> "Sums":
        """From counts of records at every float32 of some cells, shape (r, cells, 4096)."""
        cell, rest = np.nonzero(counts.any(axis=0))
        keys = (cells[cell] << np.uint32(REST)) + rest.astype(np.uint32)
        return cls(keys=keys, sums=counts[:, cell, rest])

    def counts_inside(self, cells: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The counts from which `inside` makes these sums."""
        counts = np.zeros((len(self.sums), cells.size, 2**REST), np.int64)
        place = np.searchsorted(cells, self.keys >> np.uint32(REST))
        counts[:, place, self.keys & np.uint32(2**REST - 1)] = self.sums
        return counts


@dataclass(frozen=True, kw_only=True, eq=False)
class PartCounts:
    """The cells of `Bins` that hold records, and the rows that were dropped."""

    filled: Sums  # for each cell: non-members, members, then the sums of their rests
    n_rows: int  # dropped rows included
    n_dropped: int
    first_dropped: tuple[str, ...]  # the first of the dropped rows

    @classmethod
    def of(cls, bins: Bins, n_dropped: int, first_dropped: Sequence[str]) -> "PartCounts":
        """From the counts of one part."""
        n_rows = sum(bins.sizes) + n_dropped  # first: sizes bring the counts up to date
        cells = np.flatnonzero(bins.counts.any(axis=0))
        return cls(
            filled=Sums(
                keys=cells.astype(np.uint32),
                sums=np.concatenate([bins.counts[:, cells], bins.rests[:, cells]]),
            ),
            n_rows=n_rows,
            n_dropped=n_dropped,
            first_dropped=tuple(first_dropped[:SHOWN_ROWS]),
        )

    @classmethod
    def merged(cls, parts: "Sequence[PartCounts]") -> "PartCounts":
        """Add up the counts of parts, which are in the order of the source."""
        first_dropped = [place for part in parts for place in part.first_dropped]
        return cls(
            filled=Sums.merged([part.filled for part in parts]),
            n_rows=sum(part.n_rows for part in parts),
            n_dropped=sum(part.n_dropped for part in parts),
            first_dropped=tuple(first_dropped[:SHOWN_ROWS]),
        )

    @property
    def dropped(self) -> str:
        """How many rows were dropped, and the first of them; empty if none was."""
        if not self.n_dropped:
            return ""
        return dropped_rows(self.n_dropped, self.n_rows, ", ".join(self.first_dropped))

    def bins(self, kind: ScoreKind) -> Bins:
        """The same counts in `Bins`."""
        bins = Bins(kind)
        bins.counts[:, self.filled.keys] = self.filled.sums[:2]
        bins.rests[:, self.filled.keys] = self.filled.sums[2:]
        return bins


def _distinct(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Ascending; a stable sort is fast for keys in sorted runs, where `numpy.unique` is not."""
    keys = np.sort(keys, kind="stable")
    is_new = np.ones(keys.size, np.bool)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return keys[is_new]
