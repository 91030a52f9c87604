"""Counts of some of the records, small enough to be sent: what a Dask task gives."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores import ScoreKind
from dpviz.data.bins import Bins

SHOWN_ROWS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class PartCounts:
    """The cells of `Bins` that hold records, and the rows that were dropped.

    All sums are of whole numbers: in which order parts are merged changes nothing.

    Parameters
    ----------
    cells : array of int, shape (k,)
        Ascending.
    sums : array of int, shape (4, k)
        In each cell: non-members and members, then the sums of their trailing bits.
    n_rows : int
        Dropped ones included.
    n_dropped : int
    first_dropped : tuple of str
        Where the first of the dropped rows stood.
    """

    cells: NDArray[np.uint32]
    sums: NDArray[np.int64]
    n_rows: int
    n_dropped: int
    first_dropped: tuple[str, ...]

    @classmethod
    def of(cls, bins: Bins, n_dropped: int, first_dropped: Sequence[str]) -> "PartCounts":
        """What was counted, and what was left out."""
        n_rows = sum(bins.sizes) + n_dropped  # first: sizes bring the counts up to date
        cells = np.flatnonzero(bins.counts.any(axis=0))
        return cls(
            cells=cells.astype(np.uint32),
            sums=np.concatenate([bins.counts[:, cells], bins.rests[:, cells]]),
            n_rows=n_rows,
            n_dropped=n_dropped,
            first_dropped=tuple(first_dropped[:SHOWN_ROWS]),
        )

    @classmethod
    def merged(cls, parts: "Sequence[PartCounts]") -> "PartCounts":
        """The records of all parts, which are in the order of the source."""
        cells = np.unique(np.concatenate([part.cells for part in parts]))
        sums = np.zeros((4, cells.size), np.int64)
        for part in parts:
            sums[:, np.searchsorted(cells, part.cells)] += part.sums
        first_dropped = [place for part in parts for place in part.first_dropped]
        return cls(
            cells=cells,
            sums=sums,
            n_rows=sum(part.n_rows for part in parts),
            n_dropped=sum(part.n_dropped for part in parts),
            first_dropped=tuple(first_dropped[:SHOWN_ROWS]),
        )

    @property
    def dropped(self) -> str:
        """How many rows were dropped, and which first; empty if none was."""
        if not self.n_dropped:
            return ""
        more = ", ..." if self.n_dropped > SHOWN_ROWS else ""
        return (
            f"dropped {self.n_dropped} of {self.n_rows} rows with a missing value "
            f"({', '.join(self.first_dropped)}{more})"
        )

    def bins(self, kind: ScoreKind) -> Bins:
        """The same counts in `Bins`."""
        bins = Bins(kind)
        bins.counts[:, self.cells] = self.sums[:2]
        bins.rests[:, self.cells] = self.sums[2:]
        return bins
