"""`read_scores` on Dask: the workers count the scores of Parquet files, local or remote."""

import errno
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpviz import checks
from dpviz.audit.scores.base import Provenance, ScoreKind
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import warn_caller
from dpviz.data.collect import BinCounts, Records, counts_by_float32, split_bins
from dpviz.data.formats.parquet_and_feather import ROW_GROUP_ADVICE
from dpviz.data.sources import parquet_arrow_json
from dpviz.data.sources.options import (
    LEAST_PIECE_LIMIT,
    ReadError,
    ReadOptions,
    mismatch,
    printable,
    quoted_names,
)
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.frame import arrow_columns, import_pyarrow, too_large_error, unreadable_error
from dpviz.data.tables.table import MOST_SHOWN_ROWS, ColumnRoles, ScoreTable

ROWS_OF_A_PART = 4 * 2**20  # roughly: reading them takes longer than starting a task
ROWS_AT_ONCE = 2**16  # few: a Dask worker frees memory at once, so that large arrays are slow


@dataclass(frozen=True, kw_only=True, eq=False)
class DaskFile:
    """A Parquet file, local or remote, that every Dask worker can open."""

    where: str  # its name in messages
    open_file: Any  # fsspec.core.OpenFile, which opens the file in each `with`

    def column_names_and_row_group_sizes(self) -> tuple[tuple[str, ...], list[int]]:
        """Return the names of the columns, and the number of rows of each row group."""
        pyarrow = import_pyarrow("Parquet files")
        from pyarrow import parquet  # optional: dpviz[distributed]

        try:
            with self.open_file as stream:
                footer = parquet.read_metadata(stream)
            names = tuple(map(str, footer.schema.to_arrow_schema().names))
        except FileNotFoundError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise unreadable_error(self.where, error) from error
        return names, parquet_arrow_json.row_group_sizes(footer)

    def batches(self, groups: Sequence[int], names: list[str], memory: int) -> Iterator[Any]:
        """Yield Arrow batches of the columns `names`; ReadError if a row group exceeds `memory`."""
        from pyarrow import parquet  # optional: dpviz[distributed]

        with self.open_file as stream:
            footer = parquet.read_metadata(stream)
            # The footer says what a row group takes before any of it is read.
            leaves = parquet_arrow_json.leaf_columns(footer, names)
            for group in groups:
                found = footer.row_group(group)
                needed = 2 * sum(found.column(i).total_uncompressed_size for i in leaves)
                if needed > memory:
                    place = (f"row group {group}", needed)
                    raise too_large_error(self.where, place, memory, ROW_GROUP_ADVICE)
            # All bytes of the row groups are requested at once: remote files answer slowly.
            coded = parquet_arrow_json.dictionary_encoded_columns(footer, names)
            found = parquet.ParquetFile(
                stream, metadata=footer, pre_buffer=True, read_dictionary=coded
            )
            chosen = {"row_groups": groups, "columns": names, "use_threads": False}
            for batch in found.iter_batches(ROWS_AT_ONCE, **chosen):
                yield batch.select(names)


def dask_files(sources: Sequence[str]) -> list[DaskFile]:
    """Return the files at paths, globs and URLs; the files of one glob are sorted by name."""
    # Messages name a file by the last part of its path, or by the path if two last parts are equal.
    # Raises FileNotFoundError if a glob has no files, and ReadError if a file is given twice.
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
    return [DaskFile(where=printable(w), open_file=f) for w, f in zip(names, found, strict=True)]


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskCounts:
    """The result of a Dask task: counts of records in bins, and the first dropped rows."""

    bins: sparse.csr_array  # rows: counts of non-members and members, then their `offset_sums`
    first_dropped: tuple[str, ...]  # the places of these rows, as text

    @classmethod
    def of(cls, bins: BinCounts, first_dropped: tuple[str, ...]) -> "TaskCounts":
        """Return the counts as a sparse array, with the places of the first dropped rows."""
        _ = bins.class_sizes  # which updates the counts
        halves = [sparse.csr_array(half) for half in (bins.counts, bins.offset_sums)]
        return cls(bins=sparse.vstack(halves, format="csr"), first_dropped=first_dropped)

    def __add__(self, later: "TaskCounts") -> "TaskCounts":
        """Return the sum of these counts and of `later`, the counts of later rows."""
        return TaskCounts(
            bins=self.bins + later.bins,
            first_dropped=(self.first_dropped + later.first_dropped)[:MOST_SHOWN_ROWS],
        )

    def to_bin_counts(self, kind: ScoreKind) -> BinCounts:
        """Return new `BinCounts` with these counts, for scores of this kind."""
        bins = BinCounts(kind)
        bins.counts[:], bins.offset_sums[:] = self.bins[:2].toarray(), self.bins[2:].toarray()
        return bins


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskRows:
    """Neighbouring row groups of a Parquet file, whose records one Dask task counts."""

    file: DaskFile
    groups: list[int]
    rows: range  # of the file
    names: list[str]
    columns: ColumnRoles
    options: ReadOptions

    @classmethod
    def split(cls, file: DaskFile, sizes: Sequence[int], **chosen: Any) -> "Iterator[TaskRows]":
        """Yield tasks of about `ROWS_OF_A_PART` rows; `sizes` are the row counts of row groups."""
        rows = range(0)
        for groups in parquet_arrow_json.row_groups_read_together(sizes, ROWS_OF_A_PART):
            rows = range(rows.stop, rows.stop + sum(sizes[group] for group in groups))
            yield cls(file=file, groups=groups, rows=rows, **chosen)

    def counts(self) -> TaskCounts:
        """Read these rows; return the counts of their scores in bins."""
        bins, where = BinCounts(self.columns.kind), self.file.where
        first: list[str] = []
        for records in self._records():
            try:
                bins.add(records)
            except ValueError as error:
                raise ReadError(f"{where}: {error}") from None
            room = MOST_SHOWN_ROWS - len(first)
            first += [f"row {row} of {where}" for row in records.dropped[:room]]
        return TaskCounts.of(bins, tuple(first))

    def counts_by_float32(self, bin_numbers: NDArray[np.uint32]) -> sparse.csr_array:
        """Read these rows again; return `counts_by_float32` of the bins, as a sparse matrix."""
        counts = counts_by_float32(bin_numbers, self._records(), self.columns.kind)
        return sparse.csr_array(counts.reshape(3, -1))

    def _records(self) -> Iterator[Records]:
        """Yield the records in batches of at most `ROWS_AT_ONCE` rows."""
        pyarrow = import_pyarrow("Parquet files")
        where, end = self.file.where, self.rows.start
        memory = max(self.options.memory, LEAST_PIECE_LIMIT)
        table = partial(ScoreTable, where=where, columns=self.columns)
        try:
            for batch in self.file.batches(self.groups, self.names, memory):
                # Rejects text that is not UTF-8, and offsets beyond a buffer.
                batch.validate(full=True)
                rows = range(end, end + batch.num_rows)
                end = rows.stop
                yield table(cells=arrow_columns(batch), rows=rows).records(self.options.missing)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable_error(where, error) from error
        if end != self.rows.stop:
            raise ReadError(f"{where}: the file changed while it was read")


