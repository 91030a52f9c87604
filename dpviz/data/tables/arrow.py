"""Record batches of Arrow as columns of cells; the error where pyarrow is not installed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import reason
from dpviz.data.sources.options import ReadError
from dpviz.data.tables.table import Cells

if TYPE_CHECKING:
    import pandas as pd

MEMORY_PER_ROW = 64  # bytes of reading at once: cells, masks, scores and a sorted copy


def pyarrow_for(what: str) -> Any:
    """Return pyarrow, or raise an ImportError that tells how to install it."""
    try:
        import pyarrow  # optional: dpviz[parquet]
    except ImportError as error:
        raise ImportError(f"{what} need pyarrow: pip install 'dpviz[parquet]'") from error
    return pyarrow


def cells_of(table: Any) -> Cells:
    """Return the columns of a record batch or a table whose content has been validated."""
    return [_series(table.column(i)) for i in range(table.num_columns)]


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


def too_large(where: str, details: Sequence[Any], memory: int, instead: str) -> ReadError:
    """The error of a piece that takes too much memory; `instead` is a remedy.

    `details` are a place in the file and the bytes needed there, as far as they are known.
    """
    place = f", {details[0]}" if details else ""
    needed = f"{details[1] // 2**20} MiB, " if len(details) > 1 else ""
    return ReadError(
        f"{where}{place}: unpacking takes {needed}more than the {memory // 2**20} MiB that "
        f"memory_limit allows for a piece; {instead}"
    )


def unreadable(where: str, error: Exception) -> ReadError:
    """The error of a broken file, with the first words of the library's own."""
    return ReadError(f"{where}: not a readable file: {reason(error, 300)}")
