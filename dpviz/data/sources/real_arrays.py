"""Arrays of real numbers from lists, arrays and tensors."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import as_array, naming_foreign_errors
from dpviz.data.sources.options import mismatch, quoted

DEEPEST_LISTS = 8  # levels of lists in lists
Reals = NDArray[np.floating[Any] | np.integer[Any]]


def array_of_any_type(value: Any, place: str) -> NDArray[Any]:
    """Return a list, array or tensor as a NumPy array; ReadError for any other value."""
    with naming_foreign_errors(place, value):
        if isinstance(value, np.ma.MaskedArray):
            got = "a masked array; value.compressed() leaves out what is masked"
            raise mismatch(place, "numbers", got)
        if isinstance(value, list | tuple):
            if _nesting_depth(value) > DEEPEST_LISTS:
                raise mismatch(
                    place, "a list of numbers", f"lists nested over {DEEPEST_LISTS} deep"
                )
            return _array_of_list(value, place)
    try:
        if hasattr(getattr(value, "dtype", None), "na_value") and value.dtype.kind in "iuf":
            value = value.to_numpy(dtype=np.float64, na_value=np.nan)  # missing values of pandas
        array = as_array(value)
    except (Exception, SystemExit) as error:  # any error of another library's object
        got = f"a {type(value).__name__} that gives none: {quoted(str(error))}"
        raise mismatch(place, "numbers", got) from error
    is_extended = array.dtype.kind == "V" and array.dtype.type.__module__ == "ml_dtypes"
    return array.astype(np.float32) if is_extended else array


def reals_of(value: Any, place: str) -> Reals:
    """Return `value` as an array of real numbers, NaN for None; ReadError for any other entry."""
    array = array_of_any_type(value, place)
    if array.dtype.kind not in "iuf":
        raise mismatch(place, "numbers", _description_of_entries(array))
    return array


def vector_of(array: NDArray[Any], place: str) -> NDArray[Any]:
    """Return an array of one dimension or one column as a vector; ReadError for other shapes."""
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        got = "a single value" if array.ndim == 0 else f"shape {array.shape}"
        raise mismatch(place, "a one-dimensional array", got)
    if array.size == 0:
        raise mismatch(place, "numbers", "none")
    return array


def _description_of_entries(array: NDArray[Any]) -> str:
    of = {
        **{"b": "truth values", "c": "complex numbers", "O": "objects"},
        **{"U": "text", "S": "bytes", "M": "dates", "m": "durations"},
        "V": "entries of a type that NumPy does not know (bfloat16 is saved as float32)",
    }
    kind = "U" if is_text(array) else array.dtype.kind
    shown = f", the first {quoted(array.flat[0])}" if array.size and kind not in "OV" else ""
    return f"{of.get(kind, str(array.dtype))}{shown}"


def _nesting_depth(values: Any) -> int:
    depth = 0
    while depth <= DEEPEST_LISTS and isinstance(values, list | tuple) and values:
        values, depth = values[0], depth + 1
    return depth


def _array_of_list(values: "list[Any] | tuple[Any, ...]", place: str) -> NDArray[Any]:
    # Lists of one type are converted at once, others are checked entry by entry.
    kinds = set(map(type, values))
    if kinds <= {int, float}:
        return _float_array(values, place)
    if kinds <= {bool}:
        return np.array(values)
    if kinds <= {str}:  # as objects: an array of text takes the length of the longest for each
        return np.array(values, dtype=object)
    if kinds <= {list, tuple}:
        _reject_different_lengths(list(map(len, values)), place)
        if set(map(type, chain.from_iterable(values))) <= {int, float}:
            return _float_array(chain.from_iterable(values), place).reshape(len(values), -1)
        return _stack_rows(
            [array_of_any_type(row, f"{place}[{i}]") for i, row in enumerate(values)], place
        )
    entries = [_checked_entry(value, f"{place}, position {i}") for i, value in enumerate(values)]
    if {np.ndim(entry) for entry in entries} == {0}:
        return _float_array(entries, place)
    return _stack_rows([np.asarray(entry) for entry in entries], place)


def _checked_entry(value: Any, place: str) -> Any:
    """Return an entry of a list as a number (NaN for None), or as an array if it is a row."""
    if value is None or isinstance(value, float | np.floating):
        return np.nan if value is None else value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return value
    if hasattr(value, "__array__") or hasattr(value, "detach") or isinstance(value, list | tuple):
        return reals_of(value, place)
    raise mismatch(place, "a number", quoted(value))


def _float_array(values: Iterable[Any], place: str) -> Reals:
    entries = list(values)
    try:
        return np.array(entries, dtype=np.float64)
    except OverflowError:
        beyond = (isinstance(entry, int) and abs(entry) > 1e308 for entry in entries)
        position = list(beyond).index(True)
        got = f"a whole number of {int(entries[position]).bit_length()} bits"
        raise mismatch(f"{place}, position {position}", "a number up to 1.8e308", got) from None


def _stack_rows(rows: list[NDArray[Any]], place: str) -> NDArray[Any]:
    if len({row.shape for row in rows}) > 1:
        _reject_different_lengths([row.size for row in rows], place)
        i, other = next((i, row) for i, row in enumerate(rows) if row.shape != rows[0].shape)
        got = f"{rows[0].shape} in row 0 and {other.shape} in row {i}"
        raise mismatch(place, "rows of equal shape", got)
    return np.stack(rows)


def _reject_different_lengths(lengths: list[int], place: str) -> None:
    if len(set(lengths)) > 1:
        i = next(i for i, length in enumerate(lengths) if length != lengths[0])
        got = f"{lengths[0]} in row 0 and {lengths[i]} in row {i}"
        raise mismatch(place, "rows of equal length", got)


def is_text(array: NDArray[Any]) -> bool:
    """Return whether an array has the type text, or consists of objects that are all text."""
    is_objects = array.dtype.kind == "O" and array.size > 0
    return array.dtype.kind == "U" or (is_objects and set(map(type, array.flat)) == {str})
