"""One way to time: the fastest of a few runs, beside a peer that is timed in the same run.

Seconds depend on the machine; ratios are what to compare. ``QUICK=1`` in the environment takes
small sizes, to try whether everything runs.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

QUICK = os.environ.get("QUICK") == "1"
HEAD = "| work | time | peer | its time | ratio | also |\n| --- | --- | --- | --- | --- | --- |"


def best(action: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of `repeats` runs."""
    seconds = []
    for _ in range(1 if QUICK else repeats):
        start = perf_counter()
        action()
        seconds.append(perf_counter() - start)
    return min(seconds)


@dataclass(frozen=True)
class Peer:
    """Known work that took so many seconds in this run."""

    name: str
    seconds: float

    @classmethod
    def timed(cls, name: str, action: Callable[[], object], repeats: int = 5) -> "Peer":
        """The fastest of a few runs of `action`."""
        return cls(name, best(action, repeats))

    @classmethod
    def sort(cls, *classes: np.ndarray) -> "Peer":
        """`numpy.sort` of the same numbers."""
        return cls.timed("numpy.sort", lambda: [np.sort(each) for each in classes])


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    seconds: float
    peer: Peer
    also: str = ""

    def __str__(self) -> str:
        ratio = f"{self.seconds / self.peer.seconds:.3g}"
        cells = (self.work, time(self.seconds), self.peer.name, time(self.peer.seconds), ratio)
        return f"| {' | '.join(cells)} | {self.also} |"


def time(seconds: float) -> str:
    """Three digits in a unit of a convenient size."""
    factor, unit = next(
        (pair for pair in ((1, "s"), (1e3, "ms")) if seconds * pair[0] >= 1), (1e6, "µs")
    )
    return f"{seconds * factor:.3g} {unit}"


def show(rows: Iterable[Row]) -> None:
    """Print the table of one benchmark, row by row."""
    print(HEAD)
    for row in rows:
        print(row, flush=True)
