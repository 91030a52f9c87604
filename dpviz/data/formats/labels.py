"""From one column of cells to labels of groups, one verdict per cell."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.groups import Labels
from dpviz.data.formats.cells import MISSING_WORDS

if TYPE_CHECKING:
    import pandas as pd

WHOLE_NUMBER = re.compile(r"(-?[0-9]+)\.0*", re.ASCII)
MISSING = ""


@dataclass(frozen=True)
class ReadLabels:
    """Labels of one column, and which cells are missing or cannot be a label."""

    values: Labels
    missing: NDArray[np.bool]
    malformed: NDArray[np.bool]


def read_labels(cells: "pd.Series[Any]") -> ReadLabels:
    """Read cells as text; whole numbers lose their ".0", as a column with gaps gives them one."""
    found = [_label(cell) for cell in cells.tolist()]
    malformed = np.array([label is None for label in found], dtype=np.bool)
    values = np.array([label or MISSING for label in found], dtype=np.str_)
    return ReadLabels(values, (values == MISSING) & ~malformed, malformed)


def _label(cell: object) -> str | None:
    """A label, `MISSING`, or None for a cell that is neither."""
    try:
        return _text(cell)
    except TypeError:  # a list or the like
        return None


@lru_cache(maxsize=1024, typed=True)
def _text(cell: object) -> str:
    if _is_missing(cell):
        return MISSING
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    text = str(cell).strip()
    if text.casefold() in MISSING_WORDS:
        return MISSING
    number = WHOLE_NUMBER.fullmatch(text)
    return number[1] if number else text


def _is_missing(cell: object) -> bool:
    import pandas as pd

    return cell is None or cell is pd.NA or cell != cell
