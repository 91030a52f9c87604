"""The bytes of a CSV file, wherever they come from."""

import errno
import os
from typing import Any

from dpviz.data.formats.format import ReadError, plain, quoted

SUFFIX = ".csv"
UNNAMED = "the uploaded file"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
EXPECTED = "expected a .csv file in UTF-8"
LARGEST = 512 * 2**20
"""Bytes; reading takes several times as much memory, and a kernel must not die of a file."""


def read_content(source: Any, name: str | None) -> tuple[str, bytes]:
    r"""What to call a source in messages, and its text as UTF-8 with lines that end in ``\n``.

    Parameters
    ----------
    source : str, path, file object or bytes
        A str is always a path.
    name : str, optional
        The caller's name for it. Else it is the file's name, else "the uploaded file".

    Raises
    ------
    FileNotFoundError
        If there is no file at a path.
    ReadError
        If the source is a directory, not a .csv file, larger than `LARGEST` or not text in UTF-8.
    """
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(source)
        where = plain(name or os.path.basename(path) or path)
        return where, _text(_file_content(path, where), where)
    if isinstance(source, bytes | bytearray | memoryview):
        where = plain(name or UNNAMED)
        return where, _text(bytes(source), where)
    own = getattr(source, "name", None)
    where = plain(name or (os.path.basename(own) if isinstance(own, str) else "") or UNNAMED)
    return where, _text(_stream_content(source, where), where)


def _file_content(path: str, where: str) -> bytes:
    if not os.path.exists(path):
        # Not the system's own error: for a long text it would be "file name too long".
        raise FileNotFoundError(errno.ENOENT, "No such file (a str is read as a path)", path)
    if os.path.isdir(path):
        raise ReadError(f"{where}: expected a {SUFFIX} file, got a directory")
    suffix = os.path.splitext(path)[1]
    if suffix.lower() != SUFFIX:
        raise ReadError(
            f"{where}: expected a {SUFFIX} file, got {quoted(suffix) if suffix else 'no extension'}"
            f" (files that can be read: {SUFFIX})"
        )
    with open(path, "rb") as file:
        content: bytes = _read_all(file, where)
        return content


def _stream_content(stream: Any, where: str) -> bytes:
    try:
        content = _read_all(stream, where)
    except UnicodeDecodeError as error:
        raise ReadError(f"{where}: {EXPECTED}, got bytes that are not") from error
    if isinstance(content, str):
        return content.encode(errors="surrogatepass")
    if not isinstance(content, bytes):
        raise ReadError(f"{where}: expected text or bytes, got {type(content).__name__}")
    return content


def _read_all(stream: Any, where: str) -> Any:
    """Everything a stream has, unless that is more than `LARGEST` bytes (or characters)."""
    content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ReadError(f"{where}: expected at most {LARGEST // 2**20} MiB, got more")
    return content


def _text(content: bytes, where: str) -> bytes:
    content = content.removeprefix(BYTE_ORDER_MARK)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise ReadError(
            f"{where}: {EXPECTED}, got byte 0x{content[error.start]:02x} at position {error.start}"
        ) from None
    if b"\0" in content:
        raise ReadError(f"{where}: {EXPECTED}, got binary content")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content
