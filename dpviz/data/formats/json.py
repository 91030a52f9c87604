"""JSON files: an object of arrays, or a list of rows."""

from collections.abc import Iterator, Sequence
from typing import Any

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions.registry import read_fields
from dpviz.data.formats.format import Format
from dpviz.data.formats.mapping import fields_of
from dpviz.data.sources.file import File
from dpviz.data.sources.json_text import parsed
from dpviz.data.sources.options import ReadError, ReadOptions
from dpviz.data.tables.cells import CellsOfRows
from dpviz.data.tables.row_objects import Row, cells_of_rows, names_of
from dpviz.data.tables.table_source import TableSource, read_table

MEMORY_PER_BYTE = 8  # bytes of the Python objects for a byte of text
FIX = (
    'expected an object such as {"member_losses": [...], "nonmember_losses": [...]} or a list of '
    "rows"
)


class JsonRows(TableSource):
    """A list of objects; rows count from 0."""

    def __init__(self, file: File, rows: list[Row]) -> None:
        self.file = file
        self.where = file.where
        self.names = names_of(rows)
        self._rows = rows

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """All rows."""
        names = [self.names[position] for position in positions]
        yield cells_of_rows(self._rows, names), range(len(self._rows))


def _load(file: File, options: ReadOptions) -> Any:
    needed = file.size * MEMORY_PER_BYTE
    if needed > options.memory:
        raise ReadError(
            f"{file.where}: JSON is read as a whole, which takes about {needed // 2**20} MiB, more "
            f"than the {options.memory // 2**20} MiB of memory_limit; .jsonl (a row per line), CSV "
            "and Parquet are streamed"
        )
    with file.open() as stream:
        content = stream.read()
    if not content.strip():
        raise ReadError(f"{file.where}: {FIX}, got an empty file")
    return parsed(content, file.where)


def _read(source: File, options: ReadOptions) -> Scores:
    value = _load(source, options)
    if isinstance(value, dict):
        return read_fields(fields_of(value, source.where, source), options)
    if not isinstance(value, list):
        raise ReadError(f"{source.where}: {FIX}, got a {type(value).__name__}")
    for i, row in enumerate(value):
        if not isinstance(row, dict):
            kind = type(row).__name__
            raise ReadError(f"{source.where}, row {i}: {FIX}, got a {kind} in a list")
    if not value:
        raise ReadError(f"{source.where}: expected rows, got none")
    return read_table(JsonRows(source, value), options, JSON.name)


JSON = Format(name="JSON: an object of arrays or a list of rows", suffixes=(".json",), reader=_read)
