"""Feather files, which are Arrow's own format of files, read batch by batch."""

from collections.abc import Iterator
from typing import Any

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.arrow import MEMORY_PER_ROW, pyarrow_for, tables_of, unreadable
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.file import File
from dpviz.data.formats.format import Format, ReadOptions
from dpviz.data.formats.table import Table
from dpviz.data.formats.table_file import TableFile, read_table

SUFFIXES = (".feather", ".arrow")


class FeatherFile(TableFile):
    """A Feather file (version 2) whose schema has been read; rows are counted from 0.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ReadError
        If it is no Feather file, or is cut off.
    """

    file: File

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        pyarrow = pyarrow_for("Feather files")
        try:
            with file.open() as stream:
                opened = pyarrow.ipc.open_file(stream)
                self.names = [str(name) for name in opened.schema.names]
                self.n_pieces = max(1, opened.num_record_batches)
        except (pyarrow.ArrowException, OSError) as error:
            raise unreadable(self.where, error) from None
        # Batches may be compressed: about 10 bytes of a file per row and column, at least.
        self.memory = file.size * MEMORY_PER_ROW // 10

    def pieces(self, columns: Columns) -> Iterator[Table]:
        """A batch at a time, as they were written."""
        return tables_of(self._batches(columns), columns, self.where)

    def _batches(self, columns: Columns) -> Iterator[Any]:
        pyarrow = pyarrow_for("Feather files")
        names = [self.names[position] for position in columns.positions]
        with self.file.open() as stream:
            opened = pyarrow.ipc.open_file(stream)
            for i in range(opened.num_record_batches):
                yield opened.get_batch(i).select(names)


def _accepts(source: object) -> bool:
    return isinstance(source, File) and source.suffix in SUFFIXES


def _read(source: File, options: ReadOptions) -> Scores:
    return read_table(FeatherFile(source), options, FEATHER.name)


FEATHER = Format(name="Feather table", accepts=_accepts, read=_read, suffixes=SUFFIXES)
