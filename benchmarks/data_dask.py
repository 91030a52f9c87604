"""Time counting Parquet files on Dask with one and with two worker processes.

Run with the extra installed (``pip install -e '.[distributed]'``), on two cores::

    taskset -c 2,3 python benchmarks/data_dask.py            # 10^8 rows
    taskset -c 2,3 python benchmarks/data_dask.py 20000000   # other numbers

Workers have one thread and read with one thread; every row is read twice, as cells that may hide a
maximum are counted again. The files are made in a temporary directory and have just been written:
they come from the memory of the machine, not from its disk. The time is the best of a few runs.
Then what 10^12 rows would cost, at the cost per row of two workers.

Dask has its workers give memory back at once and fetch it anew. With
``MALLOC_MMAP_THRESHOLD_=33554432`` in their environment (glibc) they keep it.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from distributed import Client, LocalCluster
from pyarrow import parquet
from timing import best

from dpviz import read_scores
from dpviz.data.parquet_parts import ROWS_OF_A_PART

FILES = 16
ROWS_OF_A_GROUP = 1_000_000
MANY = 10**12
CLUSTER = {"threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}


def write(folder: Path, n: int) -> None:
    """Losses of Normal law as float32, every other record a member or so."""
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


def bench(n: int) -> None:
    """Both timings, their ratio, and what many rows would cost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n)
        n_bytes = sum(path.stat().st_size for path in folder.iterdir())
        print(f"{n} rows in {FILES} files, {n_bytes / n:.2f} bytes per row")
        one, two = (seconds(folder, n_workers) for n_workers in (1, 2))
    for n_workers, taken in ((1, one), (2, two)):
        cost = 1e9 * taken * n_workers / n
        print(
            f"{n_workers} worker{'s' if n_workers > 1 else ' '} {taken:7.2f} s, "
            f"{n / taken / 1e6:6.1f} million rows/s, {cost:5.1f} ns of a core per row"
        )
    print(f"2 workers / 1 worker: {one / two:.2f}")
    core_hours = MANY * two * 2 / n / 3600
    print(
        f"10^12 rows: {core_hours:.1f} core-hours, {MANY * n_bytes / n / 1e12:.2f} TB read, "
        f"{MANY // ROWS_OF_A_PART} tasks"
    )


if __name__ == "__main__":
    for size in [int(argument) for argument in sys.argv[1:]] or [10**8]:
        bench(size)
