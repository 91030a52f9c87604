"""JSON files: an object of arrays, or a list of rows."""

from collections.abc import Iterator
from typing import Any

from dpviz.audit.binned_scores import Scores
from dpviz.data.conventions import read_fields
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.fields import Fields
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, ReadError, ReadOptions
from dpviz.data.formats.json_text import parsed
from dpviz.data.formats.mapping import flattened
from dpviz.data.formats.row_objects import Row, names_of, table_of
from dpviz.data.formats.table import Table
from dpviz.data.formats.table_file import TableFile, read_table

SUFFIXES = (".json",)
MEMORY_PER_BYTE = 8
"""Of what Python makes of a text, over its bytes."""
FIX = (
    'expected an object such as {"member_losses": [...], "nonmember_losses": [...]} or a list of '
    "rows"
)


class JsonRows(TableFile):
    """A list of objects; rows are counted from 0."""

    def __init__(self, file: File, rows: list[Row]) -> None:
        self.file = file
        self.where = file.where
        self.names = names_of(rows)
        self._rows = rows

    def pieces(self, columns: Columns) -> Iterator[Table]:
        """All of it."""
        yield table_of(self._rows, self.names, range(len(self._rows)), columns, self.where)


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
        try:
            values = flattened(value)
        except RecursionError:
            raise ReadError(f"{source.where}: nested too deeply") from None
        except ReadError as error:
            raise ReadError(f"{source.where}: {error}") from None
        fields = Fields(
            where=source.where, names=tuple(values), load=values.__getitem__, file=source
        )
        return read_fields(fields, options)
    if isinstance(value, list):
        for i, row in enumerate(value):
            if not isinstance(row, dict):
                kind = type(row).__name__
                raise ReadError(f"{source.where}, row {i}: {FIX}, got a {kind} in a list")
        if not value:
            raise ReadError(f"{source.where}: expected rows, got none")
        return read_table(JsonRows(source, value), options, JSON.name)
    raise ReadError(f"{source.where}: {FIX}, got a {type(value).__name__}")


JSON = Format(
    name="JSON: an object of arrays or a list of rows",
    accepts=has_suffix(SUFFIXES),
    read=_read,
    suffixes=SUFFIXES,
)
