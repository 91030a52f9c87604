"""One column of cells as numbers, as membership or as labels, with a verdict on each cell."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Cells = list["pd.Series[Any]"]  # columns
Rows = NDArray[np.int64] | range  # the number of each row, as its source counts
CellsOfRows = tuple[Cells, Rows]

MEMBER_WORDS = ("true", "yes", "member", "train", "in")
NONMEMBER_WORDS = ("false", "no", "nonmember", "non-member", "test", "out")
MEMBERSHIP_CODING = (
    "1/0, true/false, yes/no, member/nonmember, member/non-member, train/test or in/out"
)
# Types that `float` converts although they are not numbers.
NOT_NUMBERS = (bool, np.bool, complex, np.complexfloating, bytes, bytearray, np.datetime64)
MISSING_WORDS = ("", "nan")
INFINITE_WORDS = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
WHOLE_NUMBER = re.compile(r"(-?[0-9]+)\.0*", re.ASCII)
NO_LABEL = ""
LONGEST_REMEMBERED = 1000  # characters of a label


@dataclass(frozen=True)
class ReadCells:
    """Values of one column (numbers or text), and which cells are missing or malformed."""

    values: NDArray[Any]
    missing: NDArray[np.bool]
    malformed: NDArray[np.bool]


def read_numbers(cells: "pd.Series[Any]") -> ReadCells:
    """Read cells as numbers; truth values are malformed, infinite numbers are not."""
    if cells.dtype.kind in "iuf":
        with np.errstate(over="ignore", invalid="ignore"):  # of longer floats
            values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        return ReadCells(values, np.isnan(values), np.zeros(values.size, dtype=np.bool))
    return _read_cells(map(_number, _entries(cells)), len(cells))


def read_membership(cells: "pd.Series[Any]") -> ReadCells:
    """Read cells as membership, 1.0 or 0.0, in one of the codings of `MEMBERSHIP_CODING`."""
    if cells.dtype.kind in "biuf":
        numbers = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        missing = np.isnan(numbers)
        return ReadCells(numbers, missing, ~missing & (numbers != 0) & (numbers != 1))
    found = _entries(cells)
    if set(map(type, found)) == {str}:  # few distinct words
        words = {word: _membership(word) for word in set(found)}
        return _read_cells(map(words.__getitem__, found), len(found))
    return _read_cells(map(_membership, found), len(found))


def read_labels(cells: "pd.Series[Any]") -> ReadCells:
    """Read cells as text; whole numbers lose the ".0" that a column with gaps gives them."""
    found = [_label(cell) for cell in _entries(cells)]
    malformed = np.array([label is None for label in found], dtype=np.bool)
    # As objects: an array of text takes the length of the longest label for each.
    values = np.array([label or NO_LABEL for label in found], dtype=object)
    return ReadCells(values, (values == NO_LABEL) & ~malformed, malformed)


def _entries(cells: "pd.Series[Any]") -> list[Any]:
    """All cells; of a categorical column, cells of one category are one object."""
    import pandas as pd  # slow to import

    if not isinstance(cells.dtype, pd.CategoricalDtype):
        return cells.tolist()
    categories = [*cells.cat.categories.tolist(), None]  # code -1: no category
    return [categories[code] for code in cells.cat.codes.tolist()]


def _read_cells(read: Iterable[float | None], n_cells: int) -> ReadCells:
    """Collect values, where NaN stands for a missing and None for a malformed cell."""
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
    if _is_gap(cell):
        return np.nan
    if isinstance(cell, NOT_NUMBERS):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf
    except Exception:  # any error of an object, such as a tensor of two numbers
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


def _is_gap(cell: object) -> bool:
    import pandas as pd  # slow to import

    return cell is None or cell is pd.NA or cell is pd.NaT


def _label(cell: object) -> str | None:
    """A label, `NO_LABEL` for a missing cell, or None for a malformed one."""
    try:
        is_long = isinstance(cell, str) and len(cell) > LONGEST_REMEMBERED
        return _label_of.__wrapped__(cell) if is_long else _label_of(cell)
    except TypeError:  # not hashable, such as a list
        return None


@lru_cache(maxsize=1024, typed=True)
def _label_of(cell: object) -> str:
    if _is_gap(cell) or cell != cell:
        return NO_LABEL
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    text = str(cell).strip()
    if text.casefold() in MISSING_WORDS:
        return NO_LABEL
    number = WHOLE_NUMBER.fullmatch(text)
    return number[1] if number else text
