"""Warnings of what was left out."""

from collections.abc import Sequence

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

    def add(self, n_kept: int, rows: Sequence[int]) -> None:
        """Count some more rows that stay, and the numbers of those that are gone."""
        self.n += len(rows)
        self._n_rows += n_kept + len(rows)
        self._first += rows[: SHOWN_ROWS - len(self._first)]

    @property
    def said(self) -> str:
        """How many of how many, why, and where the first of them stood; empty if none is gone."""
        rows = [str(row) for row in self._first]
        first = f"row{'' if self.n == 1 else 's'} {', '.join(rows)}"
        return dropped_rows(self.n, self._n_rows, first) if self.n else ""

    def warn(self) -> None:
        """Warn, if any is gone."""
        if self.n:
            warn_caller(f"{self._where}: {self.said}")


def dropped_rows(n: int, n_rows: int, first: str) -> str:
    """How many of how many, why, and where the first `SHOWN_ROWS` stood."""
    more = ", ..." if n > SHOWN_ROWS else ""
    return f"dropped {n} of {n_rows} rows with a missing value ({first}{more})"
