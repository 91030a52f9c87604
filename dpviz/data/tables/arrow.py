"""Record batches of Arrow as columns of cells; the error where pyarrow is not installed."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import reason
from dpviz.data.sources.options import ReadError
from dpviz.data.tables.table import Cells

if TYPE_CHECKING:
    import pandas as pd

ROWS = 2**20  # of a piece
MEMORY_PER_ROW = 64  # bytes of reading at once: cells, masks, scores and a sorted copy


def pyarrow_for(what: str) -> Any:
    """Return pyarrow, or raise an ImportError that tells how to install it."""
    try:
        import pyarrow  # optional: dpviz[parquet]
    except ImportError as error:
        raise ImportError(f"{what} need pyarrow: pip install 'dpviz[parquet]'") from error
    return pyarrow


def cells_of_batches(
    batches: Iterable[Any], where: str, start: int = 0
) -> Iterator[tuple[Cells, range]]:
    """Yield the columns of record batches or tables, and their rows, counted from `start`."""
    pyarrow = pyarrow_for("these tables")
    rest = iter(batches)
    while True:
        try:
            batch = next(rest, None)
            if batch is None:
                return
            # Rejects text that is not UTF-8 and offsets beyond a buffer before they are followed.
            batch.validate(full=True)
            cells = [_series(batch.column(i)) for i in range(batch.num_columns)]
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable(where, error) from error
        rows = range(start, start + batch.num_rows)
        yield cells, rows
        start = rows.stop


def _series(column: Any) -> "pd.Series[Any]":
    """A column as a Series; truth values in a fifth of the time of `to_pandas`."""
    import pandas as pd  # slow to import

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


def too_large(where: str, what: str, needed: int, memory: int, instead: str) -> ReadError:
    """The error of a piece that takes too much memory; `instead` is a remedy."""
    return ReadError(
        f"{where}, {what}: unpacking takes {needed // 2**20} MiB, more than the "
        f"{memory // 2**20} MiB that memory_limit allows for a piece; {instead}"
    )


def unreadable(where: str, error: Exception) -> ReadError:
    """The error of a broken file, with the first words of the library's own."""
    return ReadError(f"{where}: not a readable file: {reason(error, 300)}")
