"""Work of several threads, in order: faults in their turn, cancelling, and other processes."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from dpviz.data.sources.progress import results_in_order

IN_A_CHILD = """
import os, signal, sys
from dpviz.data import read_scores
csv = b"loss,member\\n0.5,1\\n2.0,0\\n"
read_scores(csv)
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if read_scores(csv).n_members == 1 else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_results_come_in_the_order_of_the_jobs() -> None:
    later = threading.Event()

    def job(i: int) -> Callable[[], int]:
        def run() -> int:
            # The first ends after the second has.
            assert later.wait(300) if i == 0 else True
            later.set()
            return i

        return run

    assert list(results_in_order(map(job, range(20)), 2)) == list(range(20))


def test_the_first_fault_is_raised_when_its_turn_comes() -> None:
    def jobs() -> Iterator[Callable[[], float]]:
        yield lambda: 1
        yield lambda: 1 / 0
        raise ValueError("of the jobs themselves")

    found = results_in_order(jobs(), 3)
    assert next(found) == 1
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_a_fault_of_the_jobs_waits_for_those_before() -> None:
    def jobs() -> Iterator[Callable[[], int]]:
        yield lambda: 1
        raise ValueError("of the jobs themselves")

    found = results_in_order(jobs(), 3)
    assert next(found) == 1
    with pytest.raises(ValueError, match="themselves"):
        next(found)


def test_whoever_stops_leaves_nothing_to_do() -> None:
    begun: list[int] = []
    found = results_in_order(((lambda i=i: begun.append(i)) for i in range(1000)), 2)
    next(found)
    found.close()
    assert len(begun) <= 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_reads_too() -> None:
    subprocess.run([sys.executable, "-c", IN_A_CHILD], check=True, timeout=300)
