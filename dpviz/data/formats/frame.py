"""Data frames with one score column, one membership column and perhaps one of groups."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.arrow import pyarrow_for
from dpviz.data.formats.format import Format, ReadOptions, plain
from dpviz.data.formats.table_file import CellTable, read_table

if TYPE_CHECKING:
    import pandas as pd

    from dpviz.data.formats.table_file import CellsOfRows


class Frame(CellTable):
    """A data frame of pandas; rows are counted from 0 by position, whatever the index says."""

    def __init__(self, frame: "pd.DataFrame", where: str) -> None:
        self.where = where
        self.names = [str(name) for name in frame.columns]
        self._frame = frame

    def cells(self, positions: Sequence[int]) -> "Iterator[CellsOfRows]":
        """All of it."""
        yield (
            [self._frame.iloc[:, position] for position in positions],
            range(len(self._frame)),
        )


def is_frame(source: object) -> bool:
    """Whether a source is a data frame of pandas, or a table that Arrow's protocol speaks for."""
    # Whoever holds a data frame has imported pandas already.
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return True
    return hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns")


def frame_of(source: Any, name: str | None) -> Frame:
    """A frame of pandas as it is, any other through pyarrow."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        frame, called = source, "the data frame"
    else:
        called = f"the {type(source).__module__.partition('.')[0]} table"
        frame = pyarrow_for("tables other than pandas'").table(source).to_pandas()
    return Frame(frame, called if name is None else plain(name))


def _read(source: Any, options: ReadOptions) -> Scores:
    return read_table(frame_of(source, options.name), options, FRAME.name)


FRAME = Format(name="a pandas, polars or pyarrow table", accepts=is_frame, read=_read)
