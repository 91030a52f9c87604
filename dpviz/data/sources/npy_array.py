"""One array of numpy's own format, its header looked at before anything is allocated.

What is pickled is never opened: to open it is to run what it says.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from dpviz.data.formats.format import ReadError, quoted

LONGEST_HEADER = 2**16
"""Bytes; numpy itself stops at 10,000."""
UNREADABLE = (
    ValueError,
    EOFError,
    OSError,
    TypeError,
    KeyError,
    MemoryError,
    # A header is parsed as Python is.
    SyntaxError,
    TokenError,
    RecursionError,
)
PIECE = 2**20
"""Entries that are read at once."""
COPIES = 3
"""Of an array while it is read as a whole and turned into scores, in float64."""


@dataclass(frozen=True, kw_only=True)
class NpyHeader:
    """What an array claims to be.

    Parameters
    ----------
    dtype : numpy.dtype
    shape : tuple of int
    is_fortran : bool
        Whether the first index runs fastest.
    offset : int
        Bytes before the first entry.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    offset: int

    @classmethod
    def of(cls, stream: IO[bytes], size: int, where: str) -> "NpyHeader":
        """From the beginning of an array that has `size` bytes, header and all.

        Raises
        ------
        ReadError
            If it is no such array, is pickled, or claims another size than it has.
        """
        try:
            start: Any = _Start(stream)
            version = npy_format.read_magic(start)
            if version not in ((1, 0), (2, 0)):
                raise ReadError(
                    f"{where}: expected version 1 or 2 of the .npy format, got {version[0]} (field "
                    "names beyond Latin-1)"
                )
            read = {
                1: npy_format.read_array_header_1_0,
                2: npy_format.read_array_header_2_0,
            }[version[0]]
            shape, is_fortran, dtype = read(start)
        except ReadError:
            raise
        except UNREADABLE as error:
            reason = " ".join(str(error).split())[:200]
            raise ReadError(f"{where}: not a readable .npy array: {reason}") from None
        header = cls(dtype=dtype, shape=shape, is_fortran=is_fortran, offset=stream.tell())
        header._check(size, where)
        return header

    def _check(self, size: int, where: str) -> None:
        if self.dtype.hasobject:
            raise ReadError(
                f"{where}: expected numbers, got Python objects, which are pickled and never "
                "opened; save each array by its name: numpy.savez(path, member=..., nonmember=...)"
            )
        if self.dtype.itemsize == 0:
            raise ReadError(f"{where}: expected numbers, got entries of no bytes")
        if any(n < 0 for n in self.shape):
            raise ReadError(f"{where}: expected a shape of whole numbers, got {self.shape}")
        if self.n_bytes != size - self.offset:
            raise ReadError(
                f"{where}: expected {self.n_bytes} bytes for {quoted(str(self.dtype))} of shape "
                f"{self.shape}, got {size - self.offset}: cut off or damaged"
            )

    @property
    def n_entries(self) -> int:
        """Of the array."""
        return math.prod(self.shape)

    @property
    def n_bytes(self) -> int:
        """Of the entries."""
        return self.n_entries * self.dtype.itemsize

    def refuse_beyond(self, memory: int, where: str, instead: str = "") -> None:
        """Refuse an array that takes more bytes to read as a whole.

        Parameters
        ----------
        memory : int
            Bytes.
        where : str
            What messages call the array.
        instead : str, optional
            What to do, for the end of the message.

        Raises
        ------
        ReadError
            If it does.
        """
        needed = self.n_bytes + COPIES * 8 * self.n_entries
        if needed > memory:
            hint = f"; {instead}" if instead else ""
            raise ReadError(
                f"{where}: reading takes {needed // 2**20} MiB, more than the "
                f"{memory // 2**20} MiB of memory_limit{hint}"
            )

    def array(self, stream: IO[bytes], where: str) -> NDArray[Any]:
        """All of it, from a stream that stands at the first entry."""
        flat = np.empty(self.n_entries, self.dtype)
        begin = 0
        for piece in self.pieces(stream, where):
            flat[begin : begin + piece.size] = piece
            begin += piece.size
        return flat.reshape(self.shape, order="F" if self.is_fortran else "C")

    def pieces(self, stream: IO[bytes], where: str) -> Iterator[NDArray[Any]]:
        """Entries in the order of the file, from a stream that stands at the first.

        Raises
        ------
        ReadError
            If there are fewer.
        """
        left = self.n_entries
        while left:
            n = min(PIECE, left)
            content = stream.read(n * self.dtype.itemsize)
            if len(content) != n * self.dtype.itemsize:
                raise ReadError(f"{where}: expected {self.n_bytes} bytes, got fewer: cut off")
            yield np.frombuffer(content, self.dtype)
            left -= n


class _Start:
    """The beginning of a stream: no room is made for what a header claims to take."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        if size > LONGEST_HEADER:
            raise ValueError(f"a header of {size} bytes")
        return self._stream.read(size)
