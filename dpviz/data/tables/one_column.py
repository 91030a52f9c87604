"""One column of a table as the numbers of the members or of the non-members."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.data.sources.options import ReadError, quoted
from dpviz.data.sources.real_arrays import Reals
from dpviz.data.tables.cells import INFINITE_WORDS, NUMBER, Rows, read_numbers
from dpviz.data.tables.columns import LOSS_COLUMNS, SCORE_COLUMNS, choose_column, kind_of
from dpviz.data.tables.side import Block, Side
from dpviz.data.tables.table_source import TableSource

if TYPE_CHECKING:
    import pandas as pd


def one_column(table: TableSource, named: str | None, memory: int) -> Side:
    """Return the named column, otherwise the only one, otherwise the recognised one.

    A CSV file whose first row is a number has one column and no header. Raises ReadError if a piece
    takes more than `memory` bytes.
    """
    names = [name.strip() for name in table.names]
    if not names:
        raise ReadError(f"{table.where}: expected a column of numbers, got no columns")
    has_header = not (named is None and all(map(_is_number, names)))
    if not has_header and len(names) > 1:
        raise ReadError(
            f"{table.where}: expected one column of numbers, got {len(names)} without names; "
            "predictions of a model need the true classes too: "
            'read_scores({"probs_train": ..., "labels_train": ..., "probs_test": ..., '
            '"labels_test": ...})'
        )
    position = 0
    if has_header and (named is not None or len(names) > 1):
        known = (*LOSS_COLUMNS, *SCORE_COLUMNS)
        position = choose_column("score", named, known, names, table.where)
    table.reject_beyond(memory, [position])
    name = names[position]
    called = name if has_header else "1"

    def blocks() -> Iterator[Block]:
        if not has_header:
            yield Block(values=np.array([float(name)]), rows=range(1, 2))
        for (cells,), rows in table.cells([position]):
            yield Block(values=_numbers(cells, rows, table.where, called), rows=rows)

    return Side(
        where=table.where,
        column=called,
        blocks=blocks,
        memory=table.memory,
        n_blocks=table.n_pieces,
        kind=kind_of(name) if has_header else None,
    )


def _numbers(cells: "pd.Series[Any]", rows: Rows, where: str, name: str) -> Reals:
    read = read_numbers(cells)
    if read.malformed.any():
        i = int(np.argmax(read.malformed))
        raise ReadError(
            f"{where}, row {rows[i]}, column {quoted(name)}: expected a number, got "
            f"{quoted(cells.iloc[i])}"
        )
    return read.values


def _is_number(name: str) -> bool:
    word = name.casefold()
    return bool(NUMBER.fullmatch(word)) or word in INFINITE_WORDS or word == "nan"
