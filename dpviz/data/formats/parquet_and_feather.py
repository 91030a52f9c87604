"""Parquet and Feather files, which a child process reads in parts."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from dpviz.data.formats.format import Format
from dpviz.data.sources import parquet_arrow_json as readers
from dpviz.data.sources.child import ChildError, Reader, run_in_child
from dpviz.data.sources.file import File
from dpviz.data.sources.options import LEAST_PIECE_LIMIT
from dpviz.data.tables import frame
from dpviz.data.tables.table import CellBlock
from dpviz.data.tables.table_source import TableSource

MEMORY_FOR_NAMES = 4 * LEAST_PIECE_LIMIT  # bytes for the names of the columns
ROW_GROUP_ADVICE = (
    "write smaller row groups and pages: pyarrow.parquet.write_table(..., row_group_size=2**20)"
)
BATCH_ADVICE = "write smaller batches: pyarrow.feather.write_feather(..., chunksize=2**16)"


class ArrowTable(TableSource):
    """A Parquet or Feather file as a table, read by child processes; row numbers begin at 0."""

    file: File
    n_threads = 2

    def __init__(
        self, file: File, header_reader: Reader, piece_reader: Reader, plural: str, advice: str
    ) -> None:
        self.file = file
        self.where = file.where
        self._piece_reader = piece_reader
        self._advice = advice
        self._pyarrow = frame.import_pyarrow(plural)
        (text,) = self._read_in_child(header_reader, memory=MEMORY_FOR_NAMES)
        self.names, self.n_rows_or_batches = json.loads(bytes(text))

    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        names = [self.names[position] for position in positions]
        most = max(self.piece_memory, LEAST_PIECE_LIMIT)
        rows = range(0)
        for piece in self._read_in_child(self._piece_reader, names, most, memory=most):
            table = self._pyarrow.ipc.open_stream(piece).read_all()
            rows = range(rows.stop, rows.stop + table.num_rows)
            yield frame.arrow_columns(table), rows

    def _read_in_child(self, read: Reader, *args: object, memory: int) -> Iterator[Any]:
        try:
            yield from run_in_child(read, self.file.source, *args, memory=memory)
        except MemoryError as error:
            raise frame.too_large_error(self.where, error.args, memory, self._advice) from error
        except ChildError as error:
            raise frame.unreadable_error(self.where, error) from error


def _open_parquet(file: File) -> ArrowTable:
    table = ArrowTable(
        file, readers.parquet_header_json, readers.parquet_pieces, "Parquet files", ROW_GROUP_ADVICE
    )
    table.memory = table.n_rows_or_batches * frame.MEMORY_PER_ROW
    table.n_pieces = max(1, -(-table.n_rows_or_batches // readers.PIECE_ROWS))
    return table


def _open_feather(file: File) -> ArrowTable:
    table = ArrowTable(
        file, readers.arrow_header_json, readers.arrow_pieces, "Feather files", BATCH_ADVICE
    )
    # Batches may be compressed: a row of a column takes at least about 10 bytes of the file.
    table.memory = file.size * frame.MEMORY_PER_ROW // 10
    table.n_pieces = table.n_rows_or_batches or 2  # the number of batches in a stream is unknown
    return table


PARQUET = Format(
    name="Parquet table",
    suffixes=(".parquet", ".pq"),
    magic={b"PAR1": ".parquet"},
    table=_open_parquet,
)
FEATHER = Format(
    name="Feather table",
    suffixes=(".feather", ".arrow"),
    magic={b"ARROW1": ".feather", b"FEA1": ".feather"},
    table=_open_feather,
)
