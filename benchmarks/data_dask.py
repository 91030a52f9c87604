"""Counting Parquet on Dask with two worker processes beside one.

On two cores::

    taskset -c 2,3 python -m benchmarks.data_dask            # 10^8 rows
    taskset -c 2,3 python -m benchmarks.data_dask 20000000   # other numbers

Workers have one thread and read with one thread; every row is read twice, as cells that may hide a
maximum are counted again. The files are made in a temporary directory and have just been written:
they come from the memory of the machine, not from its disk. The time is the best of a few runs.
Then what 10^12 rows would cost, at the cost per row of two workers.

Dask has its workers give memory back at once and fetch it anew. With
``MALLOC_MMAP_THRESHOLD_=33554432`` in their environment (glibc) they keep it.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from distributed import Client, LocalCluster
from pyarrow import parquet

from benchmarks.harness import Peer, Row, best, show
from dpviz import read_scores
from dpviz.data.distributed import ROWS_OF_A_PART

FILES = 16
ROWS_OF_A_GROUP = 1_000_000
MANY = 10**12
CLUSTER = {"threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}


def write(folder: Path, n: int) -> None:
    """Normal losses as float32, every other record a member or so."""
    rng = np.random.default_rng(0)
    for i in range(FILES):
        is_member = rng.random(n // FILES) < 0.5
        loss = rng.standard_normal(is_member.size, np.float32)
        loss += np.where(is_member, np.float32(0), np.float32(0.5))
        table = pa.table({"loss": loss, "member": is_member})
        parquet.write_table(table, folder / f"{i:02}.parquet", row_group_size=ROWS_OF_A_GROUP)


def seconds(folder: Path, n_workers: int) -> float:
    """Of reading with so many worker processes, which have read before."""
    with (
        LocalCluster(n_workers=n_workers, dashboard_address="127.0.0.1:0", **CLUSTER) as cluster,
        Client(cluster),
    ):
        read = f"{folder}/*.parquet"
        read_scores(read, engine="dask")
        return best(lambda: read_scores(read, engine="dask"), 3)


def rows(n: int = 10**8) -> Iterator[Row]:
    """Both timings and their ratio, and what many rows would cost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n)
        n_bytes = sum(path.stat().st_size for path in folder.iterdir())
        one, two = (seconds(folder, n_workers) for n_workers in (1, 2))
    core_hours = MANY * two * 2 / n / 3600
    also = (
        f"{2e9 * two / n:.3g} ns of a core a row ({1e9 * one / n:.3g} with one); 10^12 rows: "
        f"{core_hours:.0f} core-hours, {MANY * n_bytes / n / 1e12:.2f} TB, "
        f"{MANY // ROWS_OF_A_PART} tasks"
    )
    yield Row(f"{n:.0e} rows on Dask, two workers", two, Peer("one worker", one), also)


if __name__ == "__main__":
    show(rows(*map(int, sys.argv[1:])))
