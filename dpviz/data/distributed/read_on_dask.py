"""`read_scores` on Dask: any number of Parquet files, counted by the workers.

Tasks count row groups and have no state: one that is lost with its worker is repeated and gives the
same whole numbers. Counts are added up in a tree, so that no machine holds those of all tasks.
"""

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.provenance import Provenance
from dpviz.data.collect.refine import with_cells_counted
from dpviz.data.distributed.parquet_parts import Part, spans_of
from dpviz.data.distributed.part_counts import PartCounts, Sums
from dpviz.data.distributed.remote_files import RemoteFile, remote_files
from dpviz.data.formats.parquet import Footer
from dpviz.data.sources.options import ReadError, ReadOptions, listed, plain
from dpviz.data.tables.arrow import pyarrow_for
from dpviz.data.tables.columns import Columns, choose_columns
from dpviz.data.tables.table import reject_one_class
from dpviz.warn import warn_caller

T = TypeVar("T")
LOADER = "Parquet on Dask"
LOCAL_ONLY = ("group", "progress")
FAN_IN = 8  # results that one task adds up
PASSWORD = re.compile(r"//[^/@]*@")  # user and password in a URL


def read_on_dask(source: Any, options: ReadOptions) -> BinnedScores:
    """Count the scores of Parquet files on Dask; parameters and errors are those of `read_scores`.

    Raises ValueError if an option is given that only ``engine="local"`` has.
    """
    for name in LOCAL_ONLY:
        value = getattr(options, name)
        if value is not None:
            raise checks.fail(name, 'left out with engine="dask"', value)
    delayed = _dask().delayed
    sources = _sources(source)
    where = plain(options.name or _called(sources))
    files = remote_files(sources)
    footers = _computed([delayed(file.footer)() for file in files])
    _reject_other_columns(files, footers)
    columns = choose_columns(footers[0].names, options, files[0].where)
    parts = _parts(files, footers, columns, options)
    if not parts:
        raise ReadError(f"{where}: expected rows, got none")
    counts = _summed(PartCounts.merged, [delayed(part.counts)() for part in parts])
    if counts.n_dropped:
        warn_caller(f"{where}: {counts.dropped}")
    bins = counts.bins(columns.kind)
    reject_one_class(bins.sizes[0], sum(bins.sizes), where, columns)
    some = f"{len(files)} Parquet file{'' if len(files) == 1 else 's'}"
    provenance = Provenance(
        source=where,
        loader=LOADER,
        understood=f"{columns.understood}, in {some}",
        n_rows=counts.n_rows,
        n_dropped=counts.n_dropped,
        dropped=counts.dropped,
    )

    def inside(cells: NDArray[np.uint32]) -> NDArray[np.int64]:
        sent = delayed(cells)  # once, not with every task
        tasks = [delayed(part.counts_inside)(sent) for part in parts]
        return _summed(Sums.merged, tasks).counts_inside(cells)

    return with_cells_counted(bins.scores(provenance), inside)


def _dask() -> Any:
    try:
        import dask  # optional: dpviz[distributed]
        import fsspec  # noqa: F401
    except ImportError as error:
        message = "engine=\"dask\" needs Dask: pip install 'dpviz[distributed]'"
        raise ImportError(message) from error
    pyarrow_for("Parquet files")
    return dask


def _sources(source: Any) -> list[str]:
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


def _called(sources: Sequence[str]) -> str:
    first = PASSWORD.sub("//", sources[0])  # reports repeat the name
    return first if len(sources) == 1 else f"{first} and {len(sources) - 1} more"


def _reject_other_columns(files: Sequence[RemoteFile], footers: Sequence[Footer]) -> None:
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


def _parts(
    files: Sequence[RemoteFile], footers: Sequence[Footer], columns: Columns, options: ReadOptions
) -> list[Part]:
    if not any(n for footer in footers for n in footer.rows):
        return []
    names = tuple(footers[0].names[position] for position in columns.positions)
    return [
        Part(
            spans=spans,
            names=names,
            columns=columns,
            missing=options.missing,
            memory=options.memory_limit,
        )
        for spans in spans_of(files, footers)
    ]


def _summed(merged: Callable[[Sequence[T]], T], tasks: list[Any]) -> T:
    """The sum of the results of all tasks, of which each further task adds up a few."""
    delayed = _dask().delayed
    while len(tasks) > 1:
        tasks = [
            delayed(merged)(tasks[begin : begin + FAN_IN]) for begin in range(0, len(tasks), FAN_IN)
        ]
    total: T = _computed(tasks)[0]
    return total


def _computed(tasks: list[Any]) -> list[Any]:
    """The results of tasks, computed by the active client or by Dask's default scheduler."""
    return list(_dask().compute(*tasks))
