""".npy and .npz files."""

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores.base import Scores
from dpviz.checks import reason
from dpviz.data.conventions import read_fields
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.npy_array import PIECE, NpyHeader
from dpviz.data.sources.options import ReadError, ReadOptions, quoted
from dpviz.data.sources.real_arrays import reals_of
from dpviz.data.tables.frame import Fields
from dpviz.data.tables.side import MEMORY_PER_NUMBER, Block, Side
from dpviz.data.tables.table import CellsOfRows
from dpviz.data.tables.table_source import TableSource, read_table

CELL_KINDS = "biufcSU"  # of NumPy's data types: numbers, truth values and text


def header_of(file: File) -> NpyHeader:
    """Return the header of a .npy file, checked against the size of the file."""
    with file.open() as stream:
        return NpyHeader.of(stream, file.size, file.where)


def npy_side(file: File) -> Side:
    """Return a .npy file of one dimension or column as the numbers of one side, piece by piece."""
    header = header_of(file)
    shape, dtype = header.shape, header.dtype
    reals_of(np.empty(0, dtype), file.where)
    if len(shape) != 1 and not (len(shape) == 2 and shape[1] == 1):
        raise ReadError(f"{file.where}: expected a one-dimensional array, got shape {shape}")
    if not shape[0]:
        raise ReadError(f"{file.where}: expected numbers, got none")

    def blocks() -> Iterator[Block]:
        begin = 0
        with file.open() as stream:
            stream.seek(header.offset)
            for values in header.pieces(stream, file.where):
                yield Block(values=values, rows=range(begin, begin + values.size))
                begin += values.size

    memory = shape[0] * (dtype.itemsize + MEMORY_PER_NUMBER)
    return Side(where=file.where, blocks=blocks, memory=memory, n_blocks=-(-shape[0] // PIECE))


class NpyTable(TableSource):
    """A one-dimensional array with named fields; rows count from 0."""

    file: File

    def __init__(self, file: File, header: NpyHeader) -> None:
        self.file = file
        self.where = file.where
        self.names = list(header.dtype.names or ())
        self.memory = header.n_entries * (header.dtype.itemsize + MEMORY_PER_NUMBER)
        self.n_pieces = max(1, -(-header.n_entries // PIECE))
        self._header = header

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """About a million rows at a time."""
        import pandas as pd  # slow to import

        names = [self.names[position] for position in positions]
        begin = 0
        with self.file.open() as stream:
            stream.seek(self._header.offset)
            for rows in self._header.pieces(stream, self.where):
                cells = [pd.Series(self._field(rows, name)) for name in names]
                yield cells, range(begin, begin + rows.size)
                begin += rows.size

    def _field(self, rows: NDArray[Any], name: str) -> Any:
        cells, place = rows[name], f"{self.where}, column {quoted(name)}"
        if cells.dtype.kind not in CELL_KINDS:
            raise ReadError(f"{place}: expected numbers or text, got {cells.dtype}")
        try:
            return cells.tolist() if cells.dtype.kind == "U" else cells
        except (SystemError, ValueError):
            raise ReadError(f"{place}: expected text, got characters beyond Unicode") from None


def _read_npy(source: File, options: ReadOptions) -> Scores:
    header = header_of(source)
    if header.dtype.names is None:
        raise ReadError(
            f"{source.where}: a plain array has only the members or the non-members; give both: "
            'read_scores(("member.npy", "nonmember.npy"))'
        )
    types = [header.dtype[name] for name in header.dtype.names]
    nested = any(each.shape or each.names for each in types)
    if len(header.shape) != 1 or nested:
        raise ReadError(
            f"{source.where}: expected a one-dimensional array with one value per field, got shape "
            f"{header.shape} of {header.dtype}"
        )
    return read_table(NpyTable(source, header), options, NPY.name)


NPY = Format(
    name="NumPy array with named fields",
    suffixes=(".npy",),
    magic={b"\x93NUMPY": ".npy"},
    numbers=npy_side,
    reader=_read_npy,
)


# .npz files: arrays by name, each loaded on request.

try:
    from lzma import LZMAError as BrokenLzma
except ImportError:  # a Python without it, such as Pyodide's: then `zipfile` says so
    from zipfile import BadZipFile as BrokenLzma  # type: ignore[assignment]


ENTRY = ".npy"
STREAMED = '.npy files are streamed: read_scores(("member.npy", "nonmember.npy"))'

BROKEN = (
    zipfile.BadZipFile,
    OSError,
    EOFError,
    zlib.error,
    BrokenLzma,
    NotImplementedError,
    RuntimeError,  # encrypted
    ValueError,
)


class NpzArrays:
    """The arrays of a .npz file whose directory has been read; no two have the same name."""

    def __init__(self, file: File, options: ReadOptions) -> None:
        self._file = file
        self._options = options
        with self._opened() as archive:
            entries = archive.infolist()
        self._entries = {
            entry.filename.removesuffix(ENTRY): entry
            for entry in entries
            if entry.filename.endswith(ENTRY)
        }
        repeated = [name for name, n in Counter(e.filename for e in entries).items() if n > 1]
        if repeated:
            raise ReadError(f"{file.where}: names must be unique, got {quoted(repeated[0])} twice")
        if not self._entries:
            found = ", ".join(quoted(entry.filename) for entry in entries[:5]) or "nothing"
            raise ReadError(f"{file.where}: expected arrays (.npy) in the file, got {found}")

    @property
    def fields(self) -> Fields:
        """The arrays by name."""
        return Fields(
            where=self._file.where, names=tuple(self._entries), load=self._load, file=self._file
        )

    def _load(self, name: str) -> NDArray[Any]:
        place = f"{self._file.where}, key {quoted(name)}"
        entry = self._entries[name]
        with self._opened(place) as archive, archive.open(entry) as stream:
            header = NpyHeader.of(stream, entry.file_size, place)
            header.reject_beyond(self._options.memory, place, STREAMED)
            return header.array(stream, place)

    @contextmanager
    def _opened(self, place: str | None = None) -> Iterator[zipfile.ZipFile]:
        where = place or self._file.where
        stream: IO[bytes] = self._file.open()
        try:
            with stream, zipfile.ZipFile(stream) as archive:
                yield archive
        except ReadError:
            raise
        except BROKEN as error:
            raise ReadError(f"{where}: not a readable .npz file: {reason(error, 200)}") from error


def _read_npz(source: File, options: ReadOptions) -> Scores:
    return read_fields(NpzArrays(source, options).fields, options)


NPZ = Format(
    name="NumPy arrays by name", suffixes=(".npz",), magic={b"PK\x03\x04": ".npz"}, reader=_read_npz
)
