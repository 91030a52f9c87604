"""Data frames of pandas, polars and pyarrow as tables."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dpviz.checks import reason
from dpviz.data.sources.options import ReadError, plain
from dpviz.data.tables.arrow import pyarrow_for
from dpviz.data.tables.cells import CellsOfRows
from dpviz.data.tables.table_source import TableSource

if TYPE_CHECKING:
    import pandas as pd


class Frame(TableSource):
    """A data frame of pandas; rows count from 0 by position, whatever the index."""

    def __init__(self, frame: "pd.DataFrame", where: str) -> None:
        self.where = where
        self.names = [str(name) for name in frame.columns]
        self._frame = frame

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """All rows."""
        yield [self._frame.iloc[:, i] for i in positions], range(len(self._frame))


def is_frame(source: object) -> bool:
    """Whether a source is a data frame of pandas, or a table that has Arrow's protocol."""
    # There is no data frame before pandas has been imported.
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return True
    return hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns")


def frame_of(source: Any, name: str | None) -> Frame:
    """Return a frame of pandas as a table, any other through pyarrow."""
    import pandas as pd  # slow to import

    if isinstance(source, pd.DataFrame):
        return Frame(source, "the data frame" if name is None else plain(name))
    package = type(source).__module__.partition(".")[0]
    called = f"the {package} table" if name is None else plain(name)
    pyarrow = pyarrow_for("tables other than pandas'")
    try:
        frame = pyarrow.table(source).to_pandas()
    except Exception as error:  # any error of another library's object
        raise ReadError(
            f"{called}: expected a table, got one that gives no rows: {reason(error, 200)}"
        ) from error
    return Frame(frame, called)
