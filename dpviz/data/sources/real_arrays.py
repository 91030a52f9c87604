"""Arrays of real numbers from whatever holds them: lists, arrays, tensors."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.data.formats.format import ReadError, quoted

DEEPEST = 8
"""Lists in lists that are looked at."""
Reals = NDArray[np.floating[Any] | np.integer[Any]]


def array_of(value: Any, place: str) -> NDArray[Any]:
    """An array of whatever a list, an array or a tensor holds.

    Tensors are recognised by what they can do (`detach`, `cpu`, `numpy`), so that their library is
    not imported.

    Parameters
    ----------
    value : object
    place : str
        What messages call it.

    Raises
    ------
    ReadError
        If rows have different lengths, entries are masked, or entries of a list are no numbers
        where others are.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ReadError(
            f"{place}: expected numbers, got a masked array; value.compressed() leaves out what is "
            "masked"
        )
    if isinstance(value, list | tuple):
        if _depth(value) > DEEPEST:
            raise ReadError(f"{place}: expected a list of numbers, got lists in lists in lists")
        return _of_list(value, place)
    try:
        array = _of_object(value)
    except Exception as error:  # whatever the object of some library raises
        raise ReadError(
            f"{place}: expected numbers, got a {type(value).__name__} that gives none: "
            f"{quoted(str(error))}"
        ) from error
    is_extended = array.dtype.kind == "V" and array.dtype.type.__module__ == "ml_dtypes"
    return array.astype(np.float32) if is_extended else array


def reals_of(value: Any, place: str) -> Reals:
    """An array of real numbers, NaN where a list has None.

    Raises
    ------
    ReadError
        If it holds anything else: text, truth values, complex numbers, objects.
    """
    array = array_of(value, place)
    if array.dtype.kind not in "iuf":
        raise ReadError(f"{place}: expected numbers, got {_content(array)}")
    return array


def one_dimensional(array: NDArray[Any], place: str) -> NDArray[Any]:
    """The array, if it is one-dimensional and not empty."""
    if array.ndim != 1:
        got = "a single value" if array.ndim == 0 else f"shape {array.shape}"
        raise ReadError(f"{place}: expected a one-dimensional array, got {got}")
    if array.size == 0:
        raise ReadError(f"{place}: expected numbers, got none")
    return array


def _content(array: NDArray[Any]) -> str:
    of = {
        "b": "truth values",
        "c": "complex numbers",
        "O": "objects",
        "U": "text",
        "S": "bytes",
        "M": "dates",
        "m": "durations",
        "V": "entries of a type that NumPy does not know (bfloat16 is saved as float32)",
    }
    kind = array.dtype.kind
    shown = f", the first {quoted(array.flat[0])}" if array.size and kind not in "OV" else ""
    return f"{of.get(kind, str(array.dtype))}{shown}"


def _of_object(value: Any) -> NDArray[Any]:
    if callable(getattr(value, "detach", None)):
        value = _of_tensor(value.detach())
    elif hasattr(getattr(value, "dtype", None), "na_value") and value.dtype.kind in "iuf":
        value = value.to_numpy(dtype=np.float64, na_value=np.nan)  # gaps of pandas
    return np.asarray(value)


def _of_tensor(tensor: Any) -> Any:
    tensor = tensor.cpu()
    try:
        return tensor.numpy()
    except TypeError:  # a type that numpy does not have, such as bfloat16
        return tensor.float().numpy()


def _depth(values: Any) -> int:
    """Of lists in lists, along their first entries."""
    depth = 0
    while depth <= DEEPEST and isinstance(values, list | tuple) and values:
        values, depth = values[0], depth + 1
    return depth


def _of_list(values: "list[Any] | tuple[Any, ...]", place: str) -> NDArray[Any]:
    kinds = set(map(type, values))
    if kinds <= {int, float}:
        return _floats(values, place)
    if kinds <= {str} or kinds <= {bool}:
        return np.array(values)
    if kinds <= {list, tuple}:
        return _stacked([array_of(row, f"{place}[{i}]") for i, row in enumerate(values)], place)
    entries = [_entry(value, f"{place}, position {i}") for i, value in enumerate(values)]
    if {np.ndim(entry) for entry in entries} == {0}:
        return _floats(entries, place)
    return _stacked([np.asarray(entry) for entry in entries], place)


def _entry(value: Any, place: str) -> Any:
    """One entry of a list: None is a missing number; arrays and tensors may be entries."""
    if value is None or isinstance(value, float | np.floating):
        return np.nan if value is None else value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return value
    if hasattr(value, "__array__") or hasattr(value, "detach") or isinstance(value, list | tuple):
        return reals_of(value, place)
    raise ReadError(f"{place}: expected a number, got {quoted(value)}")


def _floats(values: Iterable[Any], place: str) -> Reals:
    entries = list(values)
    try:
        return np.array(entries, dtype=np.float64)
    except OverflowError:
        position = next(
            i for i, entry in enumerate(entries) if isinstance(entry, int) and abs(entry) > 1e308
        )
        raise ReadError(
            f"{place}, position {position}: expected a number up to 1.8e308, got a whole number of "
            f"{int(entries[position]).bit_length()} bits"
        ) from None


def _stacked(rows: list[NDArray[Any]], place: str) -> NDArray[Any]:
    for i, row in enumerate(rows):
        if row.shape != rows[0].shape:
            raise ReadError(
                f"{place}: expected rows of one length, got {rows[0].size} in row 0 and {row.size} "
                f"in row {i}"
            )
    return np.stack(rows)
