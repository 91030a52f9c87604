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
    return Table.of(
        cells_of(rows, [names[position] for position in columns.positions]),
        where=where,
        columns=columns,
        rows=np.array(numbers, np.int64),
    )


def cells_of(rows: Sequence[Row], names: Sequence[str]) -> "list[pd.Series[Any]]":
    """Cells of these names, the first two columns as numbers where all of them are."""
    import pandas as pd

    cells = [pd.Series([row.get(name) for row in rows], dtype=object) for name in names]
    return [*map(_numeric, cells[:2]), *cells[2:]]


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