# `read_scores` on Dask: any number of Parquet files, counted by the workers.
#
# A task that is lost with its worker is repeated and gives the same counts. Counts are added up in
# a tree, so that no machine holds the counts of all tasks.

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
    dask = _import_dask()
    delayed = dask.delayed
    sources = _checked_sources(source)
    first = PASSWORD.sub("//", sources[0])  # reports repeat the name
    several = first if len(sources) == 1 else f"{first} and {len(sources) - 1} more"
    where = printable(options.name or several)
    files = dask_files(sources)
    # The workers read the footers, from which the columns are chosen here.
    found = dask.compute(*(delayed(file.column_names_and_row_group_sizes)() for file in files))
    _reject_different_columns(files, [names for names, _ in found])
    columns = table_rules.choose_columns(found[0][0], options, files[0].where)
    n_rows = sum(n for _, sizes in found for n in sizes)
    if n_rows == 0:
        raise mismatch(where, "rows", "none")
    names = [found[0][0][position] for position in columns.positions]
    # The tasks of the first pass count the records in the bins of `BinCounts`.
    tasks = partial(TaskRows.split, names=names, columns=columns, options=options)
    pairs = zip(files, found, strict=True)
    parts = [part for file, (_, sizes) in pairs for part in tasks(file, sizes)]
    counts: TaskCounts = _sum_in_tree([delayed(part.counts)() for part in parts])
    bins = counts.to_bin_counts(columns.kind)
    n_dropped = n_rows - sum(bins.class_sizes)
    dropped = ""
    if n_dropped:
        first = ", ".join(counts.first_dropped)
        dropped = table_rules.dropped_text(n_dropped, n_rows, first)
        warn_caller(f"{where}: {dropped}")
    table_rules.reject_single_class(bins.class_sizes[0], sum(bins.class_sizes), where, columns)
    some = f"{len(files)} Parquet file{'' if len(files) == 1 else 's'}"
    provenance = Provenance(
        source=where,
        loader=LOADER,
        understood=f"{columns.description}, in {some}",
        n_rows=n_rows,
        n_dropped=n_dropped,
        dropped=dropped,
    )

    # In the second pass, the same tasks look into the bins that may hold Epsilon*.
    def recount(bin_numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        sent = delayed(bin_numbers)  # once, not with every task
        tasks = [delayed(part.counts_by_float32)(sent) for part in parts]
        counts: NDArray[np.int64] = _sum_in_tree(tasks).toarray()
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
        raise ReadError("source must be at least one file, got an empty list")
    for each in sources:
        if not isinstance(each, str | os.PathLike):
            raise ReadError(
                'with engine="dask", source must be a path, a glob or a URL of Parquet files, or a '
                f"list of them; got a {type(each).__name__}"
            )
    return [os.fsdecode(each) for each in sources]


def _reject_different_columns(files: Sequence[DaskFile], names: Sequence[Sequence[str]]) -> None:
    expected = set(names[0])
    for file, found in zip(files, map(set, names), strict=True):
        if found != expected:
            lists = (sorted(expected - found), sorted(found - expected))
            missing, others = (quoted_names(each) or "none" for each in lists)
            raise ReadError(
                f"{file.where}: expected the columns of {files[0].where}; "
                f"missing: {missing}; additional: {others}"
            )


def _sum_in_tree(tasks: list[Any]) -> Any:
    """Return the sum of the results of `tasks`; further tasks add up a few results at a time."""
    dask = _import_dask()
    merge = dask.delayed(partial(reduce, add))
    while len(tasks) > 1:
        tasks = [merge(tasks[begin : begin + ADDENDS]) for begin in range(0, len(tasks), ADDENDS)]
    return dask.compute(*tasks)[0]
