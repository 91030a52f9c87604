"""Feather files, which are Arrow's file or stream format, read batch by batch."""

from collections.abc import Iterator, Sequence
from typing import IO, Any

from dpviz.data.formats.format import Format
from dpviz.data.sources.arrow_messages import DAMAGED, batches_of
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ALWAYS, ReadError
from dpviz.data.tables.arrow import (
    MEMORY_PER_ROW,
    cells_of_batches,
    pyarrow_for,
    too_large,
    unreadable,
)
from dpviz.data.tables.table import CellsOfRows
from dpviz.data.tables.table_source import TableSource


class FeatherFile(TableSource):
    """A Feather file (version 2) whose schema has been read; rows count from 0."""

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
            raise unreadable(self.where, error) from error
        # Batches may be compressed: a row of a column takes at least about 10 bytes of the file.
        self.memory = file.size * MEMORY_PER_ROW // 10

    def reject_beyond(self, memory: int, positions: Sequence[int]) -> None:
        """Compare what each batch claims to hold, with the texts of coded columns, and `memory`."""
        dictionaries, most, place = 0, max(memory, ALWAYS), 0
        try:
            with self.file.open() as stream:
                for batch in batches_of(stream):
                    own = 2 * batch.n_bytes  # packed and unpacked
                    dictionaries += own if batch.is_dictionary else 0
                    cells = own + batch.n_rows * MEMORY_PER_ROW
                    needed = dictionaries + (0 if batch.is_dictionary else cells)
                    if needed > most:
                        raise too_large(
                            *(self.where, f"record batch {place}", needed, most),
                            "write smaller batches: pyarrow.feather.write_feather(..., "
                            "chunksize=2**16)",
                        )
                    place += not batch.is_dictionary
        except ReadError:
            raise
        except (OSError, *DAMAGED) as error:
            raise unreadable(self.where, error) from error

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """A record batch at a time."""
        return cells_of_batches(self._batches(positions), self.where)

    def _batches(self, positions: Sequence[int]) -> Iterator[Any]:
        names = [self.names[position] for position in positions]
        with self.file.open() as stream:
            opened = _opened(stream)
            n = getattr(opened, "num_record_batches", None)
            batches = opened if n is None else map(opened.get_batch, range(n))
            for batch in batches:
                yield batch.select(names)


def _opened(stream: IO[bytes]) -> Any:
    """Arrow's reader of a file, which knows its batches, or of a stream, as Hugging Face writes."""
    pyarrow = pyarrow_for("Feather files")
    try:
        return pyarrow.ipc.open_file(stream)
    except pyarrow.ArrowInvalid as not_a_file:
        stream.seek(0)
        try:
            return pyarrow.ipc.open_stream(stream)
        except (pyarrow.ArrowException, OSError):
            raise not_a_file from None


FEATHER = Format(
    name="Feather table",
    suffixes=(".feather", ".arrow"),
    magic={b"ARROW1": ".feather", b"FEA1": ".feather"},
    table=FeatherFile,
)
