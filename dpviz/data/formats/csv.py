"""CSV and TSV files, compressed or not."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np

from dpviz.data.collect import Records
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.options import Missing, ReadError, mismatch, printable, quoted
from dpviz.data.sources.text_blocks import BLOCK, BYTE_ORDER_MARK, text_blocks
from dpviz.data.tables.table import MOST_DROPPED_OF_TEXT, CellBlock, Cells, ColumnRoles, ScoreTable
from dpviz.data.tables.table_source import RecordReader, TableSource

LONGEST_HEADER = 2**20  # bytes
MOST_COLUMNS = 10_000  # of a file; more raise an error
DELIMITERS = (";", "\t", "|", ",")  # in this order, where the expected one is not in the header
OPEN_QUOTE_ERROR = "unexpected end of data"  # message of the standard library about an open quote
MEMORY_PER_BYTE = 6  # bytes for text, cells and scores per byte of text, all read at once


class CsvFile(TableSource):
    """A CSV file in UTF-8, with the column names from its header."""

    file: File
    most_dropped = MOST_DROPPED_OF_TEXT

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        self.delimiter = "\t" if file.suffix.startswith(".tsv") else ","
        self.memory = file.text_size * MEMORY_PER_BYTE
        self.n_pieces = max(1, -(-file.text_size // BLOCK))
        self.names, self._start = self._read_header()

    def _read_header(self) -> tuple[list[str], int]:
        """Return the column names, and the position in the file at which the first row begins."""
        first, _ = next(text_blocks(self.file, size=LONGEST_HEADER), (b"", 0))
        stream = io.BytesIO(first)
        line = stream.getvalue().lstrip(b"\n").partition(b"\n")[0].decode()
        if self.delimiter not in line:  # as spreadsheets write where a comma is decimal
            self.delimiter = next((each for each in DELIMITERS if each in line), self.delimiter)
        # Blank lines before the header count as rows.
        for row, record in _csv_rows(stream, self.where, self.delimiter):
            if not _is_blank_row(record):
                if len(record) > MOST_COLUMNS:
                    expected = f"at most {MOST_COLUMNS} columns"
                    raise mismatch(f"{self.where}, row {row}", expected, len(record))
                return record, stream.tell()
        raise mismatch(self.where, "a header and rows", "an empty file")

    def blocks(self) -> Iterator["CsvBlock"]:
        """Yield the rows below the header, block by block."""
        part = partial(CsvBlock, where=self.where, names=self.names, delimiter=self.delimiter)
        is_part = self.n_pieces > 1
        for content, n_before in text_blocks(self.file, n_skipped_bytes=self._start):
            yield part(content=content, n_before=n_before, is_part=is_part)

    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        """Yield blocks of rows; the cells are numbers if all cells in a block are, else text."""
        for block in self.blocks():
            fast = block.read_columns_fast(positions, text_positions=[])
            if fast and all(x.dtype.kind in "iuf" and x.notna().all() for x in fast[0]):
                yield fast
            else:
                yield block.read_columns(positions)

    def piece_readers(self, columns: ColumnRoles) -> Iterator[RecordReader]:
        return (partial(block.records, columns) for block in self.blocks())

    def read_columns_fast(
        self, positions: Sequence[int], text_positions: Sequence[int]
    ) -> list[CellBlock] | None:
        """Return columns as pyarrow or pandas parses them, or None if a block cannot be parsed."""
        blocks = self.blocks()
        found = [b.read_columns_fast(positions, text_positions=text_positions) for b in blocks]
        cells: list[CellBlock] = [block for block in found if block is not None]
        return cells if len(cells) == len(found) else None

    def read_columns_unparsed(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        return (block.read_columns(positions) for block in self.blocks())


@dataclass(frozen=True, kw_only=True)
class CsvBlock:
    """Some rows of a CSV file, as bytes that are not parsed yet."""

    where: str  # name of the source in messages
    names: list[str]  # of all columns
    delimiter: str
    content: bytes
    n_before: int  # number of rows of the file before the block, with the header
    is_part: bool  # whether there are other blocks

    def records(self, columns: ColumnRoles, missing: Missing) -> Records:
        """Return the records; if a cell is missing or malformed, use the slower `read_columns`."""
        table = partial(ScoreTable, where=self.where, columns=columns, is_part=self.is_part)
        fast = self.read_columns_fast(columns.positions, text_positions=columns.positions[2:])
        if fast is not None:
            clean = table(cells=fast[0], rows=fast[1]).records_if_clean
            if clean is not None:
                return clean
        cells, rows = self.read_columns(columns.positions)
        return table(cells=cells, rows=rows).records(missing)

    def read_columns_fast(
        self, positions: Sequence[int], *, text_positions: Sequence[int]
    ) -> tuple[Cells, range] | None:
        """Return columns and row numbers by a fast parser, or None if a row is malformed."""
        # pyarrow would skip a byte order mark that is not at the beginning of a file.
        if self.content.isspace() or self.content.startswith(BYTE_ORDER_MARK):
            return None
        is_for_pyarrow = find_spec("pyarrow") and not self.may_hold_hexadecimal
        read = self.read_by_pyarrow if is_for_pyarrow else self.read_by_pandas
        cells = read(positions, text_positions)
        if cells is None:
            return None
        return cells, range(self.n_before + 1, self.n_before + 1 + len(cells[0]))

    @property
    def may_hold_hexadecimal(self) -> bool:
        """Whether a cell may be text such as "0x1", which pyarrow would read as a number."""
        # A search for one character is fast, a search for two is not.
        return any(x in self.content and b"0" + x in self.content for x in (b"x", b"X"))

    def read_by_pyarrow(
        self, positions: Sequence[int], text_positions: Sequence[int] = ()
    ) -> Cells | None:
        """Return the columns as pyarrow reads them, or None if pyarrow raises an error."""
        import pyarrow as pa  # optional: dpviz[parquet]
        from pyarrow import csv

        names = [str(position) for position in range(len(self.names))]
        wanted = [names[position] for position in positions]
        texts = {names[position]: pa.string() for position in text_positions}
        # One thread and one chunk: other threads read other blocks.
        one_chunk = {"use_threads": False, "block_size": len(self.content) + 1}
        missing = {"null_values": [""], "strings_can_be_null": True}
        # Without quotes no cell contains a newline, and parsing is faster.
        quotes = b'"' in self.content
        try:
            table = csv.read_csv(
                pa.BufferReader(self.content),
                read_options=csv.ReadOptions(column_names=names, **one_chunk),
                parse_options=csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=quotes),
                convert_options=csv.ConvertOptions(
                    include_columns=list(dict.fromkeys(wanted)), column_types=texts, **missing
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            return None
        return [table.column(name).to_pandas() for name in wanted]

    def read_by_pandas(
        self, positions: Sequence[int], text_positions: Sequence[int] = ()
    ) -> Cells | None:
        """Return the columns as pandas reads them, or None if pandas fails or a row is too long."""
        import pandas as pd  # slow to import

        # One column more than there should be: it stays empty unless a row has too many cells.
        names = [str(position) for position in range(len(self.names) + 1)]
        # pandas reads floats exactly on request; from 3.1 on always, and the request is deprecated.
        major, minor = pd.__version__.split(".")[:2]
        always_exact = (int(major), int(minor)) >= (3, 1)
        try:
            frame = pd.read_csv(
                io.BytesIO(self.delimiter.join(names).encode() + b"\n" + self.content),
                sep=self.delimiter,
                usecols=[*(names[position] for position in positions), names[-1]],
                dtype={names[position]: str for position in text_positions} or None,
                index_col=False,
                keep_default_na=False,
                na_values=[""],
                low_memory=False,
                float_precision=None if always_exact else "round_trip",
            )
        except (pd.errors.ParserError, pd.errors.EmptyDataError):
            return None
        has_more = frame[names[-1]].notna().any()
        return None if has_more else [frame[names[position]] for position in positions]

    def read_columns(self, positions: Sequence[int]) -> CellBlock:
        """Return columns at `positions` as text, and row numbers; ReadError for a malformed row."""
        import pandas as pd  # slow to import

        stream, n_columns = io.BytesIO(self.content), len(self.names)
        rows: list[int] = []
        found: list[list[str]] = [[] for _ in positions]
        if not self.content.strip(b"\n"):
            stream = io.BytesIO()  # there may be millions of blank lines
        for row, record in _csv_rows(stream, self.where, self.delimiter, self.n_before):
            # In a file of one column, a blank line is a missing cell.
            if not record or (n_columns > 1 and _is_blank_row(record)):
                continue
            if any(cell.strip() for cell in record[n_columns:]):
                got = f"{len(record)}; the row begins {quoted(self.delimiter.join(record))}"
                raise mismatch(f"{self.where}, row {row}", f"{n_columns} columns", got)
            # A row that is too short has missing cells at its end.
            record += [""] * (n_columns - len(record))
            rows.append(row)
            for column, position in zip(found, positions, strict=True):
                column.append(record[position])
        return [pd.Series(column, dtype=object) for column in found], np.array(rows, np.int64)


def _is_blank_row(cells: list[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _csv_rows(
    stream: io.BytesIO, where: str, delimiter: str, n_before: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Yield (row number, cells) of each row; the row numbers begin at `n_before` + 1."""
    row = n_before
    lines = (line.decode() for line in stream)
    try:
        for record in csv.reader(lines, delimiter=delimiter, strict=True):
            row += 1
            yield row, record
    except csv.Error as error:
        message = str(error)
        message = "a quote is never closed" if message == OPEN_QUOTE_ERROR else message
        place = f"{where}, row {row + 1}"
        raise ReadError(f"{place}: not a readable row of CSV: {printable(message)}") from None


CSV = Format(
    name="CSV or TSV table",
    suffixes=(".csv", ".tsv", ".csv.gz", ".tsv.gz"),
    magic={b"\x1f\x8b": ".csv.gz"},
    table=CsvFile,
)
