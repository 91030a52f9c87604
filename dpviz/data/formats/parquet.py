"""Parquet files, read row group by row group."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.arrow import MEMORY_PER_ROW, ROWS, cells_of, pyarrow_for, unreadable
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, Missing, ReadOptions
from dpviz.data.formats.records import Records
from dpviz.data.formats.table import Table
from dpviz.data.formats.table_file import CellTable, Piece, read_table

if TYPE_CHECKING:
    from dpviz.data.formats.table_file import CellsOfRows

SUFFIXES = (".parquet", ".pq")
LARGEST_GROUP = 4 * ROWS
"""Rows; larger groups are read bit by bit, one after another."""


class ParquetFile(CellTable):
    """A Parquet file whose footer has been read; rows are counted from 0.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ReadError
        If it is no Parquet file, or is cut off.
    """

    file: File
    n_threads = 2

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        names, self._rows = footer_of(file.open, file.where)
        self.names = list(names)
        self.memory = sum(self._rows) * MEMORY_PER_ROW
        self.n_pieces = max(1, -(-sum(self._rows) // ROWS))

    def pieces(self, columns: Columns) -> Iterator[Piece]:
        """About a million rows at a time; row groups by themselves, unless they are huge."""
        if max(self._rows, default=0) > LARGEST_GROUP:
            yield from super().pieces(columns)
            return
        begin = end = first = 0
        for group, n_rows in enumerate(self._rows):
            end += n_rows
            if end - begin >= ROWS or group == len(self._rows) - 1:
                yield RowGroups(self, columns, list(range(first, group + 1)), begin)
                begin, first = end, group + 1

    def cells(self, positions: Sequence[int]) -> "Iterator[CellsOfRows]":
        """About a million rows at a time."""
        return cells_of(self._batches(positions), self.where)

    def _batches(self, positions: Sequence[int]) -> Iterator[object]:
        from pyarrow import parquet

        names = [self.names[position] for position in positions]
        with self.file.open() as stream:
            # What is fetched beforehand stays until the file is closed: all of it, in the end.
            opened = parquet.ParquetFile(stream, pre_buffer=False)
            for batch in opened.iter_batches(ROWS, columns=names):
                yield batch.select(names)


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Some row groups of a file, the first of which begins at a row; read when they are asked."""

    table: ParquetFile
    columns: Columns
    groups: list[int]
    begin: int

    def records(self, missing: Missing) -> Records:
        """Read them, with one thread: others read others."""
        where = self.table.where
        ((cells, rows),) = cells_of(self._read(), where, self.begin)
        is_part = self.table.n_pieces > 1
        table = Table.of(cells, where=where, columns=self.columns, rows=rows, is_part=is_part)
        return table.records(missing)

    def _read(self) -> Iterator[object]:
        from pyarrow import parquet

        names = [self.table.names[position] for position in self.columns.positions]
        with self.table.file.open() as stream:
            opened = parquet.ParquetFile(stream, pre_buffer=False)
            yield opened.read_row_groups(self.groups, columns=names, use_threads=False).select(
                names
            )


def footer_of(
    opened: Callable[[], AbstractContextManager[IO[bytes]]], where: str
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names of the columns and rows of each row group, as the end of a file says.

    Parameters
    ----------
    opened : callable
        Opens the file; that may fail as reading may.
    where : str
        What messages call it.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    FileNotFoundError
        If there is no file.
    ReadError
        If it cannot be read, is no Parquet file, or is cut off.
    """
    pyarrow = pyarrow_for("Parquet files")
    from pyarrow import parquet

    try:
        with opened() as stream:
            found = parquet.read_metadata(stream)
        names = found.schema.to_arrow_schema().names
    except FileNotFoundError:
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unreadable(where, error) from None
    rows = (found.row_group(i).num_rows for i in range(found.num_row_groups))
    return tuple(map(str, names)), tuple(rows)


def _read(source: File, options: ReadOptions) -> Scores:
    return read_table(ParquetFile(source), options, PARQUET.name)


PARQUET = Format(name="Parquet table", accepts=has_suffix(SUFFIXES), read=_read, suffixes=SUFFIXES)
