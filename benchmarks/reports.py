"""The command with a report of 10 000 records in each format: ``python -m benchmarks.reports``."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import HEAD, Peer, Row, best
from dpviz.reports.formats import FORMATS

RECORDS = 10_000
COMMAND = (sys.executable, "-m", "dpviz", "audit")
CLAIM = ("--claim", "1.0,1e-5")


def rows() -> Iterator[Row]:
    """Each format, beside the command that only prints; its size in the last column."""
    rng = np.random.default_rng(0)
    member = np.arange(RECORDS) % 2
    losses = rng.normal(1.0 - member, 1)
    with TemporaryDirectory() as folder:
        scores = Path(folder, "losses.csv")
        np.savetxt(
            scores,
            np.column_stack([losses, member]),
            delimiter=",",
            header="loss,member",
            comments="",
        )

        def audit(*options: str) -> None:
            command = (*COMMAND, str(scores), *CLAIM, *options)
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL)

        peer = Peer.timed("the command alone", audit, 3)
        for suffix in FORMATS:
            path = Path(folder, f"report{suffix}")

            def write(path: Path = path) -> None:
                audit("--report", str(path))

            seconds = best(write, 3)
            size = f"{path.stat().st_size / 1000:.0f} kB"
            yield Row(f"dpviz audit --report {suffix}, 10^4 records", seconds, peer, size)


if __name__ == "__main__":
    print(HEAD)
    for row in rows():
        print(row)
