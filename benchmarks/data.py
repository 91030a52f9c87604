"""Time reading: Parquet of any size over pyarrow alone, CSV over pyarrow's own reader.

Run with dpviz installed, with pyarrow::

    python benchmarks/data.py                 # Parquet up to 10^7 + 10^7 losses, CSV of 10^6 rows
    python benchmarks/data.py 100000000       # up to 10^8 + 10^8 losses: 1 GB on the disk
    python benchmarks/data.py 100000000 DIR   # in a folder that is kept

Every reading is a process of its own, so that the memory it says it took at most is its own. What
pyarrow alone takes is the fastest of its three ways through a file that fit in memory (batches with
one thread and with all, and a dataset's batches).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

GENERATED, SEED = 2**20, 20
SIZES = 10 ** np.arange(6, 12)
CSV_ROWS = 10**6
MEMORY_LIMIT = 2**28
"""Bytes; reading 10^7 + 10^7 losses at once would take more."""
ROUNDS = 3

PYARROW = """
import pyarrow.dataset, pyarrow.parquet as parquet
def batches(threads):
    opened = parquet.ParquetFile(path, pre_buffer=False)
    for batch in opened.iter_batches(2**20, use_threads=threads): pass
def dataset():
    for batch in pyarrow.dataset.dataset(path).to_batches(): pass
ways = [lambda: batches(False), lambda: batches(True), dataset]
"""
STREAMED = """
import dpviz, dpviz.data, pandas, pyarrow.parquet
ways = [lambda: dpviz.read_scores(path, memory_limit={limit}, progress=iter)]
"""
PYARROW_CSV = """
from pyarrow import csv
ways = [lambda: csv.read_csv(path)]
"""
MEASURED = """
import json, resource, sys, time
path = sys.argv[1]
{ways}
seconds = []
for way in ways * {rounds}:
    start = time.perf_counter()
    way()
    seconds.append(time.perf_counter() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
print(json.dumps({{"seconds": min(seconds), "peak": peak}}))
"""


def losses(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Losses of the paper's simulation, and which of them are of members: about a half."""
    is_member = rng.random(rows) < 0.5
    return rng.standard_gamma(np.where(is_member, 2, 4)).astype(np.float32) / 5, is_member


def write_parquet(path: Path, rows: int) -> None:
    """Row groups of about a million rows, as pyarrow writes them."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("loss", pa.float32()), ("is_member", pa.bool_())])
    rng = np.random.default_rng(SEED)
    with parquet.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, GENERATED):
            columns = losses(rng, min(GENERATED, rows - begin))
            writer.write_table(pa.table(list(columns), schema=schema))


def write_csv(path: Path, rows: int) -> None:
    """Nine digits of a loss, 1 or 0."""
    loss, is_member = losses(np.random.default_rng(SEED), rows)
    pairs = zip(loss.tolist(), is_member.tolist(), strict=True)
    path.write_text("loss,is_member\n" + "".join(f"{x:.9g},{y:d}\n" for x, y in pairs))


def measured(ways: str, path: Path, rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of the fastest way and round, and the most memory, in a process of its own."""
    code = MEASURED.format(ways=ways, rounds=rounds)
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(run.stdout)
    return found


def report(name: str, ours: dict[str, float], alone: dict[str, float], rows: int) -> None:
    """One line."""
    seconds, others = ours["seconds"], alone["seconds"]
    print(
        f"{name}: {seconds:8.3f} s, {seconds / rows * 1e9:5.1f} ns a row, "
        f"{ours['peak']:6.0f} MiB at most; pyarrow alone {others:8.3f} s, "
        f"{others / rows * 1e9:5.1f} ns a row; speed {others / seconds:.2f} of pyarrow's"
    )


def main(largest: int, folder: Path) -> None:
    """From the smallest file to the largest."""
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}, limit {MEMORY_LIMIT // 2**20} MiB")
    for size in SIZES[largest >= SIZES].tolist():
        path = folder / f"{size}.parquet"
        if not path.exists():
            write_parquet(path, 2 * size)
        streamed = measured(STREAMED.format(limit=min(MEMORY_LIMIT, size)), path)
        report(f"Parquet, 2 x {size:.0e} losses", streamed, measured(PYARROW, path), 2 * size)
    path = folder / "losses.csv"
    if not path.exists():
        write_csv(path, CSV_ROWS)
    read = measured(STREAMED.format(limit=None), path, rounds=2 * ROUNDS)
    report(f"CSV, {CSV_ROWS:.0e} rows", read, measured(PYARROW_CSV, path, 2 * ROUNDS), CSV_ROWS)


if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    if len(sys.argv) > 2:
        main(most, Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(most, Path(made))
