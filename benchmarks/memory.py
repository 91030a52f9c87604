"""What stays in memory: explorers made and closed, sliders moved, changes undone and redone.

    python -m benchmarks.memory

Prints rows of a table: what was done, widgets that are open afterwards, objects and blocks of
memory that Python holds more than before, and what the process takes more. Objects of an explorer
refer to each other in circles; these wait for Python's collector. `each` collects after each round
and shows what stays; `at the end` leaves it to Python and shows what waits meanwhile.
"""

import gc
import sys
from collections.abc import Callable

import psutil
from ipywidgets.widgets.widget import _instances

import dpviz

ROUNDS = 200
CHANGES = 10_000
STEPS = 1000
HEAD = "| work | widgets | objects | blocks | process, MiB |\n| --- | --- | --- | --- | --- |"


def held() -> tuple[int, int, int, float]:
    """Open widgets, objects that the collector knows, blocks, and MiB of the process."""
    gc.collect()
    size = psutil.Process().memory_info().rss / 2**20
    return len(_instances), len(gc.get_objects()), sys.getallocatedblocks(), size


def row(work: str, action: Callable[[int], object], times: int, *, collect: bool = False) -> str:
    """Do it so often, and say what is held more than before."""
    action(0)  # loads what is needed
    before = held()
    for i in range(1, times + 1):
        action(i)
        if collect:
            gc.collect()
    more = [after - was for after, was in zip(held(), before, strict=True)]
    cells = (work, *(f"{each:+d}" for each in more[:3]), f"{more[3]:+.1f}")
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the table."""
    scores = dpviz.read_sample("overfitted")

    def make_and_close(_: int) -> None:
        dpviz.explore(scores).close()

    print(HEAD)
    print(row(f"{ROUNDS} explorers, each", make_and_close, ROUNDS, collect=True), flush=True)
    print(row(f"{ROUNDS} explorers, at the end", make_and_close, ROUNDS), flush=True)
    explorer = dpviz.explore(scores)

    def slide(i: int) -> None:
        explorer.epsilon = 0.5 + i % 977 * 0.01 + i * 1e-6
        if i % 7 == 0:
            explorer.fpr = 0.001 + i % 500 * 0.001
        if i % 50 == 0:
            explorer.delta = 10.0 ** -(1 + i % 11)

    def undo_and_redo(i: int) -> None:
        (explorer.undo if i % 100 < 50 else explorer.redo)()

    print(row(f"{CHANGES} changes of sliders", slide, CHANGES), flush=True)
    print(row(f"{STEPS} steps of undo and redo", undo_and_redo, STEPS), flush=True)


if __name__ == "__main__":
    main()
