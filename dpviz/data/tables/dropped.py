"""Warnings about rows that were dropped."""

from collections.abc import Sequence

from dpviz.warn import warn_caller

SHOWN_ROWS = 5


class Dropped:
    """Rows with a missing value that were dropped from a source, counted piece by piece.

    `where` is the name of the source in messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._first: list[int] = []
        self._n_rows = 0
        self.n = 0

    def add(self, n_kept: int, rows: Sequence[int]) -> None:
        """Count rows that are kept, and dropped rows by their numbers."""
        self.n += len(rows)
        self._n_rows += n_kept + len(rows)
        self._first += rows[: SHOWN_ROWS - len(self._first)]

    @property
    def text(self) -> str:
        """How many of how many rows were dropped, and the first of them; empty if none was."""
        rows = [str(row) for row in self._first]
        first = f"row{'' if self.n == 1 else 's'} {', '.join(rows)}"
        return dropped_rows(self.n, self._n_rows, first) if self.n else ""

    def warn(self) -> None:
        """Warn if a row was dropped."""
        if self.n:
            warn_caller(f"{self._where}: {self.text}")


def dropped_rows(n: int, n_rows: int, first: str) -> str:
    """How many of how many rows were dropped, and the first `SHOWN_ROWS` of them."""
    more = ", ..." if n > SHOWN_ROWS else ""
    return f"dropped {n} of {n_rows} rows with a missing value ({first}{more})"
