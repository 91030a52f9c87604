"""Sources with named columns, read in pieces: kept in memory, or counted where too large."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from dpviz.audit.scores.base import Provenance, Scores
from dpviz.data.collect import RecordCollector, Records
from dpviz.data.sources.file import File
from dpviz.data.sources.options import Missing, ReadError, ReadOptions, mismatch, quoted
from dpviz.data.sources.progress import hashed_meanwhile, results_in_order, with_progress
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.table import CellsOfRows, Columns, DroppedRows, Table

# Reads some rows of a table, as `Table.records`, in any thread.
RecordReader = Callable[[Missing], Records]


class TableSource(ABC):
    """A source with named columns, read in pieces of bounded size."""

    where: str  # its name in messages
    names: list[str]  # of its columns
    file: File | None = None  # None for a source that is in memory already
    memory: int = 0  # bytes that reading the whole of it at once takes, roughly
    n_pieces: int = 1  # expected number of pieces
    # Bytes that one piece may take beyond `LEAST_PIECE_LIMIT`; set before it is read.
    piece_memory: int = 0
    most_dropped: int = table_rules.MOST_DROPPED  # rows with a missing value, one after another
    n_threads: int = 4  # pieces read at a time; more would wait for the thread that counts them

    @abstractmethod
    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """Yield blocks of rows in order: the columns at `positions`, and the row numbers.

        Only the first two columns may be read as numbers, if all their cells are numbers.
        """

    def pieces(self, columns: Columns) -> Iterator[RecordReader]:
        """Yield functions in the order of the rows, each of which reads the next records."""
        table = partial(Table, where=self.where, columns=columns, is_part=self.n_pieces > 1)
        for cells, rows in self.cells(columns.positions):
            yield table(cells=cells, rows=rows).records

    def fast_cells(
        self, positions: Sequence[int], texts: Sequence[int]
    ) -> list[CellsOfRows] | None:
        """Return all cells by fast reading; None if the source has none or it fails.

        Errors may name a wrong place. The columns at `texts` are read as text even if they look
        like numbers.
        """
        return None

    def text_cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """Yield blocks as `cells` does; a text file's cells are not converted to numbers."""
        return self.cells(positions)


def read_table(table: TableSource, options: ReadOptions, loader: str) -> Scores:
    """Return the scores of a table: exact values, or exact counts if values need too much memory.

    Raises ReadError if groups are requested of a table that is too large to be kept.
    """
    columns = table_rules.choose_columns(table.names, options, table.where)
    intake = RecordCollector(columns.kind, table.memory, options, table.where)
    _reject_groups(table, columns, intake)
    table.piece_memory = intake.memory

    def read() -> Iterator[Records]:
        # Pieces are read in threads, and arrive here in their order.
        jobs = (partial(piece, options.missing) for piece in table.pieces(columns))
        yield from with_progress(
            results_in_order(jobs, table.n_threads), table.n_pieces, intake.progress
        )

    dropped = DroppedRows(table.where)
    with hashed_meanwhile(table.file) as sha256:
        for records in read():
            intake.add(records)
            _reject_groups(table, columns, intake)
            dropped.add(records.values.size, records.dropped)
            dropped.reject_endless(table.most_dropped)
        n_records = sum(intake.sizes)
        if n_records + dropped.n == 0:
            raise mismatch(table.where, "rows", "none")
        dropped.warn()
        table_rules.reject_one_class(intake.sizes[0], n_records, table.where, columns)
        provenance = Provenance(
            source=table.where,
            loader=loader,
            understood=columns.understood,
            n_rows=n_records + dropped.n,
            n_dropped=dropped.n,
            dropped=dropped.text,
            path=None if table.file is None else table.file.path,
            sha256=sha256(),
            unread=columns.unread(table.names),
        )
    return intake.scores(provenance, read)


def _reject_groups(table: TableSource, columns: Columns, intake: RecordCollector) -> None:
    if columns.group is not None and intake.is_counting:
        raise ReadError(
            f"{table.where}: groups need every record in memory, and reading takes more than "
            f"{intake.memory // 2**20} MiB (memory_limit); got group={quoted(columns.group_name)}"
        )
