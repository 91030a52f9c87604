"""Rows that are objects with named cells, as JSON has them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.data.formats.columns import Columns
from dpviz.data.formats.table import Table

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, Any]


def names_of(rows: Iterable[Row]) -> list[str]:
    """Names of all cells, in the order they come up."""
    return list(dict.fromkeys(name for row in rows for name in row))


def table_of(
    rows: Sequence[Row], names: Sequence[str], numbers: Sequence[int], columns: Columns, where: str
) -> Table:
    """The chosen columns; a cell that is not there is missing."""
    import pandas as pd

    cells = [
        pd.Series([row.get(names[position]) for row in rows], dtype=object)
        for position in columns.positions
    ]
    fast = [_numeric(each) for each in cells[:2]]
    return Table.of(
        [*fast, *cells[2:]],
        where=where,
        columns=columns,
        rows=np.array(numbers, np.int64),
    )


def _numeric(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    """As numbers, where all of them are."""
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return cells.astype(bool)
    if kinds and kinds <= {int, float}:
        try:
            return cells.astype(float)
        except OverflowError:
            return cells
    return cells
