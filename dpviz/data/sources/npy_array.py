"""One array in the .npy format; its header is checked before memory is allocated.

Pickled arrays are never opened: unpickling a file runs the code in it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from dpviz.checks import reason
from dpviz.data.sources.options import ReadError, quoted

LONGEST_HEADER = 2**16  # bytes; numpy itself stops at 10,000
PYTHON_ERRORS = (SyntaxError, TokenError, RecursionError)  # a header is parsed as Python
UNREADABLE = (ValueError, EOFError, OSError, TypeError, KeyError, MemoryError, *PYTHON_ERRORS)
PIECE = 2**20  # entries read at once, at most
PIECE_BYTES = 64 * 2**20  # of them; entries may be long texts
COPIES = 3  # copies in float64 while a whole array is read and becomes scores


@dataclass(frozen=True, kw_only=True)
class NpyHeader:
    """Type and shape that an array claims to have.

    `is_fortran`: the first index runs fastest. `offset`: bytes before the first entry.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    offset: int

    @classmethod
    def of(cls, stream: IO[bytes], size: int, where: str) -> "NpyHeader":
        """Read it from the beginning of an array of `size` bytes, header included.

        Raises ReadError if the array is pickled or claims another size than it has.
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
            raise ReadError(f"{where}: not a readable .npy array: {reason(error, 200)}") from error
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
        """Number of entries of the array."""
        return math.prod(self.shape)

    @property
    def n_bytes(self) -> int:
        """Bytes that the entries take in the file."""
        return self.n_entries * self.dtype.itemsize

    def reject_beyond(self, memory: int, where: str, instead: str = "") -> None:
        """Raise ReadError if reading the whole array takes more than `memory` bytes.

        The message ends with `instead`, a remedy.
        """
        needed = self.n_bytes + COPIES * 8 * self.n_entries
        if needed > memory:
            hint = f"; {instead}" if instead else ""
            raise ReadError(
                f"{where}: reading takes {needed // 2**20} MiB, more than the "
                f"{memory // 2**20} MiB of memory_limit{hint}"
            )

    def array(self, stream: IO[bytes], where: str) -> NDArray[Any]:
        """Read the whole array from a stream positioned at the first entry."""
        flat = np.empty(self.n_entries, self.dtype)
        begin = 0
        for piece in self.pieces(stream, where):
            flat[begin : begin + piece.size] = piece
            begin += piece.size
        return flat.reshape(self.shape, order="F" if self.is_fortran else "C")

    def pieces(self, stream: IO[bytes], where: str) -> Iterator[NDArray[Any]]:
        """Read entries in the order of the file from a stream positioned at the first.

        Raises ReadError if there are fewer entries than the header claims.
        """
        left = self.n_entries
        most = max(1, min(PIECE, PIECE_BYTES // self.dtype.itemsize))
        while left:
            n = min(most, left)
            content = stream.read(n * self.dtype.itemsize)
            if len(content) != n * self.dtype.itemsize:
                raise ReadError(f"{where}: expected {self.n_bytes} bytes, got fewer: cut off")
            yield np.frombuffer(content, self.dtype)
            left -= n


class _Start:
    """The beginning of a stream: no memory is allocated for the length that a header claims."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        if size > LONGEST_HEADER:
            raise ValueError(f"a header of {size} bytes")
        return self._stream.read(size)
