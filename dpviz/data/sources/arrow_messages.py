"""What unpacking a file of Arrow's takes, from its metadata, before anything is unpacked.

pyarrow allocates what a compressed buffer claims to hold, which may be a thousand times the file.
Messages and their FlatBuffers are described at
https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

MAGIC = b"ARROW1"
CONTINUES = b"\xff\xff\xff\xff"  # first bytes of a message, missing in old files
DICTIONARY, RECORDS = 2, 3  # kinds of messages
LARGEST_METADATA = 64 * 2**20  # bytes
DAMAGED = (struct.error, ValueError, IndexError)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some records, or the texts of a column that is coded by them."""

    n_rows: int
    n_bytes: int  # of its buffers when they are unpacked
    is_dictionary: bool


def batches_of(stream: IO[bytes]) -> Iterator[Batch]:
    """Yield the batches of a file or a stream in Arrow's format; only metadata are read.

    Raises one of `DAMAGED` if metadata lead out of the file.
    """
    size = stream.seek(0, os.SEEK_END)
    if _read(stream, 0, len(MAGIC)) == MAGIC:
        for place in _places(stream, size):
            batch, _ = _message(stream, place)
            if batch is not None:
                yield batch
        return
    place = 0
    while place < size:
        batch, place = _message(stream, place)
        if batch is not None:
            yield batch


def _places(stream: IO[bytes], size: int) -> list[int]:
    """Where the footer of a file says that batches begin."""
    end = size - len(MAGIC) - 4
    (length,) = struct.unpack("<i", _read(stream, end, 4))
    footer = _root(_metadata(stream, end - length, length))
    entries = [footer.entries(field, 24) for field in (2, 3)]  # dictionaries, then records
    return [struct.unpack_from("<q", footer.content, at)[0] for each in entries for at in each]


def _message(stream: IO[bytes], place: int) -> tuple[Batch | None, int]:
    """The batch in the message that begins at a place, if any, and the place of the next one."""
    start = _read(stream, place, 8)
    skipped = 8 if start.startswith(CONTINUES) else 4
    (length,) = struct.unpack_from("<i", start, skipped - 4)
    body = place + skipped + length
    if length == 0:  # the end of a stream
        return None, stream.seek(0, os.SEEK_END)
    message = _root(_metadata(stream, place + skipped, length))
    kind, n_bytes = message.number(1, "<B"), message.number(3, "<q")
    if n_bytes < 0:
        raise ValueError("a message of less than nothing")
    found = message.table(2)
    if kind == DICTIONARY:
        found = None if found is None else found.table(1)
    if kind not in (DICTIONARY, RECORDS) or found is None:
        return None, body + n_bytes
    buffers = [struct.unpack_from("<qq", found.content, at) for at in found.entries(2, 16)]
    is_packed = found.place(3) is not None
    unpacked = sum(
        _unpacked(stream, body + begin, n) if is_packed and n else n for begin, n in buffers
    )
    batch = Batch(n_rows=found.number(0, "<q"), n_bytes=unpacked, is_dictionary=kind == DICTIONARY)
    return batch, body + n_bytes


def _unpacked(stream: IO[bytes], place: int, length: int) -> int:
    """Bytes that a compressed buffer claims to hold: its first eight; -1 says it is not packed."""
    (claimed,) = struct.unpack("<q", _read(stream, place, 8))
    return length if claimed < 0 else int(claimed)


def _metadata(stream: IO[bytes], place: int, length: int) -> bytes:
    if not 0 < length <= LARGEST_METADATA:
        raise ValueError(f"metadata of {length} bytes")
    return _read(stream, place, length)


def _read(stream: IO[bytes], place: int, length: int) -> bytes:
    stream.seek(place)
    return stream.read(length)


class _Table:
    """A table in a FlatBuffer: fields by number, each at a place in the content or left out."""

    def __init__(self, content: bytes, place: int) -> None:
        self.content = content
        self._place = place
        self._fields = place - int(struct.unpack_from("<i", content, place)[0])
        (self._length,) = struct.unpack_from("<H", content, self._fields)

    def place(self, field: int) -> int | None:
        entry = 4 + 2 * field
        if entry >= self._length:
            return None
        (offset,) = struct.unpack_from("<H", self.content, self._fields + entry)
        return self._place + offset if offset else None

    def number(self, field: int, form: str) -> int:
        place = self.place(field)
        return 0 if place is None else int(struct.unpack_from(form, self.content, place)[0])

    def table(self, field: int) -> "_Table | None":
        place = self.place(field)
        return None if place is None else _Table(self.content, self._target(place))

    def entries(self, field: int, size: int) -> range:
        """Where the entries of a vector begin, each of `size` bytes."""
        place = self.place(field)
        if place is None:
            return range(0)
        begin = self._target(place)
        (n,) = struct.unpack_from("<I", self.content, begin)
        if begin + 4 + n * size > len(self.content):
            raise ValueError("a vector that is longer than the metadata")
        return range(begin + 4, begin + 4 + n * size, size)

    def _target(self, place: int) -> int:
        return place + int(struct.unpack_from("<I", self.content, place)[0])


def _root(content: bytes) -> _Table:
    place: Any = struct.unpack_from("<I", content)[0]
    return _Table(content, place)
