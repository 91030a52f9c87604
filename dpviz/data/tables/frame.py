"""Tables in memory: Arrow batches, named values, data frames, and JSON rows."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import reason
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, mismatch, printable, quoted
from dpviz.data.sources.real_arrays import Reals, array_of_any_type, is_text, reals_of, vector_of
from dpviz.data.tables.one_class import MembersOrNonmembers
from dpviz.data.tables.table import CellBlock, Cells
from dpviz.data.tables.table_source import TableSource

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_ONCE = 2**18  # of a data set that gives any number of rows at a time
MEMORY_PER_ROW = 64  # bytes: cells, masks, scores and a sorted copy, all rows at once


def import_pyarrow(needed_by: str) -> Any:
    """Return the module pyarrow; ImportError "`needed_by` need pyarrow" if it is not installed."""
    try:
        import pyarrow  # optional: dpviz[parquet]
    except ImportError as error:
        raise ImportError(f"{needed_by} need pyarrow: pip install 'dpviz[parquet]'") from error
    return pyarrow


def arrow_columns(table: Any) -> Cells:
    """Return the columns of a validated Arrow record batch or table as Series of pandas."""
    return [_to_series(table.column(i)) for i in range(table.num_columns)]


def _to_series(column: Any) -> "pd.Series[Any]":
    """Convert an Arrow column to a Series; booleans are converted faster than by `to_pandas`."""
    import pandas as pd  # slow to import

    pyarrow = import_pyarrow("these tables")
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    if pyarrow.types.is_boolean(column.type) and not column.null_count and chunks:
        return pd.Series(np.concatenate([_unpacked_bits(chunk) for chunk in chunks]))
    cells: pd.Series[Any] = column.to_pandas()
    return cells


def _unpacked_bits(chunk: Any) -> NDArray[np.bool]:
    packed = np.frombuffer(chunk.buffers()[1] or b"", np.uint8)
    # The bytes that hold the bits of this chunk; the first may begin with bits of other rows.
    first, last = chunk.offset // 8, -(-(chunk.offset + len(chunk)) // 8)
    bits = np.unpackbits(packed[first:last], bitorder="little").view(np.bool)
    return bits[chunk.offset % 8 :][: len(chunk)]


def too_large_error(where: str, details: Sequence[Any], memory: int, advice: str) -> ReadError:
    """Return the error that a part of a file is too large; `details` are its place and size."""
    place = f", {details[0]}" if details else ""
    needed = f"{details[1] // 2**20} MiB, " if len(details) > 1 else ""
    return ReadError(
        f"{where}{place}: unpacking takes {needed}more than the {memory // 2**20} MiB that "
        f"memory_limit allows for a piece; {advice}"
    )


def unreadable_error(where: str, error: Exception) -> ReadError:
    """Return the error that a file is unreadable, with the start of the library's message."""
    return ReadError(f"{where}: not a readable file: {reason(error, 300)}")


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedValues:
    """The named values of a mapping, a .npz file or an object, each loaded on request."""

    where: str  # name of the source in messages
    names: tuple[str, ...]  # of values that are not None; if nested: "predictions.member"
    load: Callable[[str], Any]  # returns the value of a name
    file: File | None = None  # the file that holds the values
    word: str = "key"  # what messages call a name: "key" or "attribute"

    def has_all(self, *names: str) -> bool:
        """Return whether there is a value for each of these names."""
        return all(name in self.names for name in names)

    def place_text(self, name: str) -> str:
        """Return the text by which messages locate the value `name`."""
        return f"{self.where}, {self.word} {quoted(name)}"

    def vector(self, name: str) -> Reals:
        """Return the value `name` as a vector of real numbers, with NaN for missing values."""
        return vector_of(self.array(name), self.place_text(name))

    def matrix_or_vector(self, name: str) -> Reals:
        """Return the value `name` as a matrix of real numbers, or a vector if it has one column."""
        array = self.array(name)
        if array.ndim == 2 and array.shape[1] > 1 and array.shape[0] > 0:
            return array
        if array.ndim != 1 and array.shape[1:] != (1,):
            expected = "a row per record and a column per class"
            raise mismatch(self.place_text(name), expected, f"shape {array.shape}")
        return vector_of(array, self.place_text(name))

    def array(self, name: str) -> Reals:
        """Return the value `name` as an array of real numbers, of any shape."""
        return reals_of(self.load(name), self.place_text(name))

    def numbers_or_text(self, name: str) -> NDArray[Any]:
        """Return the value `name` as a vector of numbers, truth values or text."""
        array = vector_of(
            array_of_any_type(self.load(name), self.place_text(name)), self.place_text(name)
        )
        if array.dtype.kind in "cVO" and not is_text(array):
            raise mismatch(self.place_text(name), "real numbers, booleans or text", array.dtype)
        return array

    def members_or_nonmembers(self, name: str) -> MembersOrNonmembers:
        """Return the value `name` as scores or losses of all members, or of all non-members."""
        return MembersOrNonmembers.of(self.load(name), self.place_text(name))


