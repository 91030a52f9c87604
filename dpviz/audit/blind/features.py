"""Features of records as numbers: tables of numbers, times and categories become a matrix.

A table is an array, a list of rows or a DataFrame. Its columns of numbers stay numbers, and times
count microseconds. All other columns hold categories, the most frequent of which become a column
of 0 and 1 each.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray

MOST_CATEGORIES = 20  # most frequent texts of a column that become features of the classifier
LARGEST_FEATURE = 1e150  # squares of larger numbers overflow
Column = NDArray[Any]


def columns_of_both(
    name: str, member: Any, nonmember: Any, *, complete: bool = False
) -> dict[str, Column]:
    """Return the columns by name, members before non-members: finite floats or text.

    ValueError if the tables differ in their columns; with `complete`, also if a value is missing or
    its square overflows.
    """
    one, other = (_columns_by_name(name, each) for each in (member, nonmember))
    if not one or one.keys() != other.keys():
        raise checks.fail(name, "tables with the same columns", [[*one], [*other]])
    found, single = {}, name.removesuffix("s")
    for key, pair in ((key, (one[key], other[key])) for key in one):
        if complete:
            _reject_missing(f"{single} {key}", pair)
        # Numbers beside texts are categories, as texts are.
        if len({each.dtype.kind in "biuf" for each in pair}) == 2:
            pair = (pair[0].astype(object), pair[1].astype(object))
        found[key] = floats_or_text(f"{single} {key}", np.concatenate(pair))
        if complete and found[key].dtype.kind == "f":
            checks.reals(f"{single} {key}", found[key], -LARGEST_FEATURE, LARGEST_FEATURE)
    return found


def _columns_by_name(name: str, table: Any) -> dict[str, Column]:
    if hasattr(table, "columns"):  # a DataFrame of pandas or polars
        if len(set(table.columns)) < len(table.columns):
            raise checks.fail(f"columns of {name}", "distinct names", [*map(str, table.columns)])
        return {str(key): np.asarray(table[key]) for key in table.columns}
    checks.reject_masked(name, table)
    try:
        array = checks.as_array(table)
        # Rows of numbers and texts would become texts.
        if array.dtype.kind in "US" and not isinstance(table, np.ndarray):
            array = np.array(table, object)
    except ValueError as error:
        raise ValueError(f"{name} must be a table with rows of one length") from error
    if array.ndim not in (1, 2):
        raise checks.fail(name, "a table of shape (rows, columns)", array.shape)
    return {str(i): column for i, column in enumerate(array.reshape(len(array), -1).T)}


def _reject_missing(name: str, pair: tuple[Column, Column]) -> None:
    """Raise ValueError if an entry is missing: None, NaN, or pandas' NA and NaT."""
    n_missing = sum(map(_n_missing, pair))
    if n_missing:
        got = f"{n_missing} missing among {sum(each.size for each in pair)} values"
        raise ValueError(f"{name} must have no missing values, got {got}")


def _n_missing(column: Column) -> int:
    if column.dtype.kind in "mM":
        return int(np.count_nonzero(np.isnat(column)))
    if column.dtype.kind == "f":
        return int(np.count_nonzero(np.isnan(column)))
    return sum(map(_is_missing, column.tolist())) if column.dtype.kind == "O" else 0


def _is_missing(entry: object) -> bool:
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float | np.floating | np.datetime64) and bool(entry != entry)


def floats_or_text(name: str, column: Column) -> Column:
    """Return a column of numbers or times as finite floats, any other column as text."""
    if column.dtype.kind in "mM":  # times and durations, as numbers
        column = column.astype(f"{column.dtype.kind}8[us]").astype(np.int64)
    if column.dtype.kind == "O" and all(map(_is_number, column.tolist())):
        column = column.astype(np.float64)
    if column.dtype.kind not in "biuf":
        return column.astype(str)
    values = column.astype(np.float64)
    if not np.isfinite(values).all():
        raise checks.fail(name, "finite", values[~np.isfinite(values)][0])
    return values


def _is_number(entry: object) -> bool:
    return isinstance(entry, int | float | np.integer | np.floating) and not isinstance(entry, bool)


def numeric_matrix(
    table: dict[str, Column], *, counted: NDArray[np.intp] | None = None
) -> FloatArray:
    """Return the table as a matrix of numbers; each frequent text becomes a column of 0 and 1.

    A text is frequent by its number among the rows `counted`; left out: among all rows.
    """
    features: list[FloatArray] = []
    for column in table.values():
        if column.dtype.kind == "f":
            features.append(column[:, None])
            continue
        _, codes = np.unique(column, return_inverse=True)
        counts = np.bincount(codes if counted is None else codes[counted])
        frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        features.append((codes[:, None] == frequent).astype(np.float64))
    return np.column_stack(features)
