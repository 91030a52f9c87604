"""Parquet files, read row group by row group."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from dpviz.data.collect import Records
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ALWAYS, Missing, ReadError
from dpviz.data.sources.parquet_pages import ColumnSize, check_footer, size_of
from dpviz.data.tables.arrow import (
    MEMORY_PER_ROW,
    ROWS,
    cells_of_batches,
    pyarrow_for,
    too_large,
    unreadable,
)
from dpviz.data.tables.table import CellsOfRows, Columns, Table
from dpviz.data.tables.table_source import Piece, TableSource

SMALLER = (
    "write smaller row groups and pages: pyarrow.parquet.write_table(..., row_group_size=2**20)"
)
LARGEST_GROUP = 4 * ROWS  # rows; larger row groups are read in parts, one after another


class ParquetFile(TableSource):
    """A Parquet file whose footer has been read; rows count from 0."""

    file: File
    n_threads = 2

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        footer = Footer.of(file.open, file.where)
        self.names = list(footer.names)
        self._rows = footer.rows
        self.memory = sum(self._rows) * MEMORY_PER_ROW
        self.n_pieces = max(1, -(-sum(self._rows) // ROWS))
        self._at_once = ROWS
        self._coded: list[str] = []
        self._in_parts = max(self._rows, default=0) > LARGEST_GROUP

    def reject_beyond(self, memory: int, positions: Sequence[int]) -> None:
        """Compare what the pages of each row group claim to hold, and `memory`."""
        pyarrow = pyarrow_for("Parquet files")
        most = max(memory, ALWAYS)
        try:
            for group, size in enumerate(self._sizes(positions)):
                if 2 * size.at_once > most:
                    place = f"row group {group}"
                    raise too_large(self.where, place, 2 * size.at_once, most, SMALLER)
                # Texts in parts of texts take what a page takes, each: few rows at a time.
                self._at_once = min(self._at_once, max(1, most // (2 * size.row or 1)))
                is_large = 2 * size.whole > most or self._at_once < ROWS
                self._in_parts = self._in_parts or is_large
        except ReadError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise unreadable(self.where, error) from error

    def _sizes(self, positions: Sequence[int]) -> Iterator[ColumnSize]:
        """Sizes of the row groups, of some columns together."""
        from pyarrow import parquet  # optional: dpviz[parquet]

        names = {self.names[position] for position in positions}
        with self.file.open() as stream:
            footer = parquet.read_metadata(stream)
            chosen = leaves_of(footer, names)
            self._coded = coded_leaves(footer, names)
            for group in groups_of(footer):
                sizes = [
                    size_of(stream, group.column(i), is_nested=leaf.max_repetition_level > 0)
                    for i, leaf in chosen.items()
                ]
                yield ColumnSize(
                    whole=sum(size.whole for size in sizes),
                    at_once=sum(size.at_once for size in sizes),
                    row=sum(size.row for size in sizes),
                )

    def pieces(self, columns: Columns) -> Iterator[Piece]:
        """About a million rows at a time, in whole row groups unless they are huge."""
        if self._in_parts:
            yield from super().pieces(columns)
            return
        begin = end = first = 0
        for group, n_rows in enumerate(self._rows):
            end += n_rows
            if end - begin >= ROWS or group == len(self._rows) - 1:
                yield partial(self._records, columns, list(range(first, group + 1)), begin)
                begin, first = end, group + 1

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """About a million rows at a time."""
        return cells_of_batches(self._batches(positions), self.where)

    def _batches(self, positions: Sequence[int]) -> Iterator[object]:
        from pyarrow import parquet  # optional: dpviz[parquet]

        names = [self.names[position] for position in positions]
        with self.file.open() as stream:
            # Buffered bytes stay in memory until the file is closed: in the end, all of them.
            opened = parquet.ParquetFile(stream, pre_buffer=False, read_dictionary=self._coded)
            for batch in opened.iter_batches(self._at_once, columns=names):
                yield batch.select(names)

    def _records(
        self, columns: Columns, groups: list[int], begin: int, missing: Missing
    ) -> Records:
        """Some row groups, of which the first begins at row `begin`."""
        groups_read = self._read_groups(columns, groups)
        ((cells, rows),) = cells_of_batches(groups_read, self.where, begin)
        is_part = self.n_pieces > 1
        table = Table(cells=cells, where=self.where, columns=columns, rows=rows, is_part=is_part)
        return table.records(missing)

    def _read_groups(self, columns: Columns, groups: list[int]) -> Iterator[object]:
        from pyarrow import parquet  # optional: dpviz[parquet]

        names = [self.names[position] for position in columns.positions]
        with self.file.open() as stream:
            opened = parquet.ParquetFile(stream, pre_buffer=False, read_dictionary=self._coded)
            # One thread: other threads read other groups.
            yield opened.read_row_groups(groups, columns=names, use_threads=False).select(names)


def leaves_of(footer: Any, names: Collection[str]) -> dict[int, Any]:
    """Return by position what the footer says about some columns, and the parts of nested ones."""
    leaves = {i: footer.schema.column(i) for i in range(footer.num_columns)}
    return {
        i: leaf
        for i, leaf in leaves.items()
        if leaf.path in names or leaf.path.partition(".")[0] in names
    }


def groups_of(footer: Any) -> list[Any]:
    """Return the row groups that have rows; an empty one has no pages."""
    found = (footer.row_group(i) for i in range(footer.num_row_groups))
    return [group for group in found if group.num_rows]


def coded_leaves(footer: Any, names: Collection[str]) -> list[str]:
    """Return the paths of columns whose texts can stay coded by those of their dictionary.

    pyarrow cannot do so for texts that are kept as differences.
    """
    groups = groups_of(footer)
    return [
        leaf.path
        for i, leaf in leaves_of(footer, names).items()
        if not any("DELTA" in kind for each in groups for kind in each.column(i).encodings)
    ]


@dataclass(frozen=True, kw_only=True)
class Footer:
    """Names of the columns and numbers of rows of each row group."""

    names: tuple[str, ...]
    rows: tuple[int, ...]

    @classmethod
    def of(cls, opened: Callable[[], AbstractContextManager[IO[bytes]]], where: str) -> "Footer":
        """Read the end of a Parquet file, which `opened` opens and messages call `where`.

        Raises ImportError without pyarrow, FileNotFoundError without a file, otherwise ReadError.
        """
        pyarrow = pyarrow_for("Parquet files")
        from pyarrow import parquet  # optional: dpviz[parquet]

        try:
            with opened() as stream:
                found = parquet.read_metadata(stream)
                check_footer(stream, [found.schema.column(i) for i in range(found.num_columns)])
            names = found.schema.to_arrow_schema().names
        except FileNotFoundError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise unreadable(where, error) from error
        rows = (found.row_group(i).num_rows for i in range(found.num_row_groups))
        return cls(names=tuple(map(str, names)), rows=tuple(rows))


PARQUET = Format(
    name="Parquet table",
    suffixes=(".parquet", ".pq"),
    magic={b"PAR1": ".parquet"},
    table=ParquetFile,
)
