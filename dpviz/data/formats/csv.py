"""CSV files: paths, open files and bytes.

pandas reads the columns that matter, fast. Only when that reading does not give scores at once
is the text read again, cell by cell, to find the row, the column and the text that is wrong.
"""

import csv
import io
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpviz.audit.scores import AttackScores
from dpviz.data.formats.columns import Columns, choose_columns
from dpviz.data.formats.content import read_content
from dpviz.data.formats.format import Format, ReadError, ReadOptions, quoted
from dpviz.data.formats.table import Table


def _accepts(source: object) -> bool:
    if isinstance(source, str | os.PathLike | bytes | bytearray | memoryview):
        return True
    return callable(getattr(source, "read", None))


def _read(source: Any, options: ReadOptions) -> AttackScores:
    where, content = read_content(source, options.name)
    stream = io.BytesIO(content)
    try:
        n_skipped, names = _header(stream, where)
        columns = choose_columns(names, options, where)
        fast = _read_fast(content[stream.tell() :], columns, len(names), where)
        if fast is not None:
            return fast
        return _read_cells(stream, columns, n_skipped, len(names), where).scores(options.missing)
    except csv.Error as error:
        raise ReadError(f"{where}: not a readable CSV file: {error}") from None


def _records(stream: io.BytesIO) -> Iterator[list[str]]:
    """Records from the current position, one line at a time, so that the position stays true."""
    return csv.reader((line.decode() for line in stream), strict=True)


def _is_blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip())


def _header(stream: io.BytesIO, where: str) -> tuple[int, list[str]]:
    """The column names, and how many rows they end; the stream is left at the row below."""
    for n_rows, record in enumerate(_records(stream), start=1):
        if not _is_blank(record):
            return n_rows, record
    raise ReadError(f"{where}: expected a header and rows, got an empty file")


def _read_fast(body: bytes, columns: Columns, n_columns: int, where: str) -> AttackScores | None:
    """Scores from rows in which nothing is wrong or missing, else None."""
    import pandas as pd

    # One column more than there should be: it stays empty unless a row has too many cells.
    names = [str(position) for position in range(n_columns + 1)]
    score, member, beyond = names[columns.score], names[columns.member], names[n_columns]
    group = None if columns.group is None else names[columns.group]
    # pandas reads floats exactly when asked to; from 3.1 on always, and asking is deprecated.
    major, minor = pd.__version__.split(".")[:2]
    always_exact = (int(major), int(minor)) >= (3, 1)
    try:
        frame = pd.read_csv(
            io.BytesIO(",".join(names).encode() + b"\n" + body),
            usecols=[score, member, beyond] + ([] if group is None else [group]),
            dtype=None if group is None else {group: str},
            index_col=False,
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
            float_precision=None if always_exact else "round_trip",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError):
        return None
    if frame[score].dtype.kind not in "iuf" or frame[beyond].notna().any():
        return None
    table = Table(
        where=where,
        columns=columns,
        score=frame[score],
        member=frame[member],
        group=None if group is None else frame[group],
        rows=np.arange(len(frame)),
    )
    try:
        return table.scores("refuse")
    except ReadError:
        return None


def _read_cells(
    stream: io.BytesIO, columns: Columns, n_skipped: int, n_columns: int, where: str
) -> Table:
    """Every cell of the columns as text, with its row in the file (the header's row is 1)."""
    import pandas as pd

    rows, score, member, group = [], [], [], []
    for row, record in enumerate(_records(stream), start=n_skipped + 1):
        if _is_blank(record):
            continue
        if any(cell.strip() for cell in record[n_columns : n_columns + 1]):
            raise ReadError(
                f"{where}, row {row}: expected {n_columns} columns, got {len(record)}; "
                f"the row begins {quoted(','.join(record))}"
            )
        record += [""] * (n_columns - len(record))
        rows.append(row)
        score.append(record[columns.score])
        member.append(record[columns.member])
        if columns.group is not None:
            group.append(record[columns.group])
    return Table(
        where=where,
        columns=columns,
        score=pd.Series(score, dtype=object),
        member=pd.Series(member, dtype=object),
        group=None if columns.group is None else pd.Series(group, dtype=object),
        rows=np.array(rows, dtype=np.int64),
    )


CSV = Format("a .csv file (path, open file or bytes)", _accepts, _read)
