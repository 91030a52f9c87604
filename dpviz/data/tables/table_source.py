"""Tables that are read in parts; their records are kept in memory, or counted if too many."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from dpviz.audit.scores.base import Provenance, Scores
from dpviz.data.collect import RecordCollector, Records
from dpviz.data.sources.file import File
from dpviz.data.sources.options import Missing, ReadOptions, mismatch
from dpviz.data.sources.progress import hash_in_background, results_in_order, with_progress
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.table import CellBlock, ColumnRoles, DroppedRows, ScoreTable

# Returns the records of some rows of a table, as `ScoreTable.records` does, in any thread.
RecordReader = Callable[[Missing], Records]


class TableSource(ABC):
    """A source with named columns, which is read in parts of bounded size."""

    where: str  # the name of the source in messages
    names: list[str]  # of the columns
    file: File | None = None  # None for a source that is in memory already
    memory: int = 0  # rough number of bytes to read the whole source at once
    n_pieces: int = 1  # expected number of pieces
    piece_memory: int = 0  # bytes that one piece may take, at least `LEAST_PIECE_LIMIT`
    most_dropped: int = table_rules.MOST_DROPPED  # rows with a missing value in succession
    n_threads: int = 4  # that read pieces; more would wait for the thread that counts

    @abstractmethod
    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        """Yield blocks of rows in order: (the columns at `positions`, the row numbers)."""

    def piece_readers(self, columns: ColumnRoles) -> Iterator[RecordReader]:
        """Yield for each part of the table, in order, a function that returns the records."""
        table = partial(ScoreTable, where=self.where, columns=columns, is_part=self.n_pieces > 1)
        for cells, rows in self.read_columns(columns.positions):
            yield table(cells=cells, rows=rows).records

    def read_columns_fast(
        self, positions: Sequence[int], text_positions: Sequence[int]
    ) -> list[CellBlock] | None:
        """Return columns from a faster parser, or None if no such parser can read the table."""
        return None

    def read_columns_unparsed(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        """Yield blocks as `read_columns` does, but keep the cells of text files as text."""
        return self.read_columns(positions)


def read_table(table: TableSource, options: ReadOptions, loader: str) -> Scores:
    """Return the scores of a table, of format `loader`: exact values, or counts to save memory."""
    columns = table_rules.choose_columns(table.names, options, table.where)
    collector = RecordCollector(columns.kind, table.memory, options, table.where)
    table.piece_memory = collector.memory

    def read_records() -> Iterator[Records]:
        # Threads read the pieces; the results come in the order of the pieces.
        jobs = (partial(piece, options.missing) for piece in table.piece_readers(columns))
        results = results_in_order(jobs, table.n_threads)
        yield from with_progress(results, table.n_pieces, collector.progress)

    dropped = DroppedRows(table.where)
    with hash_in_background(table.file) as sha256:
        for records in read_records():
            collector.add(records)
            dropped.add(records.values.size, records.dropped)
            dropped.reject_long_run(table.most_dropped)
        if dropped.n_kept + dropped.n == 0:
            raise mismatch(table.where, "rows", "none")
        dropped.warn()
        n_members = collector.class_sizes[0]
        table_rules.reject_single_class(n_members, dropped.n_kept, table.where, columns)
        provenance = Provenance(
            source=table.where,
            loader=loader,
            understood=columns.description,
            n_rows=dropped.n_kept + dropped.n,
            n_dropped=dropped.n,
            dropped=dropped.text,
            path=None if table.file is None else table.file.path,
            sha256=sha256(),
            unread=tuple(
                n.strip() for i, n in enumerate(table.names) if i not in columns.positions
            ),
        )
    return collector.scores(provenance, read_records)
