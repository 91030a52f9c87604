"""Rows that are objects with named cells, as in JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpviz.data.tables.cells import Cells

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, Any]


def names_of(rows: Iterable[Row]) -> list[str]:
    """Names of all cells, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def cells_of_rows(rows: Sequence[Row], names: Sequence[str]) -> Cells:
    """Return columns of cells, the first two as numbers if all are; absent cells are missing."""
    import pandas as pd  # slow to import

    cells = [pd.Series([row.get(name) for row in rows], dtype=object) for name in names]
    return [*map(_numeric, cells[:2]), *cells[2:]]


def _numeric(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return cells.astype(bool)
    if kinds and kinds <= {int, float}:
        try:
            return cells.astype(float)
        except OverflowError:
            return cells
    return cells
