""".npz files: arrays by name, each loaded on request."""

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from numpy.typing import NDArray

from dpviz.audit.scores.base import Scores
from dpviz.checks import reason
from dpviz.data.conventions.registry import read_fields
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.npy_array import NpyHeader
from dpviz.data.sources.options import ReadError, ReadOptions, quoted
from dpviz.data.tables.fields import Fields

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


def _read(source: File, options: ReadOptions) -> Scores:
    return read_fields(NpzArrays(source, options).fields, options)


NPZ = Format(
    name="NumPy arrays by name", suffixes=(".npz",), magic={b"PK\x03\x04": ".npz"}, reader=_read
)
