"""Features of records as numbers: tables of numbers, times and categories become a matrix.

A table is an array, a list of rows or a DataFrame. Its columns of numbers stay numbers, and times
count microseconds. All other columns hold categories, the most frequent of which become a column
of 0 and 1 each. Missing values are rejected: a category of their own can say that they are missing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray

MOST_CATEGORIES = 20  # most frequent texts of a column that become features of the classifier
LARGEST_FEATURE = 1e150  # squares of larger numbers overflow
Column = NDArray[Any]


def columns_of_both(name: str, member: Any, nonmember: Any) -> dict[str, Column]:
    """Return the columns by name, members before non-members: finite floats or text.

    ValueError if the tables differ in their columns, or if a value is missing or too large.
    """
    one, other = (_columns_by_name(name, each) for each in (member, nonmember))
    if not one or one.keys() != other.keys():
        raise checks.fail(name, "tables with the same columns", [[*one], [*other]])
    single = name.removesuffix("s")
    return {key: _joined(f"{single} {key}", column, other[key]) for key, column in one.items()}


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


def _joined(name: str, *columns: Column) -> Column:
    # Numbers beside texts are categories, as texts are.
    if len({column.dtype.kind in "biuf" for column in columns}) == 2:
        columns = tuple(column.astype(object) for column in columns)
    return floats_or_text(name, np.concatenate(columns))


def floats_or_text(name: str, column: Column) -> Column:
    """Return a column of numbers or times as finite floats, any other column as text."""
    kind, missing = column.dtype.kind, 0
    if kind == "O":
        missing = sum(map(_is_missing, column))
    elif kind in "mM":
        missing = int(np.count_nonzero(np.isnat(column)))
    if missing:
        got = f"{missing} among {column.size}; a value of their own can stand for them"
        raise ValueError(f"{name} must have no missing values, got {got}")
    if kind in "mM":  # times and durations, as numbers
        column = column.astype(f"{kind}8[us]").astype(np.int64)
    if kind == "O" and all(map(_is_number, column)):
        column = column.astype(np.float64)
    if column.dtype.kind not in "biuf":
        return column.astype(str)
    values = column.astype(np.float64)
    if not np.isfinite(values).all():
        raise checks.fail(name, "finite", values[~np.isfinite(values)][0])
    return checks.reals(name, values, -LARGEST_FEATURE, LARGEST_FEATURE)


def _is_missing(entry: object) -> bool:
    """Return whether an entry is None, NaN, or the NA or NaT of pandas."""
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float | np.floating) and bool(np.isnan(entry))


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
