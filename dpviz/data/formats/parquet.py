"""Parquet files, read row group by row group."""

from collections.abc import Iterator

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.arrow import MEMORY_PER_ROW, ROWS, pyarrow_for, tables_of, unreadable
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, ReadOptions
from dpviz.data.formats.table import Table
from dpviz.data.formats.table_file import TableFile, read_table

SUFFIXES = (".parquet", ".pq")


class ParquetFile(TableFile):
    """A Parquet file whose footer has been read; rows are counted from 0.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ReadError
        If it is no Parquet file, or is cut off.
    """

    file: File

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        pyarrow = pyarrow_for("Parquet files")
        from pyarrow import parquet

        try:
            with file.open() as stream:
                metadata = parquet.read_metadata(stream)
                schema = metadata.schema.to_arrow_schema()
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable(self.where, error) from None
        self.names = [str(name) for name in schema.names]
        self.memory = metadata.num_rows * MEMORY_PER_ROW
        self.n_pieces = max(1, -(-metadata.num_rows // ROWS))

    def pieces(self, columns: Columns) -> Iterator[Table]:
        """About a million rows at a time."""
        return tables_of(self._batches(columns), columns, self.where)

    def _batches(self, columns: Columns) -> Iterator[object]:
        from pyarrow import parquet

        names = [self.names[position] for position in columns.positions]
        with self.file.open() as stream:
            # What is fetched beforehand stays until the file is closed: all of it, in the end. And
            # the batches of several threads would wait for one another in memory.
            opened = parquet.ParquetFile(stream, pre_buffer=False)
            for batch in opened.iter_batches(ROWS, columns=names, use_threads=False):
                yield batch.select(names)


def _read(source: File, options: ReadOptions) -> Scores:
    return read_table(ParquetFile(source), options, PARQUET.name)


PARQUET = Format(name="Parquet table", accepts=has_suffix(SUFFIXES), read=_read, suffixes=SUFFIXES)
