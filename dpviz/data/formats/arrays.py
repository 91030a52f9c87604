""".npy and .npz files; pickled objects, which could run code, are never opened."""

import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from dpviz.audit.scores.base import Scores
from dpviz.checks import reason
from dpviz.data.conventions import read_any_table, read_named_values
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, ReadOptions, mismatch, quoted
from dpviz.data.sources.real_arrays import reals_of
from dpviz.data.tables.frame import NamedValues
from dpviz.data.tables.one_class import MEMORY_PER_NUMBER, MembersOrNonmembers
from dpviz.data.tables.table import CellBlock
from dpviz.data.tables.table_source import TableSource

LONGEST_HEADER = 2**16  # bytes; numpy itself stops at 10,000
PYTHON_ERRORS = (SyntaxError, TokenError, RecursionError)  # a header is parsed as Python
HEADER_ERRORS = (ValueError, EOFError, OSError, TypeError, KeyError, MemoryError, *PYTHON_ERRORS)
ENTRIES_PER_PIECE = 2**20  # entries read at once, at most
PIECE_BYTES = 64 * 2**20  # bytes read at once, at most: an entry may be a long text
FLOAT64_COPIES = 3  # copies in float64 while a whole array is read and becomes scores


@dataclass(frozen=True, kw_only=True)
class NpyHeader:
    """The header of a .npy file; the array begins `offset` bytes after the start of the file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    offset: int

    @classmethod
    def of(cls, stream: IO[bytes], size: int, where: str) -> "NpyHeader":
        """Read the header of .npy data of `size` bytes; ReadError for a pickle or damaged data."""
        try:
            start: Any = _LimitedHeaderStream(stream)
            version = npy_format.read_magic(start)
            if version not in ((1, 0), (2, 0)):
                expected = "version 1 or 2 of the .npy format"
                raise mismatch(where, expected, f"version {version[0]}")
            readers = (npy_format.read_array_header_1_0, npy_format.read_array_header_2_0)
            shape, is_fortran, dtype = readers[version[0] - 1](start)
        except ReadError:
            raise
        except HEADER_ERRORS as error:
            raise ReadError(f"{where}: not a readable .npy array: {reason(error, 200)}") from error
        header = cls(dtype=dtype, shape=shape, is_fortran=is_fortran, offset=stream.tell())
        header._check_type_and_size(size, where)
        return header

    def _check_type_and_size(self, size: int, where: str) -> None:
        if self.dtype.hasobject:
            raise ReadError(
                f"{where}: expected numbers, got pickled Python objects, which are never opened; "
                "save the arrays of numbers by name: numpy.savez(path, member=..., nonmember=...)"
            )
        if self.dtype.itemsize == 0:
            raise mismatch(where, "numbers", "entries of 0 bytes")
        if any(n < 0 for n in self.shape):
            raise mismatch(where, "a shape without negative numbers", self.shape)
        if self.n_bytes != size - self.offset:
            expected = f"{self.n_bytes} bytes for {quoted(str(self.dtype))} of shape {self.shape}"
            raise mismatch(where, expected, f"{size - self.offset}: cut off or damaged")

    @property
    def n_entries(self) -> int:
        """The number of entries of the array."""
        return math.prod(self.shape)

    @property
    def n_bytes(self) -> int:
        """The number of bytes of all entries."""
        return self.n_entries * self.dtype.itemsize

    def reject_if_too_large(self, memory: int, where: str, advice: str = "") -> None:
        """Raise a ReadError that ends with `advice` if reading takes over `memory` bytes."""
        needed = self.n_bytes + FLOAT64_COPIES * 8 * self.n_entries
        if needed > memory:
            hint = f"; {advice}" if advice else ""
            raise ReadError(
                f"{where}: reading takes {needed // 2**20} MiB, more than the "
                f"{memory // 2**20} MiB of memory_limit{hint}"
            )

    def read_array(self, stream: IO[bytes], where: str) -> NDArray[Any]:
        """Read the whole array from a stream positioned at the first entry."""
        flat = np.empty(self.n_entries, self.dtype)
        for piece, rows in self.read_pieces(stream, where):
            flat[rows.start : rows.stop] = piece
        return flat.reshape(self.shape, order="F" if self.is_fortran else "C")

    def read_pieces(self, stream: IO[bytes], where: str) -> Iterator[tuple[NDArray[Any], range]]:
        """Yield (entries, range of their indices) from a stream positioned at the first entry."""
        # Pieces of bounded memory, whatever the size of an entry.
        most = max(1, min(ENTRIES_PER_PIECE, PIECE_BYTES // self.dtype.itemsize))
        for begin in range(0, self.n_entries, most):
            rows = range(begin, min(begin + most, self.n_entries))
            content = stream.read(len(rows) * self.dtype.itemsize)
            if len(content) != len(rows) * self.dtype.itemsize:
                raise mismatch(where, f"{self.n_bytes} bytes", "fewer: cut off")
            yield np.frombuffer(content, self.dtype), rows

    def read_file_in_pieces(self, file: File) -> Iterator[tuple[NDArray[Any], range]]:
        """Yield (entries, range of their indices) from a .npy file that has this header."""
        with file.open() as stream:
            stream.seek(self.offset)
            yield from self.read_pieces(stream, file.where)


class _LimitedHeaderStream:
    """A stream that rejects headers of more than `LONGEST_HEADER` bytes before reading them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        if size > LONGEST_HEADER:
            raise ValueError(f"the header has {size} bytes, more than {LONGEST_HEADER}")
        return self._stream.read(size)


CELL_KINDS = "biufcSU"  # of NumPy's data types: numbers, truth values and text


