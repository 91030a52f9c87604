"""CSV and TSV files, compressed or not.

The columns that matter are read fast, block by block. Only a block whose fast reading does not give
scores at once is read again, cell by cell, to find the row, the column and the text that is wrong.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.csv_fast import read_fast
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, Missing, ReadError, ReadOptions, plain, quoted
from dpviz.data.formats.records import Records
from dpviz.data.formats.table import Table
from dpviz.data.formats.table_file import CellTable, Piece, read_table
from dpviz.data.formats.text_blocks import BLOCK, text_blocks

if TYPE_CHECKING:
    import pandas as pd

    from dpviz.data.formats.table_file import CellsOfRows

    Cells = list[pd.Series[Any]]

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
LONGEST_HEADER = 2**20
"""Bytes."""
MOST_COLUMNS = 10_000
DELIMITERS = (";", "\t", "|", ",")
NEVER_CLOSED = "unexpected end of data"
"""As the reader of the standard library says it."""
MEMORY_PER_BYTE = 6
"""Of reading at once: text, cells and scores, over bytes of the file; ten times as much packed."""


class CsvFile(CellTable):
    """A CSV file whose header has been read.

    Raises
    ------
    ReadError
        If it is empty, not text in UTF-8, or has more than `MOST_COLUMNS` columns.
    """

    file: File

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        self.delimiter = "\t" if file.suffix.startswith(".tsv") else ","
        size = file.size * (10 if file.suffix.endswith(".gz") else 1)
        self.memory = size * MEMORY_PER_BYTE
        self.n_pieces = max(1, -(-size // BLOCK))
        self.names, self._start = self._header()

    def _header(self) -> tuple[list[str], int]:
        """The names, and where the row below them begins."""
        first = next(text_blocks(self.file, size=LONGEST_HEADER), None)
        stream = io.BytesIO(b"" if first is None else first.content)
        for n_rows, record in _records(stream, self.where, self.delimiter):
            if not _is_blank(record):
                if len(record) > MOST_COLUMNS:
                    raise ReadError(
                        f"{self.where}, row {n_rows}: expected at most {MOST_COLUMNS} columns, got "
                        f"{len(record)}"
                    )
                return record, stream.tell()
        raise ReadError(f"{self.where}: expected a header and rows, got an empty file")

    def blocks(self) -> Iterator["CsvBlock"]:
        """The rows below the header."""
        for block in text_blocks(self.file, skip=self._start):
            yield CsvBlock(
                where=self.where,
                names=self.names,
                delimiter=self.delimiter,
                content=block.content,
                n_before=block.n_before,
                is_part=self.n_pieces > 1,
            )

    def cells(self, positions: Sequence[int]) -> "Iterator[CellsOfRows]":
        """A block at a time: as numbers where all are read fast and none is missing, else text."""
        for block in self.blocks():
            fast = block.cells_fast(positions, texts=[])
            if fast is not None and all(_has_all_numbers(each) for each in fast):
                begin = block.n_before + 1
                yield fast, range(begin, begin + len(fast[0]))
            else:
                yield block.cells(positions)

    def pieces(self, columns: Columns) -> Iterator[Piece]:
        """A block at a time, read fast if that is clean."""
        for block in self.blocks():
            yield RowsOfBlock(block, columns)


@dataclass(frozen=True, kw_only=True)
class CsvBlock:
    """Some rows of a CSV file.

    Parameters
    ----------
    where : str
        What the source is called in messages.
    names : list of str
        Of the columns.
    delimiter : str
    content : bytes
    n_before : int
        Rows of the file before it; the header's row is 1.
    is_part : bool
        Whether there are other blocks.
    """

    where: str
    names: list[str]
    delimiter: str
    content: bytes
    n_before: int
    is_part: bool

    def table(self, columns: Columns) -> Table:
        """The chosen columns: read fast if that gives scores at once, else cell by cell."""
        positions = columns.positions
        cells = self.cells_fast(positions, texts=positions[2:])
        if cells is not None:
            # Rows are not counted here; a table that is clean never names one.
            rows = range(self.n_before + 1, self.n_before + 1 + len(cells[0]))
            table = Table.of(
                cells, where=self.where, columns=columns, rows=rows, is_part=self.is_part
            )
            if table.clean is not None:
                return table
        found, numbers = self.cells(positions)
        return Table.of(
            found, where=self.where, columns=columns, rows=numbers, is_part=self.is_part
        )

    def cells_fast(self, positions: Sequence[int], *, texts: Sequence[int]) -> "Cells | None":
        """Columns as a fast reader reads them, those of `texts` as text; None if a row is odd."""
        return read_fast(
            self.content,
            n_columns=len(self.names),
            delimiter=self.delimiter,
            positions=positions,
            texts=texts,
        )

    def cells(self, positions: Sequence[int]) -> tuple["Cells", NDArray[np.int64]]:
        """Columns as text, cell by cell, and the row of each in the file (the header's row is 1).

        Raises
        ------
        ReadError
            If a row has too many cells, or the text is no CSV.
        """
        import pandas as pd

        stream, n_columns = io.BytesIO(self.content), len(self.names)
        rows: list[int] = []
        found: list[list[str]] = [[] for _ in positions]
        if not self.content.strip(b"\n"):
            stream = io.BytesIO()  # nothing but blank lines, perhaps many
        for row, record in _records(stream, self.where, self.delimiter, self.n_before):
            # In a single column, "" is a missing cell.
            if not record or (n_columns > 1 and _is_blank(record)):
                continue
            if any(cell.strip() for cell in record[n_columns : n_columns + 1]):
                raise ReadError(
                    f"{self.where}, row {row}: expected {n_columns} columns, got {len(record)}; "
                    f"the row begins {quoted(self.delimiter.join(record))}"
                )
            record += [""] * (n_columns - len(record))
            rows.append(row)
            for column, position in zip(found, positions, strict=True):
                column.append(record[position])
        return [pd.Series(column, dtype=object) for column in found], np.array(rows, np.int64)


def _has_all_numbers(cells: "pd.Series[Any]") -> bool:
    return cells.dtype.kind in "iuf" and bool(cells.notna().all())


@dataclass(frozen=True)
class RowsOfBlock:
    """The chosen columns of a block; read when they are asked."""

    block: CsvBlock
    columns: Columns

    def records(self, missing: Missing) -> Records:
        """Check every cell and drop rows with a missing one if asked to, as of a `Table`."""
        return self.block.table(self.columns).records(missing)


def _is_blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip())


def _records(
    stream: io.BytesIO, where: str, delimiter: str, n_before: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Numbered rows, one line at a time, so that the position in the stream stays true."""
    row = n_before
    lines = (line.decode() for line in stream)
    try:
        for record in csv.reader(lines, delimiter=delimiter, strict=True):
            row += 1
            yield row, record
    except csv.Error as error:
        said = str(error)
        reason = "a quote is never closed" if said == NEVER_CLOSED else said
        raise ReadError(
            f"{where}, row {row + 1}: not a readable row of CSV: {plain(reason)}"
        ) from None


def _read(source: File, options: ReadOptions) -> Scores:
    table = CsvFile(source)
    _refuse_other_delimiter(table)
    return read_table(table, options, CSV.name)


def _refuse_other_delimiter(table: CsvFile) -> None:
    """Scores and membership are two columns: one that looks like several was split elsewhere."""
    (first, *more) = table.names
    others = (each for each in DELIMITERS if each != table.delimiter)
    found = next((each for each in others if each in first), None)
    if found is not None and not more:
        raise ReadError(
            f"{table.where}: expected columns separated by {quoted(table.delimiter)}, got one "
            f"column {quoted(first)}, which looks separated by {quoted(found)}; write .csv with "
            "commas or .tsv with tabs, and numbers with a decimal point"
        )


CSV = Format(name="CSV or TSV table", accepts=has_suffix(SUFFIXES), read=_read, suffixes=SUFFIXES)
