"""Progress bars, jobs in threads, and a file's SHA-256 while the file is read."""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.data.sources.file import File

T = TypeVar("T")


def with_progress(items: Iterable[T], n_expected: int, progress: Progress) -> Iterator[T]:
    """Yield all items, and advance `progress(range(n_expected))` by one step for each item."""
    # If there are fewer items, the other steps follow at once. If there are more, `progress` is
    # called again, so that it can cancel at every item.
    rest, first = iter(items), None
    while True:
        has_steps = False
        for _ in progress(range(n_expected)):
            has_steps = True
            item, first = next(rest, None) if first is None else first, None
            if item is not None:
                yield item
        if not has_steps:
            yield from rest
            return
        if (first := next(rest, None)) is None:
            return


def progress_bar(steps: range) -> Iterator[int]:
    """Return the steps with a tqdm progress bar: the default `progress` for large sources."""
    from tqdm.auto import tqdm  # only for streams: slow to import

    return iter(tqdm(steps, desc="reading", unit="piece"))


# Jobs that run in several threads, with results in the order of the jobs.


def results_in_order(jobs: Iterable[Callable[[], T]], n_threads: int) -> Iterator[T]:
    """Run jobs in up to `n_threads` threads; yield results and raise errors in the jobs' order."""
    if sys.platform == "emscripten":  # Pyodide has no threads
        yield from (job() for job in jobs)
        return
    workers = min(n_threads, os.cpu_count() or 1)
    pool, coming = _thread_pool(workers), deque[Future[T]]()
    fault: Exception | None = None
    rest = iter(jobs)
    try:
        while True:
            try:
                job = next(rest, None)
            except Exception as error:
                # The results before an error of the iterator come first.
                fault, job = error, None
            if job is None:
                break
            coming.append(pool.submit(job))
            if len(coming) > workers:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
    finally:
        for left in coming:
            left.cancel()
    if fault is not None:
        raise fault


@cache
def _thread_pool(workers: int) -> ThreadPoolExecutor:
    """Return this process's pool of `workers` threads, all of them already started."""
    # A helper thread starts them. In the main thread, Ctrl-C could come between the start and the
    # registration of a worker; the process would then wait for that worker at its end. If the
    # process ends while workers start, the barrier at which they wait for one another is aborted.
    pool = ThreadPoolExecutor(workers, thread_name_prefix="dpviz-read")
    all_begun = threading.Barrier(workers)

    def start_workers() -> None:
        try:
            for _ in range(workers):
                pool.submit(all_begun.wait)
        except RuntimeError:  # the interpreter is ending
            all_begun.abort()

    starter = threading.Thread(target=start_workers)
    starter.start()
    starter.join()
    return pool


if hasattr(os, "register_at_fork"):  # a fork has no threads of the pool, and would wait for them
    os.register_at_fork(after_in_child=_thread_pool.cache_clear)

# SHA-256 of a file while it is read.


@contextmanager
def hash_in_background(file: File | None) -> Iterator[Callable[[], str | None]]:
    """Hash a file in a thread; yield a function that waits for the SHA-256 and returns it."""
    if file is None:
        yield lambda: None
        return
    if sys.platform == "emscripten":  # Pyodide has no threads
        yield lambda: file.sha256
        return
    stopped, found = threading.Event(), Future[str]()

    def hash_file() -> None:
        try:
            found.set_result(file.sha256_until(stopped))
        except Exception as error:
            found.set_exception(error)

    # No thread of a pool, which would wait for more work if Ctrl-C interrupts the pool's shutdown.
    thread = threading.Thread(target=hash_file)
    try:
        thread.start()
        yield found.result
    finally:
        stopped.set()
        if thread.is_alive():
            thread.join()
