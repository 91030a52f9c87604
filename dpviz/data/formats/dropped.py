"""Warnings of what was left out."""

from collections.abc import Sequence

from dpviz.data.formats.records import Records
from dpviz.warn import warn_caller

SHOWN_ROWS = 5


class Dropped:
    """Rows with a missing value that were left out of a source, piece by piece.

    Parameters
    ----------
    where : str
        What the source is called in messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._first: list[int] = []
        self._n_rows = 0
        self.n = 0

    def add(self, records: Records) -> None:
        """Count some more rows, and what of them is gone."""
        self.n += len(records.dropped)
        self._n_rows += len(records.dropped) + len(records.is_member)
        self._first += records.dropped[: SHOWN_ROWS + 1 - len(self._first)]

    @property
    def said(self) -> str:
        """How many of how many, why, and where the first of them stood; empty if none is gone."""
        return _said(self.n, self._n_rows, self._first) if self.n else ""

    def warn(self) -> None:
        """Warn, if any is gone."""
        if self.n:
            warn_caller(f"{self._where}: {self.said}")


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
    warn_caller(f"{where}: {_said(len(rows), n_rows, rows)}")


def _said(n: int, n_rows: int, first: Sequence[int]) -> str:
    shown = ", ".join(str(row) for row in first[:SHOWN_ROWS])
    more = ", ..." if n > SHOWN_ROWS else ""
    return (
        f"dropped {n} of {n_rows} rows with a missing value "
        f"(row{'' if n == 1 else 's'} {shown}{more})"
    )
