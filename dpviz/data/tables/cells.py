"""From one column of cells to numbers or to membership, one verdict per cell."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import FloatArray

if TYPE_CHECKING:
    import pandas as pd

MEMBER_WORDS = ("true", "yes", "member", "train", "in")
NONMEMBER_WORDS = ("false", "no", "nonmember", "non-member", "test", "out")
MEMBERSHIP_CODING = (
    "1/0, true/false, yes/no, member/nonmember, member/non-member, train/test or in/out"
)
NO_NUMBERS = (bool, np.bool, complex, np.complexfloating, bytes, bytearray, np.datetime64)
"""Of which `float` would make some."""
MISSING_WORDS = ("", "nan")
INFINITE_WORDS = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class ReadCells:
    """Values of one column, and which cells are missing or not of the expected form."""

    values: FloatArray
    missing: NDArray[np.bool]
    malformed: NDArray[np.bool]


def read_numbers(cells: "pd.Series[Any]") -> ReadCells:
    """Read cells as numbers; truth values are not numbers, infinite numbers are."""
    if cells.dtype.kind in "iuf":
        with np.errstate(over="ignore", invalid="ignore"):  # of longer floats
            values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        return ReadCells(values, np.isnan(values), np.zeros(values.size, dtype=np.bool))
    return _read_cells(map(_number, cells.tolist()), len(cells))


def read_membership(cells: "pd.Series[Any]") -> ReadCells:
    """Read cells as membership, 1.0 or 0.0, in one of the codings of `MEMBERSHIP_CODING`."""
    if cells.dtype.kind in "biuf":
        numbers = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        missing = np.isnan(numbers)
        return ReadCells(numbers, missing, ~missing & (numbers != 0) & (numbers != 1))
    found = cells.tolist()
    if set(map(type, found)) == {str}:  # few distinct words
        words = {word: _membership(word) for word in set(found)}
        return _read_cells(map(words.__getitem__, found), len(found))
    return _read_cells(map(_membership, found), len(found))


def _read_cells(read: Iterable[float | None], n_cells: int) -> ReadCells:
    """Gather values, where NaN stands for a missing and None for a malformed cell."""
    found = np.fromiter(read, dtype=object, count=n_cells)
    malformed = np.fromiter((value is None for value in found), dtype=np.bool, count=n_cells)
    values = np.where(malformed, 0.0, found).astype(np.float64)
    return ReadCells(values, np.isnan(values), malformed)


def _number(cell: object) -> float | None:
    if isinstance(cell, str):
        text = cell.strip().casefold()
        if text in MISSING_WORDS:
            return np.nan
        return float(text) if text in INFINITE_WORDS or NUMBER.fullmatch(text) else None
    if _is_missing(cell):
        return np.nan
    if isinstance(cell, NO_NUMBERS):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf
    except Exception:  # whatever an object, such as a tensor of two numbers, raises
        return None


def _membership(cell: object) -> float | None:
    if isinstance(cell, str):
        word = cell.strip().casefold()
        if word in MEMBER_WORDS:
            return 1.0
        if word in NONMEMBER_WORDS:
            return 0.0
    number = float(cell) if isinstance(cell, bool | np.bool) else _number(cell)
    return number if number is None or number in (0, 1) or np.isnan(number) else None


def _is_missing(cell: object) -> bool:
    import pandas as pd

    return cell is None or cell is pd.NA or cell is pd.NaT
