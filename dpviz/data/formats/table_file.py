"""Tables that are read in pieces: gathered in memory, or counted where they are too large."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.binned_scores import Scores
from dpviz.audit.provenance import Provenance
from dpviz.data.formats.columns import Columns, choose_columns
from dpviz.data.formats.dropped import Dropped
from dpviz.data.formats.file import File
from dpviz.data.formats.format import Missing, ReadError, ReadOptions, quoted
from dpviz.data.formats.in_order import in_order
from dpviz.data.formats.intake import Intake
from dpviz.data.formats.progress import announced
from dpviz.data.formats.records import Records
from dpviz.data.formats.table import Table, refuse_one_class

if TYPE_CHECKING:
    import pandas as pd

    CellsOfRows = tuple[list[pd.Series[Any]], NDArray[np.int64] | range]


class Piece(Protocol):
    """Some rows of a table, which may be read only when they are asked, in any thread."""

    def records(self, missing: Missing) -> Records:
        """Check every cell and drop rows with a missing one if asked to."""


class TableFile(ABC):
    """A source with named columns, read in pieces of a bounded size.

    Attributes
    ----------
    where : str
        What messages call it.
    names : list of str
        Of its columns.
    file : File or None
        None for what is in memory already.
    memory : int
        Bytes that reading all of it at once would take, roughly.
    n_pieces : int
        How many pieces there will be, roughly.
    n_threads : int
        How many of them may be read at a time; more would wait for the one that counts.
    """

    where: str
    names: list[str]
    file: File | None = None
    memory: int = 0
    n_pieces: int = 1
    n_threads: int = 4

    @abstractmethod
    def pieces(self, columns: Columns) -> Iterator[Piece]:
        """The chosen columns, from the first row on."""


class CellTable(TableFile):
    """A source that gives any of its columns, whatever they are read for."""

    @abstractmethod
    def cells(self, positions: Sequence[int]) -> "Iterator[CellsOfRows]":
        """Cells of columns and the number of each row, from the first row on.

        The first two columns may come as numbers where all their cells are, others are as found.

        Raises
        ------
        ReadError
            If a row cannot be read.
        """

    def pieces(self, columns: Columns) -> Iterator[Piece]:
        """The chosen columns, from the first row on."""
        for cells, rows in self.cells(columns.positions):
            yield Table.of(
                cells, where=self.where, columns=columns, rows=rows, is_part=self.n_pieces > 1
            )


def read_table(table: TableFile, options: ReadOptions, loader: str) -> Scores:
    """Scores of a table: exact values, or exact counts where they would take too much memory.

    Raises
    ------
    ReadError
        If columns are not recognised, a cell does not hold what it should, a class has no rows, or
        groups are wanted of a table that is too large.
    """
    columns = choose_columns(table.names, options, table.where)
    intake = Intake(columns.kind, table.memory, options, table.where)
    _refuse_groups(table, columns, intake)

    def read() -> Iterator[Records]:
        asked = (partial(piece.records, options.missing) for piece in table.pieces(columns))
        yield from announced(in_order(asked, table.n_threads), table.n_pieces, intake.progress)

    dropped = Dropped(table.where)
    # The hash is of the bytes that are read, and computed beside the reading.
    with ThreadPoolExecutor(1) as pool:
        digest = None if table.file is None else pool.submit(lambda file: file.sha256, table.file)
        for records in read():
            intake.add(records)
            _refuse_groups(table, columns, intake)
            dropped.add(records.values.size, records.dropped)
        n_records = sum(intake.sizes)
        if n_records + dropped.n == 0:
            raise ReadError(f"{table.where}: expected rows, got none")
        dropped.warn()
        refuse_one_class(intake.sizes[0], n_records, table.where, columns)
        provenance = Provenance(
            source=table.where,
            loader=loader,
            understood=columns.understood,
            n_rows=n_records + dropped.n,
            n_dropped=dropped.n,
            dropped=dropped.said,
            path=None if table.file is None else table.file.path,
            sha256=None if digest is None else digest.result(),
        )
    return intake.scores(provenance, read)


def _refuse_groups(table: TableFile, columns: Columns, intake: Intake) -> None:
    if columns.group is not None and intake.is_counting:
        raise ReadError(
            f"{table.where}: groups need every record in memory, and reading takes more than "
            f"{intake.memory // 2**20} MiB (memory_limit); got group={quoted(columns.group_name)}"
        )
