""".npy files: an array with named fields is a table, one without is the numbers of one class."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, ReadError, ReadOptions, quoted
from dpviz.data.formats.npy_array import PIECE, NpyHeader
from dpviz.data.formats.real_arrays import reals_of
from dpviz.data.formats.side import MEMORY_PER_NUMBER, Block, Side
from dpviz.data.formats.table import Table
from dpviz.data.formats.table_file import TableFile, read_table

SUFFIXES = (".npy",)
CELLS = "biufcSU"
"""Kinds of types."""


def header_of(file: File) -> NpyHeader:
    """What a .npy file claims to hold, checked against its size."""
    with file.open() as stream:
        return NpyHeader.of(stream, file.size, file.where)


def npy_side(file: File) -> Side:
    """A .npy file as the numbers of one class, read piece by piece.

    Raises
    ------
    ReadError
        If it is not one-dimensional or does not hold real numbers.
    """
    header = header_of(file)
    shape, dtype = header.shape, header.dtype
    reals_of(np.empty(0, dtype), file.where)
    if len(shape) != 1:
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


class NpyTable(TableFile):
    """A one-dimensional array with named fields; rows are counted from 0."""

    file: File

    def __init__(self, file: File, header: NpyHeader) -> None:
        self.file = file
        self.where = file.where
        self.names = list(header.dtype.names or ())
        self.memory = header.n_entries * (header.dtype.itemsize + MEMORY_PER_NUMBER)
        self.n_pieces = max(1, -(-header.n_entries // PIECE))
        self._header = header

    def pieces(self, columns: Columns) -> Iterator[Table]:
        """About a million rows at a time."""
        import pandas as pd

        names = [self.names[position] for position in columns.positions]
        begin = 0
        with self.file.open() as stream:
            stream.seek(self._header.offset)
            for rows in self._header.pieces(stream, self.where):
                cells = [pd.Series(self._cells(rows, name)) for name in names]
                numbers = range(begin, begin + rows.size)
                is_part = self.n_pieces > 1
                yield Table.of(
                    cells, where=self.where, columns=columns, rows=numbers, is_part=is_part
                )
                begin += rows.size

    def _cells(self, rows: NDArray[Any], name: str) -> Any:
        """One field, of the few types that are numbers, truth values or text."""
        cells, place = rows[name], f"{self.where}, column {quoted(name)}"
        if cells.dtype.kind not in CELLS:
            raise ReadError(f"{place}: expected numbers or text, got {cells.dtype}")
        try:
            return cells.tolist() if cells.dtype.kind == "U" else cells
        except (SystemError, ValueError):
            raise ReadError(f"{place}: expected text, got characters beyond Unicode") from None


def _read(source: File, options: ReadOptions) -> Scores:
    header = header_of(source)
    if header.dtype.names is None:
        raise ReadError(
            f"{source.where}: a plain array is the numbers of one class; give both: "
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
    accepts=has_suffix(SUFFIXES),
    read=_read,
    suffixes=SUFFIXES,
)
