"""Folders of Parquet files and globs of table files: the parts of one table, one after another."""

import glob
import os
from collections.abc import Iterator, Sequence
from itertools import chain

from dpviz.data.formats.csv import CSV
from dpviz.data.formats.format import Format
from dpviz.data.formats.json import JSONL
from dpviz.data.formats.parquet_and_feather import FEATHER, PARQUET
from dpviz.data.sources.file import File
from dpviz.data.sources.options import mismatch, quoted_names
from dpviz.data.tables.table import CellBlock, ColumnRoles
from dpviz.data.tables.table_source import RecordReader, TableSource

TABLES = (PARQUET, FEATHER, CSV, JSONL)


class TableParts(TableSource):
    """Several files with equal columns as one table; row numbers begin again in each file."""

    def __init__(self, folder: File) -> None:
        self.where = folder.where
        self._parts = [_open_table(path) for path in _paths_of_parts(folder)]
        first, *rest = self._parts
        for part in rest:
            if part.names != first.names:
                expected = f"the columns of {first.where}, {quoted_names(first.names)}"
                raise mismatch(part.where, expected, quoted_names(part.names))
        self.names = first.names
        self.memory = sum(part.memory for part in self._parts)
        self.n_pieces = sum(part.n_pieces for part in self._parts)

    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        return chain.from_iterable(part.read_columns(positions) for part in self._parts)

    def piece_readers(self, columns: ColumnRoles) -> Iterator[RecordReader]:
        for part in self._parts:
            part.piece_memory = self.piece_memory
            yield from part.piece_readers(columns)


def _paths_of_parts(folder: File) -> list[str]:
    """Return the paths of the Parquet files in a folder, or of all files that match a glob."""
    if folder.path is None or os.path.isfile(folder.path):
        return []
    if not os.path.isdir(folder.path):
        return sorted(glob.glob(folder.path))
    names = sorted(os.listdir(folder.path))
    return [os.path.join(folder.path, name) for name in names if name.endswith(PARQUET.suffixes)]


def _open_table(path: str) -> TableSource:
    file = File.of(path, None)
    table = next((each.table for each in TABLES if each.accepts(file)), None)
    if table is None:
        known = ", ".join(suffix for each in TABLES for suffix in each.suffixes)
        raise mismatch(file.where, f"a table ({known}) in each file of a glob", file.suffix)
    return table(file)


PARTS = Format(
    name="folder of Parquet tables, or glob of tables",
    recognise=lambda source: isinstance(source, File) and bool(_paths_of_parts(source)),
    table=TableParts,
)
