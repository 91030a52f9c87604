"""CSV files: paths, open files and bytes.

pandas reads the columns that matter, fast. Only when that reading does not give scores at once
is the text read again, cell by cell, to find the row, the column and the text that is wrong.
"""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores import AttackScores
from dpviz.data.formats.columns import Columns, choose_columns
from dpviz.data.formats.content import read_content
from dpviz.data.formats.format import Format, ReadError, ReadOptions, quoted
from dpviz.data.formats.table import Table

if TYPE_CHECKING:
    import pandas as pd

    Cells = list[pd.Series[Any]]


def _accepts(source: object) -> bool:
    if isinstance(source, str | os.PathLike | bytes | bytearray | memoryview):
        return True
    return callable(getattr(source, "read", None))


def _read(source: Any, options: ReadOptions) -> AttackScores:
    file = CsvText.of(source, options.name)
    columns = choose_columns(file.names, options, file.where)
    fast = _read_fast(file, columns)
    return _read_cells(file, columns).scores(options.missing) if fast is None else fast


def _read_fast(file: "CsvText", columns: Columns) -> AttackScores | None:
    """Scores from rows in which nothing is wrong or missing, else None."""
    positions = columns.positions
    cells = file.cells_fast(positions, texts=positions[2:])
    if cells is None or cells[0].dtype.kind not in "iuf":
        return None
    try:
        rows = np.arange(len(cells[0]))
        return Table.of(cells, where=file.where, columns=columns, rows=rows).scores("refuse")
    except ReadError:
        return None


def _read_cells(file: "CsvText", columns: Columns) -> Table:
    """Every cell of the columns as text, with its row in the file."""
    cells, rows = file.cells(columns.positions)
    return Table.of(cells, where=file.where, columns=columns, rows=rows)


def _is_blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip())


@dataclass(frozen=True, kw_only=True)
class CsvText:
    """The text of a CSV file whose header has been read.

    Parameters
    ----------
    where : str
        What the source is called in messages.
    names : list of str
        Of the columns.
    content : bytes
        All of it.
    start : int
        Where the row below the header begins.
    n_skipped : int
        Rows up to the header.
    """

    where: str
    names: list[str]
    content: bytes
    start: int
    n_skipped: int

    @classmethod
    def of(cls, source: Any, name: str | None) -> "CsvText":
        """Read a path, an open file or bytes.

        Raises
        ------
        FileNotFoundError, ReadError
            As of `read_content`; and if there is no header.
        """
        where, content = read_content(source, name)
        stream = io.BytesIO(content)
        for n_rows, record in enumerate(_records(stream, where), start=1):
            if not _is_blank(record):
                start = stream.tell()
                return cls(
                    where=where, names=record, content=content, start=start, n_skipped=n_rows
                )
        raise ReadError(f"{where}: expected a header and rows, got an empty file")

    def cells_fast(self, positions: Sequence[int], *, texts: Sequence[int]) -> "Cells | None":
        """Columns as pandas reads them, those of `texts` as text; None if a row is malformed."""
        import pandas as pd

        # One column more than there should be: it stays empty unless a row has too many cells.
        n_columns = len(self.names)
        names = [str(position) for position in range(n_columns + 1)]
        beyond = names[n_columns]
        # pandas reads floats exactly when asked to; from 3.1 on always, and asking is deprecated.
        major, minor = pd.__version__.split(".")[:2]
        always_exact = (int(major), int(minor)) >= (3, 1)
        try:
            frame = pd.read_csv(
                io.BytesIO(",".join(names).encode() + b"\n" + self.content[self.start :]),
                usecols=[*(names[position] for position in positions), beyond],
                dtype={names[position]: str for position in texts} or None,
                index_col=False,
                keep_default_na=False,
                na_values=[""],
                low_memory=False,
                float_precision=None if always_exact else "round_trip",
            )
        except (pd.errors.ParserError, pd.errors.EmptyDataError):
            return None
        if frame[beyond].notna().any():
            return None
        return [frame[names[position]] for position in positions]

    def cells(self, positions: Sequence[int]) -> tuple["Cells", NDArray[np.int64]]:
        """Columns as text, cell by cell, and the row of each in the file (the header's row is 1).

        Raises
        ------
        ReadError
            If a row has too many cells, or the text is no CSV.
        """
        import pandas as pd

        stream, n_columns = io.BytesIO(self.content), len(self.names)
        stream.seek(self.start)
        rows: list[int] = []
        found: list[list[str]] = [[] for _ in positions]
        for row, record in enumerate(_records(stream, self.where), start=self.n_skipped + 1):
            if _is_blank(record):
                continue
            if any(cell.strip() for cell in record[n_columns : n_columns + 1]):
                raise ReadError(
                    f"{self.where}, row {row}: expected {n_columns} columns, got {len(record)}; "
                    f"the row begins {quoted(','.join(record))}"
                )
            record += [""] * (n_columns - len(record))
            rows.append(row)
            for column, position in zip(found, positions, strict=True):
                column.append(record[position])
        return [pd.Series(column, dtype=object) for column in found], np.array(rows, np.int64)


def _records(stream: io.BytesIO, where: str) -> Iterator[list[str]]:
    """Records from the current position, one line at a time, so that the position stays true."""
    try:
        yield from csv.reader((line.decode() for line in stream), strict=True)
    except csv.Error as error:
        raise ReadError(f"{where}: not a readable CSV file: {error}") from None


CSV = Format("a .csv file (path, open file or bytes)", _accepts, _read)
