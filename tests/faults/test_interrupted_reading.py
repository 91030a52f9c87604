"""Ctrl-C where a reader begins a thread: the process can still end."""

import subprocess
import sys

import pytest

# The interrupt comes as soon as the thread runs: Python gives it to the main thread, which has not
# noted yet that there is a thread.
CODE = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
import dpviz

start, starts = threading.Thread.start, count()
submit = ThreadPoolExecutor.submit


def interrupted(thread):
    start(thread)
    if threading.current_thread() is threading.main_thread() and next(starts) == int(sys.argv[1]):
        raise KeyboardInterrupt


def late(*job):
    begun = submit(*job)
    time.sleep(float(sys.argv[2]))
    return begun


threading.Thread.start = interrupted
ThreadPoolExecutor.submit = late
try:
    dpviz.read_scores(b"loss,member\\n" + b"0.5,1\\n0.7,0\\n" * 10**6)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thread", "delay"),
    [(0, 0), pytest.param(1, 0, marks=pytest.mark.slow), (1, 0.5)],
    ids=["that hashes", "that reads", "that reads, on a slow machine"],
)
def test_a_process_interrupted_at_the_start_of_a_thread_ends(thread: int, delay: float) -> None:
    command = [sys.executable, "-c", CODE, str(thread), str(delay)]
    # The limit is for a process that never ends.
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
