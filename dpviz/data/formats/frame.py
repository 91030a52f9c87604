"""pandas data frames with one score column, one membership column and perhaps one of groups."""

import sys
from typing import TYPE_CHECKING

import numpy as np

from dpviz.audit.scores import AttackScores
from dpviz.data.formats.columns import choose_columns
from dpviz.data.formats.format import Format, ReadOptions, plain
from dpviz.data.formats.table import Table

if TYPE_CHECKING:
    import pandas as pd


def _accepts(source: object) -> bool:
    # Whoever holds a data frame has imported pandas already.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def _read(source: "pd.DataFrame", options: ReadOptions) -> AttackScores:
    """Read a data frame; rows are counted from 0 by position, whatever the index says."""
    where = "the data frame" if options.name is None else plain(options.name)
    columns = choose_columns([str(name) for name in source.columns], options, where)
    cells = [source.iloc[:, position] for position in columns.positions]
    table = Table.of(cells, where=where, columns=columns, rows=np.arange(len(source)))
    return table.scores(options.missing)


FRAME = Format("a pandas DataFrame", _accepts, _read)
