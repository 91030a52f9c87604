"""Arrow's record batches as pieces of a table, and the extra that brings pyarrow."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.data.formats.columns import Columns
from dpviz.data.formats.format import ReadError, plain
from dpviz.data.formats.table import Table

if TYPE_CHECKING:
    import pandas as pd

ROWS = 2**20
"""Of a piece."""
MEMORY_PER_ROW = 64
"""Bytes of reading at once: cells, masks, scores and what sorts them."""


def pyarrow_for(what: str) -> Any:
    """The library, or an error that says how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{what} need pyarrow: pip install 'dpviz[parquet]'") from error
    return pyarrow


def tables_of(batches: Iterable[Any], columns: Columns, where: str) -> Iterator[Table]:
    """Tables of record batches that hold the columns of `Columns.positions`, in this order."""
    for cells, rows in cells_of(batches, where):
        yield Table.of(cells, where=where, columns=columns, rows=rows)


def cells_of(
    batches: Iterable[Any], where: str, start: int = 0
) -> "Iterator[tuple[list[pd.Series[Any]], range]]":
    """Columns of record batches, or of tables; rows are counted on from `start`.

    Raises
    ------
    ReadError
        If a batch cannot be read.
    """
    pyarrow = pyarrow_for("these tables")
    rest = iter(batches)
    while True:
        try:
            batch = next(rest, None)
            if batch is None:
                return
            # Text that is no UTF-8, places beyond a buffer: refused before anything follows them.
            batch.validate(full=True)
            cells = [_cells_of(batch.column(i)) for i in range(batch.num_columns)]
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable(where, error) from None
        rows = range(start, start + batch.num_rows)
        yield cells, rows
        start = rows.stop


def _cells_of(column: Any) -> "pd.Series[Any]":
    """A column as pandas has it; of truth values in a fifth of the time."""
    import pandas as pd

    pyarrow = pyarrow_for("these tables")
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    if pyarrow.types.is_boolean(column.type) and not column.null_count and chunks:
        return pd.Series(np.concatenate([_bits(chunk) for chunk in chunks]))
    cells: pd.Series[Any] = column.to_pandas()
    return cells


def _bits(chunk: Any) -> NDArray[np.bool]:
    packed = np.frombuffer(chunk.buffers()[1] or b"", np.uint8)
    first, last = chunk.offset // 8, -(-(chunk.offset + len(chunk)) // 8)
    bits = np.unpackbits(packed[first:last], bitorder="little").view(np.bool)
    return bits[chunk.offset % 8 :][: len(chunk)]


def unreadable(where: str, error: Exception) -> ReadError:
    """What to say of a file that is broken; its own words are data."""
    reason = " ".join(str(error).split())
    return ReadError(f"{where}: not a readable file: {plain(reason)[:300]}")
