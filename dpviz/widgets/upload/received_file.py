"""An uploaded file: bytes that arrive in pieces, kept in a temporary file until they are read."""

import os
import shutil
import stat
import tempfile
import time
import weakref
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # on Windows, where the file of a killed process stays
    fcntl = None  # type: ignore[assignment]

from dpviz.audit.scores.base import Scores
from dpviz.data import read_scores
from dpviz.data.formats.registry import suffixes
from dpviz.data.read import not_read
from dpviz.data.sources.file import File, suffix_of
from dpviz.data.sources.options import ReadError, plain

MOST = 2 * 2**30  # bytes: more takes minutes to send, and seconds to read from its path
TOO_LARGE = (
    "{name}: expected at most {limit} for an upload, got {size}; nothing was sent. "
    'Read it from where it is instead: dpviz.explore("path of the file")'
)
PREFIX = "dpviz-"
NEW = 60.0  # seconds in which a file that has just been made gets its lock
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def largest() -> int:
    """Return the limit in bytes: `MOST`, or half of the free space for temporary files."""
    return min(MOST, shutil.disk_usage(tempfile.gettempdir()).free // 2)


def amount(size: int, *, up: bool = False) -> str:
    """Return a number of bytes as text, such as "1.5 MiB"; rounded down, or up."""
    unit = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    per_unit = 1024**unit
    tenths = 10 if unit and size < 10 * per_unit else 1
    whole = -(-size * tenths // per_unit) if up else size * tenths // per_unit
    return f"{whole / tenths:g} {UNITS[unit]}"


class UploadedFile:
    """A temporary file for `size` bytes, removed when it is closed or garbage-collected.

    `name` is data, never part of a path. ReadError if the file is too large or its suffix is
    unknown.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size, self.taken = name, size, 0
        if size > (limit := largest()):
            sizes = {"limit": amount(limit), "size": amount(size, up=True)}
            raise ReadError(TOO_LARGE.format(name=plain(name), **sizes))
        self._suffix = suffix_of(name)
        if self._suffix and self._suffix not in suffixes():
            raise not_read(File(where=plain(name), suffix=self._suffix))
        remove_orphans()
        place, self.path = tempfile.mkstemp(prefix=PREFIX, suffix=self._suffix)
        self._stream = os.fdopen(place, "wb")
        _lock(place)
        self.close = weakref.finalize(self, _remove, self._stream, self.path)

    def add(self, piece: bytes | memoryview) -> None:
        """Append the next bytes; ValueError if there are more than announced."""
        if self.taken + len(piece) > self.size:
            raise ReadError(f"{plain(self.name)}: expected {self.size} bytes, got more")
        self._stream.write(piece)
        self._stream.flush()
        self.taken += len(piece)

    @property
    def is_whole(self) -> bool:
        """Whether all bytes have arrived."""
        return self.taken == self.size

    def read(self, **options: Any) -> Scores:
        """Return its scores; options and errors as of :func:`dpviz.read_scores`."""
        if self._suffix:
            scores = read_scores(self.path, name=self.name, **options)
        else:  # an open file: its format is recognised by its content
            with open(self.path, "rb", buffering=0) as stream:
                scores = read_scores(stream, name=self.name, **options)
        read = scores.provenance
        return scores if read is None else replace(scores, provenance=replace(read, path=None))


def remove_orphans() -> None:
    """Remove files of uploads whose process was killed: nobody holds their locks."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            found = path.lstat()
            is_old = found.st_mtime < time.time() - NEW
            if is_old and stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid():
                with path.open("rb") as file:
                    if _lock(file.fileno()):
                        path.unlink()


def _lock(place: int) -> bool:
    """Lock an open file for as long as it is open; False if another process has locked it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(stream: IO[bytes], path: str) -> None:
    with suppress(OSError):  # a full disk; or Windows, while a cancelled reader still has it open
        stream.close()
    with suppress(OSError):
        os.unlink(path)
