"""Warnings about rows that were dropped."""

from collections.abc import Sequence

from dpviz.data.sources.options import ReadError
from dpviz.warn import warn_caller

SHOWN_ROWS = 5  # whose numbers the remark gives
MOST_DROPPED = 2**24  # rows without a record between; a small file may hold any number of them
MOST_DROPPED_OF_TEXT = 2**20  # of which each takes microseconds


class Dropped:
    """Rows with a missing value that were dropped from a source, counted piece by piece.

    `where` is the name of the source in messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._first: list[int] = []
        self._n_rows = 0
        self._n_since_kept = 0
        self._last = 0
        self.n = 0

    def add(self, n_kept: int, rows: Sequence[int]) -> None:
        """Count rows that are kept, and dropped rows by their numbers."""
        self.n += len(rows)
        self._n_rows += n_kept + len(rows)
        self._n_since_kept = 0 if n_kept else self._n_since_kept + len(rows)
        self._first += rows[: SHOWN_ROWS - len(self._first)]
        self._last = rows[-1] if len(rows) else self._last

    def reject_endless(self, most: int) -> None:
        """Raise ReadError after more than `most` rows in pieces without a record."""
        if self._n_since_kept > most:
            raise ReadError(
                f"{self._where}, row {self._last}: expected a record, got more than "
                f"{most} rows with a missing value one after another"
            )

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
