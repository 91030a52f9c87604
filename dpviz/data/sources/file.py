"""The bytes of a source: a path, bytes or an open file.

Long open files are copied to temporary files. Copies of a killed process are removed when the next
temporary file is made.
"""

import errno
import glob
import hashlib
import io
import os
import shutil
import stat
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from dpviz.checks import naming_foreign_errors, reason
from dpviz.data.sources.options import ReadError, mismatch, printable

try:
    import fcntl
except ImportError:  # on Windows, where temporary files of killed processes remain
    fcntl = None  # type: ignore[assignment]

PREFIX = "dpviz-"
SECONDS_WITHOUT_LOCK = 60.0  # after which a new file has surely been locked


class TemporaryFile:
    """A temporary file, locked while open; `close` or garbage collection removes the file."""

    def __init__(self, suffix: str = "") -> None:
        remove_temporary_files_of_killed_processes()
        descriptor, self.path = tempfile.mkstemp(prefix=PREFIX, suffix=suffix)
        self.stream = os.fdopen(descriptor, "wb")
        _try_to_lock(descriptor)
        self.close = weakref.finalize(self, _close_and_delete, self.stream, self.path)


def remove_temporary_files_of_killed_processes() -> None:
    """Remove old, unlocked temporary files, which killed processes have left behind."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = path.lstat()
            is_old = status.st_mtime < time.time() - SECONDS_WITHOUT_LOCK
            if is_old and stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
                with path.open("rb") as file:
                    if _try_to_lock(file.fileno()):
                        path.unlink()


def _try_to_lock(descriptor: int) -> bool:
    """Try to lock an open file; return False if it is locked already or locks are unavailable."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _close_and_delete(stream: IO[bytes], path: str) -> None:
    with suppress(OSError):  # a full disk; or Windows, while a cancelled reader uses the file
        stream.close()
    with suppress(OSError):
        os.unlink(path)


DEFAULT_NAME = "the uploaded file"
NO_FILE = "No such file (a str is a path; read_sample(name) returns a packaged sample)"
LONGEST_PATH = 300  # characters of a path in an error
MOST_IN_MEMORY = 64 * 2**20  # bytes of an open file; a longer copy is written to a temporary file
MOST_BYTES = 2 * 2**30  # bytes of an open file, which may have no end
MOST_READS = 2**22  # of an open file, which may give a byte at a time
BYTES_PER_READ = 2**20  # bytes
COMPRESSED = ".gz"


@dataclass(frozen=True, kw_only=True, eq=False)
class File:
    """A file that can be opened any number of times."""

    where: str  # the name of the file in messages
    suffix: str  # in lower case, such as ".csv.gz"; found by content if the name has none
    path: str | None = None  # absolute, also a folder or a glob; None for bytes and open files
    content: bytes | TemporaryFile = b""  # of a file without a path; a temporary file if it is long

    @classmethod
    def of(cls, source: Any, name: str | None, magic: Mapping[bytes, str] | None = None) -> "File":
        """Return the `File` of a path (every str is a path), of bytes or of an open file."""
        if isinstance(source, str | os.PathLike):
            with naming_foreign_errors("the path", source):
                path = os.fsdecode(source)
            where = printable(name or os.path.basename(path.rstrip("/")) or path)
            if not os.path.exists(path) and glob.has_magic(path) and glob.glob(path):
                return cls(where=where, suffix="", path=os.path.abspath(path))
            if not os.path.exists(path):
                # The system's own error for a long text would be "file name too long".
                raise FileNotFoundError(errno.ENOENT, NO_FILE, path[:LONGEST_PATH])
            if not os.path.isdir(path) and not os.path.isfile(path):
                raise mismatch(where, "a file", "a pipe, a socket or a device")
            suffix = "" if os.path.isdir(path) else suffix_of(path)
            return cls(where=where, suffix=suffix, path=os.path.abspath(path))
        # Bytes stay in memory; the rest of an open file is copied.
        if isinstance(source, bytes | bytearray | memoryview):
            content: bytes | TemporaryFile = bytes(source)
            called = name
        else:
            own = getattr(source, "name", None)
            called = name or (os.path.basename(own) if isinstance(own, str) else None)
            if isinstance(own, str) and _can_be_reopened(source):
                path = os.path.abspath(own)
                return cls(where=printable(called or own), suffix=suffix_of(own), path=path)
            content = _copy_rest(source, printable(called or DEFAULT_NAME))
        where = printable(called or DEFAULT_NAME)
        file = cls(where=where, suffix=suffix_of(called or ""), content=content)
        return file if file.suffix else replace(file, suffix=_suffix_by_content(file, magic or {}))

    @property
    def source(self) -> str | bytes:
        """The path of the file or of its temporary copy, or the bytes if they are in memory."""
        if self.path is not None:
            return self.path
        return self.content if isinstance(self.content, bytes) else self.content.path

    def open(self) -> IO[bytes]:
        """Open the file at its beginning, for reading bytes."""
        source = self.source
        return open(source, "rb") if isinstance(source, str) else io.BytesIO(source)

    @cached_property
    def size(self) -> int:
        """The number of bytes of the file as stored, even if compressed."""
        with self.open() as file:
            return file.seek(0, os.SEEK_END)

    @property
    def text_size(self) -> int:
        """The number of decompressed bytes; for a .gz file, estimated as ten times its size."""
        return self.size * (10 if self.suffix.endswith(COMPRESSED) else 1)

    @cached_property
    def sha256(self) -> str:
        """The hexadecimal SHA-256 of the bytes."""
        return self.sha256_until(threading.Event())

    def sha256_until(self, stopped: threading.Event) -> str:
        """Return the hexadecimal SHA-256 of the bytes that are read before `stopped` is set."""
        digest = hashlib.sha256()
        with self.open() as file:
            while not stopped.is_set() and (piece := file.read(BYTES_PER_READ)):
                digest.update(piece)
        return digest.hexdigest()