# Tables of pandas, polars, pyarrow, Dask, Hugging Face and NumPy.


@dataclass(frozen=True)
class LazyTableType:
    """A library's type of lazy tables, which is recognised by its `attributes`."""

    attributes: tuple[str, ...]
    names: Callable[[Any], Sequence[Any]]  # of the columns
    pieces: Callable[[Any, list[Any]], Iterable[Any]]  # tables with some of the columns, in order


def _polars_batches(table: Any, names: list[Any]) -> Iterable[Any]:
    chosen = table.select(names)
    return chosen.collect_batches() if hasattr(chosen, "collect_batches") else [chosen.collect()]


LAZY_TYPES = (
    LazyTableType(
        ("collect", "collect_schema"),  # polars' LazyFrame
        lambda table: table.collect_schema().names(),
        _polars_batches,
    ),
    LazyTableType(
        ("npartitions", "partitions", "columns"),  # a data frame of Dask
        lambda table: list(table.columns),
        lambda table, names: (part.compute() for part in table[names].partitions),
    ),
    LazyTableType(
        ("column_names", "select_columns", "with_format"),  # a Dataset of Hugging Face
        lambda table: table.column_names or (),
        lambda table, names: table.select_columns(names).with_format("arrow").iter(ROWS_AT_ONCE),
    ),
)


def _lazy_type(source: object) -> LazyTableType | None:
    found = (kind for kind in LAZY_TYPES if all(hasattr(source, a) for a in kind.attributes))
    return None if isinstance(source, type | Mapping) else next(found, None)


class FrameTable(TableSource):
    """A table in memory, or a lazy table, read through a function that yields blocks of cells."""

    def __init__(
        self,
        where: str,
        names: Iterable[Any],
        blocks: Callable[[Sequence[int]], Iterable[Cells]],
        file: File | None = None,
    ) -> None:
        self.where, self.file = where, file
        self.names = [str(name) for name in names]
        self._blocks = blocks

    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        """Yield the columns at `positions`, block by block."""
        rows = range(0)
        for cells in self._blocks(positions):
            rows = range(rows.stop, rows.stop + len(cells[0]))
            yield cells, rows


def is_frame(source: object) -> bool:
    """Return whether a source is a data frame, an Arrow or lazy table, or a structured array."""
    # There is no data frame before pandas has been imported.
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return True
    if isinstance(source, np.ndarray):
        return source.dtype.names is not None
    has_columns = hasattr(source, "columns") or hasattr(source, "schema")
    return (has_columns and hasattr(source, "__arrow_c_stream__")) or _lazy_type(source) is not None


def frame_as_table(source: Any, name: str | None) -> FrameTable:
    """Return another library's table as a `FrameTable`; error messages refer to it as `name`."""
    package = type(source).__module__.partition(".")[0]
    own = "the data frame" if package == "pandas" else f"the {package} table"
    called = own if name is None else printable(name)
    with _naming_table_in_errors(called):
        if (kind := _lazy_type(source)) is None:
            frame = _to_pandas(source)
            return FrameTable(called, frame.columns, lambda at: [[frame.iloc[:, i] for i in at]])
        names = kind.names(source)

    def blocks(positions: Sequence[int]) -> Iterator[Cells]:
        with _naming_table_in_errors(called):
            for piece in map(_to_pandas, kind.pieces(source, [names[i] for i in positions])):
                yield [piece.iloc[:, i] for i in range(len(positions))]

    table = FrameTable(called, names, blocks)
    table.memory, table.n_pieces = 1, 2  # unknown; records are counted if they take too much
    return table


def _to_pandas(table: Any) -> "pd.DataFrame":
    import pandas as pd  # slow to import

    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, np.ndarray):
        return pd.DataFrame({field: table[field] for field in table.dtype.names or ()})
    frame: pd.DataFrame = import_pyarrow("tables other than pandas'").table(table).to_pandas()
    return frame


@contextmanager
def _naming_table_in_errors(where: str) -> Iterator[None]:
    """Turn any error of another library in the ``with`` block into a ReadError."""
    try:
        yield
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        got = f"one that gives no rows: {reason(error, 200)}"
        raise mismatch(where, "a table", got) from error


# Rows with named cells, as in JSON.

Row = Mapping[str, Any]


def rows_as_table(rows: Sequence[Row], where: str, file: File | None = None) -> FrameTable:
    """Return rows as a table with a column for each name that occurs in a row."""
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    return FrameTable(
        where, names, lambda at: [columns_of_rows(rows, [names[i] for i in at])], file=file
    )


def columns_of_rows(rows: Sequence[Row], names: Sequence[str]) -> Cells:
    """Return the columns `names` of rows, the first two as numbers or booleans if possible."""
    import pandas as pd  # slow to import

    cells = [pd.Series([row.get(name) for row in rows], dtype=object) for name in names]
    return [*map(_numeric_if_possible, cells[:2]), *cells[2:]]


def _numeric_if_possible(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return cells.astype(bool)
    if kinds and kinds <= {int, float}:
        try:
            return cells.astype(float)
        except OverflowError:
            return cells
    return cells