def header_of(file: File) -> NpyHeader:
    """Return the header of a .npy file, checked against the size of the file."""
    with file.open() as stream:
        return NpyHeader.of(stream, file.size, file.where)


def numbers_of_npy(file: File) -> MembersOrNonmembers:
    """Return the numbers of one class (members or non-members) from a one-column .npy file."""
    header = header_of(file)
    shape, dtype = header.shape, header.dtype
    # Raises an error for a type without real numbers before entries are read.
    reals_of(np.empty(0, dtype), file.where)
    if len(shape) != 1 and not (len(shape) == 2 and shape[1] == 1):
        raise mismatch(file.where, "a one-dimensional array", f"shape {shape}")
    if not shape[0]:
        raise mismatch(file.where, "numbers", "none")
    return MembersOrNonmembers(
        where=file.where,
        blocks=partial(header.read_file_in_pieces, file),
        memory=shape[0] * (dtype.itemsize + MEMORY_PER_NUMBER),
        n_blocks=-(-shape[0] // ENTRIES_PER_PIECE),
    )


class NpyTable(TableSource):
    """A one-dimensional .npy array with named fields, as a table; row numbers begin at 0."""

    file: File

    def __init__(self, file: File, header: NpyHeader) -> None:
        self.file = file
        self.where = file.where
        self.names = list(header.dtype.names or ())
        self.memory = header.n_entries * (header.dtype.itemsize + MEMORY_PER_NUMBER)
        self.n_pieces = max(1, -(-header.n_entries // ENTRIES_PER_PIECE))
        self._header = header

    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        import pandas as pd  # slow to import

        names = [self.names[position] for position in positions]
        for records, rows in self._header.read_file_in_pieces(self.file):
            yield [pd.Series(self._cells_of_field(records, name)) for name in names], rows

    def _cells_of_field(self, records: NDArray[Any], name: str) -> Any:
        cells, place = records[name], f"{self.where}, column {quoted(name)}"
        if cells.dtype.kind not in CELL_KINDS:
            raise mismatch(place, "numbers or text", cells.dtype)
        try:
            return cells.tolist() if cells.dtype.kind == "U" else cells
        except (SystemError, ValueError):
            raise mismatch(place, "text", "code points that Unicode does not have") from None


def _read_npy(source: File, options: ReadOptions) -> Scores:
    header = header_of(source)
    if header.dtype.names is None:
        raise ReadError(
            f"{source.where}: an array without named fields holds only one class; pass the files "
            'of both classes: read_scores(("member.npy", "nonmember.npy"))'
        )
    types = [header.dtype[name] for name in header.dtype.names]
    nested = any(each.shape or each.names for each in types)
    if len(header.shape) != 1 or nested:
        expected = "a one-dimensional array with one value per field"
        raise mismatch(source.where, expected, f"shape {header.shape} of {header.dtype}")
    return read_any_table(NpyTable(source, header), options, NPY.name)


NPY = Format(
    name="NumPy array with named fields",
    suffixes=(".npy",),
    magic={b"\x93NUMPY": ".npy"},
    numbers=numbers_of_npy,
    reader=_read_npy,
)

# .npz files: arrays by name, each loaded on request.

try:
    from lzma import LZMAError as BrokenLzma
except ImportError:  # Python without lzma, as in Pyodide: `zipfile` raises an error
    from zipfile import BadZipFile as BrokenLzma  # type: ignore[assignment]

NPY_SUFFIX = ".npy"
STREAM_ADVICE = '.npy files are streamed: read_scores(("member.npy", "nonmember.npy"))'
ZIP_ERRORS = (
    *(zipfile.BadZipFile, OSError, EOFError, zlib.error, BrokenLzma, ValueError),
    RuntimeError,  # encrypted, or NotImplementedError
)


def arrays_of_npz(file: File, memory: int) -> NamedValues:
    """Return the arrays of a .npz file by name; loading one may take at most `memory` bytes."""
    with _opened_archive(file, file.where) as archive:
        entries = archive.infolist()
    repeated = [name for name, n in Counter(e.filename for e in entries).items() if n > 1]
    if repeated:
        raise ReadError(f"{file.where}: names must be unique, got {quoted(repeated[0])} twice")
    arrays = (entry for entry in entries if entry.filename.endswith(NPY_SUFFIX))
    by_name = {entry.filename.removesuffix(NPY_SUFFIX): entry for entry in arrays}
    if not by_name:
        found = ", ".join(quoted(entry.filename) for entry in entries[:5]) or "nothing"
        raise mismatch(file.where, "arrays (.npy) in the file", found)

    def load(name: str) -> NDArray[Any]:
        place, entry = f"{file.where}, key {quoted(name)}", by_name[name]
        with _opened_archive(file, place) as archive, archive.open(entry) as stream:
            header = NpyHeader.of(stream, entry.file_size, place)
            header.reject_if_too_large(memory, place, STREAM_ADVICE)
            return header.read_array(stream, place)

    return NamedValues(where=file.where, names=tuple(by_name), load=load, file=file)


@contextmanager
def _opened_archive(file: File, where: str) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive; turn its errors in the ``with`` block into ReadErrors about `where`."""
    stream = file.open()
    try:
        with stream, zipfile.ZipFile(stream) as archive:
            yield archive
    except ReadError:
        raise
    except ZIP_ERRORS as error:
        raise ReadError(f"{where}: not a readable .npz file: {reason(error, 200)}") from error


NPZ = Format(
    name="NumPy file of named arrays",
    suffixes=(".npz",),
    magic={b"PK\x03\x04": ".npz"},
    reader=lambda file, options: read_named_values(arrays_of_npz(file, options.memory), options),
)
