"""Sources with named columns, any of which can be asked for: files by suffix, data frames."""

from collections.abc import Callable
from typing import Any

from dpviz.data.formats.csv import SUFFIXES as CSV_SUFFIXES
from dpviz.data.formats.csv import CsvFile
from dpviz.data.formats.feather import SUFFIXES as FEATHER_SUFFIXES
from dpviz.data.formats.feather import FeatherFile
from dpviz.data.formats.file import File
from dpviz.data.formats.frame import frame_of, is_frame
from dpviz.data.formats.jsonl import SUFFIXES as JSONL_SUFFIXES
from dpviz.data.formats.jsonl import JsonlFile
from dpviz.data.formats.parquet import SUFFIXES as PARQUET_SUFFIXES
from dpviz.data.formats.parquet import ParquetFile
from dpviz.data.formats.table_file import CellTable

READERS: dict[str, Callable[[File], CellTable]] = {
    **dict.fromkeys(CSV_SUFFIXES, CsvFile),
    **dict.fromkeys(PARQUET_SUFFIXES, ParquetFile),
    **dict.fromkeys(FEATHER_SUFFIXES, FeatherFile),
    **dict.fromkeys(JSONL_SUFFIXES, JsonlFile),
}
"""By suffix."""
SUFFIXES = tuple(READERS)


def table_of(source: Any, name: str | None) -> CellTable | None:
    """The table that a source is; None if it is none of these.

    Parameters
    ----------
    source : File, table of pandas, polars or pyarrow, or anything else
    name : str or None
        What messages call it if it is no `File`, which has a name.

    Raises
    ------
    ImportError
        If it takes pyarrow, which is not installed.
    ReadError
        If what its suffix says cannot be read.
    """
    if is_frame(source):
        return frame_of(source, name)
    if isinstance(source, File) and source.suffix in READERS:
        return READERS[source.suffix](source)
    return None
