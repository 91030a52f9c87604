"""Reading Parquet and CSV of any size beside pyarrow alone: ``python -m benchmarks.data``.

Further sizes::

    python -m benchmarks.data 100000000       # up to 10^8 + 10^8 losses: 1 GB on the disk
    python -m benchmarks.data 100000000 DIR   # in a folder that is kept

Every reading is a process of its own, so that the memory it takes at most is its own. What pyarrow
alone takes is the fastest of its three ways through a file that fit in memory (batches with one
thread and with all, and a dataset's batches).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import QUICK, Peer, Row, show

GENERATED, SEED = 2**20, 20
SIZES = 10 ** np.arange(6, 12)
LARGEST, CSV_ROWS, ROUNDS = (10**6, 10**5, 1) if QUICK else (10**7, 10**6, 3)
MEMORY_LIMIT = 2**28  # bytes; reading 10^7 + 10^7 losses at once would take more

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


def measured(ways: str, path: Path, rounds: int) -> dict[str, float]:
    """Seconds of the fastest way and round, and the most memory, in a process of its own."""
    code = MEASURED.format(ways=ways, rounds=rounds)
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(run.stdout)
    return found


def reading(name: str, path: Path, n: int, limit: int | None, peer: str, rounds: int) -> Row:
    """One file read by dpviz and by pyarrow."""
    ours = measured(STREAMED.format(limit=limit), path, rounds)
    alone = measured(peer, path, rounds)
    also = f"{1e9 * ours['seconds'] / n:.3g} ns a row, {ours['peak']:.0f} MiB at most"
    return Row(f"read {name}", ours["seconds"], Peer("pyarrow alone", alone["seconds"]), also)


def rows(largest: int = LARGEST, folder: Path | None = None) -> Iterator[Row]:
    """From the smallest file to the largest, in `folder` or in one that is thrown away."""
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            yield from rows(largest, Path(made))
        return
    for size in SIZES[largest >= SIZES].tolist():
        path = folder / f"{size}.parquet"
        if not path.exists():
            write_parquet(path, 2 * size)
        limit = min(MEMORY_LIMIT, size)
        yield reading(f"Parquet, 2 x {size:.0e} losses", path, 2 * size, limit, PYARROW, ROUNDS)
    path = folder / "losses.csv"
    if not path.exists():
        write_csv(path, CSV_ROWS)
    name = f"CSV, {CSV_ROWS:.0e} rows"
    yield reading(name, path, CSV_ROWS, None, PYARROW_CSV, 2 * ROUNDS)


if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else LARGEST
    show(rows(most, Path(sys.argv[2]) if len(sys.argv) > 2 else None))
