"""The answer for rows in memory beside the same rows streamed: ``python -m benchmarks.rows``.

Each row of the table is two processes: one reads a pair of float32 arrays, the other a Parquet file
with ``memory_limit=0``; both test a claim. Memory is the most that a process took, with libraries
and, in memory, the arrays. Exact scores are the same arrays as `AttackScores`, which are never
counted.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pyarrow import parquet

from benchmarks.data import write_parquet
from benchmarks.harness import QUICK, Peer, Row, show

SIZES = (2 * 10**4,) if QUICK else (2 * 10**5, 2 * 10**6, 5 * 10**7)
MOST_EXACT = 2 * 10**6  # rows that are also analysed as exact scores
SOURCES = {
    "in memory": "dpviz.read_scores((member, nonmember))",
    "exact": "dpviz.AttackScores.from_losses(member=member, nonmember=nonmember)",
    "streamed": "dpviz.read_scores(path, memory_limit=0, progress=iter)",
}
PROGRAM = """
import sys, time
import numpy as np, pandas
import dpviz, dpviz.data, dpviz.analysis
path, how = sys.argv[1:]
if how != "streamed":
    member, nonmember = (np.load(f"{{path}}.{{name}}.npy") for name in ("member", "nonmember"))
start = time.perf_counter()
result = dpviz.analyze({source}, epsilon=1.0, delta=1e-5)
seconds = time.perf_counter() - start
# Not `ru_maxrss`, which a process inherits from the one that starts it.
status = dict(line.split(":") for line in open("/proc/self/status"))
print(seconds, int(status["VmHWM"].split()[0]) / 2**10)
print(result.sample.audit.bound.low, result.sample.epsilon_star.star.value)
"""


def measured(path: Path, how: str) -> tuple[float, str]:
    """Seconds, and in words the memory and the answer, in a process of its own."""
    program = PROGRAM.format(source=SOURCES[how])
    command = [sys.executable, "-c", program, str(path), how]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak, low, estimate = map(float, run.stdout.split())
    return seconds, f"{peak:.0f} MiB at most, epsilon >= {low:.3f}, Epsilon* {estimate:.3f}"


def rows() -> Iterator[Row]:
    """From few rows to many."""
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.parquet"
            write_parquet(path, size)
            table = parquet.read_table(path)
            loss, is_member = (table[name].to_numpy() for name in ("loss", "is_member"))
            np.save(f"{path}.member.npy", loss[is_member])
            np.save(f"{path}.nonmember.npy", loss[~is_member])
            del table, loss, is_member
            seconds, words = measured(path, "streamed")
            peer = Peer("streamed", seconds)
            yield Row(f"{size:.0e} rows streamed", seconds, peer, words)
            for how in ("in memory", "exact") if size <= MOST_EXACT else ("in memory",):
                seconds, words = measured(path, how)
                yield Row(f"{size:.0e} rows {how}", seconds, peer, words)
            for file in Path(folder).iterdir():
                file.unlink()


if __name__ == "__main__":
    show(rows())
