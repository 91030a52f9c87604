"""`read_scores` on Dask: the workers count the scores of Parquet files, local or remote."""

import errno
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpviz import checks
from dpviz.audit.scores.base import Provenance, ScoreKind
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import warn_caller
from dpviz.data.collect import BinCounts, Records, counts_by_float32, split_bins
from dpviz.data.formats.parquet_and_feather import ROW_GROUP_ADVICE
from dpviz.data.sources.options import (
    LEAST_PIECE_LIMIT,
    Missing,
    ReadError,
    ReadOptions,
    default_memory_limit,
    listed,
    mismatch,
    printable,
)
from dpviz.data.sources.parquet_arrow_json import dictionary_encoded_columns, leaf_columns
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.frame import arrow_columns, import_pyarrow, too_large_error, unreadable_error
from dpviz.data.tables.table import ColumnRoles, ScoreTable


@dataclass(frozen=True, kw_only=True)
class ParquetFooter:
    """The column names of a Parquet file, and the number of rows of each row group."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class DaskFile:
    """A Parquet file, local or remote, that every Dask worker can open."""

    where: str  # its name in messages
    open_file: Any  # fsspec.core.OpenFile, which opens the file in each `with`

    def footer(self) -> ParquetFooter:
        """Read the footer; FileNotFoundError if there is no file, ReadError if it is damaged."""
        pyarrow = import_pyarrow("Parquet files")
        from pyarrow import parquet  # optional: dpviz[distributed]

        try:
            with self.open_file as stream:
                footer = parquet.read_metadata(stream)
            names = footer.schema.to_arrow_schema().names
        except FileNotFoundError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise unreadable_error(self.where, error) from error
        rows = (footer.row_group(i).num_rows for i in range(footer.num_row_groups))
        return ParquetFooter(names=tuple(map(str, names)), rows=tuple(rows))


def dask_files(sources: Sequence[str]) -> list[DaskFile]:
    """Return the files of paths, globs and URLs; those of a glob are sorted by name.

    Messages name a file by the last part of its path, or by the path if two last parts are equal.
    Raises FileNotFoundError if a glob has no files, and ReadError if a file is given twice.
    """
    from fsspec.core import open_files  # optional: dpviz[distributed]

    found: list[Any] = []
    for source in sources:
        matching = sorted(open_files([source]), key=lambda file: str(file.path))
        if not matching:
            raise FileNotFoundError(errno.ENOENT, "No file matches", source)
        found += matching
    ((url, n),) = Counter(file.full_name for file in found).most_common(1)
    if n > 1:
        raise ReadError(f"every file must be given once, got {printable(url)} {n} times")
    ends = [file.path.rpartition("/")[2] for file in found]
    names = ends if len(set(ends)) == len(ends) else [file.path for file in found]
    return [
        DaskFile(where=printable(name), open_file=file)
        for name, file in zip(names, found, strict=True)
    ]


# Counts of some records, sparse and so small enough to be sent: the result of a Dask task.


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskCounts:
    """The result of a Dask task: its counts in the bins of `BinCounts`, and its dropped rows."""

    bins: sparse.csr_array  # rows: counts of non-members and members, then their `offset_sums`
    n_rows: int  # dropped rows included
    n_dropped: int
    first_dropped: tuple[str, ...]  # places of the first dropped rows

    @classmethod
    def of(cls, bins: BinCounts, n_dropped: int, first_dropped: Sequence[str]) -> "TaskCounts":
        """Return what a task sends: counts of the bins that have records, and the dropped rows."""
        n_rows = sum(bins.class_sizes) + n_dropped  # first: `class_sizes` updates the counts
        halves = [sparse.csr_array(half) for half in (bins.counts, bins.offset_sums)]
        return cls(
            bins=sparse.vstack(halves, format="csr"),
            n_rows=n_rows,
            n_dropped=n_dropped,
            first_dropped=tuple(first_dropped[: table_rules.MOST_SHOWN_ROWS]),
        )

    @classmethod
    def merge(cls, parts: "Sequence[TaskCounts]") -> "TaskCounts":
        """Add up results of tasks; these must be in the order of the rows in the source."""
        first_dropped = [place for part in parts for place in part.first_dropped]
        return cls(
            bins=reduce(add, (part.bins for part in parts)),
            n_rows=sum(part.n_rows for part in parts),
            n_dropped=sum(part.n_dropped for part in parts),
            first_dropped=tuple(first_dropped[: table_rules.MOST_SHOWN_ROWS]),
        )

    @property
    def dropped_text(self) -> str:
        """The number of dropped rows and the first of them, as text; empty if none was dropped."""
        if not self.n_dropped:
            return ""
        return table_rules.dropped_text(self.n_dropped, self.n_rows, ", ".join(self.first_dropped))

    def to_bin_counts(self, kind: ScoreKind) -> BinCounts:
        """Return new `BinCounts` with these counts, for scores of this kind."""
        bins = BinCounts(kind)
        bins.counts[:], bins.offset_sums[:] = self.bins[:2].toarray(), self.bins[2:].toarray()
        return bins


# Row groups of Parquet files, a few of which are counted by one task.

ROWS_OF_A_PART = 4 * 2**20  # roughly: reading them takes longer than starting a task
ROWS_AT_ONCE = 2**16  # few: a Dask worker frees memory at once, so that large arrays are slow


@dataclass(frozen=True, kw_only=True, eq=False)
class RowGroupSpan:
    """Neighbouring row groups of a Parquet file, and the range of their rows in the file."""

    file: DaskFile
    groups: tuple[int, ...]
    rows: range

    def tables(
        self, names: Sequence[str], columns: ColumnRoles, memory: int | None
    ) -> Iterator[ScoreTable]:
        """Yield the columns `names` in tables of up to `ROWS_AT_ONCE` rows."""
        pyarrow = import_pyarrow("Parquet files")
        where, end = self.file.where, self.rows.start
        batches = self._batches(list(names), default_memory_limit() if memory is None else memory)
        try:
            for batch in batches:
                # Rejects text that is not UTF-8, and offsets beyond a buffer.
                batch.validate(full=True)
                rows = range(end, end + batch.num_rows)
                end = rows.stop
                cells = arrow_columns(batch)
                yield ScoreTable(cells=cells, where=where, columns=columns, rows=rows)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable_error(where, error) from error
        if end != self.rows.stop:
            raise ReadError(f"{where}: changed while it was read")

    def _batches(self, names: list[str], memory: int) -> Iterator[Any]:
        from pyarrow import parquet  # optional: dpviz[distributed]

        with self.file.open_file as stream:
            footer = parquet.read_metadata(stream)
            self._reject_large_row_groups(max(memory, LEAST_PIECE_LIMIT), footer, names)
            # All bytes of the row groups are requested at once: remote files answer slowly.
            coded = dictionary_encoded_columns(footer, names)
            found = parquet.ParquetFile(
                stream, metadata=footer, pre_buffer=True, read_dictionary=coded
            )
            chosen = {"row_groups": self.groups, "columns": names}
            for batch in found.iter_batches(ROWS_AT_ONCE, **chosen, use_threads=False):
                yield batch.select(names)

    def _reject_large_row_groups(self, memory: int, footer: Any, names: list[str]) -> None:
        """Raise ReadError if the footer says that a row group takes over `memory` bytes."""
        for group in self.groups:
            found = footer.row_group(group)
            sizes = (found.column(i).total_uncompressed_size for i in leaf_columns(footer, names))
            needed = 2 * sum(sizes)
            if needed > memory:
                place = f"row group {group}"
                raise too_large_error(self.file.where, (place, needed), memory, ROW_GROUP_ADVICE)


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskRows:
    """The rows that one Dask task counts; it reads the columns `names`, spelled as in the files."""

    spans: tuple[RowGroupSpan, ...]
    names: tuple[str, ...]
    columns: ColumnRoles
    missing: Missing
    memory: int | None = None

    def counts(self) -> TaskCounts:
        """Read these rows and return their counts."""
        bins = BinCounts(self.columns.kind)
        n_dropped = 0
        first_dropped: list[str] = []
        for where, records in self._file_names_and_records():
            try:
                bins.add(records)
            except ValueError as error:
                raise ReadError(f"{where}: {error}") from None
            n_dropped += len(records.dropped)
            room = table_rules.MOST_SHOWN_ROWS - len(first_dropped)
            first_dropped += [f"row {row} of {where}" for row in records.dropped[:room]]
        return TaskCounts.of(bins, n_dropped, first_dropped)

    def counts_by_float32(self, bin_numbers: NDArray[np.uint32]) -> sparse.csr_array:
        """Read these rows again, and count the records at every float32 of the bins, in 3 rows."""
        records = (some for _, some in self._file_names_and_records())
        counts = counts_by_float32(bin_numbers, records, self.columns.kind)
        return sparse.csr_array(counts.reshape(3, -1))

    def _file_names_and_records(self) -> Iterator[tuple[str, Records]]:
        for span in self.spans:
            for table in span.tables(self.names, self.columns, self.memory):
                yield span.file.where, table.records(self.missing)


def row_group_spans_by_task(
    files: Sequence[DaskFile], footers: Sequence[ParquetFooter]
) -> Iterator[tuple[RowGroupSpan, ...]]:
    """Yield row groups in order, in tuples of spans; a tuple has about `ROWS_OF_A_PART` rows."""
    spans: list[RowGroupSpan] = []
    n_rows = 0
    for file, footer in zip(files, footers, strict=True):
        begin = 0
        for group, n in enumerate(footer.rows):
            if spans and spans[-1].file is file:
                # Neighbouring row groups of a file are one span.
                last = spans[-1]
                rows = range(last.rows.start, begin + n)
                spans[-1] = replace(last, groups=(*last.groups, group), rows=rows)
            else:
                spans.append(RowGroupSpan(file=file, groups=(group,), rows=range(begin, begin + n)))
            begin += n
            n_rows += n
            if n_rows >= ROWS_OF_A_PART:
                yield tuple(spans)
                spans, n_rows = [], 0
    if spans:
        yield tuple(spans)


# `read_scores` on Dask: any number of Parquet files, counted by the workers.
#
# A task that is lost with its worker is repeated and gives the same counts. Counts are added up in
# a tree, so that no machine holds the counts of all tasks.

T = TypeVar("T")
LOADER = "Parquet on Dask"
LOCAL_OPTIONS = ("group", "progress")
ADDENDS = 8  # results that one task adds up
PASSWORD = re.compile(r"//[^/@]*@")  # user and password in a URL


def read_on_dask(source: Any, options: ReadOptions) -> BinnedScores:
    """Count the scores of Parquet files on Dask; see `read_scores` for parameters and errors."""
    for name in LOCAL_OPTIONS:
        value = getattr(options, name)
        if value is not None:
            raise checks.fail(name, 'left out with engine="dask"', value)
    delayed = _import_dask().delayed
    sources = _checked_sources(source)
    first = PASSWORD.sub("//", sources[0])  # reports repeat the name
    several = first if len(sources) == 1 else f"{first} and {len(sources) - 1} more"
    where = printable(options.name or several)
    files = dask_files(sources)
    footers = _results_of_tasks([delayed(file.footer)() for file in files])
    _reject_different_columns(files, footers)
    columns = table_rules.choose_columns(footers[0].names, options, files[0].where)
    if not any(n for footer in footers for n in footer.rows):
        raise mismatch(where, "rows", "none")
    names = tuple(footers[0].names[position] for position in columns.positions)
    part = partial(TaskRows, names=names, columns=columns, missing=options.missing)
    all_spans = row_group_spans_by_task(files, footers)
    parts = [part(spans=spans, memory=options.memory_limit) for spans in all_spans]
    counts = _sum_in_tree(TaskCounts.merge, [delayed(part.counts)() for part in parts])
    if counts.n_dropped:
        warn_caller(f"{where}: {counts.dropped_text}")
    bins = counts.to_bin_counts(columns.kind)
    table_rules.reject_single_class(bins.class_sizes[0], sum(bins.class_sizes), where, columns)
    some = f"{len(files)} Parquet file{'' if len(files) == 1 else 's'}"
    provenance = Provenance(
        source=where,
        loader=LOADER,
        understood=f"{columns.description}, in {some}",
        n_rows=counts.n_rows,
        n_dropped=counts.n_dropped,
        dropped=counts.dropped_text,
    )

    def recount(bin_numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        sent = delayed(bin_numbers)  # once, not with every task
        tasks = [delayed(part.counts_by_float32)(sent) for part in parts]
        counts: NDArray[np.int64] = _sum_in_tree(partial(reduce, add), tasks).toarray()
        return counts.reshape(3, bin_numbers.size, -1)

    return split_bins(bins.scores(provenance), recount)


def _import_dask() -> Any:
    try:
        import dask  # optional: dpviz[distributed]
        import fsspec  # noqa: F401
    except ImportError as error:
        raise ImportError("engine=\"dask\" needs Dask: pip install 'dpviz[distributed]'") from error
    import_pyarrow("Parquet files")
    return dask


def _checked_sources(source: Any) -> list[str]:
    sources = source if isinstance(source, list | tuple) else [source]
    if not sources:
        raise ReadError("source must be files, got an empty list")
    for each in sources:
        if not isinstance(each, str | os.PathLike):
            raise ReadError(
                'with engine="dask", source must be a path, a glob or a URL of Parquet files, or a '
                f"list of them; got a {type(each).__name__}"
            )
    return [os.fsdecode(each) for each in sources]


def _reject_different_columns(files: Sequence[DaskFile], footers: Sequence[ParquetFooter]) -> None:
    expected = set(footers[0].names)
    for file, footer in zip(files, footers, strict=True):
        found = set(footer.names)
        if found != expected:
            missing, others = (
                listed(sorted(names)) or "none" for names in (expected - found, found - expected)
            )
            raise ReadError(
                f"{file.where}: expected the columns of {files[0].where}; "
                f"not here: {missing}, only here: {others}"
            )


def _sum_in_tree(add_up: Callable[[Sequence[T]], T], tasks: list[Any]) -> T:
    """Add up the results of `tasks` in further tasks, each of which calls `add_up` on a few."""
    merge = _import_dask().delayed(add_up)
    while len(tasks) > 1:
        tasks = [merge(tasks[begin : begin + ADDENDS]) for begin in range(0, len(tasks), ADDENDS)]
    total: T = _results_of_tasks(tasks)[0]
    return total


def _results_of_tasks(tasks: list[Any]) -> list[Any]:
    """Return the results of tasks, run by the active client or by Dask's default scheduler."""
    return list(_import_dask().compute(*tasks))
