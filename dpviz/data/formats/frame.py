"""Data frames with one score column, one membership column and optionally one of groups."""

from typing import Any

from dpviz.audit.scores.base import Scores
from dpviz.data.formats.format import Format
from dpviz.data.sources.options import ReadOptions
from dpviz.data.tables.frame import frame_of, is_frame
from dpviz.data.tables.table_source import read_table


def _read(source: Any, options: ReadOptions) -> Scores:
    return read_table(frame_of(source, options.name), options, FRAME.name)


FRAME = Format(name="a pandas, polars or pyarrow table", recognise=is_frame, reader=_read)