def is_file(source: object) -> bool:
    """Return whether a source is a path, bytes or an open file."""
    if isinstance(source, str | os.PathLike | bytes | bytearray | memoryview):
        return True
    return callable(getattr(source, "read", None))


def path_and_sha256(file: File | None) -> dict[str, Any]:
    """Return the path and the SHA-256 of a file as arguments of `Provenance`; {} for None."""
    return {} if file is None else {"path": file.path, "sha256": file.sha256}


def suffix_of(name: str) -> str:
    """Return the suffix of a file name in lower case, such as ".csv" or ".csv.gz"."""
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] + suffix if suffix == COMPRESSED else suffix


def _can_be_reopened(stream: Any) -> bool:
    """Return whether an open file is at its beginning and can be opened again by its name."""
    if not isinstance(stream, io.BufferedReader):
        return False
    try:
        named = os.stat(stream.name)
        return os.path.samestat(os.fstat(stream.fileno()), named) and stream.tell() == 0
    except OSError:
        return False


def _copy_rest(stream: Any, where: str) -> bytes | TemporaryFile:
    """Return the unread rest of an open file, as bytes or, if it is long, a temporary file."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    most = min(MOST_BYTES, free // 2)
    start, copy, size = bytearray(), None, 0
    pieces = iter(lambda: _read_piece_as_bytes(stream, where), b"")
    try:
        for n_before, piece in enumerate(pieces):
            size += len(piece)
            # An open file may have no end, in long pieces or in short ones.
            if size > most or n_before == MOST_READS:
                amount = f"{most // 2**20} MiB and {MOST_READS} pieces"
                raise ReadError(
                    f"{where}: expected at most {amount} from an open file ({free // 2**20} MiB "
                    "are free for temporary files), got more; pass the path of the file"
                )
            # A copy that becomes long moves from memory to a temporary file.
            if copy is None and size > MOST_IN_MEMORY:
                copy = TemporaryFile()
                copy.stream.write(start)
            if copy is None:
                start += piece
            else:
                copy.stream.write(piece)
        if copy is not None:
            copy.stream.flush()
    except BaseException:
        if copy is not None:
            copy.close()
        raise
    return bytes(start) if copy is None else copy


def _read_piece_as_bytes(stream: Any, where: str) -> bytes:
    try:
        piece = stream.read(BYTES_PER_READ)
    except UnicodeDecodeError as error:
        raise mismatch(where, "a file in UTF-8", "bytes that are not UTF-8") from error
    except Exception as error:  # any error of another library's object
        got = f"one whose read() failed with {type(error).__name__}: {reason(error, 200)}"
        raise mismatch(where, "an open file", got) from error
    if isinstance(piece, str):
        return piece.encode(errors="surrogatepass")
    if not isinstance(piece, bytes):
        raise mismatch(where, "text or bytes", type(piece).__name__)
    return piece


def _suffix_by_content(file: File, magic: Mapping[bytes, str]) -> str:
    with file.open() as stream:
        start = stream.read(BYTES_PER_READ)
    for first, suffix in magic.items():
        if start.startswith(first):
            return suffix
    # JSON begins with a bracket; any other text is taken for CSV.
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith((b"{", b"[")):
        return ".csv"
    line, _, rest = text.partition(b"\n")
    is_lines = line.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")
    return ".jsonl" if is_lines else ".json"
