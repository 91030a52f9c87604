"""Row groups of Parquet files as pieces of work, wherever fsspec finds the files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpviz.data.bins import Bins
from dpviz.data.formats.arrow import ROWS, pyarrow_for, tables_of, unreadable
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.format import Missing, ReadError
from dpviz.data.formats.table import Table
from dpviz.data.part_counts import SHOWN_ROWS, PartCounts

ROWS_OF_A_PART = 4 * 2**20
"""About so many: long beside starting a task, short beside losing one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteFile:
    """A file that every worker can open.

    Parameters
    ----------
    where : str
        What messages call it.
    opened : fsspec.core.OpenFile
        Opens it anew at each ``with``.
    """

    where: str
    opened: Any

    def footer(self) -> "Footer":
        """Columns and row groups of a Parquet file.

        Raises
        ------
        FileNotFoundError
            If there is none.
        ReadError
            If it cannot be read.
        """
        pyarrow = pyarrow_for("Parquet files")
        from pyarrow import parquet

        try:
            with self.opened as stream:
                found = parquet.read_metadata(stream)
            names = found.schema.to_arrow_schema().names
        except FileNotFoundError:
            raise
        except (pyarrow.ArrowException, OSError) as error:
            raise unreadable(self.where, error) from None
        rows = tuple(found.row_group(i).num_rows for i in range(found.num_row_groups))
        return Footer(names=tuple(names), rows=rows)


@dataclass(frozen=True, kw_only=True)
class Footer:
    """What the end of a Parquet file says of it: names of columns, rows of each row group."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


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
        """The named columns, about a million rows at a time.

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
                ROWS, row_groups=self.groups, columns=names, use_threads=False
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
        for span in self.spans:
            where = span.file.where
            for table in span.tables(self.names, self.columns):
                records = table.records(self.missing)
                try:
                    bins.add(records)
                except ValueError as error:
                    raise ReadError(f"{where}: {error}") from None
                n_dropped += len(records.dropped)
                room = SHOWN_ROWS - len(first_dropped)
                first_dropped += [f"row {row} of {where}" for row in records.dropped[:room]]
        return PartCounts.of(bins, n_dropped, first_dropped)


def spans_of(files: Sequence[RemoteFile], footers: Sequence[Footer]) -> Iterator[tuple[Span, ...]]:
    """All row groups, in their order, in tuples of about `ROWS_OF_A_PART` rows.

    Small files share a part.
    """
    spans: list[Span] = []
    for file, footer in zip(files, footers, strict=True):
        begin = 0
        groups: list[int] = []
        for ... 
