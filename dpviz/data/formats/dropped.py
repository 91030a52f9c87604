"""Warnings of what was left out."""

import sys
import warnings
from collections.abc import Sequence

SHOWN_ROWS = 5


def warn_caller(message: str) -> None:
    """Warn at the line outside dpviz that asked for what is warned about."""
    warnings.warn(message, UserWarning, stacklevel=_callers_level())


def warn_dropped(where: str, rows: Sequence[int], n_rows: int) -> None:
    """Warn that rows with missing values are gone.

    Parameters
    ----------
    where : str
        What the source is called in messages.
    rows : sequence of int
        Numbers of the dropped rows, as the source counts them.
    n_rows : int
        Number of rows before dropping.
    """
    shown = ", ".join(str(row) for row in rows[:SHOWN_ROWS])
    more = ", ..." if len(rows) > SHOWN_ROWS else ""
    warn_caller(
        f"{where}: dropped {len(rows)} of {n_rows} rows with a missing value "
        f"(row{'' if len(rows) == 1 else 's'} {shown}{more})"
    )


def _callers_level() -> int:
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "dpviz":
        level, frame = level + 1, frame.f_back
    return level
