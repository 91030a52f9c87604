"""The registry of file formats; a new format is a module in this folder and a line below."""

from typing import Any

from dpviz.data.formats.arrays import NPY, NPZ
from dpviz.data.formats.csv import CSV
from dpviz.data.formats.format import Format
from dpviz.data.formats.json import JSON, JSONL
from dpviz.data.formats.parquet_and_feather import FEATHER, PARQUET
from dpviz.data.formats.parts import PARTS
from dpviz.data.sources.file import File
from dpviz.data.tables.frame import frame_as_table, is_frame
from dpviz.data.tables.table_source import TableSource

FILES: list[Format] = [CSV, PARQUET, FEATHER, NPZ, NPY, JSON, JSONL, PARTS]


def file_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all files that can be read, such as ".csv" and ".csv.gz"."""
    return tuple(suffix for each in FILES for suffix in each.suffixes)


def table_suffixes() -> tuple[str, ...]:
    """Return the suffixes of files that hold one table with named columns."""
    return tuple(suffix for each in FILES if each.table for suffix in each.suffixes)


def opened_file(source: Any, name: str | None) -> File:
    """Return the `File` of a source; the first bytes give the suffix of a file without a name."""
    magic = {first: suffix for each in FILES for first, suffix in each.magic.items()}
    return File.of(source, name, magic)


def format_of(file: File) -> Format | None:
    """Return the first format in `FILES` that accepts a file, or None if none does."""
    return next((each for each in FILES if each.accepts(file)), None)


def table_of(source: Any, name: str | None) -> TableSource | None:
    """Return a file or a data frame as a table called `name`, or None for other sources."""
    if is_frame(source):
        return frame_as_table(source, name)
    found = format_of(source) if isinstance(source, File) else None
    return None if found is None or found.table is None else found.table(source)
