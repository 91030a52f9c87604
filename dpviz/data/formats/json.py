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

# Bytes for a byte of text: it, its decoded copy (four bytes for a character beyond ASCII), and at
# least as much for the values.
LEAST_PER_BYTE = 3
# Bytes of the Python objects, and of the arrays made of them, for a character of the text: the next
# value, a short list, a dictionary of a few keys, half of a text, a key's place.
OF_CHARACTERS = {b",": 64, b"[": 96, b"{": 240, b'"': 32, b":": 64}
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
    memory = options.memory
    _reject_beyond(memory, file.size * LEAST_PER_BYTE, file.where)
    with file.open() as stream:
        content = stream.read(file.size)  # it may have grown
    _reject_beyond(memory, memory_for(content), file.where)
    if not content.strip():
        raise ReadError(f"{file.where}: {FIX}, got an empty file")
    return parsed(content, file.where, progress=options.progress)


def memory_for(content: bytes) -> int:
    """Bytes that reading a JSON text takes, roughly and at most, from its characters."""
    per_byte = LEAST_PER_BYTE - 1 if content.isascii() else LEAST_PER_BYTE + 2
    values = sum(content.count(each) * memory for each, memory in OF_CHARACTERS.items())
    return len(content) * per_byte + values


def _reject_beyond(memory: int, needed: int, where: str) -> None:
    if needed > memory:
        raise ReadError(
            f"{where}: JSON is read as a whole, which takes about {needed // 2**20} MiB, more "
            f"than the {memory // 2**20} MiB of memory_limit; .jsonl (a row per line), CSV "
            "and Parquet are streamed"
        )


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
