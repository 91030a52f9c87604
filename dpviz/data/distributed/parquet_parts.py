"""Row groups of Parquet files as pieces of work, each counted by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.data.bins import Bins
from dpviz.data.formats.arrow import tables_of
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.dropped import SHOWN_ROWS
from dpviz.data.formats.format import Missing, ReadError
from dpviz.data.formats.records import Records
from dpviz.data.formats.table import Table
from dpviz.data.part_counts import PartCounts, Sums
from dpviz.data.refine import counts_inside
from dpviz.data.remote_files import Footer, RemoteFile

ROWS_OF_A_PART = 4 * 2**20
"""About so many: long beside starting a task, short beside losing one."""
ROWS_AT_ONCE = 2**16
"""Few: Dask has its workers give memory back as soon as it is free, so large arrays are slow."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Span:
    """Neighbouring row groups of one file.

    Parameters
    ----------
    file : RemoteFile
    groups : tuple of int
        Row groups.
    rows : range
        Their rows, counted from 0 at the beginning of the file.
    """

    file: RemoteFile
    groups: tuple[int, ...]
    rows: range

    def tables(self, names: Sequence[str], columns: Columns) -> Iterator[Table]:
        """The named columns, some rows at a time.

        Raises
        ------
        ReadError
            If the file cannot be read, or has changed since its footer was read.
        """
        n_rows = 0
        for table in tables_of(self._batches(list(names)), columns, self.file.where):
            rows = range(self.rows.start + n_rows, self.rows.start + n_rows + len(table.rows))
            n_rows += len(rows)
            yield replace(table, rows=rows)
        if n_rows != len(self.rows):
            raise ReadError(f"{self.file.where}: changed while it was read")

    def _batches(self, names: list[str]) -> Iterator[Any]:
        from pyarrow import parquet

        with self.file.opened as stream:
            # All bytes of the row groups are asked for at once: far files answer slowly.
            found = parquet.ParquetFile(stream, pre_buffer=True)
            for batch in found.iter_batches(
                ROWS_AT_ONCE, row_groups=self.groups, columns=names, use_threads=False
            ):
                yield batch.select(names)


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """What one task counts.

    Parameters
    ----------
    spans : tuple of Span
    names : tuple of str
        Of the columns, as the files spell them.
    columns : Columns
    missing : {"refuse", "drop"}
    """

    spans: tuple[Span, ...]
    names: tuple[str, ...]
    columns: Columns
    missing: Missing

    def counts(self) -> PartCounts:
        """Read and count, in one thread.

        Raises
        ------
        ReadError
            If a file cannot be read or a cell does not hold what it should.
        """
        bins = Bins(self.columns.kind)
        n_dropped = 0
        first_dropped: list[str] = []
        for where, records in self._records():
            try:
                bins.add(records)
            except ValueError as error:
                raise ReadError(f"{where}: {error}") from None
            n_dropped += len(records.dropped)
            room = SHOWN_ROWS - len(first_dropped)
            first_dropped += [f"row {row} of {where}" for row in records.dropped[:room]]
        return PartCounts.of(bins, n_dropped, first_dropped)

    def counts_inside(self, cells: NDArray[np.uint32]) -> Sums:
        """Read once more, and count every float32 of some cells by itself."""
        records = (some for _, some in self._records())
        return Sums.inside(cells, counts_inside(cells, records, self.columns.kind))

    def _records(self) -> Iterator[tuple[str, Records]]:
        for span in self.spans:
            for table in span.tables(self.names, self.columns):
                yield span.file.where, table.records(self.missing)


def spans_of(files: Sequence[RemoteFile], footers: Sequence[Footer]) -> Iterator[tuple[Span, ...]]:
    """All row groups, in their order, in tuples of about `ROWS_OF_A_PART` rows.

    Small files share a tuple, large ones fill several.
    """
    spans: list[Span] = []
    n_rows = 0
    for file, footer in zip(files, footers, strict=True):
        begin = 0
        for group, n in enumerate(footer.rows):
            if spans and spans[-1].file is file:
                last = spans[-1]
                rows = range(last.rows.start, begin + n)
                spans[-1] = replace(last, groups=(*last.groups, group), rows=rows)
            else:
                spans.append(Span(file=file, groups=(group,), rows=range(begin, begin + n)))
            begin += n
            n_rows += n
            if n_rows >= ROWS_OF_A_PART:
                yield tuple(spans)
                spans, n_rows = [], 0
    if spans:
        yield tuple(spans)
