"""Row groups of Parquet files as parts, each counted by one task."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.data.collect.bins import Bins
from dpviz.data.collect.records import Records
from dpviz.data.collect.refine import counts_inside
from dpviz.data.distributed.part_counts import PartCounts, Sums
from dpviz.data.distributed.remote_files import RemoteFile
from dpviz.data.formats.parquet import SMALLER, Footer, coded_leaves, leaves_of
from dpviz.data.sources.memory import ALWAYS, default_limit
from dpviz.data.sources.options import Missing, ReadError
from dpviz.data.tables.arrow import cells_of_batches, too_large
from dpviz.data.tables.columns import Columns
from dpviz.data.tables.dropped import SHOWN_ROWS
from dpviz.data.tables.table import Table

ROWS_OF_A_PART = 4 * 2**20  # roughly: reading them takes longer than starting a task
ROWS_AT_ONCE = 2**16  # few: a Dask worker returns free memory at once, so large arrays are slow


@dataclass(frozen=True, kw_only=True, eq=False)
class Span:
    """Neighbouring row groups of one file, and their rows, counted from 0 in the file."""

    file: RemoteFile
    groups: tuple[int, ...]
    rows: range

    def tables(self, names: Sequence[str], columns: Columns, memory: int | None) -> Iterator[Table]:
        """Yield the named columns, some rows at a time.

        Raises ReadError if the file has changed since its footer was read, or if a row group takes
        more than `memory`: left out, a quarter of what is free where this runs.
        """
        where, end = self.file.where, self.rows.start
        batches = self._batches(list(names), default_limit() if memory is None else memory)
        for cells, rows in cells_of_batches(batches, where, end):
            end = rows.stop
            yield Table(cells=cells, where=where, columns=columns, rows=rows)
        if end != self.rows.stop:
            raise ReadError(f"{where}: changed while it was read")

    def _batches(self, names: list[str], memory: int) -> Iterator[Any]:
        from pyarrow import parquet  # optional: dpviz[distributed]

        with self.file.opened as stream:
            footer = parquet.read_metadata(stream)
            self._reject_beyond(max(memory, ALWAYS), footer, names)
            # All bytes of the row groups are requested at once: remote files answer slowly.
            found = parquet.ParquetFile(
                stream,
                metadata=footer,
                pre_buffer=True,
                read_dictionary=coded_leaves(footer, names),
            )
            for batch in found.iter_batches(
                ROWS_AT_ONCE, row_groups=self.groups, columns=names, use_threads=False
            ):
                yield batch.select(names)

    def _reject_beyond(self, most: int, footer: Any, names: list[str]) -> None:
        """Compare what the footer claims: each page of a remote file would cost a request."""
        for group in self.groups:
            found = footer.row_group(group)
            sizes = (found.column(i).total_uncompressed_size for i in leaves_of(footer, names))
            needed = 2 * sum(sizes)
            if needed > most:
                raise too_large(self.file.where, f"row group {group}", needed, most, SMALLER)


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """Rows that one task counts; `names` are those of the columns, as spelled in the files."""

    spans: tuple[Span, ...]
    names: tuple[str, ...]
    columns: Columns
    missing: Missing
    memory: int | None = None

    def counts(self) -> PartCounts:
        """Count them in one thread."""
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
        """Read them again, and count every float32 of some cells."""
        records = (some for _, some in self._records())
        return Sums.inside(cells, counts_inside(cells, records, self.columns.kind))

    def _records(self) -> Iterator[tuple[str, Records]]:
        for span in self.spans:
            for table in span.tables(self.names, self.columns, self.memory):
                yield span.file.where, table.records(self.missing)


def spans_of(files: Sequence[RemoteFile], footers: Sequence[Footer]) -> Iterator[tuple[Span, ...]]:
    """Yield all row groups, in their order, in tuples of about `ROWS_OF_A_PART` rows."""
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
