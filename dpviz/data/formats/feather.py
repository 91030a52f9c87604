"""Feather files, which are Arrow's own format of files or of streams, read batch by batch."""

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.arrow import MEMORY_PER_ROW, cells_of, pyarrow_for, unreadable
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, ReadOptions
from dpviz.data.formats.table_file import CellTable, read_table

if TYPE_CHECKING:
    from dpviz.data.formats.table_file import CellsOfRows

SUFFIXES = (".feather", ".arrow")


class FeatherFile(CellTable):
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
                opened = _opened(stream)
                self.names = [str(name) for name in opened.schema.names]
                self.n_pieces = max(1, getattr(opened, "num_record_batches", 2))
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable(self.where, error) from None
        # Batches may be compressed: about 10 bytes of a file per row and column, at least.
        self.memory = file.size * MEMORY_PER_ROW // 10

    def cells(self, positions: Sequence[int]) -> "Iterator[CellsOfRows]":
        """A batch at a time, as they were written."""
        return cells_of(self._batches(positions), self.where)

    def _batches(self, positions: Sequence[int]) -> Iterator[Any]:
        names = [self.names[position] for position in positions]
        with self.file.open() as stream:
            opened = _opened(stream)
            n = getattr(opened, "num_record_batches", None)
            batches = opened if n is None else map(opened.get_batch, range(n))
            for batch in batches:
                yield batch.select(names)


def _opened(stream: IO[bytes]) -> Any:
    """A reader of a file, which knows how many batches there are, or of a stream (Hugging Face)."""
    pyarrow = pyarrow_for("Feather files")
    try:
        return pyarrow.ipc.open_file(stream)
    except pyarrow.ArrowInvalid as not_a_file:
        stream.seek(0)
        try:
            return pyarrow.ipc.open_stream(stream)
        except (pyarrow.ArrowException, OSError):
            raise not_a_file from None


def _read(source: File, options: ReadOptions) -> Scores:
    return read_table(FeatherFile(source), options, FEATHER.name)


FEATHER = Format(name="Feather table", accepts=has_suffix(SUFFIXES), read=_read, suffixes=SUFFIXES)
